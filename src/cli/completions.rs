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

/// The command line without the commands that its help leaves out, too.
fn without_hidden(command: &clap::Command) -> clap::Command {
    let shown: Vec<clap::Command> = command.get_subcommands().filter(|own| !own.is_hide_set()).cloned().collect();
    let mut own = clap::Command::new(env!("CARGO_PKG_NAME")).version(env!("CARGO_PKG_VERSION"));
    own = own.args(command.get_arguments().cloned()).subcommands(shown);
    match command.get_about() {
        Some(about) => own.about(about.clone()),
        None => own,
    }
}

/// Prints the script. `command` is the program's command line.
pub(super) fn run(arguments: &Arguments, command: &clap::Command) -> Result<Status, Failure> {
    let name = command.get_name().to_owned();
    let mut command = without_hidden(command);
    // Written into memory first, since clap_complete panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Status::Success)
}
