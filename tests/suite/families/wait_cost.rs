#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::wait_cost::{FAMILY, PTX};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

#[test]
fn loops_have_sixteen_waits_and_as_many_stores() {
    for (variant, wait) in [
        ("block_barrier", "bar.sync"),
        ("block_fence", "membar.cta"),
        ("device_fence", "membar.gl"),
        ("system_fence", "membar.sys"),
    ] {
        for (suffix, stores) in [("", 0), ("_behind_store", 16)] {
            let instructions = entry(PTX, &format!("wait_cost_{variant}{suffix}"));
            let loops = loops(&instructions);
            let own = loops.iter().find(|own| count(own, wait) == 16);
            let own = own.unwrap_or_else(|| panic!("{variant}{suffix}: {loops:#?}"));
            assert_eq!(count(own, "st.volatile.global.u32"), stores, "{variant}{suffix}");
        }
    }
    let instructions = entry(PTX, "wait_cost_none_behind_store");
    assert!(loops(&instructions).iter().any(|own| count(own, "st.volatile.global.u32") == 16));
}

/// What each further wait takes, in cycles, on a simulated H200 with one block.
fn cycles_of_wait(variant: &str, store: &str, block: i64) -> f64 {
    let time_us = |waits: i64| {
        let parameters = [("waits", waits.into()), ("store", store.into()), ("block", block.into())];
        Simulated::run("h200", &FAMILY, variant, &parameters).time_us
    };
    (time_us(768) - time_us(256)) / 512.0 * Profile::load("h200").unwrap().sm_clock_mhz
}

#[test]
fn barriers_take_the_longer_the_more_warps_come_to_them() {
    let profile = Profile::load("h200").unwrap();
    let [one, many] = [32, 1024].map(|block| cycles_of_wait("block_barrier", "none", block));
    let of_thread = 1.0 / profile.barriers.threads_per_cycle + profile.barriers.cycles_per_warp / 32.0;
    let each_thread = (many - one) / (1024.0 - 32.0);
    assert!((each_thread / of_thread - 1.0).abs() < 0.1, "{one} and {many} cycles, not {of_thread} for each thread");
    // 15.0 on an H200 (results/nvidia-h200/wait-cost).
    assert!((one - 15.0).abs() < 1.0, "{one} cycles");
}

#[test]
fn a_fence_of_the_device_takes_what_the_profile_says_and_more_behind_a_store() {
    let fence_cycles = Profile::load("h200").unwrap().fences.device_cycles;
    let alone = cycles_of_wait("device_fence", "none", 32);
    assert!((alone / fence_cycles - 1.0).abs() < 0.05, "{alone} cycles");
    let behind = cycles_of_wait("device_fence", "before", 32);
    assert!(behind > 1.5 * alone, "{behind} and {alone} cycles");
    let of_block = cycles_of_wait("block_fence", "none", 32);
    assert!(of_block < 0.2 * alone, "{of_block} and {alone} cycles");
}

#[test]
fn barriers_are_what_the_simulated_device_counts() {
    let parameters = [("waits", 47.into()), ("block", 96.into()), ("launched_blocks", 2.into())];
    for (variant, barriers) in [("block_barrier", 47.0 * 2.0), ("none", 0.0), ("device_fence", 0.0)] {
        let run = Simulated::run("h200", &FAMILY, variant, &parameters);
        assert_eq!(run.counter("block_barriers"), barriers, "{variant}");
        assert_eq!(run.predictor("warps_per_block"), 3.0);
    }
}
