//! `apbench ladder` and the end of a ladder's sweep, on a simulated device.

use std::fs;

use serde_json::Value;

use crate::common::{Workspace, stderr, stdout};

const SCENARIO: &str = r#"
family = "trapezoid"
variants = ["serial", "atomic_add", "warp_shuffle", "shared_memory"]

[grid]
trapezoids = 4096
block = 32

[[chart]]
name = "ladder"
kind = "ladder"

[[chart]]
name = "speedup"
kind = "ladder"
y = "speedup"
"#;

fn swept() -> (Workspace, String) {
    let workspace = Workspace::new();
    fs::write(workspace.path("rungs.toml"), SCENARIO).unwrap();
    let arguments = ["sweep", "rungs.toml", "--device", "sim:h200", "--out", "run", "--verbose"];
    let assert = workspace.apbench(&arguments).assert().code(0);
    let told = stdout(&assert);
    (workspace, told)
}

#[test]
fn a_sweep_of_a_ladder_ends_with_its_rungs_which_the_command_prints_again() {
    let (workspace, swept) = swept();
    let assert = workspace.apbench(&["ladder", "run", "-v"]).assert().code(0);
    let told = stdout(&assert);
    let from = told.find("\ntrapezoid, simulated times").unwrap_or_else(|| panic!("{told}"));
    assert!(swept.contains(&told[from..]), "{swept}\n\n{told}");
    for words in [
        "serial: on the host, whose times are compared with those of GPUs only",
        "an atomic of every thread",
        "trapezoid, published: GeForce GTX Titan X (CUDA trapezoidal rule II, table 6.8)",
        "serial on a host CPU Core i7: 4.48 ms",
    ] {
        assert!(told.replace('\n', " ").contains(words), "{words}:\n{told}");
    }
    assert!(told[from..].lines().all(|line| line.chars().count() <= 80), "{told}");
    for chart in ["ladder", "speedup"] {
        assert!(workspace.path(&format!("run/charts/{chart}.svg")).is_file());
    }
    assert!(workspace.read("run/charts/speedup.svg").contains("GeForce GTX Titan X, published"));
    assert!(workspace.read("run/report.html").contains("<h2 id=\"ladder-heading\">Ladder</h2>"));
    assert!(workspace.read("run/report.html").contains("; other sizes: trapezoids is 4096 here and 1048576 there"));
}

#[test]
fn json_and_csv_have_the_same_times() {
    let (workspace, _) = swept();
    let json: Value =
        serde_json::from_str(&stdout(&workspace.apbench(&["ladder", "run", "--json"]).assert().code(0))).unwrap();
    let rung = &json[0]["ladder"]["tables"][0]["rungs"][1];
    assert_eq!(
        (rung["variant"].as_str(), json[0]["ladder"]["origin"].as_str()),
        (Some("warp_shuffle"), Some("simulated"))
    );
    let csv = stdout(&workspace.apbench(&["ladder", "run", "--csv"]).assert().code(0));
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    let cell = |row: &csv::StringRecord, name: &str| {
        row.get(header.iter().position(|own| own == name).unwrap()).unwrap().to_owned()
    };
    let own =
        rows.iter().find(|row| cell(row, "rung") == "warp_shuffle" && cell(row, "origin") == "simulated").unwrap();
    let time_us: f64 = cell(own, "time_us").parse().unwrap();
    assert!((time_us - rung["time_us"].as_f64().unwrap()).abs() < 1e-3);
    let step: f64 = cell(own, "step_speedup").parse().unwrap();
    assert!((step - rung["step"]["ratio"].as_f64().unwrap()).abs() < 1e-5);
    let published = rows.iter().filter(|row| cell(row, "origin") == "published").count();
    assert_eq!(published, 2 * (3 + 2), "three rungs of two GPUs, and two hosts with each");
}

#[test]
fn families_without_rungs_are_refused_with_those_that_have_some() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let told = stderr(&workspace.apbench(&["ladder", "run"]).assert().code(2));
    assert!(told.contains("`branching` is not a ladder"), "{told}");
    assert!(told.contains("prefix_sum") && told.contains("trapezoid"), "{told}");
    let scenario = "family = \"branching\"\n[[chart]]\nkind = \"ladder\"\n";
    fs::write(workspace.path("bad.toml"), scenario).unwrap();
    let told = stderr(&workspace.apbench(&["sweep", "bad.toml", "--dry-run"]).assert().code(2));
    assert!(told.contains("`branching` is not a ladder"), "{told}");
}

#[test]
fn a_chart_of_a_ladder_has_no_x() {
    let workspace = Workspace::new();
    fs::write(workspace.path("bad.toml"), format!("{SCENARIO}x = \"block\"\n")).unwrap();
    let told = stderr(&workspace.apbench(&["sweep", "bad.toml", "--dry-run"]).assert().code(2));
    assert!(told.contains("a chart of kind = \"ladder\" has no `x`"), "{told}");
}
