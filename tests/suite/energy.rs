//! Energies, by the mock: when they are measured, where they are kept, what laws say of them, and what is said where there are none.

use std::fs;

use crate::common::{Workspace, stderr, stdout, unwrapped};

/// The cells of a column of a file.
fn column(workspace: &Workspace, file: &str, name: &str) -> Vec<String> {
    let text = workspace.read(file);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().unwrap().iter().position(|own| own == name).unwrap_or_else(|| panic!("no {name}"));
    reader.records().map(|row| row.unwrap()[place].to_owned()).collect()
}

fn numbers(workspace: &Workspace, name: &str) -> Vec<f64> {
    column(workspace, "run/points.csv", name).iter().map(|own| own.parse().unwrap()).collect()
}

const SETS: [&str; 4] = ["--set", "branches=1,2,4,8", "--set", "operation=compute"];

fn with_energy<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SETS[..], &["--energy"], more].concat()
}

#[test]
fn energies_are_measured_after_times_without_the_idle_power() {
    let workspace = Workspace::new();
    let mock = "energy_outside_mj=2,energy_slope_mj=3,idle_w=80";
    let assert = workspace.sweep(mock, &with_energy(&[])).code(0);
    let note = "note: the energy of each point is measured after its times; the counter changes every 20 ms, and the idle device draws 80.0 W";
    assert!(stderr(&assert).contains(note), "{}", stderr(&assert));
    assert_eq!(numbers(&workspace, "energy_mj"), [5.0, 8.0, 14.0, 26.0]);
    assert_eq!(numbers(&workspace, "idle_w"), [80.0; 4]);
    let (power_w, energy_mj) = (numbers(&workspace, "power_w"), numbers(&workspace, "energy_mj"));
    for (place, time_us) in numbers(&workspace, "energy_time_us").into_iter().enumerate() {
        let by_power_mj = (power_w[place] - 80.0) * time_us / 1e3;
        assert!((by_power_mj / energy_mj[place] - 1.0).abs() < 1e-3, "{by_power_mj} and {}", energy_mj[place]);
    }
    let run = workspace.read("run/run.json");
    for told in ["\"energy\": true", "\"update_period_ms\": 20.0", "\"idle_w\": 80.0", "4 of 4 points have an energy"] {
        assert!(run.contains(told), "no {told} in {run}");
    }
}

#[test]
fn laws_of_energies_are_those_of_times_with_energies() {
    let workspace = Workspace::new();
    workspace.sweep("energy_outside_mj=2,energy_slope_mj=3", &with_energy(&[])).code(0);
    let assert = workspace.apbench(&["fit", "run", "--of", "energy_mj", "--law", "branches"]).assert().code(0);
    let told = stdout(&assert);
    for wanted in ["e_total = e_outside + n * e_branch", "e_outside  2.000 mJ", "e_branch   3.000 mJ", "holds exactly"]
    {
        assert!(told.contains(wanted), "no {wanted} in {told}");
    }
    assert!(!told.contains("times known"), "{told}");
    let mut refused =
        workspace.apbench(&["fit", "run", "--of", "energy_mj", "--law", "saturation", "--predictor", "width"]);
    assert!(stderr(&refused.assert().code(2)).contains("needs a predictor that counts bytes"));
}

#[test]
fn a_scenario_asks_for_energies_and_their_laws() {
    let workspace = Workspace::new();
    let scenario = "family = \"branching\"\nvariants = [\"divergent\"]\n[grid]\nbranches = [1, 2, 4, 8, 16]\nwidth = 32\nwork = 1\n\
                    [measure]\nenergy = true\nbudget_s = 0.2\n[[fit]]\nname = \"energy\"\nlaw = \"branches\"\nof = \"energy_mj\"\n\
                    [[chart]]\nx = \"branches\"\ny = \"energy_mj\"\n[[chart]]\nname = \"power\"\nx = \"branches\"\ny = \"power_w\"\n";
    fs::write(workspace.path("mine.toml"), scenario).unwrap();
    let sweep = |out: &str, device: &str| {
        workspace.apbench(&["sweep", "mine.toml", "--device", device, "--out", out]).assert().code(0)
    };
    let told = stdout(&sweep("run", "mock:energy_slope_mj=0.0012,energy_outside_mj=0.5"));
    assert!(unwrapped(&told).contains("every further branch costs as much energy as the first: 1.200 µJ"), "{told}");
    let fits = workspace.read("run/fits.csv");
    assert!(fits.contains("energy,branches,divergent,e_branch,0.00120") && fits.contains(",mj,"), "{fits}");
    let chart = workspace.read("run/charts/runtime.svg");
    assert!(chart.contains("energy of a launch (mJ)"), "{chart}");
    assert!(workspace.read("run/charts/power.svg").contains("power of the board (W)"));
    // Without a counter the sweep goes on, and no law fails.
    for (out, device, why) in [
        ("without", "mock:energy=0", "the mock was told to have none"),
        ("simulated", "sim:h200", "simulated GPUs have no energy"),
    ] {
        let assert = sweep(out, device);
        let note = format!("note: no energies, the sweep goes on without: {why}");
        assert!(stderr(&assert).contains(&note), "{}", stderr(&assert));
        assert!(!workspace.read(&format!("{out}/points.csv")).contains("energy_mj"));
        let told = column(&workspace, &format!("{out}/fits.csv"), "verdict");
        assert_eq!(told, ["not fitted: no point has an energy: a sweep on a GPU measures them with --energy"]);
        assert!(workspace.read(&format!("{out}/run.json")).contains("no energies were measured"));
    }
}

#[test]
fn what_spoils_energies_is_told() {
    let guard = |mock: &str| {
        let workspace = Workspace::new();
        workspace.sweep(mock, &with_energy(&[])).code(0);
        let run: serde_json::Value = serde_json::from_str(&workspace.read("run/run.json")).unwrap();
        let guards = run["guards"].as_array().unwrap().clone();
        let own = guards.iter().find(|guard| guard["guard"] == "energy").unwrap();
        (own["outcome"].as_str().unwrap().to_owned(), own["detail"].as_str().unwrap().to_owned())
    };
    let (outcome, detail) = guard("others=1");
    assert!(outcome == "flagged" && detail.contains("their energy is in these"), "{detail}");
    let (outcome, detail) = guard("power_off_pct=6");
    assert!(outcome == "flagged" && detail.contains("differ from the counter by up to 6.0 %"), "{detail}");
    let (outcome, detail) = guard("no_energy_at=2");
    assert!(
        outcome == "flagged" && detail.contains("3 of 4 points") && detail.contains("told to have no energy here"),
        "{detail}"
    );
    assert_eq!(guard("power_off_pct=-4").0, "ok");
}
