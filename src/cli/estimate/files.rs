//! Estimates as JSON and as CSV.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::super::failure::Failure;
use super::{Estimates, Problem, Rung, told};
use crate::estimate::{Agreement, Part, agreement};
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
    fs::create_dir_all(folder).map_err(RunError::io(folder))?;
    let path = folder.join(FILE);
    replace_file(&path, csv(estimates)?.as_bytes())?;
    Ok(path)
}

/// The text of [`FILE`].
pub(super) fn csv(estimates: &Estimates) -> Result<String, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Other(format!("the CSV: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let parameters: Vec<&str> = estimates
        .rungs
        .first()
        .map(|rung| rung.point.parameters.iter().map(|(name, _)| name).collect())
        .unwrap_or_default();
    let parts = Part::ALL.map(|part| format!("{}_us", part.name()));
    let header = ["variant"].into_iter().chain(parameters.iter().copied());
    let header = header.chain(["estimate_us", "measured_us", "error_pct", "bound", "scaled"]);
    let header = header.map(str::to_owned).chain(parts).chain(["problem".to_owned()]);
    writer.write_record(header).map_err(|error| wrong(&error))?;
    for rung in &estimates.rungs {
        let own = rung.estimate.as_ref().ok();
        let number = |value: Option<f64>| value.map(|value| significant(value, 6)).unwrap_or_default();
        let mut cells = vec![rung.point.variant.name.to_owned()];
        cells.extend(rung.point.parameters.iter().map(|(_, value)| value.to_string()));
        cells.extend([
            number(own.map(|own| own.time_us)),
            number(rung.measured_us),
            number(error_pct(rung)),
            own.map(|own| own.bound.name().to_owned()).unwrap_or_default(),
            own.map(|own| own.is_scaled.to_string()).unwrap_or_default(),
        ]);
        cells.extend(Part::ALL.into_iter().enumerate().map(|(place, _)| number(own.map(|own| own.parts[place].1))));
        cells.push(rung.estimate.as_ref().err().map(|why| problem(why, &estimates.laws)).unwrap_or_default());
        writer.write_record(cells).map_err(|error| wrong(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

/// The error of the estimate in percent of the measured time.
pub(super) fn error_pct(rung: &Rung) -> Option<f64> {
    rung.times_us().map(|(estimated, measured)| 100.0 * (estimated / measured - 1.0))
}

/// Everything, as JSON.
pub(super) fn json(estimates: &Estimates) -> Json {
    let Estimates { scenario, laws, run, profile, device, coefficients, rungs, .. } = estimates;
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
        .map(|(part, time_us)| (format!("{}_us", part.name()), json!(time_us)))
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
