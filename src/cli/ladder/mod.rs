//! `apbench ladder`: what each rung of a ladder gains, from the files of runs.

use std::path::{Path, PathBuf};

use super::analysis::{Analysis, analyse_or_embedded, print_summary, tell_embedded};
use super::compare::published_figures;
use super::conclusion::{doubts, print_head};
use super::failure::{Failure, Status};
use super::output::{data, is_verbose, line, unbroken_line, wrapped_line};
use super::run_directory::run_directory;
use crate::family::FAMILIES;
use crate::ladder::estimates::{FILE, parse_estimates};
use crate::ladder::{Ladder, StepEstimate, ladder};
use crate::malformed::Malformed;
use crate::run::RunError;
use crate::run::embedded::Embedded;
use located_toml::regular_file;

mod csv;
mod screen;

pub(super) use csv::columns;
use screen::Detail;

/// Options of `ladder`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directories, baselines, or last, last~1, last:SCENARIO
    #[arg(value_name = "RUN", required = true, value_parser = run_directory())]
    runs: Vec<PathBuf>,
    /// Show the tables of all sizes, each with the published figures of every GPU
    #[arg(long)]
    all: bool,
    /// Show these estimates beside the times: a file of `apbench estimate --out` [default: estimate.csv of the run]
    #[arg(long, value_name = "FILE")]
    estimate: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["csv", "all"])]
    json: bool,
    /// Print CSV: a row for each rung, measured or published
    #[arg(long, conflicts_with = "all")]
    csv: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    tell_embedded(arguments.runs.iter().map(PathBuf::as_path));
    let mut ladders = Vec::new();
    let analyses = Failure::all_of(arguments.runs.iter().map(|directory| analyse_or_embedded(directory)))?;
    for (analysis, directory) in analyses.into_iter().zip(&arguments.runs) {
        let estimates = estimates_of(arguments.estimate.as_deref(), directory)?;
        let Some(ladder) = ladder_of(&analysis, &estimates)? else {
            let family = analysis.scenario.family.name;
            let names: Vec<&str> =
                FAMILIES.iter().filter(|family| family.is_ladder()).map(|family| family.name).collect();
            let problem = format!("{}: `{family}` is not a ladder", directory.display());
            return Err(Failure::Usage(format!("{problem}; ladders are: {}", names.join(", "))));
        };
        ladders.push((analysis, ladder));
    }
    if arguments.json {
        let rows: Vec<_> = ladders.iter().map(|(analysis, ladder)| json(analysis, ladder)).collect();
        unbroken_line(format!("{:#}", serde_json::Value::from(rows)))?;
    } else if arguments.csv {
        data(csv::text(&ladders)?)?;
    } else {
        for (index, (analysis, ladder)) in ladders.iter().enumerate() {
            if index > 0 {
                line("")?;
            }
            print(analysis, ladder, arguments.all)?;
        }
    }
    Ok(Status::Success)
}

/// The ladder of a run; `None` where its family's variants are no rungs.
pub(super) fn ladder_of(analysis: &Analysis, estimates: &[StepEstimate]) -> Result<Option<Ladder>, Failure> {
    let Analysis { run, scenario, .. } = analysis;
    if !scenario.family.is_ladder() {
        return Ok(None);
    }
    let figures = published_figures()?;
    Ok(ladder(scenario.family, &scenario.variants, &run.metadata.device, &run.points, &figures, estimates))
}

/// Prints the table that stands for the ladder and where the rest is; where that is asked for, all.
fn print(analysis: &Analysis, ladder: &Ladder, all: bool) -> Result<(), Failure> {
    let detail = if all { Detail::All } else { Detail::Largest };
    if all || is_verbose() {
        print_summary(analysis)?;
        return screen::print(ladder, detail);
    }
    print_head(analysis)?;
    let fixed: Vec<String> = ladder.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !fixed.is_empty() {
        wrapped_line("", &format!("the same at every point: {}", fixed.join(" ")))?;
    }
    doubts(analysis).iter().try_for_each(line)?;
    screen::print_short(ladder, &analysis.run.directory)
}

/// Prints the ladder of a run; nothing, where its family's variants are no rungs.
pub(super) fn print_ladder(analysis: &Analysis) -> Result<(), Failure> {
    match ladder_of(analysis, &[])? {
        Some(ladder) => screen::print(&ladder, Detail::Largest),
        None => Ok(()),
    }
}

/// Bytes of the largest file of estimates that is read: a thousand points have less than a tenth of it.
const ESTIMATES_BYTES_MAX: u64 = 16 << 20;

/// The estimates of a file, or of the run, if it has any.
fn estimates_of(file: Option<&Path>, run: &Path) -> Result<Vec<StepEstimate>, Failure> {
    let own = run.join(FILE);
    if file.is_none()
        && let Some(embedded) = Embedded::meant(run)
    {
        let text = embedded.text(FILE)?;
        return Ok(text.map(|text| parse_estimates(&own, text)).transpose()?.unwrap_or_default());
    }
    let Some(file) = file.or_else(|| own.exists().then_some(own.as_path())) else { return Ok(Vec::new()) };
    let bytes = regular_file::read_at_most(file, ESTIMATES_BYTES_MAX).map_err(RunError::io(file))?;
    let text = String::from_utf8(bytes).map_err(|_| Malformed::new(file, None, "is not UTF-8 text"))?;
    Ok(parse_estimates(file, &text)?)
}

fn json(analysis: &Analysis, ladder: &Ladder) -> serde_json::Value {
    serde_json::json!({
        "run": analysis.run.directory.display().to_string(),
        "scenario": analysis.run.metadata.scenario,
        "ladder": ladder,
    })
}
