//! `apbench fit`: the laws of a finished run, from its files.

use std::path::PathBuf;

use super::analysis::{analyse, print_summary};
use super::failure::{Failure, Status};
use super::findings::print_findings;
use super::output::line;
use crate::run::fits::write_fits;

/// Options of `fit`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The run directory; its fits.csv is written anew
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let analysis = analyse(&arguments.run)?;
    let path = write_fits(&analysis.run.directory, &analysis.fits)?;
    print_summary(&analysis)?;
    print_findings(&analysis)?;
    line("")?;
    line(format!("wrote {}", path.display()))?;
    Ok(Status::Success)
}
