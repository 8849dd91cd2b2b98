//! Slowdowns and speedups in tables: a row for each group, under what groups have in common.

use comfy_table::Table;

use super::failure::Failure;
use super::output::{fitting_line, line, print_with_remarks, table};
use crate::model::group::{GroupFit, Key, Outcome, label};
use crate::unit;

/// Stands before the rows.
const INDENT: &str = "   ";

pub(super) fn print_slowdowns(reference: &str, fits: &[GroupFit]) -> Result<(), Failure> {
    line("")?;
    fitting_line(
        "",
        &format!("slowdown: times relative to {reference}, the smallest and the largest with the geometric mean"),
    )?;
    // Times that repeat exactly have no interval, nor have their ratios.
    let has_intervals =
        fits.iter().any(|group| matches!(&group.outcome, Outcome::Slowdown(own) if own.interval.is_some()));
    let mut header = vec!["smallest", "largest", "mean", "95 % interval"];
    header.truncate(if has_intervals { 4 } else { 3 });
    print_groups(fits, "variant", &header, |group| match &group.outcome {
        Outcome::Slowdown(slowdown) => {
            let digits = unit::ratio_digits(slowdown.interval);
            let ratios = [slowdown.smallest, slowdown.largest, slowdown.ratio];
            let interval = has_intervals.then(|| interval_cell(slowdown.interval));
            let cells = ratios.map(|ratio| unit::significant(ratio, digits)).into_iter().chain(interval).collect();
            (cells, slowdown.to_string())
        }
        other => (Vec::new(), other.verdict()),
    })
}

pub(super) fn print_speedups(predictor: &str, fits: &[GroupFit]) -> Result<(), Failure> {
    line("")?;
    fitting_line(
        "",
        &format!("speedup: the time at the smallest {predictor} over that at the others (Cornelis 2010, section 6.3)"),
    )?;
    print_groups(fits, predictor, &["speedup", "95 % interval"], |group| match &group.outcome {
        Outcome::Speedup(speedup) => {
            let ratio = unit::significant(speedup.ratio, unit::ratio_digits(speedup.interval));
            (vec![ratio, interval_cell(speedup.interval)], speedup.compared().to_owned())
        }
        other => (Vec::new(), other.verdict()),
    })
}

/// Prints a row for each group, which is named by its value of `named`. What else tells groups apart stands above the rows that have it in
/// common.
fn print_groups(
    fits: &[GroupFit],
    named: &str,
    header: &[&str],
    cells: impl Fn(&GroupFit) -> (Vec<String>, String),
) -> Result<(), Failure> {
    let head = format!("{INDENT}{named}");
    let header: Vec<&str> = [head.as_str()].into_iter().chain(header.iter().copied()).collect();
    let rest = |group: &GroupFit| -> Key { group.group.iter().filter(|(name, _)| name != named).cloned().collect() };
    for alike in fits.chunk_by(|one, other| rest(one) == rest(other)) {
        let heading = alike.first().map(|group| label(&rest(group))).unwrap_or_default();
        if !heading.is_empty() {
            fitting_line(INDENT, &heading)?;
        }
        let mut rows: Table = table(&header);
        let mut remarks = Vec::new();
        for group in alike {
            let name = group.group.iter().find(|(name, _)| name == named).map(|(_, value)| value.as_str());
            let (mut own, remark) = cells(group);
            own.resize(header.len() - 1, String::new());
            own.insert(0, format!("{INDENT}{}", name.unwrap_or("all")));
            rows.add_row(own);
            remarks.push(remark);
        }
        print_with_remarks(&rows, &remarks)?;
    }
    Ok(())
}

fn interval_cell(interval: Option<(f64, f64)>) -> String {
    let digits = unit::ratio_digits(interval);
    let told = |(low, high)| format!("{} to {}", unit::significant(low, digits), unit::significant(high, digits));
    interval.map(told).unwrap_or_default()
}
