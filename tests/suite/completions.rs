//! What shells complete.

use std::fs;
use std::process::Command;

use crate::common::{Workspace, stdout};

#[test]
fn completions_have_the_commands_for_every_shell() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell", "nushell"] {
        let script = stdout(&workspace.apbench(&["completions", shell]).assert().code(0));
        assert!(script.contains("version"), "{shell} has the options of the program, too");
        // What the help leaves out is left out here.
        assert!(!script.contains("worker"), "{shell}");
        assert!(script.contains("apbench") && script.contains("occupancy") && script.contains("fail-on"), "{shell}");
    }
    workspace.apbench(&["completions", "nothing"]).assert().code(2);
}

/// Names stand beside files: neither hides the other.
#[test]
fn completions_have_the_scenarios_of_the_program() {
    let workspace = Workspace::new();
    for (shell, takes) in [
        ("bash", "sweep|estimate|export|diagnose|occupancy|verify)"),
        ("zsh", ":_apbench_scenarios' \\"),
        (
            "fish",
            "\"__fish_apbench_using_subcommand verify\" -a \"address-translation asynchronous-copies atomic-aggregation atomic-aggregation-blocks atomic-rate atomic-types atomics ",
        ),
        ("nushell", "...scenarios: path@\"nu-complete apbench scenarios\""),
    ] {
        let script = stdout(&workspace.apbench(&["completions", shell]).assert().code(0));
        assert!(script.contains("trapezoid") && script.contains(takes), "{shell}: {script}");
        fs::write(workspace.path(shell), script).unwrap();
    }
    let completed = |words: &str, place: usize| {
        let script = format!(
            "source ./bash; COMP_WORDS=({words}); COMP_CWORD={place}; _apbench_and_scenarios apbench \
             \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").current_dir(workspace.path("")).args(["-c", &script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed("apbench sweep transp", 2), "transpose transpose-rows");
    assert_eq!(completed("apbench verify sma", 2), "small.toml");
    assert_eq!(completed("apbench sweep --sizes ''", 3), "gpu simulated");
    assert_eq!(completed("apbench sweep transpose --dry", 3), "--dry-run");
    assert_eq!(completed("apbench fi", 1), "fit");
}
