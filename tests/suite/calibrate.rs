//! `apbench calibrate`, on simulated GPUs whose constants are known.

use std::fs;
use std::path::Path;

use apbench::calibrate::{SWEEPS, Sweep};
use apbench::properties::Properties;
use gpu_simulator::Profile;

use crate::common::{Workspace, ended, stderr, stdout, wait_until};

/// The sweeps that need no other device than a simulated one and take it a moment.
const QUICK: [&str; 4] = ["instruction-latency", "memory-latency", "memory-latency-shared", "wait-cost"];

/// Those of atomics.
const ATOMICS: [&str; 3] = ["atomic-rate", "atomic-rate-one-warp", "atomic-rate-many-warps"];

fn sweep(workspace: &Workspace, own: &Sweep, device: &str) {
    let gpu = Properties::simulated(&Profile::load("h200").unwrap());
    let mut words: Vec<String> =
        ["sweep", own.scenario, "--device", device, "--sizes", "gpu", "--quiet", "--out"].map(str::to_owned).to_vec();
    words.push(format!("runs/{}", own.folder));
    words.extend((own.values)(&gpu).into_iter().flat_map(|value| ["--set".to_owned(), value]));
    words.extend(own.variants.iter().flat_map(|name| ["--variant".to_owned(), (*name).to_owned()]));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    workspace.apbench(&words).assert().code(0);
}

fn measured(device: &str) -> Workspace {
    let workspace = Workspace::new();
    for own in SWEEPS.iter().filter(|own| QUICK.contains(&own.folder) || ATOMICS.contains(&own.folder)) {
        sweep(&workspace, own, device);
    }
    workspace
}

/// The value of a constant in a profile, and where it is from.
fn constant(profile: &Path, key: &str) -> (f64, String) {
    constant_if_there(profile, key).unwrap_or_else(|| panic!("no {key}"))
}

fn constant_if_there(profile: &Path, key: &str) -> Option<(f64, String)> {
    let toml: toml::Table = fs::read_to_string(profile).unwrap().parse().unwrap();
    let mut own = toml::Value::Table(toml);
    for part in key.split('.') {
        own = own.get(part)?.clone();
    }
    let value = own["value"].as_float().or_else(|| own["value"].as_integer().map(|value| value as f64)).unwrap();
    Some((value, own["source"].as_str().unwrap().to_owned()))
}

/// Begun with the constants of an A100, the constants of an H200 come out.
#[test]
fn constants_of_a_known_gpu_are_found_again() {
    let workspace = measured("sim:h200");
    let arguments = ["calibrate", "--from", "runs", "--like", "a100", "--out", "mine.toml"];
    let told = stdout(&workspace.apbench(&arguments).assert().code(0));
    for (key, wanted) in [
        ("sm_clock_mhz", 1980.0),
        ("units.integer.latency_cycles", 4.0),
        ("units.multiply.latency_cycles", 4.0),
        ("units.float.latency_cycles", 4.0),
        ("units.double.latency_cycles", 8.0),
        ("units.special.latency_cycles", 17.0),
        ("units.exchange.latency_cycles", 24.0),
        ("shared.latency_cycles", 23.0),
        ("global.l1.latency_cycles", 34.0),
        ("barrier.base_cycles", 1.0),
        ("barrier.cycles_per_warp", 2.0),
        ("atomics.same_address_cycles", 3.5),
        ("atomics.same_address_integer_cycles", 1.45),
        ("atomics.unit_cycles", 5.0),
        ("atomics.latency_cycles", 480.0),
        ("atomics.shared_same_address_cycles", 1.0),
        ("atomics.shared_float.turn_cycles", 95.0),
        ("atomics.shared_float.busy_cycles", 3.5),
    ] {
        let (value, source) = constant(&workspace.path("mine.toml"), key);
        assert!((value / wanted - 1.0).abs() < 0.01, "{key}: {value}, and not {wanted}");
        assert!(source.starts_with("simulated: "), "{key}: {source}");
        assert!(told.contains(key), "{told}");
    }
    let (sms, source) = constant(&workspace.path("mine.toml"), "sm_count");
    assert!((sms - 132.0).abs() < 0.5 && source == "that of NVIDIA H200 (simulated)", "{source}");
    let (_, source) = constant(&workspace.path("mine.toml"), "global.gb_per_s");
    assert_eq!(
        source.split(" (there").next(),
        Some("estimate: that of the profile a100, since there is no run of memory-bandwidth")
    );

    // It is there by its name, and the check finds what it measured itself.
    workspace.apbench(&["sweep", "stencil-halo", "--device", "sim:mine", "--dry-run"]).assert().code(0);
    let check = ["calibrate", "--check", "mine.toml", "--from", "runs", "--like", "a100"];
    let told = stdout(&workspace.apbench(&check).assert().code(0));
    assert!(told.contains("all are those of mine.toml"), "{told}");
    assert!(told.contains("these are the runs that it was made from"), "{told}");
    let named = ["calibrate", "--check", "mine", "--from", "runs", "--like", "a100"];
    workspace.apbench(&named).assert().code(0);

    // A constant that somebody changed differs.
    let text = fs::read_to_string(workspace.path("mine.toml")).unwrap();
    fs::write(workspace.path("mine.toml"), text.replace("value = 23.0", "value = 29.0")).unwrap();
    let told = stdout(&workspace.apbench(&check).assert().code(5));
    assert!(told.contains("1 constant differs from mine.toml"), "{told}");
    assert!(told.lines().any(|line| line.contains("shared.latency_cycles") && line.ends_with("differs")), "{told}");
}

