use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::reduction::{FAMILY, PTX};
use apbench::parameter::Value;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const TREES: [&str; 4] = ["shared_divergent", "shared_strided", "shared_sequential", "dual_load"];

/// All variants of the device.
fn rungs() -> impl Iterator<Item = &'static str> {
    FAMILY.variants.iter().filter(|variant| !variant.is_host).map(|variant| variant.name)
}

fn kernel(name: &str) -> Vec<&'static str> {
    entry(PTX, &format!("reduction_{name}"))
}

#[test]
fn the_first_rung_has_an_atomic_for_every_element_and_the_second_one_in_shared_memory() {
    let global = kernel("atomic_global");
    assert_eq!((count(&global, "red.global.add.f32"), count(&global, "ld.global.f32")), (1, 1), "{global:#?}");
    assert_eq!(count(&global, "bar.sync") + count(&global, "shfl"), 0, "{global:#?}");
    let shared = kernel("atomic_shared");
    assert_eq!((count(&shared, "red.shared.add.f32"), count(&shared, "red.global.add.f32")), (1, 1), "{shared:#?}");
    assert_eq!(count(&shared, "shfl") + count(&shared, "vote"), 0, "{shared:#?}");
}

/// The addition of a step is behind a branch, and the barrier is not.
#[test]
fn trees_have_a_loop_with_an_addition_behind_a_branch_and_a_barrier() {
    for name in TREES {
        let kernel = kernel(name);
        let loops = loops(&kernel);
        let [step] = loops.as_slice() else { panic!("{name} has {} loops", loops.len()) };
        for (what, times) in [("ld.shared.f32", 2), ("st.shared.f32", 1), ("add.f32", 1), ("bar.sync", 1)] {
            assert_eq!(count(step, what), times, "{name}, {what}: {step:#?}");
        }
        let place = |what: &str| step.iter().position(|line| line.contains(what)).expect(what);
        assert!(step[place("bra")].starts_with('@') && place("bra") < place("ld.shared"), "{step:#?}");
        assert_eq!(count(step, "rem.u32"), usize::from(name == "shared_divergent"), "{step:#?}");
        assert_eq!(count(&kernel, "ld.global.f32"), if name == "dual_load" { 2 } else { 1 }, "{name}");
    }
}

/// Twice in each of six steps: after reading, and after writing.
#[test]
fn lanes_of_the_last_warp_wait_for_each_other() {
    for name in ["unrolled_last_warp", "unrolled_all_64", "unrolled_all_512", "unrolled_all_1024"] {
        let kernel = kernel(name);
        let steps: Vec<&str> = kernel
            .iter()
            .skip_while(|line| !line.starts_with("bar.warp.sync"))
            .filter(|line| line.starts_with("bar.warp") || line.contains(".shared.f32"))
            .map(|line| line.split_whitespace().next().unwrap())
            .collect();
        // The last load is that of the block's sum.
        let expected = ["bar.warp.sync", "st.shared.f32", "bar.warp.sync", "ld.shared.f32"].repeat(6);
        assert_eq!(steps, expected, "{name}");
        assert_eq!(loops(&kernel).len(), usize::from(name == "unrolled_last_warp"), "{name}");
    }
}

#[test]
fn known_blocks_have_no_loop_and_as_many_barriers_as_halvings() {
    for (block, barriers) in [(64, 1), (128, 2), (256, 3), (512, 4), (1024, 5)] {
        for (rung, shuffles, loops_left) in [("unrolled_all", 0, 0), ("warp_shuffle", 5, 0), ("grid_stride", 5, 1)] {
            let kernel = kernel(&format!("{rung}_{block}"));
            assert_eq!(count(&kernel, "bar.sync"), barriers, "{rung}, {block}");
            assert_eq!(count(&kernel, "shfl.sync.down.b32"), shuffles, "{rung}, {block}");
            assert_eq!(loops(&kernel).len(), loops_left, "{rung}, {block}");
        }
    }
}

#[test]
fn vectors_are_all_asked_for_before_the_first_is_added() {
    for loads in [1, 2, 4, 8, 16] {
        for rung in ["vectorised", "one_launch"] {
            let kernel = kernel(&format!("{rung}_{loads}"));
            let body = loops(&kernel).into_iter().find(|body| body.iter().any(|line| line.contains(".v4.f32")));
            let body = body.unwrap_or_else(|| panic!("{rung} has no loop over vectors"));
            let is_load = |line: &&str| line.starts_with("ld.global") && line.contains(".v4.f32");
            assert_eq!(body.iter().copied().filter(|line| is_load(line)).count(), loads, "{body:#?}");
            let last_load = body.iter().rposition(is_load).unwrap();
            let first_add = body.iter().position(|line| line.starts_with("add.f32")).unwrap();
            assert!(last_load < first_add, "{body:#?}");
            assert_eq!(count(&body, "add.f32"), 4 * loads, "{body:#?}");
        }
    }
}

