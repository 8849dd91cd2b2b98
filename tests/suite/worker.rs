//! Points in worker processes: what takes a worker down takes no sweep down, and no worker outlives its sweep.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use apbench::device::mock::{Mock, MockSettings};
use apbench::device::{Device as _, DeviceError};
use apbench::record::Status;
use apbench::scenario::Scenario;
use apbench::worker::message::{Opened, Reply, reply_text};
use apbench::worker::process::Launcher;
use apbench::worker::supervisor::{Conditions, Supervisor};

use crate::common::{SCENARIO, Workspace, column, stderr, stdout, unwrapped, wait_until};

const PROGRAM: &str = env!("CARGO_BIN_EXE_apbench");

fn conditions(program: &str, arguments: &[&str]) -> Conditions {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Conditions {
        launcher: Launcher { program: program.into(), arguments },
        workers: Arc::default(),
        point_timeout: Duration::from_secs(120),
        counts: false,
        energy: false,
        lock_clocks_mhz: None,
    }
}

#[test]
fn a_point_that_takes_its_process_down_fails_alone() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("abort_at=4", &[]).code(4);
    let points = workspace.read("run/points.csv");
    let ends = ["ok", "ok", "failed", "ok", "ok", "ok", "failed", "ok"];
    assert_eq!(column(&points, "status"), ends);
    let reason = "the worker process ended by signal 6 (SIGABRT) while running this point";
    assert_eq!(column(&points, "reason")[2], reason);
    let told = unwrapped(&stdout(&assert));
    assert!(told.contains(&format!("2 of 8 points of `divergent` failed, branches = 4: {reason}")), "{told}");
    let run = workspace.read("run/run.json");
    assert!(run.contains("\"status\": \"complete\""), "{run}");
    assert!(run.contains("the device was opened again 2 times after failed points"), "{run}");
}

/// A kernel that fails leaves a CUDA context that nothing can run in.
#[test]
fn a_point_that_fails_gets_the_next_one_a_new_process() {
    let workspace = Workspace::new();
    workspace.sweep("fail_at=2", &["--set", "operation=compute"]).code(4);
    assert_eq!(column(&workspace.read("run/points.csv"), "status"), ["ok", "failed", "ok", "ok"]);
    assert!(workspace.read("run/run.json").contains("the device was opened again once"));
}

#[test]
fn a_point_that_never_ends_fails_and_the_sweep_goes_on() {
    let workspace = Workspace::new();
    workspace.sweep("hang_at=2", &["--point-timeout", "10", "--set", "operation=compute"]).code(4);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["ok", "failed", "ok", "ok"]);
    assert_eq!(column(&points, "reason")[1], "took longer than 10s (--point-timeout)");
}

#[test]
fn of_a_group_only_the_guilty_one_fails() {
    let scenario = Scenario::parse("small.toml", SCENARIO, &[], 100).unwrap();
    for device in ["mock:abort_at=4", "mock:fail_at=4"] {
        let mut supervisor = Supervisor::open(conditions(PROGRAM, &["worker"]), device, &mut |_| {}).unwrap();
        supervisor.begin(&scenario, &mut |_| {}).unwrap();
        let points = scenario.points(&supervisor.opened().unwrap().properties).unwrap();
        let group = [points[3].clone(), points[2].clone(), points[0].clone()];
        let measured = supervisor.measure(&group, None, &mut |_| {}).unwrap();
        let ends: Vec<_> = measured.iter().map(|measured| (measured.record.point, measured.record.status)).collect();
        assert_eq!(ends, [(3, Status::Ok), (2, Status::Failed), (0, Status::Ok)], "{device}");
        assert!(measured[0].record.timing.is_some() && !measured[0].samples.is_empty());
    }
}

