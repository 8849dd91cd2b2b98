//! `apbench selfcheck` on the mock, as a user sees it.

use std::fs;

use assert_cmd::Command;

use crate::common::{Workspace, stderr, stdout};

/// A device with a time that grows with the work, and some noise.
const MOCK: &str = "mock:outside_us=2,slope_us=0,mop_us=6.4,null_us=1";

/// `apbench selfcheck` on a device, with the workspace's folder for its state.
fn selfcheck(workspace: &Workspace, device: &str, more: &[&str]) -> Command {
    let mut arguments = vec!["selfcheck", "--device", device, "--budget", "0.2"];
    arguments.extend(more);
    let mut command = workspace.apbench(&arguments);
    command.env("XDG_STATE_HOME", workspace.path("state"));
    command
}

const FLOORS: &str = "state/apbench/noise-floors.json";

#[test]
fn little_noise_is_trusted_and_the_floor_kept() {
    let workspace = Workspace::new();
    let device = format!("{MOCK},jitter_pct=1");
    let assert = selfcheck(&workspace, &device, &["--pairs", "20", "--out", "check.json"]).assert().code(0);
    let report = stdout(&assert);
    for wanted in
        ["noise floor", "0 of 20 comparisons", "10 of 10 comparisons", "1.00 µs", "Measurements here can be trusted"]
    {
        assert!(report.contains(wanted), "no {wanted} in:\n{report}");
    }
    let json: serde_json::Value = serde_json::from_str(&workspace.read("check.json")).unwrap();
    assert_eq!((json["trusted"].as_bool(), json["found"].as_u64()), (Some(true), Some(10)));
    let floors: serde_json::Value = serde_json::from_str(&workspace.read(FLOORS)).unwrap();
    let floor = &floors["floors"]["mock driver none"];
    assert_eq!((floor["comparisons"].as_u64(), &floor["floor_pct"]), (Some(20), &json["noise_floor_pct"]));
}

#[test]
fn what_cannot_be_trusted_says_why() {
    let workspace = Workspace::new();
    let device = format!("{MOCK},throttle=1");
    let assert = selfcheck(&workspace, &device, &["--pairs", "2"]).assert().code(0);
    assert!(stdout(&assert).contains("\n- check throttling"), "{}", stdout(&assert));
    assert!(stderr(&assert).contains("it needs at least 20 comparisons"), "{}", stderr(&assert));
    assert!(!workspace.path(FLOORS).exists());
}

#[test]
fn a_device_that_does_not_work_is_status_4_and_has_no_floor() {
    let workspace = Workspace::new();
    for trouble in ["fail=0", "wrong=1"] {
        let assert = selfcheck(&workspace, &format!("{MOCK},{trouble}"), &["--pairs", "20"]).assert().code(4);
        assert!(stdout(&assert).contains("\n- a kernel failed or gave a wrong result: "), "{}", stdout(&assert));
        assert!(!workspace.path(FLOORS).exists());
    }
}

#[test]
fn json_is_the_whole_of_standard_output() {
    let workspace = Workspace::new();
    let assert = selfcheck(&workspace, MOCK, &["--pairs", "2", "--json"]).assert().code(0);
    let json: serde_json::Value = serde_json::from_str(&stdout(&assert)).unwrap();
    assert_eq!(json["same"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["same"][0]["verdict"], "SAME");
}

#[test]
fn a_file_of_floors_that_is_none_is_replaced_with_a_note() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.path("state/apbench")).unwrap();
    fs::write(workspace.path(FLOORS), "not JSON").unwrap();
    let assert = selfcheck(&workspace, MOCK, &["--pairs", "20"]).assert().code(0);
    assert!(stderr(&assert).contains("note: noise floors are not known"), "{}", stderr(&assert));
    assert!(workspace.read(FLOORS).contains("mock driver none"));
}

#[test]
fn a_simulated_device_has_no_noise_and_no_floor() {
    let workspace = Workspace::new();
    let assert = selfcheck(&workspace, "sim:h200", &[]).assert().code(0);
    assert!(stdout(&assert).contains("simulated times repeat exactly"), "{}", stdout(&assert));
    assert!(!workspace.path(FLOORS).exists());
}
