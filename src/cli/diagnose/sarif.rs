//! A diagnosis as SARIF 2.1.0, the format in which code reviews take findings (OASIS, "Static Analysis Results Interchange Format").

use std::path::{Path, PathBuf};
use std::{fs, io, process};

use serde_json::{Value as Json, json};

use super::super::failure::Failure;
use super::Told;
use super::outputs::Wrong;
use crate::diagnosis::{
    DEGREES, Fact, Finding, KernelFacts, Kind, PointDiagnosis, SMALL_PART, some_launches, source_name, title,
};
use crate::run::RunError;
use crate::run::writer::replace_file;
use crate::unit;
use located_toml::regular_file;

/// What a kernel does wrong, so that it cannot be diagnosed.
const FAULT: (&str, &str) = ("fault", "accesses outside of buffers, deadlocks and endless loops");

/// What comes out wrong at the smallest size.
const WRONG_OUTPUTS: (&str, &str) = ("wrong_outputs", "outputs that are not as the scenario says");
/// What is left to chance.
const RACE: (&str, &str) = ("race", "accesses to the same bytes that nothing orders");

/// Writes the findings of a scenario in the folder `beside` to a file, or through what is there and is none, such as a pipe.
///
/// # Errors
/// When it cannot be written, or holds something that is no SARIF.
pub(super) fn write(path: &Path, told: &Told, beside: &Path) -> Result<(), Failure> {
    let text = format!("{:#}\n", sarif(told, beside));
    let written =
        |result: io::Result<()>| result.map_err(|error| Failure::Other(format!("{}: {error}", path.display())));
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => return written(fs::write(path, text)),
        Ok(found) if found.is_file() && found.len() > 0 && !is_sarif(path) => {
            let problem = "is there and is no SARIF file; it stays as it is: name another file, or remove it";
            return Err(Failure::Usage(format!("--sarif: {} {problem}", path.display())));
        }
        _ => {}
    }
    // Several programs may write the same file.
    let mut own = path.as_os_str().to_owned();
    own.push(format!(".{}", process::id()));
    let own = PathBuf::from(own);
    replace_file(&own, text.as_bytes()).map_err(|error| match error {
        // The file of another name is not what the user asked for.
        RunError::Io { source, .. } => RunError::Io { path: path.to_owned(), source },
        other => other,
    })?;
    written(fs::rename(&own, path).inspect_err(|_| drop(fs::remove_file(&own))))
}

fn is_sarif(path: &Path) -> bool {
    let found = regular_file::read(path).ok().and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok());
    found.is_some_and(|found| found["version"] == "2.1.0" && found["runs"].is_array())
}

fn sarif(told: &Told, beside: &Path) -> Json {
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
    let of_mistakes = |(id, text): (&str, &str)| json!({ "id": id, "shortDescription": { "text": text } });
    rules.extend([FAULT, WRONG_OUTPUTS, RACE].map(of_mistakes));
    rules.extend(DEGREES.map(|(name, meaning)| json!({ "id": name, "shortDescription": { "text": meaning } })));
    let (mut results, mut failures): (Vec<Json>, Vec<Json>) = (Vec::new(), Vec::new());
    for variant in &told.variants {
        let point = match &variant.outcome {
            Ok(point) => point,
            Err(error) => {
                let text = format!("{}: not diagnosed: {error}", variant.name);
                let mut failure = json!({ "level": "error", "message": { "text": text } });
                if let Some((file, line)) = error.place() {
                    let result = located(FAULT.0, "error", &text, &uri(beside, file), line);
                    failure["locations"] = result["locations"].clone();
                    results.push(result);
                }
                failures.push(failure);
                continue;
            }
        };
        let of = |finding: &Finding| {
            result(finding, point, (variant.name, &told.simulated.name), &uri(beside, &finding.place.file))
        };
        results.extend(point.findings.iter().map(of));
        let of_kernels = point.kernels.iter().flat_map(|own| own.facts.iter().map(move |fact| (own, fact)));
        let is_rule = |(_, fact): &(&KernelFacts, &Fact)| DEGREES.iter().any(|(name, _)| *name == fact.name);
        results.extend(of_kernels.filter(is_rule).map(|(kernel, fact)| {
            let text = format!("{} ({}): {}", source_name(kernel.kernel), variant.name, fact.told(point.time_us, 1.0));
            located(fact.name, "note", &text, &uri(beside, &kernel.place.file), kernel.place.line)
        }));
    }
    let some = told.variants.iter().filter_map(|variant| {
        let (some, all) = variant.outcome.as_ref().ok()?.launches?;
        let text = format!("{}: {}", variant.name, some_launches(some, all));
        Some(json!({ "level": "note", "message": { "text": text } }))
    });
    let notes = told.outputs.wrong.iter().map(|Wrong { variant, problem, .. }| {
        let text = format!("{variant}: wrong outputs{}: {problem}", told.outputs.at());
        json!({ "level": "warning", "message": { "text": text } })
    });
    results.extend(mistakes(told, beside));
    let is_successful = failures.is_empty();
    failures.extend(notes.chain(some));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "apbench", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{ "executionSuccessful": is_successful, "toolExecutionNotifications": failures }],
            "results": results,
        }],
    })
}

/// Races, at the lines that race, and wrong outputs, at the kernel.
fn mistakes(told: &Told, beside: &Path) -> Vec<Json> {
    let at = told.outputs.at();
    let mut results = Vec::new();
    for (variant, races) in &told.outputs.racing {
        for race in races {
            let text = format!("{variant}: race{at}: {}. Remedy: {}.", race.what, race.remedy);
            let place = race.lines.first().and_then(|(place, _)| place.rsplit_once(':'));
            let place = place.and_then(|(file, line)| Some((file, line.parse().ok()?)));
            results.extend(place.map(|(file, line)| located(RACE.0, "error", &text, &uri(beside, file), line)));
        }
    }
    for Wrong { variant, problem, .. } in &told.outputs.wrong {
        let point = told.variants.iter().find(|own| own.name == *variant).and_then(|own| own.outcome.as_ref().ok());
        let Some(kernel) = point.and_then(|point| point.kernels.first()) else { continue };
        let text = format!("{variant}: wrong outputs{at}: {problem}");
        results.push(located(WRONG_OUTPUTS.0, "error", &text, &uri(beside, &kernel.place.file), kernel.place.line));
    }
    results
}

/// Where a file is, from the working directory; only its name where it is not beside the scenario.
fn uri(beside: &Path, file: &str) -> String {
    let path = beside.join(file);
    if !path.is_file() {
        return file.to_owned();
    }
    let scheme = if path.is_absolute() { "file://" } else { "" };
    let text = path.to_string_lossy().replace('%', "%25").replace(' ', "%20");
    format!("{scheme}{}", text.strip_prefix("./").unwrap_or(&text))
}

fn result(finding: &Finding, point: &PointDiagnosis, (variant, device): (&str, &str), uri: &str) -> Json {
    let cost = match finding.price {
        Some(price) => format!(
            " It costs {} of {} on {device} ({:.0} %).",
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
    let text = format!("{} ({variant}).{cost} Remedy: {}.", title(finding), finding.remedy);
    located(finding.kind.name(), level, &text, uri, finding.place.line)
}

/// A result at a line.
fn located(rule: &str, level: &str, text: &str, uri: &str, line: u32) -> Json {
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri },
                "region": { "startLine": line },
            },
        }],
    })
}
