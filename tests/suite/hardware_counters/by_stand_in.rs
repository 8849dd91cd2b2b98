//! The way from the command line to CUPTI and back, over stand-ins for the driver's library and CUPTI, which are compiled here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{column, guard};
use crate::common::{stderr, stdout};
use crate::old_drivers::StandIn;

/// Launches of its own for each sum: as many as there are numbers, or one for all.
const SCENARIO: &str = r#"
title = "Launches that are counted"
family = "global_sync"
variants = ["relaunch"]

[grid]
elements = 1000
multiply_adds = 8
interval = [2, 4, 8]
block = 64

[measure]
budget_s = 0.05
"#;

fn compile(path: &Path, arguments: &[&str]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"]).args(arguments);
    let output = compiler.arg("-o").arg(path).arg("-ldl").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The stand-in for CUPTI, compiled with these parts into a file of this name, with the library beside it that it opens.
fn cupti(stand_in: &StandIn, name: &str, parts: &[&str]) -> PathBuf {
    let path = stand_in.workspace.path(name);
    let folder = path.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shim-cupti/libcupti.c");
    compile(&path, &[parts, &[source]].concat());
    let nothing = stand_in.workspace.path("nothing.c");
    fs::write(&nothing, "").unwrap();
    compile(&folder.join("libnvperf_host.so"), &["-Wl,-soname,libnvperf_host.so", nothing.to_str().unwrap()]);
    path
}

/// A stand-in for the driver, with a scenario; `None` where there is no C compiler.
fn driver() -> Option<StandIn> {
    let stand_in = StandIn::new(&["VERSION=12040"])?;
    fs::write(stand_in.workspace.path("launches.toml"), SCENARIO).unwrap();
    Some(stand_in)
}

/// Sweeps into a run of this name, with nothing of this machine's in the environment but what is given.
fn sweep(stand_in: &StandIn, run: &str, environment: &[(&str, &str)]) -> assert_cmd::assert::Assert {
    let command = ["sweep", "launches.toml", "--device", "cuda:0", "--counters", "hardware", "--out", run];
    let mut command = stand_in.workspace.apbench(&command);
    for variable in ["APBENCH_CUPTI", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME"] {
        command.env_remove(variable);
    }
    let assert = command.env("LD_LIBRARY_PATH", stand_in.workspace.path("")).envs(environment.iter().copied()).assert();
    assert!(!stderr(&assert).contains("panicked"), "{}", stderr(&assert));
    assert.code(0)
}

#[test]
fn every_launch_of_a_point_is_counted_and_no_other() {
    let Some(stand_in) = driver() else { return };
    let path = cupti(&stand_in, "cupti/libcupti.so", &[]);
    let path = path.to_str().unwrap();
    // However many passes it takes.
    for (run, passes) in [("one", "1"), ("five", "5")] {
        let environment = [("APBENCH_CUPTI", path), ("STAND_IN_CUPTI_PASSES", passes)];
        let assert = sweep(&stand_in, run, &environment);
        let told = format!("note: CUPTI 13.0 ({path}) counts each point after its times were taken");
        assert!(stderr(&assert).contains(&told), "{}", stderr(&assert));
        assert_eq!(column(&stand_in.workspace, run, "warp_instructions"), ["4", "2", "1"]);
        assert_eq!(column(&stand_in.workspace, run, "hw_dram_read_bytes"), ["4", "2", "1"]);
        assert_eq!(column(&stand_in.workspace, run, "global_atomic_requests"), ["8", "4", "2"]);
        let told = "3 of 3 points were counted, after their times were taken";
        assert_eq!(guard(&stand_in.workspace, run), Some(("ok".to_owned(), told.to_owned())));
    }
    let compare = ["compare", "one", "five", "--counters"];
    let told = stdout(&stand_in.workspace.apbench(&compare).assert().code(0));
    assert!(told.starts_with("25 of 25 counters agree to within 1 % at all of 3 points."), "{told}");
}

#[test]
fn a_metric_that_the_gpu_does_not_have_is_named_and_its_cells_are_empty() {
    let Some(stand_in) = driver() else { return };
    let path = cupti(&stand_in, "cupti/libcupti.so", &[]);
    let environment =
        [("APBENCH_CUPTI", path.to_str().unwrap()), ("STAND_IN_CUPTI_WITHOUT", "lts__t_sectors_op_read.sum")];
    let assert = sweep(&stand_in, "run", &environment);
    let told = "without lts__t_sectors_op_read.sum (CUPTI_ERROR_INVALID_PARAMETER), counts each point";
    assert!(stderr(&assert).contains(told), "{}", stderr(&assert));
    assert_eq!(column(&stand_in.workspace, "run", "hw_l2_read_sectors"), ["", "", ""]);
    assert_eq!(column(&stand_in.workspace, "run", "hw_l2_write_sectors"), ["4", "2", "1"]);
}

/// Without a library, with one that is too old, without the right to count: the sweep is as it would be without asking, and says why.
#[test]
fn a_gpu_whose_counters_cannot_be_read_is_measured_all_the_same() {
    let Some(stand_in) = driver() else { return };
    let (new, old) = (cupti(&stand_in, "cupti/new.so", &[]), cupti(&stand_in, "cupti/old.so", &["-DWITHOUT_RANGES"]));
    let (new, old) = (new.to_str().unwrap(), old.to_str().unwrap());
    let alone = stand_in.workspace.path("alone.so");
    fs::copy(new, &alone).unwrap();
    let forbidden = ("STAND_IN_CUPTI_REFUSES", "cuptiProfilerGetCounterAvailability=35");
    let cases: [(&[(&str, &str)], &str); 4] = [
        (&[("APBENCH_CUPTI", "nowhere.so")], "APBENCH_CUPTI names nowhere.so: cannot open shared object file"),
        (
            &[("APBENCH_CUPTI", old)],
            "counting needs that of CUDA 12.6 Update 2 or newer (undefined symbol: cuptiRangeProfiler",
        ),
        (&[("APBENCH_CUPTI", alone.to_str().unwrap())], "CUPTI does not find libnvperf_host.so"),
        (&[("APBENCH_CUPTI", new), forbidden], "NVreg_RestrictProfilingToAdminUsers=0` in a file in /etc/modprobe.d"),
    ];
    for (place, (environment, why)) in cases.into_iter().enumerate() {
        let run = format!("run-{place}");
        let assert = sweep(&stand_in, &run, environment);
        let note = stderr(&assert);
        let notes: Vec<&str> = note.lines().filter(|line| line.contains("no hardware counters")).collect();
        assert!(notes.len() == 1 && notes[0].contains(why), "{note}");
        assert!(stdout(&assert).contains("3 of 3 points: 3 ok"), "{}", stdout(&assert));
        let (outcome, detail) = guard(&stand_in.workspace, &run).unwrap();
        assert!(outcome == "unknown" && detail.contains(why), "{detail}");
    }
    // A pass that is refused is one point's matter.
    let refused = ("STAND_IN_CUPTI_REFUSES", "cuptiRangeProfilerStart=35");
    sweep(&stand_in, "refused", &[("APBENCH_CUPTI", new), refused]);
    let (outcome, detail) = guard(&stand_in.workspace, "refused").unwrap();
    assert!(outcome == "flagged" && detail.starts_with("0 of 3 points were counted"), "{detail}");
    assert!(detail.contains("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"), "{detail}");
}

/// As `pip install nvidia-cuda-cupti` leaves it, for CUDA 13 and 12.
#[test]
fn the_library_of_a_wheel_is_found_in_the_active_environment() {
    for library in ["cu13/lib/libcupti.so.13", "cuda_cupti/lib/libcupti.so.12"] {
        let Some(stand_in) = driver() else { return };
        let path = cupti(&stand_in, &format!("venv/lib/python3.12/site-packages/nvidia/{library}"), &[]);
        let environment = stand_in.workspace.path("venv");
        fs::write(environment.join("lib/python3.12/site-packages/nvidia/__init__.py"), "").unwrap();
        let assert = sweep(&stand_in, "run", &[("VIRTUAL_ENV", environment.to_str().unwrap())]);
        // A machine with a toolkit has one that is before it.
        let told = stderr(&assert);
        let line = told.lines().find(|line| line.starts_with("note: CUPTI")).unwrap_or_else(|| panic!("{told}"));
        let is_its_own = line.starts_with(&format!("note: CUPTI 13.0 ({})", path.display()));
        assert!(is_its_own || !line.contains("venv"), "{line}");
    }
}

/// An old toolkit and a new wheel.
#[test]
fn a_library_that_is_too_old_is_passed_over() {
    let Some(stand_in) = driver() else { return };
    let old = cupti(&stand_in, "toolkit/lib64/libcupti.so.12", &["-DWITHOUT_RANGES"]);
    let toolkit = stand_in.workspace.path("toolkit");
    let toolkit = ("CUDA_HOME", toolkit.to_str().unwrap());
    let environment = stand_in.workspace.path("venv");
    let environment = ("VIRTUAL_ENV", environment.to_str().unwrap());
    let alone = stderr(&sweep(&stand_in, "alone", &[toolkit, environment]));
    let is_told = alone.contains(&format!("{} is no CUPTI, or too old a one", old.display()));
    assert!(is_told || alone.contains("note: CUPTI"), "{alone}");
    cupti(&stand_in, "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13", &[]);
    let both = stderr(&sweep(&stand_in, "both", &[toolkit, environment]));
    assert!(both.contains("note: CUPTI"), "{both}");
}
