//! Sweeps on simulated devices, as people without a GPU see them.

use std::collections::HashSet;
use std::fs;

use crate::common::{H200, Workspace, column, is_exhaustive, stderr, stdout};

/// Sweeps the small scenario on a simulated device into `run`.
fn sweep(workspace: &Workspace, device: &str, more: &[&str]) -> assert_cmd::assert::Assert {
    let mut arguments = vec!["sweep", "small.toml", "--device", device, "--out", "run"];
    arguments.extend(more);
    workspace.apbench(&arguments).assert()
}

/// An embedded profile with one line changed, as `profile.toml`.
fn changed_profile(workspace: &Workspace, from: &str, to: &str) {
    assert!(H200.contains(from), "the profile has no line {from}");
    fs::write(workspace.path("profile.toml"), H200.replace(from, to)).unwrap();
}

#[test]
fn the_law_of_branches_holds_on_every_profile() {
    for device in ["sim:h200", "sim:a100", "sim:gtx280", "sim:8500gt"] {
        let workspace = Workspace::new();
        let assert = sweep(&workspace, device, &["--set", "work=8", "-v"]).code(0);
        let output = stdout(&assert);
        assert!(output.contains("8 of 8 points: 8 ok"), "{device}: {output}");
        assert_eq!(output.matches("\n   holds").count(), 2, "{device}: {output}");
    }
}

#[test]
fn everything_says_that_it_is_simulated_and_by_which_profile() {
    let workspace = Workspace::new();
    let assert = sweep(&workspace, "sim:gtx280", &[]).code(0);
    let label = "NVIDIA GeForce GTX 280 (simulated), sim:gtx280";
    assert!(stdout(&assert).contains(label), "{}", stdout(&assert));
    let points = workspace.read("run/points.csv");
    assert!(column(&points, "origin").iter().all(|origin| origin == "simulated"));
    assert!(column(&points, "profile").iter().all(|profile| profile == "gtx280"));
    assert!(column(&points, "stopped_by").iter().all(|reason| reason == "repeats_exactly"));
    let run = workspace.read("run/run.json");
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    assert_eq!(run["device"]["origin"], "simulated");
    assert_eq!(run["device"]["spec"], "sim:gtx280");
    assert_eq!(run["device"]["profile"]["sha256"].as_str().unwrap().len(), 64);
    assert!(run["device"]["profile"]["validation"].as_str().unwrap().starts_with("unvalidated"));
    let chart = workspace.read("run/charts/runtime.svg");
    assert!(chart.contains("simulated time") && chart.contains("sim:gtx280"), "the chart says so");
}

#[test]
fn counters_are_columns_and_no_two_have_the_same_name() {
    let workspace = Workspace::new();
    sweep(&workspace, "sim:h200", &["--set", "branches=4"]).code(0);
    let points = workspace.read("run/points.csv");
    let header: Vec<&str> = points.lines().next().unwrap().split(',').collect();
    assert_eq!(header.iter().collect::<HashSet<_>>().len(), header.len(), "{header:?}");
    // 64 by 64 elements: 128 warps, each with 3 branches more than one; operands and map read, output written, each in
    // full sectors; nothing in local memory.
    assert_eq!(column(&points, "divergent_branches")[0], "384");
    assert_eq!(column(&points, "global_load_requests")[0], "256");
    assert_eq!(column(&points, "global_load_transactions")[0], "1024");
    assert_eq!(column(&points, "global_store_transactions")[0], "512");
    assert_eq!(column(&points, "bank_conflicts"), ["0", "0"]);
    assert_eq!(column(&points, "local_requests"), ["0", "0"]);
    assert_eq!(column(&points, "block_barriers"), ["0", "16"]);
    assert_eq!(column(&points, "blocks"), column(&points, "blocks_executed"));
}

