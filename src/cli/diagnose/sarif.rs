//! A diagnosis as SARIF 2.1.0, the format in which code reviews take findings (OASIS, "Static Analysis Results Interchange Format").

use std::path::Path;

use serde_json::{Value as Json, json};

use super::super::failure::Failure;
use super::Told;
use crate::diagnosis::{Finding, Kind, PointDiagnosis, SMALL_PART, title};
use crate::run::writer::replace_file;
use crate::unit;

/// Writes the findings to a file.
pub(super) fn write(path: &Path, told: &Told) -> Result<(), Failure> {
    let text = format!("{:#}\n", sarif(told));
    replace_file(path, text.as_bytes()).map_err(Failure::from)
}

fn sarif(told: &Told) -> Json {
    let mut rules: Vec<Json> = Vec::new();
    for kind in Kind::ALL {
        if rules.iter().all(|rule| rule["id"] != kind.name()) {
            rules.push(json!({
                "id": kind.name(),
                "shortDescription": { "text": kind.title() },
                "fullDescription": { "text": kind.meaning() },
            }));
        }
    }
    let mut results: Vec<Json> = Vec::new();
    for variant in &told.variants {
        let Ok(point) = &variant.outcome else { continue };
        results.extend(point.findings.iter().map(|finding| result(finding, point, variant.name, &told.simulated.name)));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "apbench", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

fn result(finding: &Finding, point: &PointDiagnosis, variant: &str, device: &str) -> Json {
    let cost = match finding.price {
        Some(price) => format!(
            " It costs {} of {} simulated on an {device} ({:.0} %).",
            unit::time_us_to(price.us, 3),
            unit::time_us_to(point.time_us, 3),
            1e2 * price.us / point.time_us
        ),
        None => String::new(),
    };
    let level = match finding.price {
        Some(price) if price.us < SMALL_PART * point.time_us => "note",
        _ => "warning",
    };
    json!({
        "ruleId": finding.kind.name(),
        "level": level,
        "message": { "text": format!("{} ({variant}).{cost} Remedy: {}.", title(finding), finding.remedy) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": finding.place.file },
                "region": { "startLine": finding.place.line },
            },
        }],
    })
}