#[test]
fn a_process_that_dies_while_it_opens_the_device_is_an_error() {
    let opened = Supervisor::open(conditions("/bin/sh", &["-c", "echo broken >&2; exit 3"]), "cuda:0", &mut |_| {});
    let Err(DeviceError::Failed(error)) = opened else { panic!("opened") };
    let expected = "cuda:0: the worker process ended with status 3 while opening the device: broken, 3 times in a row";
    assert_eq!(error, expected);
}

/// A worker that is killed between points has none with it.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_dies_between_points_costs_none() {
    let workspace = Workspace::new();
    let scenario = Scenario::parse("small.toml", SCENARIO, &[], 100).unwrap();
    let ids = workspace.path("ids");
    let script = format!("echo $$ >> '{}'; exec '{PROGRAM}' worker", ids.display());
    let mut supervisor = Supervisor::open(conditions("/bin/sh", &["-c", &script]), "mock", &mut |_| {}).unwrap();
    for _ in 0..2 {
        supervisor.begin(&scenario, &mut |_| {}).unwrap();
    }
    let points = scenario.points(&supervisor.opened().unwrap().properties).unwrap();
    let mut measure = |point: usize| {
        let measured = supervisor.measure(&points[point..=point], None, &mut |_| {}).unwrap();
        assert_eq!(measured[0].record.status, Status::Ok, "{}", measured[0].record.reason);
    };
    measure(0);
    let first = workspace.read("ids");
    assert_eq!(first.lines().count(), 1, "both sweeps have the same worker");
    assert!(Command::new("kill").args(["-9", first.trim()]).status().unwrap().success());
    wait_until("the worker's end", || {
        let process = Path::new("/proc").join(first.trim());
        let state = fs::read_to_string(process.join("stat")).unwrap_or_default();
        // The last of its threads may end after the first.
        let threads = fs::read_dir(process.join("task")).map_or(0, Iterator::count);
        state.is_empty() || (state.contains(") Z ") && threads <= 1)
    });
    measure(1);
    assert_eq!(workspace.read("ids").lines().count(), 2);
}

/// A worker that opens one device after the other, as where GPUs are numbered anew.
#[test]
fn a_device_that_is_another_when_it_is_opened_again_is_an_error() {
    let workspace = Workspace::new();
    for (index, uuid) in ["GPU-1", "GPU-2"].iter().enumerate() {
        let mut properties = Mock::new(MockSettings::default()).properties().clone();
        (properties.spec, properties.uuid) = ("cuda:1".to_owned(), Some((*uuid).to_owned()));
        let (counter_columns, notes) = (Vec::new(), Vec::new());
        let opened = Opened { properties, counter_columns, clocks: None, energy: None, repeats_exactly: false, notes };
        fs::write(workspace.path(&format!("reply{index}")), reply_text(&Reply::Opened(Box::new(opened))).unwrap())
            .unwrap();
    }
    let folder = workspace.path(".");
    let script = "cd \"$0\"; read -r line; number=$(cat asked 2>/dev/null | wc -l); echo \"$line\" >> asked; \
                  cat reply$((number)); read -r line";
    let conditions = conditions("/bin/sh", &["-c", script, folder.to_str().unwrap()]);
    let mut supervisor = Supervisor::open(conditions, "auto", &mut |_| {}).unwrap();
    let scenario = Scenario::parse("small.toml", SCENARIO, &[], 100).unwrap();
    let error = supervisor.begin(&scenario, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("cuda:1 was mock device (GPU-1) before, and is mock device (GPU-2) now"), "{error}");
    let asked = workspace.read("asked");
    let devices: Vec<&str> = asked.lines().collect();
    assert_eq!(
        devices,
        [
            r#"{"Open":{"device":"auto","counts":false,"energy":false}}"#,
            r#"{"Open":{"device":"cuda:1","counts":false,"energy":false}}"#
        ]
    );
}

/// Starts a sweep of the small scenario on the mock.
fn start(workspace: &Workspace, mock: &str) -> Child {
    workspace.start(&["sweep", "small.toml", "--device", &format!("mock:{mock}"), "--out", "run"])
}