#[test]
fn a_run_is_the_same_whatever_the_number_of_threads() {
    let workspace = Workspace::new();
    let run = |threads: &str| {
        let out = format!("run-{threads}");
        let arguments = ["sweep", "small.toml", "--device", "sim:h200", "--out", &out];
        workspace.apbench(&arguments).env("RAYON_NUM_THREADS", threads).assert().code(0);
        workspace.read(&format!("{out}/points.csv"))
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn without_a_gpu_auto_is_a_simulated_h200_and_says_so() {
    let workspace = Workspace::new();
    let mut command = workspace.apbench(&["sweep", "small.toml", "--out", "run", "--set", "branches=1,2"]);
    let assert = command.env("CUDA_VISIBLE_DEVICES", "").assert().code(0);
    let said = stderr(&assert);
    assert!(said.contains("simulating an NVIDIA H200 (sim:h200)"), "{said}");
}

#[test]
fn a_kernel_that_does_not_end_in_time_is_a_failed_point_that_says_where() {
    let workspace = Workspace::new();
    changed_profile(&workspace, "launch_us", "step_limit = 1000\nlaunch_us");
    let more = ["--set", "work=4096", "--set", "branches=1", "--set", "operation=compute"];
    sweep(&workspace, "sim:./profile.toml", &more).code(4);
    let reason = &column(&workspace.read("run/points.csv"), "reason")[0];
    for part in [
        "branching_compute_integer, block (0, 0, 0)",
        "line ",
        "no end after 1000 instructions of one warp",
        "all lanes at line",
    ] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    assert!(!workspace.read("run/run.json").contains("opened anew"), "nothing is broken by it");
}

#[test]
fn a_point_beyond_the_profile_s_memory_is_skipped() {
    let workspace = Workspace::new();
    let memory = H200.lines().find(|line| line.starts_with("bytes = ")).unwrap();
    changed_profile(&workspace, memory, "bytes = { value = 1048576, source = \"estimate: tiny\" }");
    sweep(&workspace, "sim:./profile.toml", &["--set", "width=32,512", "--set", "branches=1"]).code(0);
    let points = workspace.read("run/points.csv");
    let statuses = column(&points, "status");
    assert!(statuses.contains(&"ok".to_owned()) && statuses.contains(&"skipped".to_owned()), "{statuses:?}");
    let reasons = column(&points, "reason");
    assert!(reasons.iter().any(|reason| reason.contains("needs 3 MiB of device memory")), "{reasons:?}");
}

#[test]
fn a_grid_that_is_too_large_to_execute_is_executed_in_part_and_says_so() {
    let workspace = Workspace::new();
    let more = ["--set", "width=2048", "--set", "work=64", "--set", "branches=4", "--set", "operation=compute"];
    sweep(&workspace, "sim:h200", &more).code(0);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "blocks")[0], "16384");
    // 64 blocks inside the grid, 16 along each edge, and the corners.
    assert_eq!(column(&points, "blocks_executed")[0], "132");
    // Counters stand for all blocks: a store for each of 2048 * 2048 / 32 warps, in four sectors.
    assert_eq!(column(&points, "global_store_requests")[0], "131072");
    assert_eq!(column(&points, "global_store_transactions")[0], "524288");
    assert_eq!(column(&points, "status")[0], "ok");
}

/// No thread of a stencil does anything else because of what it loads, so its hundred launches need not be executed as a whole. Counters are
/// those of all blocks, and the time grows with the launches alone.
#[test]
fn launches_that_need_each_other_are_executed_in_part_where_no_data_decides_anything() {
    let workspace = Workspace::new();
    let sweep = |width: &str, out: &str| {
        let scenario =
            "family = \"stencil\"\nvariants = [\"exchange\"]\n[grid]\nsteps = [48, 96]\n[simulated]\nsteps = [2, 4]";
        fs::write(workspace.path("steps.toml"), scenario).unwrap();
        let set = format!("width={width}");
        let arguments = ["sweep", "steps.toml", "--device", "sim:h200", "--set", &set, "--out", out];
        let assert = workspace.apbench(&arguments).assert().code(0);
        (workspace.read(&format!("{out}/points.csv")), stdout(&assert))
    };
    let number = |points: &str, name: &str| -> Vec<f64> {
        column(points, name).iter().map(|cell| cell.parse().unwrap()).collect()
    };
    let (large, said) = sweep("4096", "large");
    assert_eq!(column(&large, "outputs_checked"), ["none", "none"]);
    assert!(said.contains("no output checked"), "{said}");
    let (blocks, executed) = (number(&large, "blocks"), number(&large, "blocks_executed"));
    assert!(executed[0] < 0.2 * blocks[0] && (executed[1] - executed[0]).abs() < 0.5, "{executed:?} of {blocks:?}");
    for name in ["global_store_transactions", "global_load_requests", "warp_instructions"] {
        let counted = number(&large, name);
        assert!((counted[1] / counted[0] - 2.0).abs() < 1e-3, "{name}: {counted:?}");
    }
    let (small, said) = sweep("128", "small");
    assert_eq!(column(&small, "outputs_checked"), ["all", "all"]);
    assert_eq!(column(&small, "blocks"), column(&small, "blocks_executed"));
    assert!(!said.contains("no output checked"), "{said}");
    // A store for each element and step, in full sectors: 4096 * 4096 / 8 and 128 * 128 / 8 of them.
    assert!((number(&large, "global_store_transactions")[0] / (48.0 * 2_097_152.0) - 1.0).abs() < 1e-3, "{large}");
    assert!((number(&small, "global_store_transactions")[0] / (48.0 * 2048.0) - 1.0).abs() < 1e-3, "{small}");
}

