//! Estimates on a terminal: the points in a table, those of a ladder in one for each combination of the parameters, and how well they agree with what was measured.

use comfy_table::Table;

use super::super::analysis::place;
use super::super::failure::Failure;
use super::super::output::{is_verbose, line, table, table_lines};
use super::files::{error_pct, problem};
use super::{Estimates, Problem, Rung};
use crate::estimate::{Part, RungEstimate, agreement};
use crate::properties::Origin;
use crate::unit::{significant, time_us_to};
use located_toml::words::{and_list, count};

/// Parts that are shown of a rung: its largest.
const PARTS_SHOWN: usize = 3;

pub(super) fn print(estimates: &Estimates) -> Result<(), Failure> {
    let lines = if is_verbose() { text(estimates) } else { short(estimates) };
    lines.into_iter().try_for_each(line)?;
    Ok(())
}

/// What is estimated, from which laws, and beside which times.
fn head(estimates: &Estimates) -> Vec<String> {
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
    lines
}

/// All lines.
fn text(estimates: &Estimates) -> Vec<String> {
    let mut lines = head(estimates);
    let groups = estimates.groups();
    if estimates.is_ladder && groups.iter().any(|(_, rungs)| rungs.len() > 1) {
        for (label, rungs) in groups {
            lines.push(String::new());
            if !label.is_empty() {
                lines.push(label);
            }
            lines.extend(group(estimates, &rungs));
        }
    } else {
        lines.push(String::new());
        lines.extend(points(estimates, &estimates.rungs));
    }
    lines.extend(of_all(estimates).into_iter().flat_map(|told| [String::new(), told]));
    lines.push(String::new());
    lines.push("what each thing costs".to_owned());
    let mut rows = table(&[]);
    for own in &estimates.coefficients.all {
        let value = own.value.as_ref().map_or_else(|_| "not known".to_owned(), |value| cost(*value, own.unit));
        rows.add_row([format!("  {}", own.name), value, own.from.to_owned()]);
    }
    lines.extend(table_lines(&rows));
    let problems = problems(estimates);
    if !problems.is_empty() {
        lines.push(String::new());
        lines.extend(problems);
    }
    if estimates.rungs.iter().filter_map(|rung| rung.estimate.as_ref().ok()).any(|own| own.is_scaled) {
        lines.push(String::new());
        lines.push("*: counted for some of the blocks or with fewer elements, then scaled to all blocks".to_owned());
    }
    let is_beyond = |own: &RungEstimate| own.parts.iter().map(|(_, time_us)| time_us).sum::<f64>() > 1.01 * own.time_us;
    let overlap = if estimates.rungs.iter().filter_map(|rung| rung.estimate.as_ref().ok()).any(is_beyond) {
        "; they overlap, so that their sum is more than the time"
    } else {
        ""
    };
    lines.push(String::new());
    lines.push(format!("Parts are in µs{overlap}."));
    lines
}

/// Points that are shown unless all are asked for.
const POINTS_SHOWN: usize = 16;

/// The table of the largest size, and where the rest is.
fn short(estimates: &Estimates) -> Vec<String> {
    let mut lines = head(estimates);
    lines.push(String::new());
    let problems = problems(estimates);
    if estimates.rungs.iter().all(|rung| rung.estimate.is_err()) {
        lines.push("no point has an estimate:".to_owned());
        lines.extend(problems);
        let run = estimates.run.as_ref().filter(|_| has_times(estimates));
        let command = if estimates.is_ladder { "ladder" } else { "fit" };
        lines.extend(run.map(|run| format!("times without estimates: apbench {command} {}", run.display())));
        return lines;
    }
    let groups = estimates.groups();
    let (shown, others): (Vec<&Rung>, String) = if estimates.is_ladder
        && groups.iter().any(|(_, rungs)| rungs.len() > 1)
    {
        let others = groups.len() - 1;
        let (label, rungs) = chief(groups).unwrap_or_default();
        lines.extend((!label.is_empty()).then_some(label));
        lines.extend(group(estimates, &rungs));
        (rungs, if others > 0 { format!("{}, ", count(others, "other table")) } else { String::new() })
    } else {
        let rungs = &estimates.rungs[..POINTS_SHOWN.min(estimates.rungs.len())];
        lines.extend(points(estimates, rungs));
        let others = estimates.rungs.len() - rungs.len();
        (rungs.iter().collect(), if others > 0 { format!("{}, ", count(others, "other point")) } else { String::new() })
    };
    lines.extend(of_all(estimates));
    lines.extend(problems);
    if shown.iter().any(|rung| rung.estimate.as_ref().is_ok_and(|own| own.is_scaled)) {
        lines.push("*: counted in part, then scaled to all blocks".to_owned());
    }
    lines.push(format!("more with -v: {others}what each thing costs"));
    lines
}

/// Of several groups the one of the largest size, and of those the one with the fastest rung.
fn chief(mut groups: Vec<(String, Vec<&Rung>)>) -> Option<(String, Vec<&Rung>)> {
    groups.retain(|(_, rungs)| rungs.iter().any(|rung| rung.estimate.is_ok()));
    let bytes = |rungs: &[&Rung]| rungs.iter().map(|rung| rung.bytes).max().unwrap_or(0);
    let largest = groups.iter().map(|(_, rungs)| bytes(rungs)).max()?;
    groups.retain(|(_, rungs)| bytes(rungs) == largest);
    let time_us = |rung: &&Rung| rung.measured_us.or(rung.estimate.as_ref().ok().map(|own| own.time_us));
    let best_us = |rungs: &[&Rung]| rungs.iter().filter_map(time_us).fold(f64::MAX, f64::min);
    groups.into_iter().min_by(|(_, one), (_, other)| best_us(one).total_cmp(&best_us(other)))
}

