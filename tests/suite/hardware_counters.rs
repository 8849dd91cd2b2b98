//! Counters of hardware, by the mock: when points are counted, where it is kept, and what is said where they cannot be.

use crate::common::{Workspace, stderr, stdout};

/// The cells of a column of `points.csv`.
fn column(workspace: &Workspace, run: &str, name: &str) -> Vec<String> {
    let text = workspace.read(&format!("{run}/points.csv"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().unwrap().iter().position(|own| own == name).unwrap_or_else(|| panic!("no {name}"));
    reader.records().map(|row| row.unwrap()[place].to_owned()).collect()
}

#[test]
fn points_are_counted_after_their_times_were_taken() {
    let workspace = Workspace::new();
    let sets = ["--counters", "hardware", "--set", "branches=1,2,4", "--set", "operation=compute"];
    let assert = workspace.sweep("", &sets).code(0);
    assert!(
        stderr(&assert).contains("note: the mock counts each point after its times were taken"),
        "{}",
        stderr(&assert)
    );
    assert_eq!(column(&workspace, "run", "warp_instructions"), ["1000", "2000", "4000"]);
    // The mock counts the samples that it took of the point before.
    let numbers = |name| column(&workspace, "run", name).into_iter().map(|own| own.parse::<u64>().unwrap());
    assert!(
        numbers("hw_l2_read_sectors").zip(numbers("samples")).all(|(before, samples)| samples > 0 && before >= samples)
    );
    assert!(workspace.read("run/run.json").contains("3 of 3 points were counted, after their times were taken"));
}

#[test]
fn a_sweep_goes_on_without_counters() {
    let workspace = Workspace::new();
    let sets = ["--counters", "hardware", "--set", "branches=1,2,4", "--set", "operation=compute"];
    let assert = workspace.sweep("counters=0", &sets).code(0);
    let told = "note: no hardware counters, the sweep goes on without: the mock was told to have none";
    assert!(stderr(&assert).contains(told), "{}", stderr(&assert));
    let header = workspace.read("run/points.csv").lines().next().unwrap().to_owned();
    assert!(!header.contains("warp_instructions"), "{header}");
    let some = Workspace::new();
    some.sweep("uncounted_at=2", &sets).code(0);
    assert_eq!(column(&some, "run", "warp_instructions"), ["1000", "", "4000"]);
    let told = "2 of 3 points were counted, after their times were taken; the first that was not: the mock was told not to count here";
    assert!(some.read("run/run.json").contains(told), "{}", some.read("run/run.json"));
}

#[test]
fn a_simulated_device_has_no_counters_of_hardware() {
    let workspace = Workspace::new();
    let sizes = ["--set", "width=64", "--set", "work=1", "--set", "branches=1,2", "--set", "operation=compute"];
    let command = ["sweep", "small.toml", "--device", "sim:h200", "--out", "run", "--counters", "hardware"];
    let assert = workspace.apbench(&[&command[..], &sizes].concat()).assert().code(0);
    let told = "note: no hardware counters, the sweep goes on without: this device has no counters of hardware";
    assert!(stderr(&assert).contains(told), "{}", stderr(&assert));
    assert_eq!(column(&workspace, "run", "warp_instructions").len(), 2);
}

#[test]
fn counters_of_two_runs_are_held_against_each_other() {
    let workspace = Workspace::new();
    let sets = ["--counters", "hardware", "--set", "branches=1,2,4", "--set", "operation=compute"];
    workspace.sweep("", &sets).code(0);
    let simulated = ["sweep", "small.toml", "--device", "sim:h200", "--out", "sim", "--set", "branches=1,2,4"];
    workspace.apbench(&[&simulated[..], &["--set", "operation=compute"]].concat()).assert().code(0);
    let told = stdout(&workspace.apbench(&["compare", "run", "sim", "--counters"]).assert().code(0));
    assert!(told.starts_with("0 of 1 counter agree to within 1 % at all of 3 points."), "{told}");
    assert!(told.contains("warp_instructions") && told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let csv = stdout(&workspace.apbench(&["compare", "run", "sim", "--counters", "--csv"]).assert().code(0));
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let one = ["compare", "run", "sim", "--counters=warp-instructions"];
    assert_eq!(stdout(&workspace.apbench(&one).assert().code(0)), told);
    let none = stderr(&workspace.apbench(&["compare", "run", "sim", "--counters=warps"]).assert().code(2));
    assert!(none.contains("--counters=warps: the runs have no such counter in common"), "{none}");
    let json = stdout(&workspace.apbench(&["compare", "run", "run", "--counters", "--json"]).assert().code(0));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["points"], &json["counters"][0]["agreeing"]), (&3.into(), &3.into()), "{json}");
    workspace.apbench(&["sweep", "small.toml", "--device", "mock", "--out", "plain"]).assert().code(0);
    let refused = stderr(&workspace.apbench(&["compare", "plain", "sim", "--counters"]).assert().code(2));
    assert!(refused.contains("plain has no counters: a sweep on a GPU has them with --counters hardware"), "{refused}");
}
