//! Cycles that kernels read from their clock, by the mock: where they are kept, and whether they agree with the times of events.

use serde_json::Value;

use crate::common::{Workspace, stdout};

/// Sweeps `instruction-latency` on the mock, whose times grow with the operations.
fn swept(cycles_pct: u32) -> Workspace {
    let workspace = Workspace::new();
    let mock = format!("mock:slope_us=0,mop_us=100000,cycles_pct={cycles_pct}");
    let arguments =
        ["sweep", "instruction-latency", "--device", &mock, "--set", "instruction=float_multiply_add", "--out", "run"];
    workspace.apbench(&arguments).assert().code(0);
    workspace
}

fn guard(workspace: &Workspace) -> Option<Value> {
    let run: Value = serde_json::from_str(&workspace.read("run/run.json")).unwrap();
    run["guards"].as_array().unwrap().iter().find(|guard| guard["guard"] == "device_clock").cloned()
}

#[test]
fn cycles_are_kept_for_each_point_and_agree_with_events() {
    let workspace = swept(100);
    let points = workspace.read("run/points.csv");
    let mut reader = csv::Reader::from_reader(points.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let places =
        ["time_us", "device_cycles", "clock_mhz"].map(|name| headers.iter().position(|own| own == name).unwrap());
    let mut rows = 0;
    for row in reader.records() {
        let row = row.unwrap();
        let [time_us, cycles, clock_mhz] = places.map(|place| row[place].parse::<f64>().unwrap());
        // Events have what a launch takes beside the loop.
        assert!(cycles / clock_mhz < time_us && cycles > 0.0, "{row:?}");
        rows += 1;
    }
    assert_eq!(rows, 4);
    let guard = guard(&workspace).unwrap();
    assert_eq!(guard["outcome"], "ok");
    let detail = guard["detail"].as_str().unwrap();
    let words =
        "0.00 % from what events say in the median of 1 slope; none is more than 1 % apart; the worst is 0.0 % apart: ";
    assert!(detail.contains(words), "{detail}");
}

#[test]
fn cycles_that_do_not_agree_are_flagged() {
    let guard = guard(&swept(103)).unwrap();
    assert_eq!(guard["outcome"], "flagged");
    let detail = guard["detail"].as_str().unwrap();
    assert!(detail.contains("3.00 % from what events say"), "{detail}");
}

#[test]
fn simulated_gpus_and_other_families_have_no_such_column() {
    let workspace = Workspace::new();
    let simulated =
        ["sweep", "instruction-latency", "--device", "sim:h200", "--set", "instruction=vote", "--out", "run"];
    workspace.apbench(&simulated).assert().code(0);
    assert!(!workspace.read("run/points.csv").contains("device_cycles"));
    assert!(guard(&workspace).is_none());
    let other = Workspace::new();
    other.sweep("slope_us=2", &["--set", "branches=1,2"]).code(0);
    assert!(!other.read("run/points.csv").contains("device_cycles") && guard(&other).is_none());
}

#[test]
fn cycles_are_no_counters() {
    let workspace = swept(100);
    let compared = workspace.apbench(&["compare", "run", "run", "--counters"]).assert().code(2);
    assert!(stdout(&compared).is_empty());
}