/// The sizes of GPUs, unless they are out of reach.
#[test]
fn simulated_devices_have_the_sizes_of_gpus_where_these_are_within_reach() {
    let workspace = Workspace::new();
    let width = |head: &str, device: &str, more: &[&str]| {
        let scenario = format!("family = \"transpose\"\n{head}[grid]\nwidth = 512\n[simulated]\nwidth = 64");
        fs::write(workspace.path("sizes.toml"), scenario).unwrap();
        let arguments = [&["sweep", "sizes.toml", "--device", device, "--dry-run"], more].concat();
        let assert = workspace.apbench(&arguments).assert().code(0);
        let printed = stdout(&assert);
        let place = printed.find(" width=").expect("the width is told") + 7;
        let width = printed[place..].split_whitespace().next().unwrap_or_default().to_owned();
        assert_eq!(stderr(&assert).contains("width is 64 instead of 512"), width == "64", "{}", stderr(&assert));
        width
    };
    assert_eq!(width("", "sim:h200", &[]), "512");
    assert_eq!(width("", "sim:h200", &["--sizes", "simulated"]), "64");
    assert_eq!(width("", "sim:gtx280", &[]), "64");
    assert_eq!(width("", "sim:gtx280", &["--sizes", "gpu"]), "512");
    let small = "small_when_simulated = true\n";
    assert_eq!((width(small, "sim:h200", &[]), width(small, "mock", &[])), ("64".to_owned(), "512".to_owned()));
    assert_eq!(width(small, "sim:h200", &["--sizes", "gpu"]), "512");
}

/// All of them with `APBENCH_EXHAUSTIVE=1`, else those of the smallest family; `families` has the ends of each otherwise.
#[test]
fn every_kernel_is_verified_on_simulated_devices() {
    let workspace = Workspace::new();
    let of = |device: &str, family: Option<&str>| {
        let mut arguments = vec!["verify", "-v", "--device", device];
        arguments.extend(family.into_iter().flat_map(|family| ["--family", family]));
        let output = stdout(&workspace.apbench(&arguments).assert().code(0));
        let passed = output.matches("\nok     ").count();
        assert!(passed > 1 && output.contains(&format!("\n{passed} passed, 0 failed")), "{device}: {output}");
    };
    let family = (!is_exhaustive()).then_some("block_sum");
    of("sim:h200", family);
    of("sim:8500gt", family);
    of("sim:gtx280", Some(family.unwrap_or("reduction")));
}

/// What takes a simulated GPU minutes at the sizes of a GPU begins with small ones, and says so.
#[test]
fn ladders_and_patterns_that_take_minutes_have_small_sizes_on_simulated_devices() {
    let workspace = Workspace::new();
    for scenario in ["prefix-sum", "histogram", "launch-overlap", "l2-residency"] {
        let assert = workspace.apbench(&["sweep", scenario, "--device", "sim:h200", "--dry-run"]).assert().code(0);
        let told = stderr(&assert).split_whitespace().collect::<Vec<_>>().join(" ");
        let note = format!("{scenario} has its small sizes, the default of this scenario on simulated devices");
        assert!(told.contains(&note), "{told}");
    }
}

/// Lists with the same first and last value.
#[test]
fn small_sizes_between_the_same_ends_are_told_in_full() {
    let workspace = Workspace::new();
    let assert =
        workspace.apbench(&["sweep", "asynchronous-copies", "--device", "sim:h200", "--dry-run"]).assert().code(0);
    let told = stderr(&assert);
    assert!(
        told.contains("tile_bytes is 1024, 2048, 4096, 16384, 32768 instead of 1024, 2048, 4096, 8192, "),
        "{told}"
    );
}
