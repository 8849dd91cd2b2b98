//! What a calibration found, and what a check found, on the screen.

use std::path::Path;

use super::super::failure::Failure;
use super::super::output::{fitting_line, line, print_table, table};
use crate::calibrate::{AGREES_WITHIN_PCT, Calibration, Check, Checked, Found, Origin, Unknown};
use crate::properties::Properties;
use crate::unit::significant;
use gpu_simulator::profile::{CONSTANTS, Embedded, embedded};
use located_toml::words::count;

/// A constant that is sure to no better than this is told apart.
const UNSURE_PCT: f64 = AGREES_WITHIN_PCT;

pub(super) fn print(calibration: &Calibration, gpu: &Properties, out: &Path, like: Embedded) -> Result<(), Failure> {
    let of = |is_wanted: fn(&Origin) -> bool| calibration.constants.iter().filter(|own| is_wanted(&own.origin)).count();
    let newest = embedded()[0].name;
    line(format!("{}: constants of {}", gpu.label(), out.display()))?;
    line(format!(
        "{} {}, {} told by the driver, {} kept from the profile {}{}",
        of(|own| matches!(own, Origin::Measured { .. } | Origin::Limit)),
        gpu.origin.name(),
        of(|own| matches!(own, Origin::Told)),
        of(|own| matches!(own, Origin::Kept(_))),
        like.name,
        if like.name == newest { String::new() } else { format!(", or from {newest} where that lacks them") }
    ))?;
    line("")?;
    let mut rows = table(&[gpu.origin.name(), "", "unit", "sure to"]);
    for own in &calibration.constants {
        let sure = match own.origin {
            Origin::Measured { uncertainty_pct } => sure(uncertainty_pct),
            Origin::Limit => "a limit".to_owned(),
            _ => continue,
        };
        let value = own.number().map(|value| significant(value, 4)).unwrap_or_default();
        rows.add_row([own.key.clone(), value, unit(own).to_owned(), sure]);
    }
    print_table(&rows)?;
    if of(|own| *own == Origin::Limit) > 0 {
        line("")?;
        fitting_line(
            "a limit: ",
            "simulated, its point takes as long with any value beyond, or the value is the peak of the memory; the profile says which, and how far the point is from what was measured",
        )?;
    }
    let unsure = calibration
        .constants
        .iter()
        .filter(|own| matches!(own.origin, Origin::Measured { uncertainty_pct } if uncertainty_pct > UNSURE_PCT));
    let unsure: Vec<&str> = unsure.map(|own| own.key.as_str()).collect();
    if !unsure.is_empty() {
        line("")?;
        fitting_line("not sure to within 3 %: ", &unsure.join(", "))?;
    }
    let not_found: Vec<String> = calibration.constants.iter().filter_map(not_found).collect();
    if !not_found.is_empty() {
        line("")?;
        line(format!("{} that benchmarks are for could not be found:", count(not_found.len(), "constant")))?;
        not_found.iter().try_for_each(|told| fitting_line("  ", told))?;
    }
    Ok(())
}

fn sure(uncertainty_pct: f64) -> String {
    if uncertainty_pct > 0.0 { format!("{uncertainty_pct:.1} %") } else { String::new() }
}

fn unit(own: &Found) -> &'static str {
    CONSTANTS.iter().find(|constant| constant.key == own.key).map_or("", |constant| constant.unit)
}

/// A constant that a step is for and that was not found.
fn not_found(own: &Found) -> Option<String> {
    let Origin::Kept(unknown) = &own.origin else { return None };
    (*unknown != Unknown::NoBenchmark).then(|| format!("{}: {}", own.key, unknown.told()))
}

pub(super) fn print_checked(check: &Check, gpu: &Properties, path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    let apart = check.measured.iter().filter(|own| !own.agrees()).count();
    line(format!("{}: {} of these runs", gpu.label(), count(check.measured.len(), "constant")))?;
    for (key, before, now) in &check.told_otherwise {
        line(format!("{shown} is of another GPU: {key} is {before} there, and {now} here"))?;
    }
    if !check.not_measured.is_empty() {
        let keys = check.not_measured.join(", ");
        fitting_line(&format!("{shown} has as measured, and this time could not be: "), &keys)?;
    }
    if !check.limits.is_empty() {
        fitting_line("not compared, since they are limits: ", &check.limits.join(", "))?;
    }
    if check.agrees() {
        line(format!("all are those of {shown}, to within {AGREES_WITHIN_PCT} % or twice what they are sure to"))?;
    } else if apart > 0 {
        let word = if apart == 1 { "differs" } else { "differ" };
        line(format!(
            "{} {word} from {shown} by more than {AGREES_WITHIN_PCT} % and twice what it is sure to",
            count(apart, "constant")
        ))?;
    }
    line("")?;
    let mut rows = table(&["", "profile", "now", "apart", "sure to", ""]);
    let mut sorted: Vec<&Checked> = check.measured.iter().collect();
    sorted.sort_by(|one, other| other.apart_pct.abs().total_cmp(&one.apart_pct.abs()));
    for own in sorted {
        rows.add_row([
            own.key.clone(),
            significant(own.before, 4),
            significant(own.now, 4),
            format!("{:+.1} %", own.apart_pct),
            sure(own.uncertainty_pct),
            if own.agrees() { String::new() } else { "differs".to_owned() },
        ]);
    }
    Ok(print_table(&rows)?)
}
