//! `--fail-on` for continuous integration.

use super::*;

/// The stored branching run, and one whose rounds of some points are `scale` times as long.
fn runs(scale: f64, points: std::ops::Range<usize>) -> Workspace {
    let workspace = two_runs();
    edit(&workspace.path("other/rounds.csv"), |text| {
        let changed = text.lines().enumerate().map(|(number, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if number > 0 && points.contains(&cells[0].parse().unwrap()) {
                for time in &mut cells[4..6] {
                    *time = format!("{:.4}", time.parse::<f64>().unwrap() * scale);
                }
            }
            cells.join(",") + "\n"
        });
        changed.collect()
    });
    follow_rounds(&workspace.path("other"));
    workspace
}

#[test]
fn a_true_difference_crosses_the_gate_and_is_named() {
    let workspace = runs(1.03, 5..7);
    let assert = workspace.apbench(&["compare", "base", "other", "--fail-on", "slower"]).assert().code(5);
    let told = stderr(&assert);
    assert!(told.contains("--fail-on slower: met by 2 points, significant at 5 % after Holm's correction"), "{told}");
    assert!(told.contains("branches=6 operation=compute: 1.030 ("), "{told}");
    for (condition, status) in
        [("slower:5%", 0), ("slower:2%", 5), ("faster", 0), ("different", 5), ("different:4", 0), ("missing", 0)]
    {
        workspace.apbench(&["compare", "base", "other", "--fail-on", condition]).assert().code(status);
        let arguments = ["compare", "other", "base", "--fail-on", condition, "--csv"];
        let mirrored = match condition {
            "slower:2%" | "slower" => 0,
            "faster" => 5,
            _ => status,
        };
        workspace.apbench(&arguments).assert().code(mirrored);
    }
}

/// Each of the points is slower for sure, at 5 %; that not even one of 64 is so by chance is known of those with many rounds alone.
#[test]
fn points_that_are_slower_and_do_not_cross_are_counted() {
    let workspace = two_runs();
    edit(&workspace.path("other/rounds.csv"), |text| {
        let changed = text.lines().enumerate().map(|(number, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if let Ok(round) = cells[2].parse::<usize>() {
                let scale = [1.03, 1.05, 1.08, 1.035, 1.05][round % 5];
                for time in &mut cells[4..6] {
                    *time = format!("{:.4}", time.parse::<f64>().unwrap() * scale);
                }
            }
            assert!(number == 0 || cells.len() > 5);
            cells.join(",") + "\n"
        });
        changed.collect()
    });
    follow_rounds(&workspace.path("other"));
    let assert = workspace.apbench(&["compare", "base", "other", "--fail-on", "slower"]).assert().code(5);
    assert!(stdout(&assert).contains("64 SLOWER"), "{}", stdout(&assert));
    let told = crate::common::unwrapped(&stderr(&assert));
    assert!(told.contains("note: 60 points have a verdict that --fail-on asks for, and do not cross"), "{told}");
}

#[test]
fn the_same_times_cross_no_gate() {
    let workspace = runs(1.005, 0..64);
    workspace.apbench(&["compare", "base", "other", "--fail-on", "different,missing"]).assert().code(0);
}

#[test]
fn missing_points_cross_the_gate_that_asks_for_them() {
    let workspace = two_runs();
    edit(&workspace.path("other/points.csv"), |text| text.lines().take(60).map(|line| format!("{line}\n")).collect());
    workspace.apbench(&["compare", "base", "other", "--fail-on", "slower"]).assert().code(0);
    let assert = workspace.apbench(&["compare", "base", "other", "--fail-on", "slower,missing"]).assert().code(5);
    assert!(stderr(&assert).contains("--fail-on missing: met by 5 points"), "{}", stderr(&assert));
    workspace.apbench(&["compare", "other", "base", "--fail-on", "missing"]).assert().code(0);
}

/// What no longer works is no success, whichever way times were to go.
#[test]
fn failed_points_cross_every_gate() {
    let workspace = two_runs();
    edit(&workspace.path("other/points.csv"), |text| {
        let failed = |(number, line): (usize, &str)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if number == 3 {
                cells[11..17].copy_from_slice(&["wrong", "element 0", "measured", "", "", ""]);
            }
            cells.join(",") + "\n"
        };
        text.lines().enumerate().map(failed).collect()
    });
    for condition in ["slower", "faster:5%", "different", "missing"] {
        let assert = workspace.apbench(&["compare", "base", "other", "--fail-on", condition]).assert().code(5);
        assert!(stderr(&assert).contains("branches=3 operation=compute: FAILED, other"), "{}", stderr(&assert));
    }
}

