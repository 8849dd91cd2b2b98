//! What is said where an argument names something else, or nothing.

use crate::common::{Workspace, stderr, unwrapped};

/// A wrong device hides nothing that is wrong with the scenario.
#[test]
fn a_wrong_device_and_a_wrong_scenario_are_told_at_once() {
    let workspace = Workspace::new();
    for device in ["sim:nosuch", "cuda:99"] {
        let wrong = ["small.toml", "--set", "branchs=3", "--device", device];
        for command in [&["sweep"][..], &["verify"], &["diagnose"], &["occupancy"], &["export", "--out", "launches"]] {
            let told = stderr(&workspace.apbench(&[command, &wrong].concat()).assert().code(3));
            assert!(told.contains("no device") || told.contains("no CUDA device"), "{command:?}: {told}");
            assert!(told.contains("did you mean `branches`?"), "{command:?}: {told}");
        }
    }
}

#[test]
fn a_family_in_place_of_a_scenario_is_told_with_its_scenarios() {
    let workspace = Workspace::new();
    for command in [&["sweep"][..], &["estimate"], &["diagnose"], &["export", "--out", "launches"]] {
        let told = unwrapped(&stderr(&workspace.apbench(&[command, &["block-sum"]].concat()).assert().code(2)));
        let expected = "error: `block-sum` is a family, not a scenario; scenarios of it: sum-reordering; apbench list block_sum \
                        has its parameters";
        assert!(told.ends_with(expected), "{command:?}: {told}");
    }
    let told = unwrapped(&stderr(&workspace.apbench(&["verify", "block-sum", "--device", "mock"]).assert().code(2)));
    assert_eq!(told, "error: `block-sum` is a family, not a scenario: apbench verify --family block_sum");
}

#[test]
fn a_run_in_place_of_a_scenario_is_told_with_its_option() {
    let workspace = Workspace::new();
    workspace.apbench(&["sweep", "small.toml", "--device", "mock"]).assert().code(0);
    let told = unwrapped(&stderr(&workspace.apbench(&["estimate", "last"]).assert().code(2)));
    assert!(told.contains("`last` is a run, not a scenario: apbench estimate small --run last"), "{told}");
}
