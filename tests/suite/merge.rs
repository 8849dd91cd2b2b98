//! Parts of a sweep joined by the command line, and what it says about those that do not belong together.

use std::fs;
use std::path::Path;

use apbench::record::Measured;
use apbench::run::metadata::{Part, RunStatus};
use apbench::run::reader::Run;
use apbench::run::writer::RunWriter;
use apbench::run::{ROUNDS_FILE, SAMPLES_FILE};

use crate::common::{SCENARIO, Workspace, column, stderr, stdout};

/// Sweeps the small scenario whole, and writes its points into the directories of parts, as machines would that have a
/// part each. The last part lacks its last `lacking` points.
fn split(workspace: &Workspace, of: usize, lacking: usize) {
    workspace.sweep("noise_pct=0.5", &[]).code(0);
    let run = Run::read(&workspace.path("run")).unwrap();
    let header = workspace.read("run/points.csv").lines().next().unwrap().to_owned();
    for index in 0..of {
        let part = Part { index, of };
        let mut metadata = run.metadata.clone();
        metadata.part = Some(part);
        let columns: Vec<&str> = header.split(',').collect();
        let directory = workspace.path(&format!("part{index}"));
        let mut writer = RunWriter::create(&directory, metadata, &run.scenario, &columns).unwrap();
        let own: Vec<_> = run.points.iter().filter(|record| part.takes(record.point)).collect();
        let count = if index + 1 == of { own.len() - lacking } else { own.len() };
        for record in &own[..count] {
            writer.append(&[Measured::of((*record).clone())]).unwrap();
        }
        let status = if count < own.len() { RunStatus::Interrupted } else { RunStatus::Complete };
        let ended_at = run.metadata.ended_at.clone().unwrap();
        writer.finish(status, ended_at, Vec::new(), run.metadata.time_spent).unwrap();
        for file in [SAMPLES_FILE, ROUNDS_FILE] {
            let whole = workspace.read(&format!("run/{file}"));
            let is_own = |row: &&str| own[..count].iter().any(|record| row.starts_with(&format!("{},", record.point)));
            let rows = whole.lines().take(1).chain(whole.lines().skip(1).filter(is_own));
            fs::write(directory.join(file), rows.map(|row| format!("{row}\n")).collect::<String>()).unwrap();
        }
    }
}

fn is_empty_or_absent(directory: &Path) -> bool {
    fs::read_dir(directory).map_or(true, |mut entries| entries.next().is_none())
}

#[test]
fn parts_give_what_the_whole_sweep_gave() {
    let workspace = Workspace::new();
    split(&workspace, 3, 0);
    let assert = workspace.apbench(&["merge", "part2", "part0", "part1", "--out", "whole"]).assert().code(0);
    for file in ["points.csv", "samples.csv", "rounds.csv", "fits.csv", "scenario.toml", "charts/runtime.svg"] {
        assert_eq!(workspace.read(&format!("whole/{file}")), workspace.read(&format!("run/{file}")), "{file}");
    }
    assert!(stdout(&assert).contains("8 of 8 points: 8 ok"), "{}", stdout(&assert));
    let metadata = workspace.read("whole/run.json");
    assert!(metadata.contains("\"directory\": \"part2\"") && metadata.contains("\"status\": \"complete\""));
    // The mock has no `--part` of its own in this: what a part's summary says comes from its files.
    let fit = workspace.apbench(&["fit", "part2"]).assert().code(0);
    assert!(stdout(&fit).contains("2 of 2 points of part 2/3: 2 ok"), "{}", stdout(&fit));
}

