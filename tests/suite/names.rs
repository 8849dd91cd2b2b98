//! Names as people type them.

use std::fs;

use crate::common::{Workspace, stderr, stdout};

#[test]
fn names_have_hyphens_or_underscores() {
    let workspace = Workspace::new();
    let same = |one: &[&str], other: &[&str]| {
        let [one, other] = [one, other].map(|arguments| stdout(&workspace.apbench(arguments).assert().code(0)));
        assert_eq!(one, other);
        assert!(!one.is_empty());
    };
    let dry = |scenario, variant, set| {
        ["sweep", scenario, "--device", "sim:h200", "--dry-run", "--variant", variant, "--set", set]
    };
    same(
        &dry("transpose_rows", "shared-padded", "rows-per-thread=1"),
        &dry("transpose-rows", "shared_padded", "rows_per_thread=1"),
    );
    same(&["list", "shared-access"], &["list", "shared_access"]);
    same(&["list", "cluster-barrier"], &["list", "cluster_sync"]);
    same(&["list", "--scenario", "sum_reordering"], &["list", "--scenario", "sum-reordering"]);
    same(&["occupancy", "block-sum", "--device", "sim:h200"], &["occupancy", "block_sum", "--device", "sim:h200"]);
    let compare = |variants| ["compare", "results/nvidia-h200/transpose", "--variants", variants];
    same(&compare("shared-padded,shared"), &compare("shared_padded,shared"));
    let ignore = |name| [&compare("shared_padded,shared")[..], &["--ignore", name]].concat();
    same(&ignore("rows-per-thread"), &ignore("rows_per_thread"));
    let ignore = |name| ["compare", "results/nvidia-h200/transpose", "results/nvidia-h200/transpose", "--ignore", name];
    same(&ignore("rows-per-thread"), &ignore("rows_per_thread"));
    let predict = |variant, set| ["predict", "results/nvidia-h200/block-sync", "--variant", variant, "--set", set];
    same(&predict("warp-synchronous", "interval=3"), &predict("warp_synchronous", "interval=3"));
    let fit = |reference| ["fit", "results/nvidia-h200/transpose", "--law", "slowdown", "--reference", reference];
    same(&fit("shared-padded"), &fit("shared_padded"));
}

#[test]
fn the_newest_run_of_a_scenario_may_be_named_with_underscores() {
    let workspace = Workspace::new();
    let sweep = ["sweep", "block-sync", "--device", "sim:h200", "--sizes", "simulated", "--set", "interval=1,2"];
    workspace.apbench(&sweep).assert().code(0);
    workspace.apbench(&["fit", "last:block_sync"]).assert().code(0);
}

#[test]
fn a_run_does_not_hide_the_scenario_of_its_folder_s_name() {
    let workspace = Workspace::new();
    let sweep = ["sweep", "transpose", "--device", "sim:h200", "--sizes", "simulated", "--set", "width=192"];
    let out = ["--out", "transpose"];
    workspace.apbench(&[&sweep[..], &out].concat()).assert().code(0);
    workspace.apbench(&[&sweep[..], &out, &["--resume"]].concat()).assert().code(0);
    // One that has another name is no scenario.
    fs::rename(workspace.path("transpose"), workspace.path("other")).unwrap();
    let told = stderr(&workspace.apbench(&["sweep", "other", "--device", "sim:h200"]).assert().code(2));
    assert!(told.contains("other is a run, not a scenario"), "{told}");
}

/// A scenario means its family, and what is neither is refused.
#[test]
fn scenarios_name_their_family() {
    let workspace = Workspace::new();
    let verify = |name| workspace.apbench(&["verify", "--family", name, "--device", "sim:gtx280"]).assert();
    let told = stdout(&verify("cluster-barrier").code(4));
    assert!(told.contains("cluster_sync/cluster_barrier"), "{told}");
    assert_eq!(told, stdout(&verify("cluster_sync").code(4)));
    assert!(stderr(&verify("cluster-barriers").code(2)).contains("there is no family"));
    workspace.apbench(&["list", "cluster-barriers"]).assert().code(2);
}

#[test]
fn a_run_of_the_program_is_named_whose_folder_is_left_out() {
    let workspace = Workspace::new();
    let told = stderr(&workspace.apbench(&["ladder", "prefix_sum"]).assert().code(2));
    assert!(told.contains("did you mean `results/nvidia-h200/prefix-sum`?"), "{told}");
}

#[test]
fn misspelt_paths_of_runs_have_suggestions() {
    let workspace = Workspace::new();
    let told = stderr(&workspace.apbench(&["fit", "results/nvidia-h200/data_layot"]).assert().code(2));
    assert!(told.contains("did you mean `results/nvidia-h200/data-layout`?"), "{told}");
    workspace.apbench(&["fit", "results/nvidia-h200/data-layout"]).assert().code(0);
    // Without a folder: runs that come with the program, and those that are here.
    let of_program = stderr(&workspace.apbench(&["fit", "data_layot"]).assert().code(2));
    assert!(of_program.contains("did you mean `results/nvidia-h200/data-layout`?"), "{of_program}");
    fs::create_dir(workspace.path("r-transpose")).unwrap();
    let is_no_run = stderr(&workspace.apbench(&["fit", "r-transpos"]).assert().code(2));
    assert!(!is_no_run.contains("r-transpose"), "{is_no_run}");
    fs::write(workspace.path("r-transpose/run.json"), "").unwrap();
    let here = stderr(&workspace.apbench(&["fit", "r-transpos"]).assert().code(2));
    assert!(here.contains("no run `r-transpos`: nothing here has this path; did you mean `r-transpose`?"), "{here}");
}
