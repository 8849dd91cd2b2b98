//! What stands on a terminal of few columns.

use std::path::Path;

use assert_cmd::Command;

use crate::common::{stderr, stdout};

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

/// What a command says in 80 columns, results and errors.
fn told(arguments: &[&str]) -> [String; 2] {
    let mut command = Command::cargo_bin("apbench").unwrap();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).env("NO_COLOR", "1").env("COLUMNS", "80");
    let assert = command.args(arguments).assert();
    [stdout(&assert), stderr(&assert)]
}

#[test]
fn no_line_is_longer_than_the_terminal() {
    for arguments in [
        &["fit", "results/nvidia-h200/reduction", "-v"][..],
        &["fit", "results/simulated-h200/branching", "-v"],
        &["list", "transpose"],
        &["predict", "results/nvidia-h200/branching", "--set", "branches=24,99"],
        &["predict", "results/nvidia-h200/transpose", "--set", "width=5000", "--law", "bandwith"],
        &["compare", "results/nvidia-h200/elements-per-thread", "--variants", "several_elements,grid_stride"],
        &["compare", "results/nvidia-h200/transpose", "a-run-that-nobody-ever-made-in-any-folder-of-this-repository"],
        &["sweep", "transpose", "--set", "width=4096", "--device", "sim:a-gpu-that-nobody-has-described-in-a-profile"],
        &["list", "transposed-matrices-of-many-elements-which-is-no-family-that-there-is"],
    ] {
        for text in told(arguments) {
            assert!(longest(&text) <= 80, "{arguments:?}: {text}");
        }
    }
}

/// The conclusion of a simulated sweep has something to say within its 12 lines, and names a run that was measured.
#[test]
fn small_simulated_sweeps_conclude_and_name_a_measured_run() {
    for (scenario, device, gpu) in [
        ("atomics", "sim:h200", "a GPU"),
        ("select-sum-streams", "sim:h200", "a GPU"),
        ("select-sum-streams", "sim:a100", "another GPU (H200)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::cargo_bin("apbench").unwrap();
        command.current_dir(folder.path()).env("NO_COLOR", "1").env("COLUMNS", "80");
        let sweep = ["sweep", scenario, "--device", device, "--sizes", "simulated", "--out", "run"];
        let told = stdout(&command.args(sweep).assert().code(0));
        assert!(told.contains("\n  Faster than global: ") || told.contains("\n  Fastest: "), "{told}");
        let measured = format!(" measured on {gpu}: apbench fit results/nvidia-h200/{scenario} ");
        assert!(crate::common::unwrapped(&told).contains(&measured), "{told}");
        assert!(told.lines().count() <= 14 && longest(&told) <= 80, "{told}");
    }
}

/// Every run that comes with the program is told in a screen, and `-v` tells more of it.
#[test]
fn a_fit_tells_the_conclusion_and_verbose_all() {
    for device in ["nvidia-h200", "simulated-h200"] {
        for folder in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(device)).unwrap() {
            let folder = folder.unwrap().path();
            if !folder.join("run.json").is_file() {
                continue;
            }
            let run = folder.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_str().unwrap();
            // What it writes is what is there.
            let short = shown("80", &["fit", run]);
            assert!(short.lines().count() <= 13 && longest(&short) <= 80, "{run}: {short}");
            let more = short.lines().rfind(|line| line.starts_with("more: ")).unwrap();
            let ladder = format!("more: apbench ladder {run}");
            let more = more.split(" (").next().unwrap_or_default();
            assert!(more == format!("more: apbench fit -v {run}") || more == ladder, "{short}");
            let full = shown("80", &["fit", run, "-v"]);
            assert!(full != short && full.lines().count() > 3, "{full}");
        }
    }
}

