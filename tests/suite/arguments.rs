//! Arguments with characters that control a terminal, or turn the direction of text: no message repeats them as they are.

use std::path::Path;

use assert_cmd::Command;

/// A title for the terminal's window, red, and letters that read backwards.
const TITLE: &str = "x\u{1b}]0;pwn\u{7}\u{1b}[31m\u{9b}2J\u{202e}abc\u{2066}\u{200f}";

const RUN: &str = "results/nvidia-h200/branching";
const KERNEL: &str = "tests/kernels/transpose.toml";

/// What a command says on standard output and standard error, its own colours among it where they are asked for.
fn told(arguments: &[&str], colours: &str) -> String {
    let mut command = Command::cargo_bin("apbench").unwrap();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).env_remove("NO_COLOR").env("CLICOLOR_FORCE", colours);
    let output = command.args(arguments).output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// A text without the sequences that change the colour or the weight of letters.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let numbers = part.trim_start_matches(|own: char| own.is_ascii_digit() || own == ';');
        plain += numbers.strip_prefix('m').unwrap_or_else(|| panic!("no style: {part:?}"));
    }
    plain
}

#[track_caller]
fn assert_shown(arguments: &[&str]) {
    for colours in ["0", "1"] {
        let said = told(arguments, colours);
        assert!(!said.contains("\u{1b}[31m\u{9b}") && !said.contains("\u{1b}[31m\u{202e}"), "{arguments:?}: {said:?}");
        let plain = without_styles(&said);
        let controls =
            |own: &char| (own.is_control() && !"\n\t".contains(*own)) || TITLE[1..].contains(*own) && !own.is_ascii();
        assert_eq!(plain.chars().find(controls), None, "{arguments:?}: {plain:?}");
    }
}

#[test]
fn what_the_parser_of_arguments_refuses_is_shown() {
    let option = format!("--{TITLE}");
    let commands: [&[&str]; 16] = [
        &[TITLE],
        &[&option],
        &["fit", &option],
        &["baseline", TITLE],
        &["sweep", "branching", "--device", TITLE],
        &["devices", "--device", &format!("mock:{TITLE}")],
        &["devices", "--profile", TITLE],
        &["fit", RUN, "--holdout", TITLE],
        &["compare", RUN, RUN, "--fail-on", TITLE],
        &["compare", RUN, RUN, "--fail-on", &format!("slower:{TITLE}")],
        &["diagnose", KERNEL, "--fail-on", TITLE],
        &["list", TITLE],
        &["export", "branching", "--point", TITLE],
        &["baseline", "save", TITLE, RUN],
        &["sweep", "branching", "--part", TITLE],
        &["sweep", "branching", "--budget", TITLE],
    ];
    for arguments in commands {
        assert_shown(arguments);
    }
    let said = told(&["devices", "--device", TITLE], "1");
    assert!(said.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m invalid value '\u{1b}[33mx\\u001b]0;pwn"), "{said:?}");
}

#[test]
fn what_commands_refuse_is_shown() {
    let set = format!("branches={TITLE}");
    let device = format!("sim:{TITLE}");
    let commands: [&[&str]; 25] = [
        &["sweep", TITLE],
        &["sweep", "branching", "--set", TITLE],
        &["sweep", "branching", "--set", &set],
        &["sweep", "branching", "--device", &device],
        &["fit", TITLE],
        &["fit", RUN, "--law", TITLE],
        &["fit", RUN, "--law", "line", "--predictor", TITLE],
        &["fit", RUN, "--law", "slowdown", "--reference", TITLE],
        &["predict", RUN, "--set", "branches=3", "--variant", TITLE],
        &["predict", RUN, "--set", &set],
        &["compare", RUN, TITLE],
        &["compare", RUN, RUN, "--ignore", TITLE],
        &["compare", RUN, "--variants", TITLE],
        &["compare", "--table", TITLE],
        &["diagnose", TITLE],
        &["diagnose", KERNEL, "--device", "sim:h200", "--variant", TITLE],
        &["diagnose", "tests/kernels/histogram.ptx", "--entry", TITLE],
        &["occupancy", "branching", "--set", TITLE],
        &["verify", "--family", TITLE],
        &["verify", TITLE],
        &["plot", RUN, "--x", TITLE],
        &["plot", RUN, "--only", TITLE],
        &["merge", TITLE],
        &["estimate", "prefix-sum", "--laws", TITLE],
        &["new", TITLE],
    ];
    for arguments in commands {
        assert_shown(arguments);
    }
}