/// A part has whole groups: all variants of the same parameters. The grid has the first variant's points first.
#[test]
fn parts_of_several_variants_are_in_the_order_of_the_whole_sweep() {
    let workspace = Workspace::new();
    let scenario = SCENARIO.replace("[\"divergent\"]", "[\"divergent\", \"table_lookup\"]");
    fs::write(workspace.path("small.toml"), scenario).unwrap();
    workspace.sweep("", &[]).code(0);
    for index in 0..3 {
        let (part, out) = (format!("{index}/3"), format!("part{index}"));
        let sweep = ["sweep", "small.toml", "--device", "mock:", "--part", &part, "--out", &out];
        workspace.apbench(&sweep).assert().code(0);
    }
    workspace.apbench(&["merge", "part1", "part2", "part0", "--out", "whole"]).assert().code(0);
    let numbers = column(&workspace.read("run/points.csv"), "point");
    assert_eq!(numbers[..4], ["0", "8", "1", "9"]);
    for file in ["points.csv", "samples.csv", "rounds.csv"] {
        assert_eq!(workspace.read(&format!("whole/{file}")), workspace.read(&format!("run/{file}")), "{file}");
    }
}

#[test]
fn a_part_goes_on_where_it_ended() {
    let workspace = Workspace::new();
    workspace.sweep("", &["--part", "0/2"]).code(0);
    let points = workspace.read("run/points.csv");
    let (kept, _) = points.trim_end().rsplit_once('\n').unwrap();
    fs::write(workspace.path("run/points.csv"), format!("{kept}\n")).unwrap();
    workspace.sweep("", &["--part", "0/2", "--resume"]).code(0);
    let numbers = |text: &str| column(text, "point");
    assert_eq!(numbers(&workspace.read("run/points.csv")), numbers(&points));
}

#[test]
fn a_missing_part_and_a_missing_point_are_refused_until_they_are_allowed() {
    let workspace = Workspace::new();
    split(&workspace, 3, 1);
    let assert = workspace.apbench(&["merge", "part0", "part2", "--out", "whole"]).assert().code(2);
    let words = "error: parts or points are missing:
  part 1/3 was not given; measure it with apbench sweep ... --part 1/3 --out DIR
  part 2/3 in part2 lacks 1 point; continue it with apbench sweep ... --part 2/3 --out part2 --resume
--allow-missing joins the others
";
    assert_eq!(stderr(&assert), words);
    assert!(is_empty_or_absent(&workspace.path("whole")));

    let arguments = ["merge", "part0", "part2", "--out", "whole", "--allow-missing"];
    let assert = workspace.apbench(&arguments).assert().code(0);
    assert!(stdout(&assert).contains("4 of 8 points: 4 ok; the sweep was interrupted"), "{}", stdout(&assert));
    assert_eq!(stderr(&assert).matches("note: missing: part").count(), 2);
    assert_eq!(column(&workspace.read("whole/points.csv"), "point"), ["0", "2", "3", "6"]);
}

#[test]
fn parts_of_different_devices_are_refused_and_nothing_is_made() {
    let workspace = Workspace::new();
    split(&workspace, 2, 0);
    let metadata = workspace.read("part1/run.json").replace("\"sm_count\": 1,", "\"sm_count\": 132,");
    fs::write(workspace.path("part1/run.json"), metadata).unwrap();
    let assert = workspace.apbench(&["merge", "part0", "part1"]).assert().code(2);
    let words = "error: part1 does not belong to part0:\n  device.sm_count: 1 in part0, 132 in part1\n";
    assert_eq!(stderr(&assert), words);
    assert!(!workspace.path("results").exists());
}

#[test]
fn without_out_a_new_directory_is_made_and_none_is_overwritten() {
    let workspace = Workspace::new();
    split(&workspace, 2, 0);
    workspace.apbench(&["merge", "part0", "part1"]).assert().code(0);
    assert_eq!(fs::read_dir(workspace.path("results")).unwrap().count(), 1);
    let assert = workspace.apbench(&["merge", "part0", "part1", "--out", "run"]).assert().code(2);
    assert!(stderr(&assert).contains("run: is not empty"), "{}", stderr(&assert));
}

