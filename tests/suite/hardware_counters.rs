//! Counters of hardware, by the mock: when points are counted, where it is kept, and what is said where they cannot be.

#[cfg(target_os = "linux")]
mod by_stand_in;

use crate::common::{Workspace, stderr, stdout, unwrapped};

const SETS: [&str; 6] = ["--counters", "hardware", "--set", "branches=1,2,4", "--set", "operation=compute"];

/// Outcome and words of the guard of counters in `run.json`, where there is one.
fn guard(workspace: &Workspace, run: &str) -> Option<(String, String)> {
    let run: serde_json::Value = serde_json::from_str(&workspace.read(&format!("{run}/run.json"))).unwrap();
    let guards = run["guards"].as_array().unwrap();
    let own = guards.iter().find(|guard| guard["guard"] == "hardware_counters")?;
    Some((own["outcome"].as_str().unwrap().to_owned(), own["detail"].as_str().unwrap().to_owned()))
}

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
    let assert = workspace.sweep("", &SETS).code(0);
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
fn nobody_counts_who_was_not_asked() {
    let workspace = Workspace::new();
    workspace.sweep("", &SETS[2..]).code(0);
    assert!(!workspace.read("run/points.csv").lines().next().unwrap().contains("warp_instructions"));
    assert_eq!(guard(&workspace, "run"), None);
}

/// The mock refuses whatever is measured of a point after it was counted, and to count it twice.
#[test]
fn counters_come_last_and_once() {
    let workspace = Workspace::new();
    let scenario = workspace.read("small.toml") + "[measure]\nenergy = true\nsampling = \"both\"\nbudget_s = 0.05\n";
    std::fs::write(workspace.path("small.toml"), scenario).unwrap();
    let assert = workspace.sweep("", &SETS).code(0);
    assert!(stdout(&assert).contains("3 of 3 points: 3 ok"), "{}", stdout(&assert));
    assert_eq!(column(&workspace, "run", "warp_instructions"), ["1000", "2000", "4000"]);
    assert!(column(&workspace, "run", "energy_mj").iter().all(|cell| !cell.is_empty()));
    let told = "3 of 3 points were counted, after their times were taken";
    assert_eq!(guard(&workspace, "run"), Some(("ok".to_owned(), told.to_owned())));
}

#[test]
fn a_sweep_goes_on_without_counters() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("counters=0", &SETS).code(0);
    let why = "the mock was told to have none";
    let told = format!("note: no hardware counters, the sweep goes on without: {why}");
    assert_eq!(stderr(&assert).matches(&told).count(), 1, "{}", stderr(&assert));
    let header = workspace.read("run/points.csv").lines().next().unwrap().to_owned();
    assert!(!header.contains("warp_instructions"), "{header}");
    let expected = ("unknown".to_owned(), format!("the hardware counted no point: {why}"));
    assert_eq!(guard(&workspace, "run"), Some(expected));
    let some = Workspace::new();
    some.sweep("uncounted_at=2", &SETS).code(0);
    assert_eq!(column(&some, "run", "warp_instructions"), ["1000", "", "4000"]);
    let told = "2 of 3 points were counted, after their times were taken; the first that was not: the mock was told not to count here";
    assert_eq!(guard(&some, "run"), Some(("flagged".to_owned(), told.to_owned())));
}

/// The point that takes a worker down is measured alone in the end; the others have what was asked for.
#[test]
fn a_worker_in_the_place_of_another_says_the_sentence_no_second_time() {
    for (mock, counted) in [("abort_at=2,counters=0", false), ("abort_at=2", true)] {
        let workspace = Workspace::new();
        let assert = workspace.sweep(mock, &SETS).code(4);
        let told = if counted { "counts each point" } else { "no hardware counters" };
        assert_eq!(stderr(&assert).matches(told).count(), 1, "{}", stderr(&assert));
        assert_eq!(column(&workspace, "run", "status"), ["ok", "failed", "ok"]);
        if counted {
            assert_eq!(column(&workspace, "run", "warp_instructions"), ["1000", "", "4000"]);
        } else {
            assert_eq!(guard(&workspace, "run").unwrap().0, "unknown");
        }
    }
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
    let told = "the hardware counted no point: this device has no counters of hardware";
    assert_eq!(guard(&workspace, "run"), Some(("unknown".to_owned(), told.to_owned())));
}

#[test]
fn counters_of_two_runs_are_held_against_each_other() {
    let workspace = Workspace::new();
    workspace.sweep("", &SETS).code(0);
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
    let other = ["sweep", "small.toml", "--device", "sim:h200", "--out", "other", "--set", "branches=8"];
    workspace.apbench(&[&other[..], &["--set", "operation=compute"]].concat()).assert().code(0);
    let apart = stderr(&workspace.apbench(&["compare", "sim", "other", "--counters"]).assert().code(2));
    let why = "sim and other have no point in common, so no counts can be compared: branches is 1, 2, 4 in sim and 8 in other; --ignore";
    assert!(unwrapped(&apart).contains(why), "{apart}");
    // Counters that were asked for in vain are none.
    let plain = ["sweep", "small.toml", "--device", "mock:counters=0", "--out", "plain", "--counters", "hardware"];
    workspace.apbench(&plain).assert().code(0);
    let refused = stderr(&workspace.apbench(&["compare", "plain", "sim", "--counters"]).assert().code(2));
    assert!(refused.contains("plain has no counters: a sweep on a GPU has them with --counters hardware"), "{refused}");
}
