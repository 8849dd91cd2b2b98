//! Going on with runs: after an interrupt, after a full disk, and after a hundred kills.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use crate::common::{Workspace, column, ended, send, stderr, stdout, wait_until};
use crate::worker::processes_in;

const PROGRAM: &str = env!("CARGO_BIN_EXE_apbench");

/// Sixty points that take no time.
const MANY: &str = r#"
    family = "branching"
    variants = ["divergent"]
    [grid]
    operation = ["compute", "convolution"]
    branches = { from = 1, to = 30, step = 1 }
    width = 32
    work = 1
    block = 32
"#;

/// The rows of a CSV text that are whole.
fn whole_rows(text: &str) -> Vec<&str> {
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    text[..end].lines().skip(1).collect()
}

/// Every point is there once, with as many samples as its row says.
fn assert_whole(workspace: &Workspace, run: &str, points: usize) {
    let text = workspace.read(&format!("{run}/points.csv"));
    let mut numbers: Vec<usize> = column(&text, "point").iter().map(|number| number.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..points).collect::<Vec<_>>(), "{run}");
    assert_eq!(column(&text, "status"), vec!["ok"; points], "{run}");
    let mut samples: BTreeMap<String, usize> = BTreeMap::new();
    for point in column(&workspace.read(&format!("{run}/samples.csv")), "point") {
        *samples.entry(point).or_default() += 1;
    }
    for (point, wanted) in column(&text, "point").iter().zip(column(&text, "samples")) {
        assert_eq!(samples[point].to_string(), wanted, "samples of point {point} in {run}");
    }
    assert!(workspace.read(&format!("{run}/run.json")).contains("\"status\": \"complete\""), "{run}");
}

#[test]
fn a_hundred_kills_lose_no_point_and_double_none() {
    let workspace = Workspace::new();
    fs::write(workspace.path("many.toml"), MANY).unwrap();
    let mut random: u64 = 20_100_921;
    let (mut kills, mut run, mut rows) = (0, 0, Vec::<String>::new());
    // As long as a sweep may live; longer where the machine is too slow to measure anything in that time.
    let mut longest_us = 120_000;
    while kills < 100 {
        let directory = format!("run-{run}");
        let arguments = ["sweep", "many.toml", "--device", "mock:delay_ms=2", "--resume", "--out", &directory];
        let mut sweep = workspace.start(&arguments);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((random >> 33) % longest_us));
        sweep.kill().unwrap();
        let (status, errors) = ended(sweep);
        assert!(status.signal() == Some(9) || status.code() == Some(0), "{directory}: {status}: {errors}");

        let text = fs::read_to_string(workspace.path(&directory).join("points.csv")).unwrap_or_default();
        let now = whole_rows(&text);
        assert!(now.len() >= rows.len(), "{directory}: {} of {} rows are left", now.len(), rows.len());
        assert_eq!(now[..rows.len()], rows, "{directory}: rows that were finished have changed");
        if now.len() == rows.len() {
            longest_us += 2_000;
        }
        rows = now.iter().map(|&row| row.to_owned()).collect();
        if status.signal().is_some() {
            kills += 1;
        } else {
            assert_whole(&workspace, &directory, 60);
            (run, rows) = (run + 1, Vec::new());
        }
    }
    let directory = format!("run-{run}");
    workspace.apbench(&["sweep", "many.toml", "--device", "mock", "--resume", "--out", &directory]).assert().code(0);
    assert_whole(&workspace, &directory, 60);
    wait_until("the end of all workers", || processes_in(&workspace.path(".")).is_empty());
}

/// Starts a sweep, interrupts it once it has a row, and gives what it said.
fn interrupted(workspace: &Workspace, arguments: &[&str], run: &str) -> String {
    let sweep = workspace.start(arguments);
    wait_until("a row", || workspace.rows(run) > 0);
    send("-INT", &sweep);
    let (status, errors) = ended(sweep);
    assert_eq!(status.code(), Some(130), "{errors}");
    errors
}