/// A gate that has nothing to look at would pass for ever.
#[test]
fn a_gate_without_points_is_crossed() {
    let workspace = two_runs();
    edit(&workspace.path("other/points.csv"), |text| text.replace(",integer,16,", ",integer,17,"));
    let assert = workspace.apbench(&["compare", "base", "other", "--fail-on", "slower"]).assert().code(5);
    assert!(stderr(&assert).contains("no point could be compared"), "{}", stderr(&assert));
}

/// Rounds in two modes decide nothing: that is told, and it is no alarm.
#[test]
fn a_point_whose_rounds_contradict_each_other_is_left_undecided() {
    let workspace = two_runs();
    for run in ["base", "other"] {
        let first = |text: String| text.lines().take(2).map(|line| format!("{line}\n")).collect();
        edit(&workspace.path(&format!("{run}/points.csv")), first);
        let own = |line: &&str| line.starts_with("point,") || line.starts_with("0,");
        edit(&workspace.path(&format!("{run}/rounds.csv")), |text| {
            text.lines().filter(own).map(|line| format!("{line}\n")).collect()
        });
    }
    edit(&workspace.path("other/rounds.csv"), |text| {
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let median = header.iter().position(|name| *name == "time_us").unwrap();
        let changed = text.lines().enumerate().map(|(number, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if number > 1 {
                cells[median] = format!("{:.4}", cells[median].parse::<f64>().unwrap() * 1.09);
            }
            cells.join(",") + "\n"
        });
        changed.collect()
    });
    let assert = workspace.apbench(&["compare", "base", "other", "--fail-on", "slower"]).assert().code(0);
    let told = stderr(&assert);
    assert!(told.contains("leaves 1 of 1 points undecided: their rounds contradict each other"), "{told}");
}

#[test]
fn what_is_no_condition_is_told() {
    let assert = compare(&["a", "b", "--fail-on", "slow"]).assert().code(2);
    assert!(stderr(&assert).contains("expected slower, faster, different or missing"), "{}", stderr(&assert));
}

#[test]
fn points_with_few_rounds_are_told_to_promise_nothing() {
    let workspace = Workspace::new();
    let compared = |rounds: &str| {
        for run in ["one", "two"] {
            let set = ["--set", "branches=1,2", "--set", "operation=compute", "--out"];
            let sweep =
                [&["sweep", "branching", "--device", "mock:noise_pct=0.5", "--rounds", rounds], &set[..]].concat();
            let run = format!("{run}{rounds}");
            workspace.apbench(&[&sweep[..], &[run.as_str()]].concat()).assert().code(0);
        }
        let [one, two] = ["one", "two"].map(|run| format!("{run}{rounds}"));
        stderr(&workspace.apbench(&["compare", &one, &two, "--fail-on", "slower:50%"]).assert().code(0))
    };
    let told = compared("3");
    assert!(told.contains("note: 2 points have fewer than 5 rounds, of which --fail-on promises nothing"), "{told}");
    let told = compared("5");
    assert!(!told.contains("rounds, of which"), "{told}");
}

/// Two runs of points flagged `short` differ by more than 1 %, so that their intervals are never within it.
#[test]
fn a_run_is_the_same_as_itself_where_times_are_short() {
    let compared = |scenario: &str, condition: &str| {
        let run = format!("results/nvidia-h200/{scenario}");
        let assert = compare(&[&run, &run, "--fail-on", condition]).assert().code(0);
        (stdout(&assert), stderr(&assert))
    };
    let (shown, told) = compared("reduction-sizes", "slower");
    assert!(shown.contains("36 points compared: 36 SAME"), "{shown}");
    assert!(told.contains("differences from 2.5 % on") && !told.contains("contradict"), "{told}");
    // Rounds with transfers from pageable memory vary, too.
    let (_, told) = compared("select-sum", "slower");
    assert!(told.contains("differences from 41.4 % on") && !told.contains("contradict"), "{told}");
    // 5 % more than two runs of the same kernels differ by.
    for (scenario, from) in [("reduction-sizes", "6.6"), ("select-sum", "47.0")] {
        let (_, told) = compared(scenario, "slower:5%");
        assert!(told.contains(&format!("differences from {from} % on")), "{told}");
    }
}

#[test]
fn a_noise_floor_that_is_none_is_refused_with_its_line() {
    for floor in ["-0.1", "1.5", "90"] {
        let workspace = two_runs();
        edit(&workspace.path("other/run.json"), |text| {
            let line = text.lines().find(|line| line.contains("\"floor_pct\"")).unwrap();
            text.replace(line, &format!("    \"floor_pct\": {floor},"))
        });
        let told = stderr(&workspace.apbench(&["compare", "base", "other"]).assert().code(1));
        let expected = format!("floor_pct is {floor}, expected a percentage from 0 to 1");
        assert!(told.contains(&expected) && told.contains("run.json:137: "), "{told}");
    }
}
