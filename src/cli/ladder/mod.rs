//! `apbench ladder`: what each rung of a ladder gains, from the files of runs.

use std::fs;
use std::path::{Path, PathBuf};

use super::analysis::{Analysis, analyse, print_summary};
use super::compare::published_figures;
use super::failure::{Failure, Status};
use super::output::line;
use crate::family::FAMILIES;
use crate::ladder::{Ladder, StepEstimate, is_ladder, ladder};
use crate::run::RunError;

mod csv;
mod screen;

/// Options of `ladder`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directories
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Show every table, and every GPU that sources print figures of beside each
    #[arg(long)]
    all: bool,
    /// Estimates to put beside, as `apbench estimate --json` prints them
    #[arg(long, value_name = "FILE")]
    estimate: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["csv", "all"])]
    json: bool,
    /// Print CSV: a row for each rung, of runs and of sources
    #[arg(long, conflicts_with = "all")]
    csv: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let estimates = arguments.estimate.as_deref().map(read_estimates).transpose()?.unwrap_or_default();
    let mut ladders = Vec::new();
    for directory in &arguments.runs {
        let analysis = analyse(directory)?;
        let Some(ladder) = ladder_of(&analysis, &estimates)? else {
            let family = analysis.scenario.family.name;
            let names: Vec<&str> =
                FAMILIES.iter().filter(|family| is_ladder(family)).map(|family| family.name).collect();
            let problem = format!("{}: the variants of `{family}` are no rungs of a ladder", directory.display());
            return Err(Failure::Usage(format!("{problem}; those of these families are: {}", names.join(", "))));
        };
        ladders.push((analysis, ladder));
    }
    if arguments.json {
        let rows: Vec<_> = ladders.iter().map(|(analysis, ladder)| json(analysis, ladder)).collect();
        line(format!("{:#}", serde_json::Value::from(rows)))?;
    } else if arguments.csv {
        line(csv::text(&ladders)?.trim_end())?;
    } else {
        for (index, (analysis, ladder)) in ladders.iter().enumerate() {
            if index > 0 {
                line("")?;
            }
            print_summary(analysis)?;
            screen::print(ladder, arguments.all)?;
        }
    }
    Ok(Status::Success)
}

/// The ladder of a run; `None` where its family's variants are no rungs.
pub(super) fn ladder_of(analysis: &Analysis, estimates: &[StepEstimate]) -> Result<Option<Ladder>, Failure> {
    let Analysis { run, scenario, .. } = analysis;
    if !is_ladder(scenario.family) {
        return Ok(None);
    }
    let figures = published_figures()?;
    Ok(ladder(scenario.family, &scenario.variants, &run.metadata.device, &run.points, &figures, estimates))
}

/// Prints the ladder of a run; nothing, where its family's variants are no rungs.
pub(super) fn print_ladder(analysis: &Analysis) -> Result<(), Failure> {
    match ladder_of(analysis, &[])? {
        Some(ladder) => screen::print(&ladder, false),
        None => Ok(()),
    }
}

/// What `apbench estimate --json` prints, as far as a ladder needs it.
#[derive(Debug, serde::Deserialize)]
struct Estimates {
    rungs: Vec<EstimatedRung>,
}

#[derive(Debug, serde::Deserialize)]
struct EstimatedRung {
    variant: String,
    /// Names and values with `=` between them, and blanks between pairs.
    parameters: String,
    estimated_us: Option<f64>,
}

fn read_estimates(file: &Path) -> Result<Vec<StepEstimate>, Failure> {
    let bytes = fs::read(file).map_err(RunError::io(file))?;
    parse_estimates(&bytes).map_err(|error| {
        let problem = format!("{error}; expected what `apbench estimate --json` prints");
        Failure::Run(RunError::Malformed { path: file.to_owned(), line: Some(error.line() as u64), problem })
    })
}

fn parse_estimates(bytes: &[u8]) -> serde_json::Result<Vec<StepEstimate>> {
    let estimates: Estimates = serde_json::from_slice(bytes)?;
    let pair = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let estimate = |own: EstimatedRung| {
        let parameters = own.parameters.split_whitespace().filter_map(pair).collect();
        Some(StepEstimate { variant: own.variant, parameters, time_us: own.estimated_us? })
    };
    Ok(estimates.rungs.into_iter().filter_map(estimate).collect())
}

fn json(analysis: &Analysis, ladder: &Ladder) -> serde_json::Value {
    serde_json::json!({
        "run": analysis.run.directory.display().to_string(),
        "scenario": analysis.run.metadata.scenario,
        "ladder": ladder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_read_as_the_command_prints_them() {
        let text = br#"{"coefficients": [], "rungs": [
            {"variant": "naive", "parameters": "elements=1000 block=256", "estimated_us": 12.5, "measured_us": null, "problem": null},
            {"variant": "shifts", "parameters": "elements=1000 block=256", "estimated_us": null, "problem": "no law"}
        ]}"#;
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let parameters = vec![pair("elements", "1000"), pair("block", "256")];
        let expected = StepEstimate { variant: "naive".to_owned(), parameters, time_us: 12.5 };
        assert_eq!(parse_estimates(text).unwrap(), [expected]);
        assert!(parse_estimates(b"{}").is_err());
    }
}
