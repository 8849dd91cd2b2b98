//! Estimates on a terminal: a table for each combination of the parameters, and how well they agree with what was measured.

use super::super::analysis::place;
use super::super::failure::Failure;
use super::super::output::{line, table};
use super::files::{error_pct, problem};
use super::{Estimates, Problem, Rung};
use crate::estimate::{Part, RungEstimate, agreement};
use crate::properties::Origin;
use crate::unit::{significant, time_us_to};
use located_toml::words::and_list;

/// Parts that are shown of a rung: its largest.
const PARTS_SHOWN: usize = 3;

pub(super) fn print(estimates: &Estimates) -> Result<(), Failure> {
    text(estimates).into_iter().try_for_each(line)?;
    Ok(())
}

/// The lines that are printed.
pub(super) fn text(estimates: &Estimates) -> Vec<String> {
    let Estimates { scenario, title, laws, embedded, run, profile, device, .. } = estimates;
    let mut lines = vec![format!("{scenario}: {title}"), device.label()];
    let with_program = match embedded {
        (names, _) if names.is_empty() => String::new(),
        (_, true) => " (come with apbench)".to_owned(),
        (names, false) => format!(" ({} come with apbench)", and_list(names)),
    };
    lines.push(format!("laws from {}{with_program}, counts from the GPU profile {profile}", laws.display()));
    if let Some(run) = run {
        lines.push(format!("times from {}", place(run)));
    }
    for (label, rungs) in estimates.groups() {
        lines.push(String::new());
        if !label.is_empty() {
            lines.push(label);
        }
        lines.extend(group(estimates, &rungs));
    }
    let all: Vec<(f64, f64)> = estimates.rungs.iter().filter_map(Rung::times_us).collect();
    if let Some(agreement) = agreement(&all).filter(|_| estimates.groups().len() > 1) {
        lines.push(String::new());
        lines.push(format!("median error of all {}: {:.1} %", all.len(), agreement.median_error_pct));
    }
    lines.push(String::new());
    lines.push("what each thing costs".to_owned());
    let mut rows = table(&[]);
    for own in &estimates.coefficients.all {
        let value = own.value.as_ref().map_or_else(|_| "not known".to_owned(), |value| cost(*value, own.unit));
        rows.add_row([format!("  {}", own.name), value, own.from.to_owned()]);
    }
    lines.extend(rows.lines().map(|row| row.trim_end().to_owned()));
    lines.extend(problems(estimates));
    if estimates.rungs.iter().filter_map(|rung| rung.estimate.as_ref().ok()).any(|own| own.is_scaled) {
        lines.push(String::new());
        lines.push("*: counted for some of the blocks or with fewer elements, then scaled to all blocks".to_owned());
    }
    lines
}

fn group(estimates: &Estimates, rungs: &[&Rung]) -> Vec<String> {
    let measured = if estimates.device.origin == Origin::Simulated { "simulated" } else { "measured" };
    let mut rows = table(&["  rung", "estimated", measured, "error", "bound by", "largest parts"]);
    for rung in rungs {
        let own = rung.estimate.as_ref().ok();
        let time = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| time_us_to(time, 3));
        let mark = if own.is_some_and(|own| own.is_scaled) { "*" } else { "" };
        rows.add_row([
            format!("  {}{mark}", rung.point.variant.name),
            time(own.map(|own| own.time_us)),
            time(rung.measured_us),
            error_pct(rung).map_or_else(|| "-".to_owned(), |error| format!("{error:+.0} %")),
            own.map_or_else(|| "-".to_owned(), |own| own.bound.name().to_owned()),
            own.map(parts).unwrap_or_default(),
        ]);
    }
    let mut lines: Vec<String> = rows.lines().map(|row| row.trim_end().to_owned()).collect();
    let times: Vec<(f64, f64)> = rungs.iter().filter_map(|rung| rung.times_us()).collect();
    if let Some(found) = agreement(&times) {
        let order = if found.pairs == found.ordered_pairs {
            "their order is right".to_owned()
        } else {
            format!("{} of {} pairs are in the right order", found.ordered_pairs, found.pairs)
        };
        lines.push(format!("  median error {:.1} %; {order}", found.median_error_pct));
    }
    lines
}

/// The largest parts of an estimate.
fn parts(own: &RungEstimate) -> String {
    let mut parts: Vec<(Part, f64)> = own.parts.iter().copied().filter(|(_, time_us)| *time_us > 0.0).collect();
    parts.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let shown = parts.into_iter().take(PARTS_SHOWN);
    shown.map(|(part, time_us)| format!("{} {}", part.name(), significant(time_us, 3))).collect::<Vec<_>>().join(", ")
}

/// A coefficient in the unit that suits it.
fn cost(value: f64, unit: &str) -> String {
    let Some(of) = unit.strip_prefix("µs") else {
        return format!("{} {unit}", significant(value, 3)).trim_end().to_owned();
    };
    let (value, name) = if value.abs() < 1e-3 {
        (value * 1e6, "ps")
    } else if value.abs() < 1.0 {
        (value * 1e3, "ns")
    } else {
        (value, "µs")
    };
    format!("{} {name}{of}", significant(value, 3))
}

/// Each reason why rungs have no estimate, once.
fn problems(estimates: &Estimates) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for rung in &estimates.rungs {
        let Err(why) = &rung.estimate else { continue };
        let texts: Vec<String> = match why {
            Problem::Missing(missing) => missing.iter().map(|own| super::told(own, &estimates.laws)).collect(),
            Problem::NotCounted(_) => {
                vec![format!("{}: {}", rung.point.variant.name, problem(why, &estimates.laws))]
            }
        };
        for text in texts {
            if !lines.contains(&text) {
                lines.push(text);
            }
        }
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}
