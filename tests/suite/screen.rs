//! What stands on a terminal of few columns.

use std::path::Path;

use assert_cmd::Command;

use crate::common::stdout;

/// What a command prints in so many columns, in the repository.
fn shown(columns: &str, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("apbench").unwrap();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).env("NO_COLOR", "1").env("COLUMNS", columns);
    stdout(&command.args(arguments).assert().code(0))
}

fn longest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn a_terminal_without_a_width_gets_80_columns() {
    for arguments in [&["list", "branching"][..], &["compare", "--table", "4.1"]] {
        let usual = shown("80", arguments);
        for columns in ["0", "1", "19"] {
            assert_eq!(shown(columns, arguments), usual, "{arguments:?} in {columns} columns");
        }
    }
    assert_ne!(shown("40", &["list", "branching"]), shown("80", &["list", "branching"]));
}

/// Names are looked for in what is printed, and copied from it.
#[test]
fn names_are_not_broken_on_80_columns() {
    let fitted = shown("80", &["fit", "results/nvidia-h200/global-access"]);
    let ratios = fitted.split("slowdown: ").nth(1).unwrap().split("\n\n").next().unwrap();
    for variant in [
        "read_uncoalesced_write_coalesced",
        "read_coalesced_write_uncoalesced",
        "read_uncoalesced_write_uncoalesced",
        "driver_copy",
        "straight",
    ] {
        assert_eq!(ratios.matches(&format!("variant={variant}\n")).count(), 1, "{ratios}");
    }
    let occupancy = shown("80", &["occupancy", "transpose", "--device", "sim:h200"]);
    assert!(longest(&occupancy) <= 80, "{occupancy}");
    for name in ["shared_vectorised", "transpose_shared_padded_32_4", "occupancy", "registers"] {
        assert!(occupancy.split_whitespace().any(|word| word == name), "{name}: {occupancy}");
    }
    let runs = ["results/nvidia-h200/branching-remedies", "results/simulated-h200/at-gpu-sizes/branching-remedies"];
    let compared = shown("80", &["compare", runs[0], runs[1]]);
    let points = compared.split("that differ most (--all: every point)\n").nth(1).unwrap();
    assert!(longest(points) <= 80, "{points}");
    assert!(points.lines().any(|line| line == " dynamic_reordering"), "{points}");
}

/// A rung has one line, whatever room there is for its parts.
#[test]
fn the_rungs_of_an_estimate_have_a_line_each() {
    for columns in ["70", "80", "100", "160"] {
        let shown = shown(columns, &["estimate", "trapezoid"]);
        let head = shown.find("  rung").unwrap_or_else(|| panic!("{shown}"));
        let (header, rest) = shown[head..].split_once('\n').unwrap();
        assert!(header.contains("bound by"), "{columns}: {shown}");
        assert_eq!(header.ends_with("largest parts"), columns == "160" || columns == "100", "{columns}: {shown}");
        let rows: Vec<&str> = rest.lines().take_while(|line| line.starts_with("   ")).collect();
        assert!(rows.len() > 2 && rows.iter().all(|row| row.contains(" µs ")), "{columns}: {shown}");
    }
}

#[test]
fn the_estimates_of_points_stand_in_one_table() {
    let estimated = shown("80", &["estimate", "branching", "--laws", "results/nvidia-h200"]);
    assert_eq!(estimated.matches("estimated").count(), 1, "{estimated}");
    let rows: Vec<&str> = estimated.lines().skip_while(|line| !line.contains("estimated")).skip(1).take(64).collect();
    for (index, row) in rows.iter().enumerate() {
        let operation = if index < 32 { "compute" } else { "convolution" };
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells[..2], [(index % 32 + 1).to_string().as_str(), operation], "{row}");
    }
    assert!(longest(&rows.join("\n")) <= 80, "{estimated}");
}
