//! `apbench man`: the manual pages of the program and of each command, for those who package it.

use std::path::PathBuf;

use clap_mangen::Man;

use super::failure::{Failure, Status};
use super::output::line;
use crate::run::RunError;
use crate::run::writer::replace_file;

/// Options of `man`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The folder to write the pages into
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a page for each command that the help shows. `command` is the program's command line.
pub(super) fn run(arguments: &Arguments, command: clap::Command) -> Result<Status, Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let shown = command.get_subcommands().filter(|own| !own.is_hide_set()).cloned();
    let with_below = shown.flat_map(|own| {
        let below: Vec<clap::Command> = own.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
        [own].into_iter().chain(below)
    });
    let pages: Vec<Man> = with_below.chain([command.clone()]).map(Man::new).collect();
    std::fs::create_dir_all(&arguments.folder).map_err(RunError::io(&arguments.folder))?;
    for page in pages {
        let path = arguments.folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text).map_err(RunError::io(&path))?;
        replace_file(&path, &text)?;
        line(path.display().to_string())?;
    }
    Ok(Status::Success)
}
