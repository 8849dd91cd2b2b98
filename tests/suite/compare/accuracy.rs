//! `apbench compare MEASURED SIMULATED --accuracy`.

use super::*;

const MEASURED: &str = "results/nvidia-h200/at-simulated-sizes";
const SIMULATED: &str = "results/simulated-h200/at-simulated-sizes";

/// The rows of the table: cells by column.
fn rows() -> Vec<Vec<String>> {
    let told = stdout(&compare(&[MEASURED, SIMULATED, "--accuracy", "--markdown"]).assert().code(0));
    let table =
        told.lines().skip_while(|line| !line.starts_with("| scenario")).take_while(|line| line.starts_with('|'));
    table.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The figures of all points were computed again from the files, by another program.
#[test]
fn committed_runs_have_the_figures_that_the_profile_says() {
    let rows = rows();
    let all = rows.last().unwrap();
    assert_eq!(all[..5], ["all", "844", "7.3 %", "-3.8 %", "94.8 %"]);
    let scenarios = rows.len() - 3;
    let devices = Command::cargo_bin("apbench").unwrap().args(["devices", "--device", "sim:h200", "--json"]).assert();
    let told =
        format!("{} points of {scenarios} scenarios are {} off in the mean, slowdowns {}", all[1], all[2], all[5]);
    assert!(stdout(&devices).contains(&told), "not in the profile's validation: {told}");
}

#[test]
fn a_run_of_each_is_enough_and_formats_agree() {
    let [measured, simulated] = [MEASURED, SIMULATED].map(|folder| format!("{folder}/transpose"));
    let of = |format: &[&str]| {
        let arguments = [&[measured.as_str(), simulated.as_str(), "--accuracy"], format].concat();
        stdout(&compare(&arguments).assert().code(0))
    };
    let csv = of(&["--csv"]);
    assert_eq!(column(&csv, "points"), ["54"]);
    let off = column(&csv, "time_error_pct").remove(0);
    assert!(of(&[]).contains(&format!(" {off} % ")), "{off}");
    let document: serde_json::Value = serde_json::from_str(&of(&["--json"])).unwrap();
    let mean = document["summary"]["times"]["mean"].as_f64().unwrap();
    assert_eq!(format!("{:.1}", 100.0 * mean), off);
    assert_eq!(document["scenarios"][0]["points"].as_array().unwrap().len(), 54);
}

#[test]
fn what_cannot_be_held_against_each_other_is_told() {
    let workspace = Workspace::new();
    let empty = workspace.path(".").display().to_string();
    let transpose = format!("{MEASURED}/transpose");
    let other_family = format!("{SIMULATED}/branching");
    for (arguments, told) in [
        (vec![SIMULATED, MEASURED], "the first run must be measured, but"),
        (vec![MEASURED], "--accuracy holds two against each other"),
        (vec![MEASURED, &empty], "have no run of the same name"),
        (vec![MEASURED, "nowhere"], "nowhere is neither a run nor a folder of runs"),
        (vec![&transpose, &other_family], "only runs of the same family can be compared"),
        (
            vec!["results/nvidia-h200/prefix-sum", "results/simulated-h200/prefix-sum"],
            "no point of the runs can be compared",
        ),
    ] {
        let assert = compare(&[&arguments[..], &["--accuracy"]].concat()).assert().code(2);
        assert!(stderr(&assert).contains(told), "{}", stderr(&assert));
    }
}
