//! `apbench merge`: the parts of a sweep, joined into a whole run with its fits and charts.

use std::path::PathBuf;

use super::analysis::{analyse, draw_charts};
use super::conclusion::print_run;
use super::failure::{Failure, Status};
use super::output::tell;
use super::report;
use super::run_directory::{new_directory, run_directory};
use crate::record::Status as PointStatus;
use crate::report::PageTheme;
use crate::run::SCENARIO_FILE;
use crate::run::fits::write_fits;
use crate::run::merge::{MergeError, join};
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// Options of `merge`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The run directories of the parts, in any order
    #[arg(value_name = "RUN", required = true, value_parser = run_directory())]
    runs: Vec<PathBuf>,
    /// Directory of the joined run, new or empty [default: a new one under results/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Join the parts even if parts or points are missing
    #[arg(long)]
    allow_missing: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let command_line = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let joined = join(&arguments.runs, arguments.allow_missing, command_line)?;
    // Before anything is written, and by the names of the parts.
    for directory in &arguments.runs {
        let run = Run::read(directory)?;
        let file_name = directory.join(SCENARIO_FILE).display().to_string();
        run.check(Scenario::of_run(&run.metadata.scenario, &file_name, &run.scenario)?.family)?;
    }
    for note in joined.notes() {
        tell(format!("note: {note}"));
    }
    let directory = match &arguments.out {
        Some(directory) => directory.clone(),
        None => new_directory(&joined.metadata().scenario, &joined.metadata().device, None)?,
    };
    joined.write(&directory)?;

    let analysis = analyse(&directory)?;
    write_fits(&directory, &analysis.fits)?;
    let charts = draw_charts(&analysis, None)?;
    report::write(&analysis, None, PageTheme::Auto)?;
    let is_ok = analysis.run.points.iter().all(|point| point.status == PointStatus::Ok);
    let status = if is_ok { Status::Success } else { Status::PointsFailed };
    status.unless_unheard(print_run(&analysis, &charts))
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Run(error) => Self::Run(error),
            MergeError::Scenario(errors) => Self::Document(errors),
            refused => Self::Usage(refused.to_string()),
        }
    }
}
