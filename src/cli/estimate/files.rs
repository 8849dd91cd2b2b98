//! Estimates as JSON and as CSV.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::super::failure::Failure;
use super::super::output::csv_text;
use super::{Estimates, Problem, Rung, told};
use crate::csv_column::{CsvColumn, Described, described};
use crate::estimate::{Agreement, Part, RungEstimate, agreement};
use crate::ladder::estimates::FILE;
use crate::run::RunError;
use crate::run::writer::replace_file;
use crate::unit::significant;

/// Why a rung has no estimate, in words.
pub(super) fn problem(problem: &Problem, laws: &Path) -> String {
    match problem {
        Problem::Missing(missing) => missing.iter().map(|own| told(own, laws)).collect::<Vec<_>>().join("; "),
        Problem::NotCounted(why) => format!("not counted: {why}"),
    }
}

/// Writes [`FILE`]: a row for each rung.
pub(super) fn write(folder: &Path, estimates: &Estimates) -> Result<PathBuf, Failure> {
    fs::create_dir_all(folder).map_err(RunError::not_made(folder))?;
    let path = folder.join(FILE);
    replace_file(&path, csv(estimates)?.as_bytes())?;
    Ok(path)
}

/// How the cell of a rung is made; the folder is that of the laws.
type RungCell = fn(&Rung, &Path) -> String;

/// Columns between the parameters and the parts.
static COLUMNS: [CsvColumn<RungCell>; 5] = [
    CsvColumn::new("estimate_us", "µs", "estimated time", |rung, _| number(own(rung).map(|own| own.time_us))),
    CsvColumn::new(
        "measured_us",
        "µs",
        "median time in the run; empty where the run does not have the point",
        |rung, _| number(rung.measured_us),
    ),
    CsvColumn::new("error_pct", "%", "the estimate over the measured time, less 100 %", |rung, _| {
        number(error_pct(rung))
    }),
    CsvColumn::new("bound", "text", "the largest part, by its name below without `_us`", |rung, _| {
        own(rung).map(|own| own.bound.name().to_owned()).unwrap_or_default()
    }),
    CsvColumn::new(
        "scaled",
        "true or false",
        "whether counts are of a part of the blocks, or of fewer elements, and scaled to all",
        |rung, _| own(rung).map(|own| own.is_scaled.to_string()).unwrap_or_default(),
    ),
];

/// The last column.
static PROBLEM: CsvColumn<RungCell> = CsvColumn::new("problem", "text", "why there is no estimate", |rung, laws| {
    rung.estimate.as_ref().err().map(|why| problem(why, laws)).unwrap_or_default()
});

/// What the reference says of the columns before the parameters, and of those behind them.
pub(in crate::cli) fn columns() -> (Vec<Described>, Vec<Described>) {
    let first = vec![Described::new("variant", "text", "the rung: a variant of the family")];
    let parts = Part::ALL.map(|part| Described::new(part.column(), "µs", part.meaning()));
    (first, described(&COLUMNS).chain(parts).chain([PROBLEM.described()]).collect())
}

/// The text of [`FILE`].
pub(super) fn csv(estimates: &Estimates) -> Result<String, Failure> {
    let (first, last) = columns();
    let parameters = estimates.rungs.first().map(|rung| &rung.point.parameters);
    let parameters = parameters.into_iter().flat_map(|parameters| parameters.iter().map(|(name, _)| name));
    let names = |columns: Vec<Described>| columns.into_iter().map(|column| column.name);
    let header = names(first).chain(parameters).chain(names(last)).map(str::to_owned).collect();
    let rows = estimates.rungs.iter().map(|rung| {
        let mut cells = vec![rung.point.variant.name.to_owned()];
        cells.extend(rung.point.parameters.iter().map(|(_, value)| value.to_string()));
        cells.extend(COLUMNS.iter().map(|column| (column.cell)(rung, &estimates.laws)));
        let part = |place: usize| number(own(rung).map(|own| own.parts[place].1));
        cells.extend((0..Part::ALL.len()).map(part));
        cells.push((PROBLEM.cell)(rung, &estimates.laws));
        cells
    });
    csv_text([header].into_iter().chain(rows))
}

fn own(rung: &Rung) -> Option<&RungEstimate> {
    rung.estimate.as_ref().ok()
}

fn number(value: Option<f64>) -> String {
    value.map(|value| significant(value, 6)).unwrap_or_default()
}

/// The error of the estimate in percent of the measured time.
pub(super) fn error_pct(rung: &Rung) -> Option<f64> {
    rung.times_us().map(|(estimated, measured)| 100.0 * (estimated / measured - 1.0))
}

/// Everything, as JSON.
pub(super) fn json(estimates: &Estimates) -> Json {
    let Estimates { scenario, laws, embedded, run, profile, device, coefficients, rungs, .. } = estimates;
    let coefficients: Vec<Json> = coefficients
        .all
        .iter()
        .map(|own| {
            let missing = own.value.as_ref().err().map(|missing| told(missing, laws));
            json!({"name": own.name, "value": own.value.as_ref().ok(), "unit": own.unit, "from": own.from, "missing": missing})
        })
        .collect();
    let told: Vec<Json> = rungs.iter().map(|rung| rung_json(rung, laws)).collect();
    let all: Vec<(f64, f64)> = rungs.iter().filter_map(Rung::times_us).collect();
    let median = agreement(&all).map(|own| own.median_error_pct);
    let groups: Vec<Json> = estimates
        .groups()
        .into_iter()
        .map(|(label, rungs)| {
            let times: Vec<(f64, f64)> = rungs.into_iter().filter_map(Rung::times_us).collect();
            let Some(Agreement { median_error_pct, pairs, ordered_pairs, .. }) = agreement(&times) else {
                return json!({"group": label});
            };
            json!({"group": label, "median_error_pct": median_error_pct, "pairs": pairs, "ordered_pairs": ordered_pairs})
        })
        .collect();
    json!({
        "scenario": scenario,
        "device": device.label(),
        "origin": device.origin.name(),
        "laws": laws,
        "laws_that_come_with_apbench": embedded.0,
        "run": run,
        "counted_with": profile,
        "coefficients": coefficients,
        "rungs": told,
        "groups": groups,
        "median_error_pct": median,
    })
}

fn rung_json(rung: &Rung, laws: &Path) -> Json {
    let own = rung.estimate.as_ref().ok();
    let parameters: Map<String, Json> =
        rung.point.parameters.iter().map(|(name, value)| (name.to_owned(), json!(value.to_string()))).collect();
    let parts: Map<String, Json> = own
        .iter()
        .flat_map(|own| &own.parts)
        .map(|(part, time_us)| (part.column().to_owned(), json!(time_us)))
        .collect();
    json!({
        "variant": rung.point.variant.name,
        "parameters": parameters,
        "estimate_us": own.map(|own| own.time_us),
        "measured_us": rung.measured_us,
        "error_pct": error_pct(rung),
        "bound": own.map(|own| own.bound.name()),
        "scaled": own.map(|own| own.is_scaled),
        "parts": parts,
        "problem": rung.estimate.as_ref().err().map(|why| problem(why, laws)),
    })
}