#[test]
fn the_command_that_an_interrupted_sweep_tells_goes_on() {
    let workspace = Workspace::new();
    let run = "it's my run";
    fs::write(workspace.path("many.toml"), MANY).unwrap();
    let arguments = ["sweep", "many.toml", "--device", "mock:delay_ms=100", "--out", run];
    let errors = interrupted(&workspace, &arguments, run);
    let before = workspace.read(&format!("{run}/points.csv"));
    let command =
        errors.lines().find_map(|line| line.strip_prefix("to continue: ")).unwrap_or_else(|| panic!("{errors}"));
    assert!(command.ends_with(r"--out 'it'\''s my run' --resume"), "{command}");
    let goes_on = Command::new("sh").current_dir(workspace.path(".")).args(["-c", command]).output().unwrap();
    assert_eq!(goes_on.status.code(), Some(0), "{goes_on:?}");
    assert!(String::from_utf8_lossy(&goes_on.stdout).contains("60 of 60 points: 60 ok"));
    let after = workspace.read(&format!("{run}/points.csv"));
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert_whole(&workspace, run, 60);
}

#[test]
fn of_several_devices_each_is_told_its_command() {
    let workspace = Workspace::new();
    fs::write(workspace.path("many.toml"), MANY).unwrap();
    let devices = ["mock:delay_ms=300", "mock:delay_ms=301"];
    let sweep = workspace.start(&["sweep", "many.toml", "--device", devices[0], "--device", devices[1]]);
    let runs_begun = || {
        let runs = fs::read_dir(workspace.path("results")).into_iter().flatten().flatten();
        runs.filter(|run| workspace.rows(run.path().to_str().unwrap()) > 0).count()
    };
    wait_until("a row of each", || runs_begun() == 2);
    send("-INT", &sweep);
    let (status, errors) = ended(sweep);
    assert_eq!(status.code(), Some(130), "{errors}");
    let commands: Vec<&str> = errors.lines().filter_map(|line| line.strip_prefix("to continue: ")).collect();
    assert_eq!(commands.len(), 2, "{errors}");
    for (command, device) in commands.iter().zip(devices) {
        assert!(command.contains(&format!("sweep many.toml --device {device} --out results/")), "{command}");
        assert!(command.ends_with(" --resume"), "{command}");
    }
}

#[test]
fn a_disk_that_fills_up_stops_the_sweep_with_an_error_and_a_run_to_go_on_with() {
    let workspace = Workspace::new();
    fs::write(workspace.path("many.toml"), MANY).unwrap();
    // No file may grow beyond 16 KiB, and the signal that would end the process is ignored.
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" sweep many.toml --device mock --out run";
    let full = Command::new("sh").current_dir(workspace.path(".")).args(["-c", script, PROGRAM]).output().unwrap();
    let errors = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error: run/samples.csv: "), "{errors}");
    assert!(
        errors.contains("to continue: ") && errors.contains("many.toml --device mock --out run --resume"),
        "{errors}"
    );
    workspace.apbench(&["fit", "run"]).assert().code(0);
    let before = workspace.read("run/points.csv");
    workspace.apbench(&["sweep", "many.toml", "--device", "mock", "--out", "run", "--resume"]).assert().code(0);
    assert!(workspace.read("run/points.csv").starts_with(&before));
    assert_whole(&workspace, "run", 60);
}

#[test]
fn a_run_is_begun_where_there_is_none_and_left_alone_where_it_is_complete() {
    let workspace = Workspace::new();
    workspace.sweep("", &["--resume"]).code(0);
    assert_whole(&workspace, "run", 8);
    let before = workspace.read("run/points.csv");
    workspace.sweep("", &["--resume"]).code(0);
    assert_eq!(workspace.read("run/points.csv"), before);
}

