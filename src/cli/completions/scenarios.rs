//! Names of the scenarios that come with the program, beside files: what clap writes completes the one or the other.

use clap::{Arg, Command};

use super::ShellName;
use crate::scenario::EMBEDDED;

/// The name of an argument that takes scenarios has this in it.
const SCENARIO: &str = "SCENARIO";

/// The commands that take scenarios, each with the argument's name.
fn commands(command: &Command) -> Vec<(&str, &str)> {
    let takes = |argument: &&Arg| {
        argument.get_value_names().is_some_and(|names| names.iter().any(|name| name.contains(SCENARIO)))
    };
    let with_argument = command.get_subcommands().filter_map(|own| Some((own, own.get_positionals().find(takes)?)));
    with_argument.map(|(own, argument)| (own.get_name(), argument.get_id().as_str())).collect()
}

/// A script of clap's with the names; that of a shell that is not known here as it is.
pub(super) fn added(shell: ShellName, script: &str, command: &Command) -> String {
    let commands = commands(command);
    let names: Vec<&str> = EMBEDDED.iter().map(|scenario| scenario.name).collect();
    match shell {
        ShellName::Bash => bash(script, &commands, &names.join(" ")),
        ShellName::Zsh => zsh(script, &commands, &names.join(" ")),
        ShellName::Fish => fish(script, &commands, &names.join(" ")),
        ShellName::Nushell => nushell(script, &commands, &names.join("\" \"")),
        ShellName::Elvish | ShellName::PowerShell => script.to_owned(),
    }
}

/// Behind an option may stand its value, so names are offered behind other words alone.
fn bash(script: &str, commands: &[(&str, &str)], names: &str) -> String {
    let commands: Vec<&str> = commands.iter().map(|(command, _)| *command).collect();
    let commands = commands.join("|");
    format!(
        r#"{script}
_apbench_and_scenarios() {{
    _apbench "$@"
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    case "${{COMP_WORDS[1]}}" in
        {commands})
            if [[ ${{COMP_CWORD}} -gt 1 && ${{word}} != -* && ${{before}} != -* ]]; then
                compopt -o filenames 2>/dev/null
                COMPREPLY=( $(compgen -W "{names}" -- "${{word}}") $(compgen -f -- "${{word}}") )
            fi
            ;;
    esac
}}

complete -F _apbench_and_scenarios -o nosort -o bashdefault -o default apbench 2>/dev/null ||
    complete -F _apbench_and_scenarios -o bashdefault -o default apbench
"#
    )
}

fn zsh(script: &str, commands: &[(&str, &str)], names: &str) -> String {
    let is_of_scenarios = |line: &str| {
        let argument = line.trim_start_matches(['\'', '*', ':']);
        line.starts_with('\'') && commands.iter().any(|(_, own)| argument.starts_with(&format!("{own} -- ")))
    };
    let mut lines = Vec::new();
    for line in script.lines() {
        let kind =
            [":_files'", ":_default'"].iter().find_map(|end| line.trim_end_matches([' ', '\\']).strip_suffix(end));
        match kind.filter(|_| is_of_scenarios(line)) {
            Some(argument) => lines.push(format!("{argument}:_apbench_scenarios' \\")),
            None => lines.push(line.to_owned()),
        }
        if line.starts_with("autoload ") {
            let alternatives = format!("_alternative 'scenarios:scenario:({names})' 'files:file:_files'");
            lines.extend([
                String::new(),
                "_apbench_scenarios() {".to_owned(),
                format!("    {alternatives}"),
                "}".to_owned(),
            ]);
        }
    }
    lines.join("\n") + "\n"
}

fn fish(script: &str, commands: &[(&str, &str)], names: &str) -> String {
    let of_command = |(command, _): &(&str, &str)| {
        format!("complete -c apbench -n \"__fish_apbench_using_subcommand {command}\" -a \"{names}\" -d 'Scenario'\n")
    };
    format!("{script}{}", commands.iter().map(of_command).collect::<String>())
}

/// A completer that gives nothing leaves it to the shell, which completes files.
fn nushell(script: &str, commands: &[(&str, &str)], names: &str) -> String {
    let completer = format!(
        r#"  def "nu-complete apbench scenarios" [context: string] {{
    let word = ($context | split row " " | last)
    let names = [ "{names}" ]
    if ($names | any {{|name| $name | str starts-with $word }}) {{ $names }} else {{ null }}
  }}
"#
    );
    let mut lines = Vec::new();
    for line in script.lines() {
        let own = line.trim_start().trim_start_matches("...");
        let is_of_scenarios = commands.iter().any(|(_, argument)| {
            own.strip_prefix(argument).is_some_and(|rest| rest.trim_start_matches('?').starts_with(": "))
        });
        let typed = ["path", "string"].iter().find(|name| line.contains(&format!(": {name} ")));
        match typed.filter(|_| is_of_scenarios) {
            Some(name) => {
                let with_names = format!(": {name}@\"nu-complete apbench scenarios\" ");
                lines.push(line.replacen(&format!(": {name} "), &with_names, 1));
            }
            None => lines.push(line.to_owned()),
        }
        if line.starts_with("module ") {
            lines.extend([String::new(), completer.clone()]);
        }
    }
    lines.join("\n") + "\n"
}
