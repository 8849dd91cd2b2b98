#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::launch_rate::{FAMILY, PTX};
use apbench::properties::Properties;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

fn run(variant: &str, chain_launches: i64, launched_blocks: i64) -> Simulated {
    let parameters = [("chain_launches", chain_launches.into()), ("launched_blocks", launched_blocks.into())];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn a_thread_loads_one_word_and_stores_one() {
    for kernel in ["launch_rate_step", "launch_rate_dependent_step"] {
        let instructions = entry(PTX, kernel);
        assert_eq!((count(&instructions, "ld.global"), count(&instructions, "st.global")), (1, 1), "{instructions:#?}");
        assert!(loops(&instructions).is_empty(), "{instructions:#?}");
    }
}

/// It lets the next launch begin first of all, and touches memory only after it has waited.
#[test]
fn a_dependent_step_waits_before_it_touches_memory() {
    let instructions = entry(PTX, "launch_rate_dependent_step");
    let place = |start: &str| instructions.iter().position(|line| line.starts_with(start)).expect(start);
    let [trigger, wait, load] = ["griddepcontrol.launch_dependents", "griddepcontrol.wait", "ld.global"].map(place);
    assert!(trigger < wait && wait < load, "{instructions:#?}");
    assert_eq!(count(&instructions, "griddepcontrol."), 2);
    // What older GPUs load has nothing of it.
    let old = PTX.text_of("launch_rate_step", (8, 0)).unwrap();
    assert!(!old.contains("griddepcontrol") && old.contains(".target sm_70"));
}

#[test]
fn dependent_launches_need_compute_capability_9() {
    let variant = FAMILY.variants.iter().find(|own| own.name == "dependent").unwrap();
    let refusal = |name: &str| variant.refusal(&Properties::simulated(&Profile::load(name).unwrap()));
    assert_eq!(refusal("h200"), None);
    assert!(refusal("a100").unwrap().contains("9.0"), "{:?}", refusal("a100"));
}

#[test]
fn launches_are_what_the_simulated_device_counts() {
    for variant in ["stream", "graph", "dependent"] {
        let run = run(variant, 7, 3);
        assert_eq!((run.counter("blocks"), run.predictor("launches")), (21.0, 7.0), "{variant}");
        // Blocks of four warps.
        let requests = ["global_load_requests", "global_store_requests"].map(|name| run.counter(name));
        assert_eq!(requests, [84.0, 84.0], "{variant}");
    }
}

/// What a kernel does is the same in all variants, so what they differ in is launching.
#[test]
fn each_further_launch_takes_what_the_profile_says_of_launching() {
    let profile = Profile::load("h200").unwrap();
    let each_us = |variant| (run(variant, 40, 1).time_us - run(variant, 8, 1).time_us) / 32.0;
    let [stream, graph] = ["stream", "graph"].map(each_us);
    let kernel_us = stream - profile.launch_in_stream_us;
    assert!((0.2..1.0).contains(&kernel_us), "{kernel_us} µs in the kernel");
    assert!((graph - profile.launch_in_graph_us - kernel_us).abs() < 1e-6, "{stream} and {graph} µs");
    let dependent = each_us("dependent");
    let of_profile = profile.launch_dependent_us + kernel_us;
    assert!((dependent - of_profile).abs() < 0.01, "{dependent} and {of_profile} µs");
}