/// How well the estimates of several combinations of the parameters agree with the times.
fn of_all(estimates: &Estimates) -> Option<String> {
    let all: Vec<(f64, f64)> = estimates.rungs.iter().filter_map(Rung::times_us).collect();
    let agreement = agreement(&all).filter(|_| estimates.groups().len() > 1)?;
    Some(format!("median error of all {}: {:.1} %", all.len(), agreement.median_error_pct))
}

/// Whether there is a time of any point beside its estimate.
fn has_times(estimates: &Estimates) -> bool {
    estimates.rungs.iter().any(|rung| rung.measured_us.is_some())
}

/// The heads of the columns that every row has.
fn heads(estimates: &Estimates, parts: usize) -> Vec<&'static str> {
    let measured = if estimates.device.origin == Origin::Simulated { "simulated" } else { "measured" };
    let largest: &[&str] = match parts {
        0 => &[],
        1 => &["largest part"],
        _ => &["largest parts"],
    };
    let times: &[&str] = if has_times(estimates) { &[measured, "error"] } else { &[] };
    [&["estimated"], times, &["bound by"], largest].concat()
}

/// The cells below them.
fn cells(rung: &Rung, count: usize, has_times: bool) -> Vec<String> {
    let own = rung.estimate.as_ref().ok();
    let time = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| time_us_to(time, 3));
    let mut cells = vec![time(own.map(|own| own.time_us))];
    if has_times {
        cells.push(time(rung.measured_us));
        cells.push(error_pct(rung).map_or_else(|| "-".to_owned(), |error| format!("{error:+.0} %")));
    }
    cells.push(own.map_or_else(|| "-".to_owned(), |own| own.bound.name().to_owned()));
    if count > 0 {
        cells.push(own.map(|own| parts(own, count)).unwrap_or_default());
    }
    cells
}

fn mark(rung: &Rung) -> &'static str {
    if rung.estimate.as_ref().is_ok_and(|own| own.is_scaled) { "*" } else { "" }
}

/// A table of so many rows with as many parts as have room in a line; with none where not even one has.
fn with_parts(rows: usize, of: impl Fn(usize) -> Table) -> Vec<String> {
    let mut all = (1..=PARTS_SHOWN).rev().map(|parts| table_lines(&of(parts)));
    all.find(|lines| lines.len() <= rows + 1).unwrap_or_else(|| table_lines(&of(0)))
}

/// Points in one table, with a column for each thing that tells them apart.
fn points(estimates: &Estimates, rungs: &[Rung]) -> Vec<String> {
    with_parts(rungs.len(), |parts| of_points(estimates, rungs, parts))
}

fn of_points(estimates: &Estimates, rungs: &[Rung], parts: usize) -> Table {
    let names = estimates.varying();
    let variant = |rung: &Rung| rung.point.variant.name;
    let has_variants = estimates.rungs.windows(2).any(|pair| variant(&pair[0]) != variant(&pair[1]));
    let is_named = has_variants || names.is_empty();
    let first = is_named.then_some("variant").into_iter().chain(names.iter().copied());
    let mut rows = table(&first.chain(heads(estimates, parts)).collect::<Vec<&str>>());
    for rung in rungs {
        let value = |name: &&str| rung.point.parameters.get(name).map(ToString::to_string).unwrap_or_default();
        let first = is_named.then(|| variant(rung).to_owned()).into_iter().chain(names.iter().map(value));
        let mut cells = cells(rung, parts, has_times(estimates));
        cells[0] += mark(rung);
        rows.add_row(first.chain(cells));
    }
    rows
}

fn group(estimates: &Estimates, rungs: &[&Rung]) -> Vec<String> {
    let of = |parts: usize| {
        let mut rows = table(&[]);
        rows.set_header(["  rung"].into_iter().chain(heads(estimates, parts)));
        for rung in rungs {
            let name = format!("  {}{}", rung.point.variant.name, mark(rung));
            rows.add_row([name].into_iter().chain(cells(rung, parts, has_times(estimates))));
        }
        rows
    };
    let mut lines = with_parts(rungs.len(), of);
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
fn parts(own: &RungEstimate, count: usize) -> String {
    let mut parts: Vec<(Part, f64)> = own.parts.iter().copied().filter(|(_, time_us)| *time_us > 0.0).collect();
    parts.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let shown = parts.into_iter().take(count);
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

/// Each reason why rungs have no estimate, once, with the rungs that have it.
fn problems(estimates: &Estimates) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for rung in &estimates.rungs {
        let Err(why) = &rung.estimate else { continue };
        // What a law lacks is the same for whoever needs it.
        let (texts, name) = match why {
            Problem::Missing(missing) => {
                (missing.iter().map(|own| super::told(own, &estimates.laws)).collect::<Vec<_>>(), None)
            }
            Problem::NotCounted(_) => {
                let told = problem(why, &estimates.laws).replacen("this device cannot run it: ", "", 1);
                (vec![told], Some(rung.point.variant.name))
            }
        };
        for text in texts {
            let place = reasons.iter().position(|(own, _)| *own == text).unwrap_or_else(|| {
                reasons.push((text, Vec::new()));
                reasons.len() - 1
            });
            let names = &mut reasons[place].1;
            names.extend(name.filter(|own| !names.contains(own)));
        }
    }
    let told = |(text, names): (String, Vec<&str>)| {
        if names.is_empty() { text } else { format!("{}: {text}", names.join(", ")) }
    };
    reasons.into_iter().map(told).collect()
}
