#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::memory_latency::{FAMILY, PTX};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A point on a simulated H200.
fn run(variant: &str, set_bytes: u64, stride_bytes: i64, loads: i64) -> Simulated {
    let parameters =
        [("set_bytes", (set_bytes as i64).into()), ("stride_bytes", stride_bytes.into()), ("loads", loads.into())];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

/// What each further load of the chain takes, in cycles.
fn cycles_of_load(variant: &str, set_bytes: u64) -> f64 {
    let clock_mhz = Profile::load("h200").unwrap().sm_clock_mhz;
    let time_us = |loads| run(variant, set_bytes, 128, loads).time_us;
    (time_us(3072) - time_us(1024)) / 2048.0 * clock_mhz
}

#[test]
fn the_loop_is_a_chain_of_loads() {
    for (variant, opcode) in
        [("global", "ld.global.u32"), ("global_past_l1", "ld.global.cg.u32"), ("shared", "ld.shared.u32")]
    {
        let instructions = entry(PTX, &format!("memory_latency_{variant}"));
        let loops = loops(&instructions);
        // What is read before, sixteen loads at a time, and the rest.
        assert_eq!(loops.len(), 3, "{variant}: {loops:#?}");
        assert_eq!([1, 2].map(|chain: usize| count(&loops[chain], opcode)), [16, 1], "{variant}");
        let others = ["ld.", "cvta", "cvt.u64.u32", "add.s64", "//", "$"];
        let bookkeeping = |line: &&&str| !others.iter().any(|start| line.starts_with(start));
        assert!(loops[1].iter().filter(bookkeeping).count() <= 4, "{variant}: {:#?}", loops[1]);
        // Each load goes where the one before it says.
        let loads: Vec<&&str> = loops[1].iter().filter(|line| line.starts_with("ld.")).collect();
        let result = |line: &str| line.split_whitespace().nth(1).unwrap().trim_end_matches(',').to_owned();
        for pair in loads.windows(2) {
            let (first, second) = (result(pair[0]), pair[1].split('[').nth(1).unwrap().trim_end_matches("];"));
            let between = loops[1].iter().skip_while(|line| line != &pair[0]).take_while(|line| line != &pair[1]);
            let addresses = between.filter(|line| line.contains(&format!("{first};"))).count();
            assert!(second == first || addresses == 1, "{variant}: {pair:?}");
        }
    }
}

#[test]
fn loads_are_what_the_simulated_device_counts() {
    // 32 places, which one warp reads before.
    for variant in ["global", "global_past_l1"] {
        let run = run(variant, 4096, 128, 100);
        assert_eq!((run.counter("global_load_requests"), run.predictor("places")), (101.0, 32.0), "{variant}");
        // Where the chain ends, and its cycles.
        assert_eq!(run.counter("global_store_requests"), 2.0);
    }
    let shared = run("shared", 4096, 128, 100);
    assert_eq!(["shared_load_requests", "shared_store_requests"].map(|name| shared.counter(name)), [100.0, 1.0]);
    assert_eq!(shared.counter("global_load_requests"), 1.0);
}

#[test]
fn a_load_takes_the_latency_of_what_holds_the_set() {
    let profile = Profile::load("h200").unwrap();
    let (l1, l2) = (profile.global.l1_latency_cycles, profile.global.l2_latency_cycles);
    // A 64-bit addition stands between two loads from global memory, and nothing between two from shared memory.
    for (variant, set_bytes, latency_cycles, address_cycles) in [
        ("shared", 16 * KIB, profile.shared.latency_cycles, 0.0),
        ("global", 16 * KIB, l1, 8.0),
        ("global", 128 * KIB, l1, 8.0),
        ("global_past_l1", 16 * KIB, l2, 8.0),
        ("global", 4 * MIB, l2, 8.0),
        ("global_past_l1", 16 * MIB, l2, 8.0),
    ] {
        let cycles = cycles_of_load(variant, set_bytes);
        let expected = latency_cycles + address_cycles;
        let slack = 0.05 * expected + 1.0;
        assert!((cycles - expected).abs() < slack, "{variant} of {set_bytes} bytes: {cycles} cycles, not {expected}");
    }
}

/// Of a set larger than L2, each load finds its place there with the share of the set that L2 holds.
#[test]
fn beyond_l2_loads_come_from_memory_as_often_as_l2_has_not_their_place() {
    let profile = Profile::load("h200").unwrap();
    let set_bytes = 128 * MIB;
    let held = profile.global.l2_bytes as f64 / set_bytes as f64;
    let expected = held * profile.global.l2_latency_cycles + (1.0 - held) * profile.global.latency_cycles + 8.0;
    let cycles = cycles_of_load("global_past_l1", set_bytes);
    assert!((cycles / expected - 1.0).abs() < 0.1, "{cycles} cycles, not {expected}");
}
