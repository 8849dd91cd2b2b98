//! `apbench completions`: what a shell needs to complete commands, options and their values.

use std::io::Write as _;

use clap::ValueEnum;
use clap_complete::{Generator, Shell};
use clap_complete_nushell::Nushell;

use super::failure::{Failure, Status};

mod scenarios;

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell to write for
    #[arg(value_name = "SHELL")]
    shell: ShellName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShellName {
    Bash,
    Elvish,
    Fish,
    Nushell,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
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
    let mut script = Vec::new();
    let scenarios = command.clone();
    let mut write = |shell: &dyn Generator| {
        command.set_bin_name(name.clone());
        command.build();
        shell.try_generate(&command, &mut script)
    };
    match arguments.shell {
        ShellName::Bash => write(&Shell::Bash),
        ShellName::Elvish => write(&Shell::Elvish),
        ShellName::Fish => write(&Shell::Fish),
        ShellName::Nushell => write(&Nushell),
        ShellName::PowerShell => write(&Shell::PowerShell),
        ShellName::Zsh => write(&Shell::Zsh),
    }?;
    let script = scenarios::added(arguments.shell, &String::from_utf8_lossy(&script), &scenarios);
    std::io::stdout().lock().write_all(script.as_bytes())?;
    Ok(Status::Success)
}