#[test]
fn another_scenario_is_refused_with_the_difference() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let before = workspace.read("run/points.csv");
    let assert = workspace.sweep("", &["--resume", "--set", "width=96"]).code(2);
    assert!(stderr(&assert).contains("width = 96"), "{}", stderr(&assert));
    assert_eq!(workspace.read("run/points.csv"), before);
}

#[test]
fn going_on_without_a_directory_names_the_newest_that_could_be() {
    let workspace = Workspace::new();
    let resume = || workspace.apbench(&["sweep", "small.toml", "--device", "mock", "--resume"]).assert().code(2);
    let assert = resume();
    assert!(stderr(&assert).contains("--resume needs the run to continue: --out DIR"), "{}", stderr(&assert));
    workspace.apbench(&["sweep", "small.toml", "--device", "mock"]).assert().code(0);
    assert!(stderr(&resume()).contains("there is no incomplete run of this scenario under results/"));
    let run = fs::read_dir(workspace.path("results")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(run.join("run.json")).unwrap();
    fs::write(run.join("run.json"), text.replace("\"complete\"", "\"interrupted\"")).unwrap();
    let name = run.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(stderr(&resume()).contains(&format!("the newest incomplete run of this scenario is results/{name}")));
}

#[test]
fn parts_share_the_grid_out() {
    let workspace = Workspace::new();
    let dry = |part: &str| {
        let arguments = ["sweep", "small.toml", "--device", "mock", "--dry-run", "--part", part];
        stdout(&workspace.apbench(&arguments).assert().code(0))
    };
    assert!(dry("0/3").contains("part 0/3: 3 of 8 points"), "{}", dry("0/3"));
    assert!(dry("2/3").contains("part 2/3: 2 of 8 points"), "{}", dry("2/3"));
    let mut points = Vec::new();
    for part in ["0/3", "1/3", "2/3"] {
        workspace.apbench(&["sweep", "small.toml", "--device", "mock", "--part", part]).assert().code(0);
    }
    for run in fs::read_dir(workspace.path("results")).unwrap() {
        let path = run.unwrap().path();
        assert!(path.to_str().unwrap().contains("-part-") && path.to_str().unwrap().ends_with("-of-3"));
        points.extend(column(&fs::read_to_string(path.join("points.csv")).unwrap(), "point"));
    }
    points.sort();
    assert_eq!(points, ["0", "1", "2", "3", "4", "5", "6", "7"]);
    for part in ["3/3", "1", "a/b"] {
        workspace.apbench(&["sweep", "small.toml", "--device", "mock", "--part", part]).assert().code(2);
    }
}

#[test]
fn a_run_of_some_variants_goes_on_with_these_alone() {
    let workspace = Workspace::new();
    let text = MANY
        .replace("variants = [\"divergent\"]", "variants = [\"divergent\", \"table_lookup\", \"static_reordering\"]");
    fs::write(workspace.path("many.toml"), text).unwrap();
    let sweep = |more: &[&str]| {
        workspace
            .apbench(&[&["sweep", "many.toml", "--device", "mock", "--out", "run", "--resume"], more].concat())
            .assert()
    };
    let own = ["--variant", "table_lookup", "--variant", "divergent", "--set", "branches=1,2"];
    sweep(&own).code(0);
    let points = workspace.read("run/points.csv");
    let mut variants = column(&points, "variant");
    variants.sort_unstable();
    assert_eq!(
        variants,
        [
            "divergent",
            "divergent",
            "divergent",
            "divergent",
            "table_lookup",
            "table_lookup",
            "table_lookup",
            "table_lookup"
        ]
    );
    sweep(&own).code(0);
    assert_eq!(workspace.read("run/points.csv"), points);
    workspace.apbench(&["fit", "run"]).assert().code(0);
    let other = sweep(&["--set", "branches=1,2"]).code(2);
    assert!(stderr(&other).contains("variants"), "{}", stderr(&other));
    let unknown = sweep(&["--variant", "table"]).code(2);
    assert!(stderr(&unknown).contains("the scenario has no variant `table`"), "{}", stderr(&unknown));
}
