//! The points of two variants in a table that a terminal has room for.

use comfy_table::Table;

use super::super::failure::Failure;
use super::super::output::{table, width};
use super::screen::{paragraph, print_fitting};
use super::variants::MARKS;
use super::words;
use crate::finding::versus::{Outcome, VersusPoint};
use crate::model::group::{Key, label};
use crate::unit;

/// Prints the points, with the names of the two above their times. Where lines would be too long, the names become marks; where that is not enough,
/// only `axis` has a column, and the other parameters stand above the points that agree in them.
pub(super) fn print_points(points: &[VersusPoint], called: [&str; 2], axis: Option<&str>) -> Result<(), Failure> {
    let names = names(points);
    let is_fitting = |rows: &Table| rows.lines().all(|line| line.trim_end().chars().count() <= usize::from(width()));
    let whole = rows(points, &names, called);
    if is_fitting(&whole) {
        return print_fitting(&whole);
    }
    if called != MARKS {
        MARKS.iter().zip(called).try_for_each(|(mark, name)| paragraph(&format!("{mark:<6} "), name))?;
    }
    let marked = rows(points, &names, MARKS);
    let Some(axis) = axis.or(names.last().copied()).filter(|_| !is_fitting(&marked)) else {
        return print_fitting(&marked);
    };
    let rest =
        |point: &VersusPoint| -> Key { point.parameters.iter().filter(|(name, _)| name != axis).cloned().collect() };
    let mut groups: Vec<(Key, Vec<VersusPoint>)> = Vec::new();
    for point in points {
        let key = rest(point);
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, members)) => members.push(point.clone()),
            None => groups.push((key, vec![point.clone()])),
        }
    }
    groups.iter().try_for_each(|(key, members)| {
        if !key.is_empty() {
            paragraph("", &label(key))?;
        }
        print_fitting(&rows(members, &[axis], MARKS))
    })
}

/// The parameters of the points.
fn names(points: &[VersusPoint]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in points.iter().flat_map(|point| &point.parameters) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn rows(points: &[VersusPoint], names: &[&str], called: [&str; 2]) -> Table {
    let mut header: Vec<&str> = names.to_vec();
    header.extend([called[0], called[1], "times as fast", "95 % interval", ""]);
    let mut rows = table(&header);
    for point in points {
        let value = |name: &&str| {
            let found = point.parameters.iter().find(|(own, _)| own == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let mut cells: Vec<String> = names.iter().map(value).collect();
        cells.extend([point.first_us, point.second_us].map(|time_us| unit::time_us_to(time_us, 4)));
        cells.extend([words::ratio(point.times_as_fast), words::dashed(point.interval), told(point.outcome)]);
        rows.add_row(cells);
    }
    rows.set_width(u16::MAX);
    rows
}

fn told(outcome: Outcome) -> String {
    match outcome {
        Outcome::Faster => "faster",
        Outcome::Slower => "slower",
        Outcome::Equal => "within 1 %",
        Outcome::Untold => "cannot be told",
    }
    .to_owned()
}
