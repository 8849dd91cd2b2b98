//! `apbench compare`, as people use it: on the stored reference runs, and on what can be wrong with files.

mod accuracy;
mod broken;
mod gate;
mod pages;
mod printed;
mod stored;
mod variants;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use least_squares::order_statistics;

use crate::common::{Workspace, column, stderr, stdout};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// `apbench compare` with these arguments, in the repository.
fn compare(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("apbench").unwrap();
    command.current_dir(root()).env("NO_COLOR", "1").arg("compare").args(arguments);
    command
}

/// A stored run.
fn stored(scenario: &str) -> PathBuf {
    root().join("results/nvidia-h200").join(scenario)
}

/// A copy of the files of a run.
fn copied(run: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in ["run.json", "scenario.toml", "points.csv", "rounds.csv"] {
        if run.join(file).exists() {
            fs::copy(run.join(file), to.join(file)).unwrap();
        }
    }
}

/// Changes a file's text.
fn edit(file: &Path, change: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, change(text)).unwrap();
}

/// Makes the rows of a run's points follow from its rounds, which were changed; points without any are left out.
fn follow_rounds(run: &Path) {
    let rows = |file: &str| -> Vec<HashMap<String, String>> {
        let mut reader = csv::Reader::from_path(run.join(file)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    };
    let rounds = rows("rounds.csv");
    let times = |point: &str, cache: &str| -> Vec<f64> {
        let own = rounds.iter().filter(|round| round["point"] == point && round["cache"] == cache);
        own.map(|round| round["time_us"].parse().unwrap()).collect()
    };
    let median = |times: &[f64]| order_statistics::median(times).map(|time_us| format!("{time_us:.3}"));
    edit(&run.join("points.csv"), |text| {
        let header = text.lines().next().unwrap().split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        for mut row in rows("points.csv") {
            let own = times(&row["point"], &row["cache"]);
            if row["time_us"].is_empty() || own.is_empty() {
                continue;
            }
            let hot = if row["hot_us"].is_empty() { None } else { median(&times(&row["point"], "hot")) };
            for emptied in ["time_us_low", "time_us_high", "gb_per_s", "gop_per_s", "hot_us_low", "hot_us_high"] {
                row.insert(emptied.to_owned(), String::new());
            }
            row.insert("rounds".to_owned(), own.len().to_string());
            row.insert("time_us".to_owned(), median(&own).unwrap());
            row.insert("hot_us".to_owned(), hot.unwrap_or_default());
            writer.write_record(header.iter().map(|name| &row[name])).unwrap();
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    });
}

/// Two copies of the stored branching run, `base` and `other`.
fn two_runs() -> Workspace {
    let workspace = Workspace::new();
    for name in ["base", "other"] {
        copied(&stored("branching"), &workspace.path(name));
    }
    workspace
}

/// What the measured and the simulated H200 look like side by side, on 80 columns.
#[test]
fn a_gpu_and_its_simulated_one_side_by_side() {
    let assert = compare(&["results/nvidia-h200/branching", "results/simulated-h200/branching"]).assert().code(0);
    let shown = stdout(&assert);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    // Lines may be broken in front of the label.
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["SLOWER", "FASTER", "SAME"] {
        assert!(
            words.matches(word).count() == words.matches(&format!("{word} simulated")).count(),
            "{word} without a label"
        );
    }
    insta::assert_snapshot!(shown);
}

/// Laws fitted to matrices of 4096 and of 192 rows say nothing of each other.
#[test]
fn runs_without_a_common_point_have_no_laws_side_by_side() {
    let of = |other: &str| stdout(&compare(&["results/nvidia-h200/branching", other]).assert().code(0));
    let shown = of("results/simulated-h200/at-simulated-sizes/branching");
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("width is 4096 in the base and 192 here. Neither times nor laws are compared."), "{shown}");
    assert!(!shown.contains("t_branch"), "{shown}");
    assert!(of("results/simulated-h200/branching").contains("t_branch"));
}

#[test]
fn a_run_compared_with_itself_is_the_same() {
    let workspace = two_runs();
    let assert = workspace.apbench(&["compare", "base", "other", "--json"]).assert().code(0);
    let json: serde_json::Value = serde_json::from_str(&stdout(&assert)).unwrap();
    assert_eq!(json["others"][0]["summary"]["verdicts"], serde_json::json!([["SAME", 64]]));
    assert_eq!(json["others"][0]["relation"], "same_device");
    let mean = &json["others"][0]["summary"]["mean"];
    assert_eq!(mean["ratio"], 1.0);
    assert_eq!(json["points"].as_array().unwrap().len(), 64);
    assert_eq!(json["points"][0]["others"][0]["basis"], "rounds");
    for law in json["others"][0]["laws"].as_array().unwrap() {
        assert_eq!(law["ratio"]["ratio"], 1.0, "{law}");
    }
}

#[test]
fn everything_is_written_where_a_folder_is_given() {
    let workspace = Workspace::new();
    let out = workspace.path("out");
    let arguments =
        ["results/nvidia-h200/branching", "results/simulated-h200/branching", "--out", out.to_str().unwrap()];
    let assert = compare(&arguments).assert().code(0);
    assert!(stderr(&assert).contains("wrote 5 files"), "{}", stderr(&assert));
    let csv = workspace.read("out/compare.csv");
    assert_eq!(csv.lines().count(), 65);
    assert!(column(&csv, "label").iter().all(|label| label == "simulated"));
    let markdown = workspace.read("out/compare.md");
    assert!(markdown.contains("| t_branch |") && markdown.contains("## Points"), "{markdown}");
    let chart = workspace.read("out/charts/runtime.svg");
    assert!(chart.contains("NVIDIA H200 (simulated)") && chart.contains("measured"), "both are named");
    let json: serde_json::Value = serde_json::from_str(&workspace.read("out/compare.json")).unwrap();
    assert_eq!(json["family"], "branching");
}

#[test]
fn what_only_one_side_has_is_shown() {
    let assert = compare(&["results/nvidia-h200/branching", "results/nvidia-h200/branching-remedies"]).assert().code(0);
    let shown = stdout(&assert);
    assert!(shown.contains("20 points compared: 20 SAME"), "{shown}");
    assert!(
        shown.contains("ADDED 60: variant=table_lookup") && shown.contains("REMOVED 44: variant=divergent"),
        "{shown}"
    );
}

#[test]
fn several_runs_stand_in_columns() {
    let runs =
        ["results/nvidia-h200/branching", "results/simulated-h200/branching", "results/nvidia-h200/branching-remedies"];
    let shown = stdout(&compare(&runs).assert().code(0));
    assert!(shown.contains("[1] ratio") && shown.contains("[2] ratio"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

/// A fixed cost below zero is none that the times show, in whichever run.
#[test]
fn what_may_be_nothing_has_no_ratio() {
    let runs = ["results/nvidia-h200/transpose", "results/simulated-h200/at-gpu-sizes/transpose"];
    let shown = stdout(&compare(&runs).assert().code(0));
    let overheads: Vec<&str> = shown.lines().filter(|line| line.trim_start().starts_with("overhead ")).collect();
    assert!(overheads.len() > 3, "{shown}");
    for line in overheads {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let ratio = cells[5];
        assert_eq!(cells[1].starts_with('-') || cells[3].starts_with('-'), ratio == "-", "{line}");
    }
}

#[test]
fn a_parameter_is_ignored_where_each_run_has_one_value_of_it() {
    let workspace = two_runs();
    edit(&workspace.path("other/points.csv"), |text| text.replace(",integer,16,", ",integer,17,"));
    let shown = stdout(&workspace.apbench(&["compare", "base", "other"]).assert().code(0));
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("work is 16 in the base and 17 here") && flat.contains("--ignore work"), "{shown}");
    let shown = stdout(&workspace.apbench(&["compare", "base", "other", "--ignore", "work"]).assert().code(0));
    assert!(shown.contains("matched across work: 16 in base, 17 in other") && shown.contains("64 SAME"), "{shown}");
    let assert = workspace.apbench(&["compare", "base", "other", "--ignore", "branches"]).assert().code(2);
    assert!(
        stderr(&assert).contains("--ignore branches: base has the values 1, 2, 3, 4, 5, ..."),
        "{}",
        stderr(&assert)
    );
    let assert = workspace.apbench(&["compare", "base", "other", "--ignore", "wrok"]).assert().code(2);
    assert!(stderr(&assert).contains("did you mean `work`?"), "{}", stderr(&assert));
}

#[test]
fn a_parameter_that_an_older_run_lacks_has_its_default() {
    let workspace = two_runs();
    edit(&workspace.path("base/points.csv"), |text| {
        // The columns `arithmetic` and `block` taken out.
        let without = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let kept = cells.iter().enumerate().filter(|(index, _)| ![4, 10].contains(index));
            kept.map(|(_, cell)| *cell).collect::<Vec<_>>().join(",")
        };
        text.lines().map(|line| without(line) + "\n").collect()
    });
    let shown = stdout(&workspace.apbench(&["compare", "base", "other"]).assert().code(0));
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("base was written by a version without arithmetic=integer, block=256: the default is assumed"),
        "{shown}"
    );
    assert!(flat.contains("64 points compared: 64 SAME"), "{shown}");
}

/// One value each can be set or ignored; of several values it is only said which parameter they are of.
#[test]
fn runs_without_a_common_point_are_told_in_which_parameters() {
    let run = "results/nvidia-h200/transpose";
    let told = stdout(&compare(&[run, "results/nvidia-h200/at-simulated-sizes/transpose"]).assert());
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "no value of width is in both, tile is 32 in the base and 16 here, rows_per_thread is 4 in the base and 1 here.",
        "Sweep it again with --sizes gpu, or with --set tile=32 --set rows_per_thread=4 and the base's values of `width`",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert!(!told.contains("--ignore"), "{told}");
}
