//! `apbench reference`: the reference pages of the documentation, made of the program's own tables.

use std::path::{Path, PathBuf};

use super::failure::{Failure, Status};
use super::output::line;
use crate::run::RunError;
use crate::run::writer::replace_file;
use gpu_simulator::profile::embedded;

mod columns;
mod commands;
mod drivers;
mod families;
mod laws;
mod markdown;
mod profiles;
mod scenarios;

/// Options of `reference`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The folder to write the pages into
    #[arg(long, value_name = "DIR", default_value = "docs/src/reference")]
    out: PathBuf,
}

/// Writes all pages. `command` is the program's command line.
pub(super) fn run(arguments: &Arguments, command: &clap::Command) -> Result<Status, Failure> {
    let pages = [
        ("commands.md", commands::page(command)),
        ("scenarios.md", scenarios::page()),
        ("columns.md", columns::page()),
        ("families.md", families::page()),
        ("laws.md", laws::page()),
        ("profiles.md", profiles::page(embedded())?),
        ("drivers.md", drivers::page()),
    ];
    std::fs::create_dir_all(&arguments.out).map_err(RunError::not_made(&arguments.out))?;
    for (name, page) in pages {
        let path = arguments.out.join(name);
        replace_file(&path, page.text().as_bytes())?;
        line(shown(&path))?;
    }
    Ok(Status::Success)
}

fn shown(path: &Path) -> String {
    format!("wrote {}", path.display())
}
