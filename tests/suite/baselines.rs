//! Runs that are saved under names, and commands that take these names.

use std::fs;

use serde_json::Value as Json;

use crate::common::{Workspace, stderr, stdout};

/// A sweep of this slope into `results/`.
fn sweep(workspace: &Workspace, slope_us: u32) {
    let device = format!("mock:outside_us=10,slope_us={slope_us},noise_pct=1");
    workspace.apbench(&["sweep", "small.toml", "--device", &device]).assert().code(0);
    // A start is kept to the second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
}

fn told(workspace: &Workspace, arguments: &[&str]) -> String {
    stdout(&workspace.apbench(arguments).assert().code(0))
}

fn refused(workspace: &Workspace, arguments: &[&str]) -> String {
    stderr(&workspace.apbench(arguments).assert().code(2))
}

#[test]
fn every_command_that_takes_a_run_takes_a_baseline() {
    let workspace = Workspace::new();
    sweep(&workspace, 1);
    assert!(told(&workspace, &["baseline", "save", "before"]).contains("as `before`: small on mock device"));
    let first = fs::read_dir(workspace.path("results")).unwrap().map(|entry| entry.unwrap().path());
    // What is saved stays when the run goes.
    let first = first.into_iter().find(|path| !path.ends_with("baselines")).unwrap();
    let points = fs::read_to_string(first.join("points.csv")).unwrap();
    fs::remove_dir_all(first).unwrap();
    assert_eq!(workspace.read("results/baselines/before/points.csv"), points);
    assert!(workspace.path("results/baselines/before/charts/runtime.svg").is_file());
    sweep(&workspace, 3);

    let compared: Json = serde_json::from_str(&told(&workspace, &["compare", "before", "last", "--json"])).unwrap();
    assert!(compared["points"].as_array().is_some_and(|points| points.len() == 8), "{compared}");
    let fitted: Json = serde_json::from_str(&told(&workspace, &["fit", "before", "--json"])).unwrap();
    assert_eq!(fitted["run"], "results/baselines/before");
    let slope = fitted["fits"][0]["law"]["coefficients"][1]["estimate"].as_f64().unwrap();
    assert!((slope - 1.0).abs() < 0.2, "{slope}");
    told(&workspace, &["predict", "before", "--set", "branches=3"]);
    told(&workspace, &["plot", "before", "last", "--out", "charts"]);
    assert!(workspace.path("charts").is_dir());
    assert!(told(&workspace, &["report", "last", "--compare", "before"]).contains("report.html"));
    assert!(told(&workspace, &["report", "before"]).contains("results/baselines/before/report.html"));
}

#[test]
fn baselines_are_listed_replaced_and_removed() {
    let workspace = Workspace::new();
    assert!(told(&workspace, &["baseline", "list"]).contains("no baseline here"));
    workspace.sweep("slope_us=1", &[]).code(0);
    told(&workspace, &["baseline", "save", "one", "run"]);
    told(&workspace, &["baseline", "save", "two", "one"]);
    let list: Json = serde_json::from_str(&told(&workspace, &["baseline", "list", "--json"])).unwrap();
    let names: Vec<&str> = list.as_array().unwrap().iter().filter_map(|own| own["name"].as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!((&list[0]["points"], &list[0]["status"]), (&8.into(), &"complete".into()));
    let shown = told(&workspace, &["baseline", "list"]);
    assert!(shown.contains("two") && shown.contains("mock device (mock)"), "{shown}");

    workspace.apbench(&["sweep", "small.toml", "--device", "mock:slope_us=5", "--out", "other"]).assert().code(0);
    let before = workspace.read("results/baselines/one/points.csv");
    let problem = refused(&workspace, &["baseline", "save", "one", "other"]);
    assert!(problem.contains("there is a baseline `one` already: small on mock device"), "{problem}");
    assert_eq!(workspace.read("results/baselines/one/points.csv"), before);
    told(&workspace, &["baseline", "save", "one", "other", "--replace"]);
    assert_eq!(workspace.read("results/baselines/one/points.csv"), workspace.read("other/points.csv"));

    told(&workspace, &["baseline", "remove", "two"]);
    let left = fs::read_dir(workspace.path("results/baselines")).unwrap();
    assert_eq!(left.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>(), ["one"]);
    assert!(workspace.path("run/points.csv").is_file());
}

#[test]
fn a_name_that_is_mistyped_gets_a_suggestion() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    told(&workspace, &["baseline", "save", "before", "run"]);
    for arguments in [&["compare", "befor", "run"][..], &["fit", "befor"], &["report", "Before"], &["plot", "befoer"]] {
        let problem = refused(&workspace, arguments);
        assert!(problem.contains("did you mean the baseline `before`?"), "{arguments:?}: {problem}");
    }
    let problem = refused(&workspace, &["baseline", "remove", "befor"]);
    assert!(problem.contains("did you mean `before`?"), "{problem}");
    for name in ["a/b", "..", "last", "-x", "last:small"] {
        let problem = refused(&workspace, &["baseline", "save", "--", name, "run"]);
        assert!(problem.contains("name"), "{name}: {problem}");
    }
    // What has the name as a path is meant by it, and that is said when it is saved.
    let saved = workspace.apbench(&["baseline", "save", "run", "run"]).assert().code(0);
    assert!(stderr(&saved).contains("`run` is a path"), "{}", stderr(&saved));
    workspace.apbench(&["baseline", "save", "other", "nothing"]).assert().code(1);
    assert!(!workspace.path("results/baselines/other").exists());
}

#[test]
fn a_run_that_is_not_whole_and_one_of_the_program_can_be_saved() {
    let workspace = Workspace::new();
    workspace.sweep("", &["--part", "0/2"]).code(0);
    let json = workspace.read("run/run.json").replace("\"status\": \"complete\"", "\"status\": \"interrupted\"");
    fs::write(workspace.path("run/run.json"), json).unwrap();
    let saved = workspace.apbench(&["baseline", "save", "part", "run"]).assert().code(0);
    assert!(stderr(&saved).contains("the run is not complete: it has 4 of 8 points"), "{}", stderr(&saved));
    assert!(told(&workspace, &["baseline", "list"]).contains("part of 8"));

    told(&workspace, &["baseline", "save", "h200", "results/nvidia-h200/branching"]);
    told(&workspace, &["report", "h200"]);
    assert!(workspace.path("results/baselines/h200/report.html").is_file());
}
