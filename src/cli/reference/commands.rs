//! The page of commands, from what reads the command line.

use clap::{Arg, ArgAction, Command};

use super::super::failure::EXIT_STATUSES;
use super::markdown::{Page, code, plain};

pub(super) fn page(command: &Command) -> Page {
    let mut page = Page::new("Commands");
    page.paragraph(
        "With `--help`, each command prints its section of this page. Options may stand before or behind arguments.",
    );
    page.heading(2, "Exit status");
    let statuses = EXIT_STATUSES.iter().map(|status| [status.code.to_string(), plain(status.meaning)]);
    page.table(["status", "meaning"], statuses);
    let mut command = command.clone();
    command.build();
    for own in command.get_subcommands().filter(|own| !own.is_hide_set() && own.get_name() != "help") {
        describe(&mut page, own);
        own.get_subcommands().filter(|below| below.get_name() != "help").for_each(|below| describe(&mut page, below));
    }
    page
}

fn describe(page: &mut Page, command: &Command) {
    page.heading(2, &code(command.get_bin_name().unwrap_or(command.get_name())));
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    page.paragraph(&format!("{}.", plain(about.trim_end_matches('.'))));
    let usage = command.clone().render_usage().to_string();
    page.verbatim(usage.trim_start_matches("Usage:").trim());
    let arguments = command.get_arguments().filter(|own| !own.is_hide_set());
    let arguments = arguments
        .filter(|own| !matches!(own.get_action(), ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort));
    page.table(["argument or option", "values", "default", "meaning"], arguments.map(row));
    if let Some(more) = command.get_after_long_help().or(command.get_after_help()) {
        page.verbatim(&more.to_string());
    }
}

fn row(argument: &Arg) -> [String; 4] {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let takes_values = argument.get_action().takes_values();
    let possible: Vec<String> = if takes_values {
        argument.get_possible_values().iter().map(|value| code(value.get_name())).collect()
    } else {
        Vec::new()
    };
    let defaults: Vec<String> = if takes_values {
        argument.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect()
    } else {
        Vec::new()
    };
    let default = if argument.is_required_set() { "required".to_owned() } else { defaults.join(", ") };
    [code(&name(argument)), possible.join(", "), default, plain(&help)]
}

/// How an argument is written, with what it takes: `-o, --out DIR`, `SCENARIO.toml...`.
fn name(argument: &Arg) -> String {
    let values = argument
        .get_value_names()
        .map(|names| names.iter().map(clap::builder::Str::as_str).collect::<Vec<_>>().join(" "));
    let values = values.filter(|_| argument.get_action().takes_values()).unwrap_or_default();
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let is_repeated = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let more = if is_repeated || (names.is_empty() && matches!(argument.get_action(), ArgAction::Append)) {
        "..."
    } else {
        ""
    };
    format!("{} {values}{more}", names.join(", ")).trim().to_owned()
}