/// What dependent launches take is that of the runs where it was measured, and kept where it was not.
#[test]
fn dependent_launches_are_added_where_they_were_measured() {
    let workspace = Workspace::new();
    let shipped =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/crates/gpu-simulator/src/profile/h200.toml"));
    let shipped = shipped.unwrap();
    let line = shipped.lines().find(|line| line.starts_with("launch_dependent_us")).unwrap();
    let own = "launch_dependent_us = { value = 0.9, source = \"estimate: of this test\" }";
    fs::write(workspace.path("own.toml"), shipped.replace(line, own)).unwrap();
    let sweep_of = |folder: &str| SWEEPS.iter().find(|own| own.folder == folder).unwrap();
    sweep(&workspace, sweep_of("instruction-latency"), "sim:own.toml");
    workspace.apbench(&["calibrate", "--from", "runs", "--out", "without.toml"]).assert().code(0);
    let (kept, _) = constant(&workspace.path("without.toml"), "launch_dependent_us");
    let shipped_us = Profile::load("h200").unwrap().launch_dependent_us;
    assert!((kept - shipped_us).abs() < 1e-9, "{kept} and {shipped_us}");

    sweep(&workspace, sweep_of("launch-rate"), "sim:own.toml");
    workspace.apbench(&["calibrate", "--from", "runs", "--out", "with.toml"]).assert().code(0);
    let (value, source) = constant(&workspace.path("with.toml"), "launch_dependent_us");
    assert!((value / 0.9 - 1.0).abs() < 0.01, "{value}");
    assert!(source.starts_with("simulated: launch-rate, dependent, launched_blocks=1 adds "), "{source}");

    let a100 = Properties::simulated(&Profile::load("a100").unwrap());
    assert!(!sweep_of("launch-rate").runs_on(&a100), "an A100 has no dependent launches");
}

/// A calibration that is killed cannot tell its sweep: it holds the other end of the sweep's input.
#[test]
fn a_sweep_of_a_calibration_ends_with_it() {
    let workspace = Workspace::new();
    let sweep = ["sweep", "small.toml", "--device", "mock:delay_ms=200", "--out", "run", "--quiet", "--end-with-input"];
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_apbench"))
        .current_dir(workspace.path(""))
        .args(sweep)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the first point", || workspace.rows("run") > 0);
    assert!(child.try_wait().unwrap().is_none(), "it goes on while its input is open");
    drop(child.stdin.take());
    let (status, errors) = ended(child);
    assert_eq!(status.code(), Some(130), "{errors}");
    assert!(workspace.rows("run") < 8, "not all points were measured");
}

