#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::memory_bandwidth::{FAMILY, PTX};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const MIB: i64 = 1 << 20;

/// A point on a simulated H200.
fn run(variant: &str, set_bytes: i64, read_bytes: i64, [word_bytes, loads, block]: [i64; 3]) -> Simulated {
    let parameters = [
        ("set_bytes", set_bytes.into()),
        ("read_bytes", read_bytes.into()),
        ("word_bytes", word_bytes.into()),
        ("loads_in_flight", loads.into()),
        ("block", block.into()),
    ];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn all_loads_of_a_batch_are_before_its_first_sum() {
    for (variant, load) in [("global", "ld.global"), ("global_past_l1", "ld.global.cg"), ("shared", "ld.shared")] {
        for (bytes, vector) in [(4, ""), (8, ".v2"), (16, ".v4")] {
            for loads in [1, 2, 4, 8] {
                let name = format!("memory_bandwidth_{variant}_{bytes}_bytes_{loads}_loads");
                let instructions = entry(PTX, &name);
                // A block that reads shared memory fills it before.
                let reads = |own: &Vec<&str>| !own.iter().any(|line| line.starts_with("st."));
                let loops: Vec<_> = loops(&instructions).into_iter().filter(reads).collect();
                let [own] = &loops[..] else { panic!("{name}: {loops:#?}") };
                assert_eq!(count(own, &format!("{load}{vector}.u32")), loads, "{name}");
                assert_eq!(count(own, "ld."), loads, "{name}");
                let last = own.iter().rposition(|line| line.starts_with("ld.")).unwrap();
                let result = |line: &&str| {
                    line.split(['{', ',', '}', ' ']).find(|word| word.starts_with("%r")).unwrap().to_owned()
                };
                let first = result(own.iter().find(|line| line.starts_with("ld.")).unwrap());
                let uses = own.iter().position(|line| line.starts_with("add.s32") && line.contains(&first)).unwrap();
                assert!(uses > last, "{name}: {own:#?}");
            }
        }
    }
}

#[test]
fn loads_are_what_the_simulated_device_counts() {
    for (variant, [word_bytes, loads, block]) in [("global", [4, 8, 64]), ("global_past_l1", [16, 2, 256])] {
        let run = run(variant, MIB, 2 * MIB, [word_bytes, loads, block]);
        let batch_bytes = 32 * word_bytes * loads;
        let batches = 2 * MIB / batch_bytes / 132 * 132;
        assert_eq!(run.counter("global_load_requests"), (batches * loads) as f64, "{variant}");
        assert_eq!(run.predictor("bytes_in_flight"), (word_bytes * loads * block) as f64);
    }
}

/// What a multiprocessor reads per cycle.
fn bytes_per_cycle(variant: &str, shape: [i64; 3], [few, many]: [i64; 2]) -> f64 {
    let profile = Profile::load("h200").unwrap();
    // Less what a launch takes, and the first round of the caches.
    let time_us = |times: i64| run(variant, 2 * MIB, times * MIB, shape).time_us;
    // Each block reads whole batches.
    let batch_bytes = 32 * shape[0] * shape[1];
    let read = |times: i64| times * MIB / batch_bytes / i64::from(profile.sm_count) * batch_bytes;
    (read(many) - read(few)) as f64 / (time_us(many) - time_us(few)) / profile.sm_clock_mhz
}

/// Little's law.
#[test]
fn few_bytes_in_flight_are_read_in_a_latency() {
    let profile = Profile::load("h200").unwrap();
    for (variant, latency_cycles) in [
        ("global", profile.global.l1_latency_cycles),
        ("global_past_l1", profile.global.l2_latency_cycles),
        ("shared", profile.shared.latency_cycles),
    ] {
        for shape in [[4, 1, 32], [4, 4, 32], [16, 1, 64]] {
            let in_flight = shape.iter().product::<i64>() as f64;
            let latency = in_flight / bytes_per_cycle(variant, shape, [8, 24]);
            // Sums, addresses and the loop stand between two batches.
            assert!(
                latency > latency_cycles && latency < latency_cycles + 70.0,
                "{variant} {shape:?}: {latency} cycles, a load {latency_cycles}"
            );
        }
    }
}

#[test]
fn many_bytes_in_flight_reach_the_bandwidth() {
    let shape = [16, 4, 1024];
    let [l1, shared] = ["global", "shared"].map(|variant| bytes_per_cycle(variant, shape, [64, 1024]));
    for own in [l1, shared] {
        assert!(own > 0.75 * 128.0 && own < 128.01, "{l1} bytes per cycle from L1, {shared} from shared memory");
    }
    let l2 = bytes_per_cycle("global_past_l1", shape, [64, 256]);
    assert!(l2 < 0.7 * l1, "{l2} bytes per cycle from L2, {l1} from L1");
}
