//! `apbench plot`: the charts of a finished run, from its files.

use std::path::PathBuf;

use super::analysis::{analyse, draw_charts};
use super::failure::{Failure, Status};
use super::output::line;

/// Options of `plot`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The run directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Where the charts go instead of the run's charts/
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let analysis = analyse(&arguments.run)?;
    let files = draw_charts(&analysis, arguments.out.as_deref())?;
    if analysis.scenario.charts.is_empty() {
        line("no chart: the scenario has no [[chart]]")?;
    }
    for file in files {
        line(format!("wrote {}", file.display()))?;
    }
    Ok(Status::Success)
}