/// A ladder and its estimates stand on a screen; the whole is a command away.
/// `fit` says how many sentences have no room, and that `-v` tells them.
#[test]
fn verbose_fits_tell_every_sentence_and_the_figures_of_each_group() {
    let run = "results/nvidia-h200/l2-residency";
    let short = shown("80", &["fit", run]);
    assert!(short.contains("sentences more"), "{short}");
    let all = shown("200", &["fit", run, "-v"]);
    assert!(all.contains("plain: raising hot_bytes by a million costs 476.9 ns with block=128"), "{all}");
    assert!(all.contains("4 laws stay undecided"), "{all}");
    let row = |beginning: &str| all.lines().find(|line| line.trim_start().starts_with(beginning)).unwrap_or_default();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // The line before has the range of the same parameter.
    let header = ["t_each", "plain", "persisting_window", "evict_hints", "streaming_loads", "evict_first_stream"];
    assert!(all.lines().any(|line| words(line) == header), "{all}");
    let values = words(row("hot_bytes=16777216 block=128"));
    assert_eq!(values[2..4], ["73.23", "\u{b5}s"], "{all}");
}

#[test]
fn ladders_and_estimates_are_short_tables() {
    for name in
        ["reduction-1g", "reduction", "prefix-sum", "trapezoid", "reduction-sizes", "select-sum", "select-sum-streams"]
    {
        let run = format!("results/nvidia-h200/{name}");
        let ladder = shown("80", &["ladder", &run]);
        assert!(ladder.lines().count() <= 30 && longest(&ladder) <= 80, "{ladder}");
        assert_eq!(ladder.matches("\nrung ").count(), 1, "{ladder}");
        assert!(ladder.contains(&format!("\nmore: apbench ladder {run} -v")), "{ladder}");
        let full = shown("80", &["ladder", &run, "-v"]);
        assert!(full.lines().count() > ladder.lines().count() && longest(&full) <= 80, "{full}");
    }
    let ends = [
        ("select-sum", 1, "\ntimes without estimates: apbench ladder results/nvidia-h200/select-sum\n"),
        ("trapezoid", 0, "\nmore with -v: 1 other table, what each thing costs\n"),
    ];
    for (scenario, reasons, end) in ends {
        let estimated = shown("80", &["estimate", scenario]);
        assert!(estimated.lines().count() <= 30 && longest(&estimated) <= 80, "{estimated}");
        assert_eq!(estimated.matches("transfers and work").count(), reasons, "{estimated}");
        assert!(estimated.ends_with(end), "{estimated}");
    }
}

/// Published times of other sizes, or of rungs that the run does not have, do not stand beside it without a word.
#[test]
fn a_ladder_says_what_a_source_has_of_other_sizes() {
    let words = |arguments: &[&str]| crate::common::unwrapped(&shown("80", arguments));
    let small = words(&["ladder", "results/simulated-h200/trapezoid"]);
    assert!(small.contains("trapezoids is 65536 here and 1048576 there"), "{small}");
    let few = words(&["ladder", "results/nvidia-h200/reduction-sizes", "-v"]);
    assert!(few.contains("other sizes: elements is 16777216 here and 12582912 there"), "{few}");
    let none = "no step to compare: of its rungs only unrolled_all, grid_stride are in this run; apbench sweep reduction has all";
    assert!(few.contains(none), "{few}");
}

/// JSON on a terminal is one document, which can be copied.
#[test]
fn json_is_never_broken() {
    let shown = shown("40", &["devices", "--device", "sim:h200", "--json"]);
    assert!(longest(&shown) > 40 && serde_json::from_str::<serde_json::Value>(&shown).is_ok(), "{shown}");
}

/// A value on a line of its own does not say what it is of.
#[test]
fn rows_of_long_names_stay_whole() {
    let run = "results/nvidia-h200/elements-per-thread";
    let compared = shown("80", &["compare", run, "--variants", "several_elements,grid_stride"]);
    for row in
        ["first  several_elements", "multiply_adds=1 ordering=blocked", " 4                    163.9 µs  87.78 µs"]
    {
        assert!(compared.lines().any(|line| line.starts_with(row)), "{row}: {compared}");
    }
    let fitted = shown("80", &["fit", run, "-v"]);
    for row in [
        "   variant=several_elements multiply_adds=1 ordering=striped",
        "    64                   1.154    1.153 to 1.155",
    ] {
        assert!(fitted.lines().any(|line| line == row), "{row}: {fitted}");
    }
    let synchronised = shown("80", &["fit", "results/nvidia-h200/global-sync", "-v"]);
    let row = "    cooperative      0.5408    1.151    0.7836  0.7826 to 0.7846";
    assert!(synchronised.lines().any(|line| line == row), "{synchronised}");
}