/// The processes that run in this folder, without those that have ended and nobody has asked after.
#[cfg(target_os = "linux")]
pub(crate) fn processes_in(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|id| fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|own| own == folder)).collect()
}

#[cfg(target_os = "linux")]
fn workers_in(workspace: &Workspace, parent: &Child) -> Vec<u32> {
    processes_in(&workspace.path(".")).into_iter().filter(|id| *id != parent.id()).collect()
}

/// The third point never ends by itself. A kill that comes just before it costs nothing: it gets a worker of its own, which is killed
/// in turn.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_killed_costs_one_point() {
    let workspace = Workspace::new();
    fs::write(workspace.path("small.toml"), SCENARIO.replace(", \"convolution\"", "")).unwrap();
    let mut sweep = start(&workspace, "hang_at=4");
    wait_until("two rows", || workspace.rows("run") == 2);
    assert_eq!(workers_in(&workspace, &sweep).len(), 1);
    wait_until("the end of the sweep", || {
        if workspace.rows("run") == 2 {
            for worker in workers_in(&workspace, &sweep) {
                let _ = Command::new("kill").args(["-9", &worker.to_string()]).status().unwrap();
            }
            thread::sleep(Duration::from_secs(1));
        }
        sweep.try_wait().unwrap().is_some()
    });
    assert_eq!(sweep.wait().unwrap().code(), Some(4));
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["ok", "ok", "failed", "ok"]);
    assert!(points.contains("the worker process ended by signal 9 (SIGKILL"), "{points}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_sweep_that_is_killed_leaves_no_worker_behind_even_one_that_never_ends() {
    let workspace = Workspace::new();
    let mut sweep = start(&workspace, "hang_at=2");
    wait_until("a row", || workspace.rows("run") > 0);
    assert_eq!(workers_in(&workspace, &sweep).len(), 1);
    sweep.kill().unwrap();
    sweep.wait().unwrap();
    wait_until("the worker's end", || processes_in(&workspace.path(".")).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_termination_finishes_the_point_and_a_second_ends_the_worker_too() {
    let workspace = Workspace::new();
    let mut sweep = start(&workspace, "hang_at=2");
    wait_until("a row", || workspace.rows("run") > 0);
    // As Slurm does, every process of the job gets it.
    let terminate = || {
        for id in processes_in(&workspace.path(".")) {
            Command::new("kill").args(["-TERM", &id.to_string()]).status().unwrap();
        }
    };
    terminate();
    let mut told = [0; 11];
    sweep.stderr.as_mut().unwrap().read_exact(&mut told).unwrap();
    assert_eq!(&told, b"interrupted");
    assert!(sweep.try_wait().unwrap().is_none(), "the point at hand is waited for");
    assert_eq!(workers_in(&workspace, &sweep).len(), 1);
    terminate();
    assert_eq!(sweep.wait().unwrap().code(), Some(130));
    wait_until("the worker's end", || processes_in(&workspace.path(".")).is_empty());
    assert_eq!(column(&workspace.read("run/points.csv"), "status"), ["ok"]);
}

#[test]
fn devices_run_side_by_side_and_are_told_in_their_order() {
    let workspace = Workspace::new();
    let arguments = ["sweep", "small.toml", "--device", "mock:delay_ms=100", "--device", "sim:gtx280"];
    let assert = workspace.apbench(&arguments).assert().code(0);
    let told = stdout(&assert);
    let summaries: Vec<&str> = told.lines().filter(|line| line.starts_with("run: ")).collect();
    assert_eq!(summaries.len(), 2, "{told}");
    assert!(summaries[0].contains("results/small-mock-device-"), "{told}");
    assert!(summaries[1].contains("results/small-") && summaries[1].contains("gtx"), "{told}");
    assert_eq!(told.matches("8 of 8 points: 8 ok").count(), 2, "{told}");
    let mut origins = Vec::new();
    for run in fs::read_dir(workspace.path("results")).unwrap() {
        origins.push(column(&fs::read_to_string(run.unwrap().path().join("points.csv")).unwrap(), "origin"));
    }
    origins.sort();
    assert_eq!(origins, [vec!["mock"; 8], vec!["simulated"; 8]]);
}

#[test]
fn one_device_gets_one_scenario_after_the_other() {
    let workspace = Workspace::new();
    fs::write(workspace.path("other.toml"), SCENARIO.replace("Runtime", "Time")).unwrap();
    let assert = workspace.apbench(&["sweep", "small.toml", "other.toml", "--device", "mock"]).assert().code(0);
    let told = stdout(&assert);
    let names: Vec<&str> = told.lines().filter(|line| line.ends_with(" against branches")).collect();
    assert_eq!(names, ["small: Runtime against branches", "other: Time against branches"]);
}

#[test]
fn a_device_twice_is_status_2() {
    let workspace = Workspace::new();
    for devices in [["mock", "mock"], ["sim:h200", "sim:h200"], ["cuda:0", "cuda:00"]] {
        let arguments = ["sweep", "small.toml", "--device", devices[0], "--device", devices[1]];
        let assert = workspace.apbench(&arguments).assert().code(2);
        assert!(stderr(&assert).contains("given twice"), "{}", stderr(&assert));
        assert!(!workspace.path("results").exists());
    }
}

#[test]
fn all_devices_are_those_that_are_there() {
    let workspace = Workspace::new();
    let devices = stdout(&workspace.apbench(&["devices", "--json"]).assert().code(0));
    if devices.contains("\"problem\": null") {
        return;
    }
    let assert = workspace.apbench(&["sweep", "small.toml", "--device", "all"]).assert().code(3);
    assert!(stderr(&assert).contains("sim:h200"), "{}", stderr(&assert));
}

#[test]
fn a_profiler_run_runs_each_point_once_and_leaves_no_run() {
    let workspace = Workspace::new();
    let profile = |mock: &str, more: &[&str]| {
        let device = format!("mock:{mock}");
        let mut arguments = vec!["sweep", "small.toml", "--profiler-run", "--device", &device];
        arguments.extend(more);
        workspace.apbench(&arguments).assert()
    };
    let told = stdout(&profile("", &[]).code(0));
    assert_eq!(told.lines().filter(|line| line.starts_with("ok     branching/divergent branches=")).count(), 8);
    assert_eq!(told.lines().count(), 8, "{told}");
    let told = stdout(&profile("wrong=1,fail_at=8", &["--set", "operation=compute"]).code(4));
    let words: Vec<&str> = told.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(words, ["ok", "wrong", "ok", "failed"]);
    assert_eq!(stdout(&profile("", &["--part", "1/4"]).code(0)).lines().count(), 2);
    assert!(!workspace.path("results").exists());
    for more in [&["--out", "run"][..], &["--dry-run"], &["--resume", "--out", "run"]] {
        profile("", more).code(2);
    }
    assert!(!workspace.path("run").exists());
}

#[test]
fn profile_is_understood_where_scripts_have_it_and_told_nowhere() {
    let workspace = Workspace::new();
    workspace.apbench(&["sweep", "small.toml", "--profile", "--device", "mock:"]).assert().code(0);
    for (command, name) in [("sweep", "--profiler-run"), ("estimate", "--gpu-profile")] {
        let help = stdout(&workspace.apbench(&[command, "--help"]).assert().code(0));
        assert!(help.contains(name) && !help.contains("--profile "), "{help}");
    }
}

#[test]
fn people_are_not_told_of_the_command_for_workers() {
    let help = stdout(&Workspace::new().apbench(&["--help"]).assert().code(0));
    assert!(help.contains("sweep") && !help.contains("worker"), "{help}");
}
