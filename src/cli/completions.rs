//! `apbench completions`: what a shell needs to complete commands, options and their values.

use std::io::Write as _;

use clap_complete::Shell;

use super::failure::{Failure, Status};

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell to write for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script. `command` is the program's command line.
pub(super) fn run(arguments: &Arguments, mut command: clap::Command) -> Result<Status, Failure> {
    let name = command.get_name().to_owned();
    // Written into memory first, since clap_complete panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Status::Success)
}