/// Names are looked for in what is printed, and copied from it.
#[test]
fn names_are_not_broken_on_80_columns() {
    let fitted = shown("80", &["fit", "results/nvidia-h200/global-access", "-v"]);
    let ratios = fitted.split("slowdown: ").nth(1).unwrap().split("\n\n").next().unwrap();
    for variant in [
        "read_uncoalesced_write_coalesced",
        "read_coalesced_write_uncoalesced",
        "read_uncoalesced_write_uncoalesced",
        "driver_copy",
        "straight",
    ] {
        assert_eq!(ratios.matches(&format!(" {variant}\n")).count(), 1, "{ratios}");
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
    let estimated = shown("80", &["estimate", "branching", "--laws", "results/nvidia-h200", "-v"]);
    assert_eq!(estimated.matches("estimated").count(), 1, "{estimated}");
    let rows: Vec<&str> = estimated.lines().skip_while(|line| !line.contains("estimated")).skip(1).take(64).collect();
    for (index, row) in rows.iter().enumerate() {
        let operation = if index < 32 { "compute" } else { "convolution" };
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells[..2], [(index % 32 + 1).to_string().as_str(), operation], "{row}");
    }
    assert!(longest(&rows.join("\n")) <= 80, "{estimated}");
}

/// Whatever has no time, and however little there is to say.
#[test]
fn there_is_a_finding_in_every_case() {
    for (run, finding) in [
        ("results/simulated-8500gt/global-access", "\n  read_coalesced_write_coalesced: moves "),
        ("results/simulated-gtx280/prefix-sum", "\n  no_bank_conflicts is 4."),
    ] {
        let told = shown("80", &["fit", run]);
        assert!(told.contains(finding) && told.lines().count() <= 13, "{told}");
        let (found, skipped) = (told.find(finding), told.find(" skipped, the first: ").or(told.find(" skipped: ")));
        assert!(skipped.is_some() && found < skipped, "{told}");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("apbench").unwrap();
    command.current_dir(folder.path()).env("NO_COLOR", "1").env("COLUMNS", "80");
    let sets = ["--set", "branches=4", "--set", "operation=compute", "--sizes", "simulated", "--out", "my run"];
    let sweep = [&["sweep", "branching", "--device", "sim:h200"][..], &sets].concat();
    let told = stdout(&command.args(sweep).assert().code(0));
    assert!(told.contains("\n  divergent takes ") && told.contains("\n  No law is fitted (divergent): "), "{told}");
    // As a shell reads it back.
    assert!(told.ends_with("apbench fit -v 'my run'\n"), "{told}");
}

#[test]
fn a_step_over_rungs_that_are_left_out_has_the_patterns_of_all() {
    let told = crate::common::unwrapped(&shown("80", &["fit", "results/nvidia-h200/reduction-1g"]));
    let patterns = "instruction overhead, shared memory within a warp, a tree for few elements, waiting for one load at a time \
                    and a launch to prepare or finish";
    assert!(told.contains(&format!("one_launch 3.14 times (without {patterns})")), "{told}");
}

#[test]
fn markdown_is_not_broken_at_the_terminals_width() {
    let told = shown("60", &["compare", "--table", "4.1", "--markdown"]);
    assert_eq!(told, shown("200", &["compare", "--table", "4.1", "--markdown"]));
    assert!(longest(&told) > 60, "{told}");
}

/// Where most laws fail, a sentence says so however little room there is.
#[test]
fn that_most_laws_do_not_hold_is_a_sentence() {
    let text = shown("80", &["fit", "results/simulated-h200/later-at-simulated-sizes/asynchronous-copies"]);
    assert!(text.lines().any(|line| line.starts_with("  ") && line.contains(" laws do not hold")), "{text}");
    assert!(!text.contains("(39 of 44"), "{text}");
}
