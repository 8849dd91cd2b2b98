//! The command line: exit statuses, errors and what is printed.

use std::fs;
use std::process::{Command, Stdio};

use crate::common::{Workspace, stderr, stdout};

#[test]
fn bad_arguments_are_status_2() {
    let workspace = Workspace::new();
    for arguments in [
        &["sweep"][..],
        &["sweep", "small.toml", "--device", "gpu0"],
        &["sweep", "small.toml", "--frobnicate"],
        &["nonsense"],
        &["sweep", "small.toml", "small.toml", "--out", "run", "--device", "mock"],
    ] {
        let assert = workspace.apbench(arguments).assert().code(2);
        assert!(!stderr(&assert).is_empty(), "{arguments:?}");
        assert!(!workspace.path("run").exists());
    }
}

#[test]
fn a_bad_scenario_is_status_2_with_every_error_located() {
    let workspace = Workspace::new();
    let text = "family = \"branching\"\n[grid]\nbranchs = [1, 2]\nwork = \"2Ki\"\nwidth = []\n";
    fs::write(workspace.path("bad.toml"), text).unwrap();
    let assert = workspace.apbench(&["sweep", "bad.toml", "--device", "mock"]).assert().code(2);
    let errors = stderr(&assert);
    for wanted in ["bad.toml:3:1", "branches", "bad.toml:4:8", "2Ki", "bad.toml:5:9"] {
        assert!(errors.contains(wanted), "no {wanted} in:\n{errors}");
    }
    assert!(!workspace.path("results").exists(), "nothing was run");
}

#[test]
fn a_missing_scenario_is_status_2() {
    let assert = Workspace::new().apbench(&["sweep", "absent.toml", "--device", "mock"]).assert().code(2);
    assert!(stderr(&assert).contains("absent.toml"));
}

#[test]
fn a_device_that_is_not_there_is_status_3() {
    let workspace = Workspace::new();
    for device in ["cuda:99", "sim:nothing"] {
        let assert = workspace.apbench(&["sweep", "small.toml", "--device", device, "--out", "run"]).assert().code(3);
        assert!(stderr(&assert).contains("device"), "{}", stderr(&assert));
        assert!(!workspace.path("run").exists(), "no run directory for a device that is not there");
        workspace.apbench(&["verify", "--device", device]).assert().code(3);
    }
}

#[test]
fn a_run_that_is_none_is_status_1_with_its_path() {
    let workspace = Workspace::new();
    for command in ["fit", "plot"] {
        let assert = workspace.apbench(&[command, "nowhere"]).assert().code(1);
        assert!(stderr(&assert).contains("nowhere: is not a run directory"), "{}", stderr(&assert));
    }
}

#[test]
fn malformed_rows_are_named_by_file_and_line() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let good = workspace.read("run/points.csv");
    let cases = [
        (good.replacen(",ok,", ",fine,", 1), "points.csv:2: status is `fine`"),
        (good.replacen(",mock,30,", ",mock,NaN,", 1), "points.csv:2: time_us is `NaN`"),
        (good.replacen("point,variant", "punkt,variant", 1), "points.csv:1: the columns are not those of a run"),
        (good.replacen("\n1,divergent,", "\n1,divergent,7,", 1), "points.csv:3"),
        (String::new(), "points.csv:1"),
        ("\u{0}\u{1}\u{2}\n".to_owned(), "points.csv:1"),
    ];
    for (text, wanted) in cases {
        fs::write(workspace.path("run/points.csv"), text).unwrap();
        for command in ["fit", "plot"] {
            let assert = workspace.apbench(&[command, "run"]).assert().code(1);
            assert!(stderr(&assert).contains(wanted), "no {wanted:?} in {}", stderr(&assert));
        }
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_success() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .args(["verify", "--device", "mock"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_closed_pipe_does_not_hide_a_wrong_kernel() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .args(["verify", "--device", "mock:wrong=100"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn a_closed_pipe_costs_a_sweep_nothing() {
    let workspace = Workspace::new();
    fs::copy(workspace.path("small.toml"), workspace.path("other.toml")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .current_dir(workspace.path("."))
        .args(["sweep", "small.toml", "other.toml", "--device", "mock:wrong=1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(4), "the wrong point is told all the same");
    let runs: Vec<_> = fs::read_dir(workspace.path("results")).unwrap().map(|run| run.unwrap().path()).collect();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert!(run.join("fits.csv").is_file() && run.join("charts/runtime.svg").is_file(), "{}", run.display());
    }
}

#[test]
fn a_run_keeps_the_name_of_its_scenario() {
    let workspace = Workspace::new();
    fs::write(
        workspace.path("small.toml"),
        "family = \"branching\"\ngrid.width = 32\nchart = [{ x = \"branches\" }]\n",
    )
    .unwrap();
    let assert = workspace.sweep("", &[]).code(0);
    assert!(stdout(&assert).starts_with("small: small\n"), "{}", stdout(&assert));
    assert!(workspace.read("run/charts/runtime.svg").contains("<title>small</title>"), "the chart's title");
}

#[test]
fn verify_ends_with_a_count_and_says_what_failed() {
    let workspace = Workspace::new();
    let good = stdout(&workspace.apbench(&["verify", "--device", "mock"]).assert().code(0));
    let points = good.lines().filter(|line| line.starts_with("ok ")).count();
    assert!(points > 100);
    assert_eq!(good.lines().last(), Some(format!("{points} passed, 0 failed").as_str()));

    let bad = stdout(&workspace.apbench(&["verify", "--device", "mock:wrong=4"]).assert().code(4));
    assert_eq!(bad.lines().last(), Some(format!("{} passed, 1 failed", points - 1).as_str()));
    assert_eq!(bad.lines().filter(|line| line.starts_with("FAILED branching/divergent")).count(), 1);
}

#[test]
fn a_dry_run_prints_the_grid_in_order_and_measures_nothing() {
    let workspace = Workspace::new();
    let arguments = ["sweep", "small.toml", "--device", "mock", "--dry-run", "--set", "branches=2,32"];
    let assert = workspace.apbench(&arguments).assert().code(0);
    insta::assert_snapshot!(stdout(&assert));
    assert!(!workspace.path("results").exists());
}

#[test]
fn a_dry_run_needs_no_device() {
    let workspace = Workspace::new();
    let assert = workspace.apbench(&["sweep", "small.toml", "--dry-run"]).assert().code(0);
    assert!(stdout(&assert).contains("8 points"));
}

#[test]
fn list_prints_every_parameter_with_what_it_allows() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(stdout(&workspace.apbench(&["list"]).assert().code(0)));
    let json = stdout(&workspace.apbench(&["list", "--json"]).assert().code(0));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["families"][0]["name"], "branching");
    assert_eq!(json["laws"].as_array().unwrap().len(), 3);
}

#[test]
fn devices_is_a_success_with_and_without_a_gpu() {
    let workspace = Workspace::new();
    workspace.apbench(&["devices"]).assert().code(0);
    let json = stdout(&workspace.apbench(&["devices", "--json"]).assert().code(0));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["devices"].is_array());
}

#[test]
fn every_command_has_help() {
    let workspace = Workspace::new();
    for command in ["sweep", "fit", "plot", "list", "devices", "verify"] {
        let help = stdout(&workspace.apbench(&[command, "--help"]).assert().code(0));
        assert!(help.contains("Usage:"), "{help}");
        assert!(!help.contains("mock"), "the mock is for tests: {help}");
    }
}