/// The runs that an H100 was calibrated from give the constants that were written then.
#[test]
fn stored_runs_give_the_stored_constants() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h100/calibration");
    let workspace = Workspace::new();
    for folder in QUICK.into_iter().chain(["instruction-rate"]) {
        let to = workspace.path(&format!("runs/{folder}"));
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(stored.join("runs").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
    workspace.apbench(&["calibrate", "--from", "runs", "--out", "again.toml"]).assert().code(0);
    let mut measured = 0;
    for key in gpu_simulator::profile::CONSTANTS.iter().map(|own| own.key) {
        if matches!(
            key,
            "compute_capability"
                | "reconvergence"
                | "shared.banks"
                | "global.coalescing"
                | "shared.holds_arguments"
                | "clusters.group_sizes"
        ) {
            continue;
        }
        let Some((now, source)) = constant_if_there(&workspace.path("again.toml"), key) else { continue };
        // What a launch takes depends on constants that these runs alone do not give.
        if source.starts_with("measured: ") && key != "launch_us" {
            let (before, _) = constant(&stored.join("h100.toml"), key);
            assert!((now / before - 1.0).abs() < 0.005, "{key}: {now}, and {before} is stored");
            measured += 1;
        }
    }
    assert!(measured >= 18, "{measured}");
    let (fence, _) = constant(&workspace.path("again.toml"), "fences.device_cycles");
    assert!((650.0..680.0).contains(&fence), "{fence}: that of an H200 is 269");
}

#[test]
fn profiles_are_not_written_over_and_runs_must_be_there() {
    let workspace = Workspace::new();
    fs::write(workspace.path("mine.toml"), "mine").unwrap();
    let told = stderr(&workspace.apbench(&["calibrate", "--out", "mine.toml"]).assert().code(2));
    assert!(told.contains("mine.toml is there already"), "{told}");
    let told = stderr(&workspace.apbench(&["calibrate", "--from", "nowhere", "--out", "new.toml"]).assert().code(2));
    assert!(told.contains("nowhere: no such folder"), "{told}");
    fs::create_dir(workspace.path("empty")).unwrap();
    let told = stderr(&workspace.apbench(&["calibrate", "--from", "empty", "--out", "new.toml"]).assert().code(2));
    assert!(told.contains("empty: has no run of a calibration"), "{told}");
    let told =
        stderr(&workspace.apbench(&["calibrate", "--from", "empty", "--out", "/proc/new.toml"]).assert().code(1));
    assert!(told.contains("writing /proc/new.toml"), "it is told before anything is measured: {told}");
    let below = stored_runs().join("memory-latency");
    let arguments = ["calibrate", "--from", below.to_str().unwrap(), "--out", "new.toml"];
    let told = stderr(&workspace.apbench(&arguments).assert().code(2));
    assert!(told.contains("runs has some: did you mean that folder?"), "{told}");
    let told = stderr(&workspace.apbench(&["calibrate", "--check", "mine.toml"]).assert().code(2));
    assert!(told.contains("mine.toml"), "{told}");
    for (out, wanted) in
        [("new", "ends in .toml"), ("h200.toml", "comes with apbench"), ("no/new.toml", "no such folder")]
    {
        let told = stderr(&workspace.apbench(&["calibrate", "--out", out]).assert().code(2));
        assert!(told.contains(wanted), "{told}");
    }
    assert!(!workspace.path("new.toml").exists());
}

/// A device that is not there is told by the sweep, once.
#[test]
fn without_a_gpu_nothing_is_written() {
    let workspace = Workspace::new();
    let told = stderr(&workspace.apbench(&["calibrate", "--device", "cuda:99", "--out", "new.toml"]).assert().code(3));
    assert_eq!(told.matches("error: ").count(), 1, "{told}");
    for device in ["sim:h200", "mock", "auto"] {
        let told = stderr(&workspace.apbench(&["calibrate", "--device", device, "--out", "new.toml"]).assert().code(2));
        assert!(told.contains("calibrate measures a GPU: cuda:N"), "{told}");
    }
    assert!(!workspace.path("new.toml").exists());
}

/// The runs of a calibration of an H100.
fn stored_runs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h100/calibration/runs")
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// A calibration ends with how far the simulated times are off on scenarios that it did not use, and the profile says so from then on.
#[test]
fn a_profile_says_how_far_its_times_are_off() {
    let stored = stored_runs();
    let workspace = Workspace::new();
    for folder in ["memory-latency-shared", "checks/shared-access", "checks/trapezoid"] {
        copied(&stored.join(folder), &workspace.path(&format!("runs/{folder}")));
    }
    let calibrate = ["calibrate", "--from", "runs", "--out", "mine.toml"];
    let told = stdout(&workspace.apbench(&calibrate).assert().code(0));
    for wanted in ["how far the simulated times are off", "shared-access", "trapezoid", "all"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    // Runs that were there are left as they were.
    assert_eq!(fs::read_dir(workspace.path("runs")).unwrap().count(), 2);
    let profile = fs::read_to_string(workspace.path("mine.toml")).unwrap();
    let validation = profile.lines().find(|line| line.starts_with("validation = ")).unwrap();
    assert!(validation.contains("off on average at 32 points of 2 scenarios that no constant is from"), "{validation}");
    let devices = stdout(&workspace.apbench(&["devices", "--device", "sim:mine"]).assert().code(0));
    assert!(devices.replace('\n', " ").contains("calibrated on"), "{devices}");

    // Constants that are missing now are no success, nor is another GPU.
    fs::remove_dir_all(workspace.path("runs/memory-latency-shared")).unwrap();
    copied(&stored.join("memory-latency"), &workspace.path("runs/memory-latency"));
    let check = ["calibrate", "--check", "mine.toml", "--from", "runs"];
    let told = stdout(&workspace.apbench(&check).assert().code(5));
    assert!(told.contains("this time could not be: sm_clock_mhz") || told.contains("shared.latency_cycles"), "{told}");
    fs::write(workspace.path("mine.toml"), profile.replace("sm_count = { value = 132", "sm_count = { value = 66"))
        .unwrap();
    let told = stdout(&workspace.apbench(&check).assert().code(5));
    assert!(told.contains("mine.toml is of another GPU: sm_count is 66 there, and 132 here"), "{told}");
}

/// A calibration from the wrong folder would be a poor one, so what lacks is told, and the folder that has more is named.
#[test]
fn runs_that_are_missing_and_the_folder_that_has_them_are_told() {
    let stored = stored_runs();
    let workspace = Workspace::new();
    for folder in ["memory-latency-shared", "memory-latency"] {
        copied(&stored.join(folder), &workspace.path(&format!("all/runs/{folder}")));
    }
    let calibrate = |from: &'static str, out: &'static str| ["calibrate", "--from", from, "--out", out];
    let told = stderr(&workspace.apbench(&calibrate("all", "one.toml")).assert().code(2));
    assert!(told.contains("all/runs has some: did you mean that folder?"), "{told}");
    copied(&stored.join("memory-latency"), &workspace.path("all/memory-latency"));
    let told = stderr(&workspace.apbench(&calibrate("all", "two.toml")).assert().code(2));
    assert!(told.contains("all/runs has 2; did you mean that folder?"), "{told}");
    let told = stderr(&workspace.apbench(&calibrate("all/runs", "three.toml")).assert().code(0));
    assert!(told.contains("all/runs has no run of") && told.contains("wait-cost"), "{told}");
}

/// What goes without a GPU is named before anything is measured.
#[test]
fn without_a_gpu_the_way_without_one_is_told() {
    let workspace = Workspace::new();
    let told = stderr(&workspace.apbench(&["calibrate", "--device", "cuda:63", "--out", "mine.toml"]).assert().code(3));
    assert!(told.contains("calibrate measures cuda:63") && told.contains("apbench calibrate --from DIR"), "{told}");
    assert!(!told.contains("measuring"), "{told}");
    assert!(!workspace.path("mine.toml").exists());
}

#[test]
fn runs_of_two_gpus_are_refused() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let workspace = Workspace::new();
    copied(
        &results.join("nvidia-h100/calibration/runs/memory-latency-shared"),
        &workspace.path("runs/memory-latency-shared"),
    );
    let other = results.join("nvidia-h200/atomics");
    fs::create_dir_all(workspace.path("runs/atomics")).unwrap();
    for name in ["points.csv", "run.json", "scenario.toml"] {
        fs::copy(other.join(name), workspace.path("runs/atomics").join(name)).unwrap();
    }
    let told = stderr(&workspace.apbench(&["calibrate", "--from", "runs", "--out", "new.toml"]).assert().code(2));
    assert!(told.contains("a calibration is of one GPU"), "{told}");
}
