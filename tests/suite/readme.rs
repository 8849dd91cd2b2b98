//! What the README shows is what people get.

use std::fs;

use crate::common::{Workspace, stderr, stdout};

/// The first fenced block of this language, after the text `after`.
fn block<'a>(readme: &'a str, after: &str, language: &str) -> &'a str {
    let start = readme.find(after).unwrap_or_else(|| panic!("the README says no more: {after}"));
    let fence = format!("```{language}\n");
    let block = &readme[start..];
    let block = &block[block.find(&fence).expect("a block") + fence.len()..];
    &block[..block.find("```").expect("an end")]
}

fn readme() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap()
}

#[test]
fn the_scenario_in_the_readme_runs() {
    let workspace = Workspace::new();
    fs::write(workspace.path("small.toml"), block(&readme(), "A scenario of your own", "toml")).unwrap();
    let assert = workspace.sweep("", &["--set", "width=32"]).code(0);
    assert!(stdout(&assert).contains("24 of 24 points: 24 ok"), "{}", stdout(&assert));
}

#[test]
fn the_errors_in_the_readme_are_those_shown() {
    let workspace = Workspace::new();
    let text = "family = \"branching\"\n\n[grid]\nbranchs = [1, 2, 4]\nwork = \"16 steps\"\n";
    fs::write(workspace.path("bad.toml"), text).unwrap();
    let assert = workspace.apbench(&["sweep", "bad.toml", "--dry-run"]).assert().code(2);
    assert_eq!(stderr(&assert), block(&readme(), "Mistakes are shown", "text"));
}

#[test]
fn the_occupancy_in_the_readme_is_what_is_told() {
    let readme = readme();
    let text = &readme[readme.find("## What limits a kernel").expect("the section")..];
    let command = text.split('`').find(|quoted| quoted.starts_with("apbench occupancy branching")).expect("a command");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    let assert = Workspace::new().apbench(&arguments).assert().code(0);
    assert_eq!(stdout(&assert), block(text, "occupancy branching", "text"));
}

/// Places in the repository that the README points to are there, and not ignored by git.
#[test]
fn the_links_in_the_readme_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = readme();
    let links: Vec<&str> = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let local = links.into_iter().filter(|link| !link.contains("://") && !link.starts_with('#'));
    for link in local {
        assert!(root.join(link).exists(), "the README points to {link}");
        let ignored = std::process::Command::new("git").current_dir(root).args(["check-ignore", "-q", link]).status();
        assert!(!ignored.is_ok_and(|status| status.success()), "{link} is ignored by git");
    }
}

#[test]
fn the_columns_in_the_readme_are_all_there_are() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let arguments = ["sweep", "small.toml", "--device", "sim:h200", "--set", "branches=1", "--out", "simulated"];
    workspace.apbench(&arguments).assert().code(0);
    let readme = readme();
    let parameters = stdout(&workspace.apbench(&["list", "--json"]).assert().code(0));
    for file in ["run/points.csv", "simulated/points.csv", "run/samples.csv", "run/rounds.csv", "run/fits.csv"] {
        let text = workspace.read(file);
        for column in text.lines().next().unwrap().split(',') {
            let documented = readme.contains(&format!("`{column}`"));
            let parameter = parameters.contains(&format!("\"name\": \"{column}\""));
            assert!(documented || parameter, "{file}: the README says nothing of the column {column}");
        }
    }
}
