//! The program in an empty folder: what it needs of the repository's `scenarios/` and `results/` comes with it.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::{stderr, stdout};

fn in_folder(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("apbench").unwrap();
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("COLUMNS").args(arguments);
    command
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Results and notes in an empty folder. Nothing is left in it.
fn in_empty_folder(arguments: &[&str]) -> (String, String) {
    let folder = TempDir::new().unwrap();
    let assert = in_folder(folder.path(), arguments).assert().code(0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
    (stdout(&assert), stderr(&assert))
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn estimates_rest_on_the_laws_that_come_with_the_program() {
    let arguments = ["estimate", "trapezoid", "--json"];
    let (own, notes) = in_empty_folder(&arguments);
    assert!(notes.contains("results/nvidia-h200 is not here; its runs are those that come with apbench"), "{notes}");
    let mut own = json(&own);
    let with_program = own["laws_that_come_with_apbench"].take();
    assert_eq!(with_program.as_array().map(Vec::len), Some(10), "{with_program}");
    let assert = in_folder(repository(), &arguments).assert().code(0);
    assert!(!stderr(&assert).contains("come with apbench"), "{}", stderr(&assert));
    let mut here = json(&stdout(&assert));
    assert_eq!(here["laws_that_come_with_apbench"].take(), Json::Array(Vec::new()));
    // Rungs, estimates and measured times, to the last digit.
    assert_eq!(own, here);
    let is_whole = |rung: &Json| rung["estimate_us"].is_f64() && rung["measured_us"].is_f64();
    assert!(own["rungs"].as_array().is_some_and(|rungs| rungs.len() > 1 && rungs.iter().all(is_whole)), "{own}");
}

#[test]
fn estimates_say_which_laws_are_those_of_the_program() {
    let folder = TempDir::new().unwrap();
    let own = folder.path().join("results/nvidia-h200/transpose");
    fs::create_dir_all(&own).unwrap();
    for name in ["run.json", "scenario.toml", "points.csv"] {
        fs::copy(repository().join("results/nvidia-h200/transpose").join(name), own.join(name)).unwrap();
    }
    let assert = in_folder(folder.path(), &["estimate", "trapezoid"]).assert().code(0);
    let shown = stdout(&assert);
    let laws = shown.lines().find(|line| line.starts_with("laws from ")).unwrap();
    assert!(laws.contains("`branching`") && laws.contains("come with apbench"), "{laws}");
    assert!(!laws.contains("transpose"), "{laws}");
    assert!(shown.contains("times from results/nvidia-h200/trapezoid (comes with apbench)"), "{shown}");
}

#[test]
fn tables_have_the_same_columns_as_in_the_repository() {
    for table in ["4.1", "4.2", "4.3", "5.2", "7.1", "7.5"] {
        let arguments = ["compare", "--table", table, "--json"];
        let (own, notes) = in_empty_folder(&arguments);
        assert!(notes.contains("come with apbench") || notes.contains("comes with apbench"), "{table}: {notes}");
        let here = json(&stdout(&in_folder(repository(), &arguments).assert().code(0)));
        assert_eq!(json(&own), here, "{table}");
    }
    let (shown, _) = in_empty_folder(&["compare", "--table", "4.1"]);
    for words in ["NVIDIA H200", "1.905", "results/nvidia-h200/global-access (comes with apbench)"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

/// A run on the disk is told where its file is wrong, and the others are there.
#[test]
fn a_run_whose_family_is_unknown_is_named() {
    let folder = TempDir::new().unwrap();
    let broken = folder.path().join("results/broken");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join("run.json"), "{}").unwrap();
    fs::write(broken.join("scenario.toml"), "family = \n").unwrap();
    let assert = in_folder(folder.path(), &["compare", "--table", "4.1"]).assert().code(0);
    let notes = stderr(&assert);
    assert!(notes.contains("results/broken/scenario.toml: ") && notes.contains("this run is left out"), "{notes}");
    assert!(stdout(&assert).contains("results/nvidia-h200/global-access"), "{}", stdout(&assert));
}

#[test]
fn reference_runs_are_read_by_their_paths_in_the_repository() {
    let commands: [&[&str]; 6] = [
        &["compare", "results/nvidia-h200/branching", "results/simulated-h200/branching", "--csv"],
        &["compare", "results/published:GeForce GTX 280", "results/nvidia-h200/global-access", "--csv"],
        &["compare", "results/nvidia-h200", "results/simulated-h200", "--accuracy", "--csv"],
        &["ladder", "results/nvidia-h200/prefix-sum", "--csv"],
        &["predict", "results/nvidia-h200/branching", "--set", "branches=3", "--json"],
        &["fit", "results/nvidia-h200/branching", "--holdout", "25%"],
    ];
    for arguments in commands {
        let (own, notes) = in_empty_folder(arguments);
        assert!(notes.contains("with apbench"), "{arguments:?}: {notes}");
        assert!(own.lines().count() > 1, "{arguments:?}: {own}");
        assert_eq!(own, stdout(&in_folder(repository(), arguments).assert().code(0)), "{arguments:?}");
    }
}

/// Folders of runs are told with the runs that come with the program.
#[test]
fn folders_of_runs_are_told_with_the_runs_in_them() {
    let folder = TempDir::new().unwrap();
    let told = |run: &str| stderr(&in_folder(folder.path(), &["fit", run]).assert().failure()).replace('\n', " ");
    let many = told("results/nvidia-h200");
    assert!(many.contains("is not a run, but has ") && many.contains(" address-translation, "), "{many}");
    let one = told("results/nvidia-h200/whole-sectors");
    assert!(one.contains("has one in it; give results/nvidia-h200/whole-sectors/transpose"), "{one}");
}

#[test]
fn what_writes_into_a_run_needs_its_directory() {
    let folder = TempDir::new().unwrap();
    let run = "results/nvidia-h200/branching";
    for arguments in [&["report", run][..], &["plot", run], &["merge", run, "--out", "whole"]] {
        let assert = in_folder(folder.path(), arguments).assert().code(2);
        let told = stderr(&assert);
        assert!(told.contains("results/nvidia-h200/branching: is not here. apbench has a copy"), "{told}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    in_folder(folder.path(), &["plot", run, "--out", "charts"]).assert().code(0);
    assert!(folder.path().join("charts/runtime.svg").is_file());
}

#[test]
fn a_scenario_is_swept_by_its_name_and_compared_with_the_reference_run() {
    let folder = TempDir::new().unwrap();
    let sets = ["--set", "width=64", "--set", "work=2", "--set", "branches=1,2,4"];
    let arguments: Vec<&str> =
        ["sweep", "branching", "--device", "sim:h200", "--out", "run"].into_iter().chain(sets).collect();
    let assert = in_folder(folder.path(), &arguments).assert().code(0);
    assert!(stdout(&assert).contains("run:  run\nmore: report.html there"), "{}", stdout(&assert));
    let ignored = ["--ignore", "width,work", "--json"];
    let arguments: Vec<&str> = ["compare", "results/nvidia-h200/branching", "run"].into_iter().chain(ignored).collect();
    let assert = in_folder(folder.path(), &arguments).assert().code(0);
    assert!(stderr(&assert).contains("results/nvidia-h200/branching is not here"), "{}", stderr(&assert));
    let compared = json(&stdout(&assert));
    assert!(compared["points"].as_array().is_some_and(|points| points.len() >= 3), "{compared}");
}