#[test]
fn a_whole_run_is_no_part() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let assert = workspace.apbench(&["merge", "run", "--out", "whole"]).assert().code(2);
    let words = "error: run: is a whole run, not a part of one\n";
    assert_eq!(stderr(&assert), words);
    let assert = workspace.apbench(&["merge", "nowhere", "--out", "whole"]).assert().code(1);
    assert!(stderr(&assert).contains("nowhere: there is no such run directory"), "{}", stderr(&assert));
}

/// Another cell in a row, from 1 behind the header, of a part's points.
fn set_cell(workspace: &Workspace, row: usize, name: &str, value: &str) {
    let text = workspace.read("part0/points.csv");
    let place = text.lines().next().unwrap().split(',').position(|own| own == name).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut cells: Vec<&str> = lines[row].split(',').collect();
    assert_ne!(cells[place], value);
    cells[place] = value;
    lines[row] = cells.join(",");
    fs::write(workspace.path("part0/points.csv"), lines.join("\n") + "\n").unwrap();
}

#[test]
fn rows_that_are_not_of_the_grid_are_not_joined() {
    let workspace = Workspace::new();
    split(&workspace, 2, 0);
    set_cell(&workspace, 1, "branches", "3");
    let assert = workspace.apbench(&["merge", "part0", "part1", "--out", "whole"]).assert().code(1);
    let shown = stderr(&assert);
    assert!(shown.contains("part0/points.csv:2: branches is 3, and that of point 0 is 1"), "{shown}");
    assert!(is_empty_or_absent(&workspace.path("whole")));
}

#[test]
fn parts_whose_times_are_not_of_their_rounds_are_not_joined() {
    let workspace = Workspace::new();
    split(&workspace, 2, 0);
    for (name, value) in
        [("time_us", "90"), ("time_us_low", "89"), ("time_us_high", "91"), ("gb_per_s", ""), ("gop_per_s", "")]
    {
        set_cell(&workspace, 1, name, value);
    }
    let assert = workspace.apbench(&["merge", "part0", "part1", "--out", "whole"]).assert().code(1);
    let shown = stderr(&assert);
    assert!(shown.contains("part0/points.csv:2: time_us is 90, but the rounds of point 0 took from "), "{shown}");
    assert!(is_empty_or_absent(&workspace.path("whole")));
}

#[test]
fn parts_with_impossible_rows_are_named_and_nothing_is_left() {
    let workspace = Workspace::new();
    split(&workspace, 2, 0);
    set_cell(&workspace, 2, "samples", "0");
    let assert = workspace.apbench(&["merge", "part0", "part1", "--out", "whole"]).assert().code(1);
    let shown = stderr(&assert);
    assert!(shown.contains("part0/points.csv:3: samples is 0"), "{shown}");
    assert!(!workspace.path("whole").exists(), "{shown}");
}

/// Another text for a file's.
type Change<'a> = &'a dyn Fn(&str) -> String;

#[test]
fn parts_whose_rounds_are_not_those_of_their_points_are_not_joined() {
    let header = |text: &str| text.lines().take(1).map(|line| format!("{line}\n")).collect::<String>();
    let cut_off = |text: &str| text[..text.len() - 20].to_owned();
    let of_other = |text: &str| format!("{text}{}\n", text.lines().last().unwrap().replacen('6', "7", 1));
    let cases: [(Change<'_>, &str); 3] = [
        (&header, "part0/points.csv:2: rounds is "),
        (&cut_off, "part0/points.csv:5: rounds is "),
        (&of_other, "point 7 is not of part 0/2"),
    ];
    for (change, expected) in cases {
        let workspace = Workspace::new();
        split(&workspace, 2, 0);
        let rounds = workspace.read("part0/rounds.csv");
        fs::write(workspace.path("part0/rounds.csv"), change(&rounds)).unwrap();
        let assert = workspace.apbench(&["merge", "part0", "part1", "--out", "whole"]).assert().code(1);
        let shown = stderr(&assert);
        assert!(shown.contains(expected), "{shown}");
        assert!(!workspace.path("whole").exists(), "{shown}");
    }
}