#[test]
fn the_last_block_is_found_by_a_ticket_behind_a_fence() {
    let kernel = kernel("one_launch_4");
    let place = |what: &str| kernel.iter().position(|line| line.contains(what)).unwrap_or_else(|| panic!("no {what}"));
    assert!(place("st.global.f32") < place("membar.gl") && place("membar.gl") < place("atom.global.inc.u32"));
    assert_eq!(count(&kernel, "red.global"), 0, "sums of blocks are not added in any order");
}

/// Where floats have no atomics, no kernel may have one, whether it is executed or not.
#[test]
fn stored_sums_need_no_atomics() {
    for name in [&TREES[..], &["unrolled_last_warp"]].concat() {
        assert_eq!(count(&kernel(&format!("{name}_stored")), "red."), 0, "{name}");
        assert_eq!(count(&kernel(name), "red.global.add.f32"), 1, "{name}");
    }
}

fn point(block: i64, elements: i64, finish: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("block", block.into()),
        ("elements", elements.into()),
        ("finish", finish.into()),
        ("staying_blocks", 3.into()),
        ("threads", 128.into()),
    ]
}

#[track_caller]
fn assert_counted(run: &Simulated, counter: &str, expected: f64) {
    assert!((run.counter(counter) - expected).abs() < 0.5, "{counter}: {}, not {expected}", run.counter(counter));
}

#[test]
fn atomics_barriers_and_passes_are_those_foretold() {
    for variant in rungs() {
        for (block, elements, finish) in
            [(64, 4096, "by_device"), (512, 40_000, "by_device"), (256, 3001, "launches"), (1024, 1, "by_device")]
        {
            let run = Simulated::run("h200", &FAMILY, variant, &point(block, elements, finish));
            assert_counted(&run, "global_atomic_requests", run.predictor("global_atomics"));
            assert_counted(&run, "shared_atomic_requests", run.predictor("shared_atomics"));
            assert_counted(&run, "block_barriers", run.predictor("barriers"));
            assert_counted(&run, "shared_load_passes", run.predictor("tree_load_passes") + told(variant, &run));
        }
    }
}

/// Reads of whether a block is the last one: one of every warp.
fn told(variant: &str, run: &Simulated) -> f64 {
    if variant == "one_launch" { 4.0 * run.predictor("global_atomics") } else { 0.0 }
}

/// Half-warps ask for themselves there, and 16 banks have other conflicts. Floats have no atomics.
#[test]
fn trees_follow_the_banks_of_the_device() {
    for variant in TREES {
        let run = Simulated::run("gtx280", &FAMILY, variant, &point(256, 5000, "by_device"));
        assert_counted(&run, "global_atomic_requests", 0.0);
        assert_counted(&run, "shared_load_passes", run.predictor("tree_load_passes"));
        assert_counted(&run, "block_barriers", run.predictor("barriers"));
    }
}

#[test]
fn each_tree_removes_what_it_says() {
    let run = |variant| Simulated::run("h200", &FAMILY, variant, &point(512, 65_536, "by_device"));
    let [divergent, strided, sequential, dual, unrolled, shuffles] =
        ["shared_divergent", "shared_strided", "shared_sequential", "dual_load", "unrolled_last_warp", "warp_shuffle"]
            .map(run);
    assert!(strided.predictor("divergent_warp_steps") * 10.0 < divergent.predictor("divergent_warp_steps"));
    assert!(strided.counter("bank_conflicts") > 0.0 && divergent.counter("bank_conflicts") == 0.0);
    assert_eq!(sequential.counter("bank_conflicts"), 0.0);
    assert_eq!(2.0 * dual.counter("block_barriers"), sequential.counter("block_barriers"));
    assert!(2.0 * unrolled.counter("block_barriers") < dual.counter("block_barriers"));
    assert!(shuffles.counter("shared_load_passes") < unrolled.counter("shared_load_passes"));
}

#[test]
fn rungs_need_the_compute_capability_of_their_atomics_and_shuffles() {
    let device = Sim::open(Profile::load("gtx280").unwrap());
    let runs: Vec<&str> = rungs()
        .filter(|name| {
            let variant = FAMILY.variants.iter().find(|variant| variant.name == *name).unwrap();
            variant.refusal(device.properties()).is_none()
        })
        .collect();
    assert_eq!(runs, [&TREES[..], &["unrolled_last_warp", "unrolled_all"]].concat());
}
