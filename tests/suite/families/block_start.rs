#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::block_start::{FAMILY, PTX};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

#[test]
fn a_block_stores_one_word_and_does_nothing_else() {
    let instructions = entry(PTX, "block_start_blocks");
    assert_eq!((count(&instructions, "st."), count(&instructions, "bar.")), (1, 0));
    assert!(loops(&instructions).is_empty(), "{instructions:#?}");
    let instructions = entry(PTX, "block_start_persistent");
    let loops = loops(&instructions);
    assert!(loops.len() == 1 && count(&loops[0], "st.global.u32") == 1, "{loops:#?}");
}

fn run(variant: &str, work_blocks: i64, block: i64, shared_bytes: i64) -> Simulated {
    let parameters =
        [("work_blocks", work_blocks.into()), ("block", block.into()), ("shared_bytes", shared_bytes.into())];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn blocks_and_stores_are_what_the_simulated_device_counts() {
    for shared_bytes in [0, 32_768] {
        for variant in ["blocks", "persistent"] {
            let run = run(variant, 20_000, 64, shared_bytes);
            assert_eq!(run.counter("blocks"), run.predictor("grid_blocks"), "{variant}");
            assert_eq!(run.counter("global_store_requests"), 20_000.0, "{variant}");
            assert_eq!(run.counter("block_barriers"), 0.0);
            let resident_blocks = run.counter("blocks_per_sm");
            assert_eq!(run.predictor("resident_warps"), 2.0 * resident_blocks, "{variant}");
            let grid_blocks = if variant == "blocks" { 20_000.0 } else { 132.0 * resident_blocks };
            assert_eq!(run.predictor("grid_blocks"), grid_blocks);
        }
    }
    // 32768 bytes and what is reserved leave room for 6 blocks in 233472.
    assert_eq!(run("blocks", 100, 64, 32_768).counter("blocks_per_sm"), 6.0);
}

/// Where warps are few, blocks end as fast as the profile says; what a persistent block does for each word is far less.
#[test]
fn each_further_block_takes_what_the_profile_says_of_its_end() {
    let profile = Profile::load("h200").unwrap();
    let expected_ns = profile.blocks.end_cycles / f64::from(profile.sm_count) / profile.sm_clock_mhz * 1e3;
    let each_ns = |variant| {
        let time_us = |work_blocks| run(variant, work_blocks, 32, 0).time_us;
        (time_us(32_768) - time_us(16_384)) / 16.384
    };
    let each = each_ns("blocks");
    assert!((each / expected_ns - 1.0).abs() < 0.02, "{each} ns, not {expected_ns}");
    let persistent = each_ns("persistent");
    assert!(persistent < 0.1 * each, "{persistent} and {each} ns");
}
