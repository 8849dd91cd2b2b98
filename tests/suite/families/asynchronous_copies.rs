use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::Request;
use apbench::family::asynchronous_copies::{FAMILY, PTX};
use apbench::parameter::{ParameterSet, Value};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const MIB: i64 = 1 << 20;
const SM_COUNT: i64 = 132;
const VARIANTS: [&str; 4] = ["loads", "async_copies", "bulk_copies", "bulk_specialised"];

/// A point of a simulated H200 that reads device memory.
fn run(variant: &str, tile_bytes: i64, stages: i64, read_bytes: i64) -> Simulated {
    let parameters = [
        ("tile_bytes", tile_bytes.into()),
        ("stages", stages.into()),
        ("set_bytes", (64 * MIB).into()),
        ("read_bytes", read_bytes.into()),
    ];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn each_way_has_its_own_instructions() {
    let instructions = |name: &str| entry(PTX, &format!("asynchronous_copies_{name}"));
    for (name, copy, copies) in [
        ("loads", "ld.global.cg.v4.u32", 8),
        ("async_copies_3_stages", "cp.async.cg.shared.global", 2),
        ("bulk_copies", "cp.async.bulk.shared::cluster.global", 2),
        ("bulk_specialised", "cp.async.bulk.shared::cluster.global", 1),
    ] {
        let own = instructions(name);
        assert!(count(&own, copy) >= copies, "{name}");
        let others = ["ld.global", "cp.async.cg", "cp.async.bulk"].into_iter().filter(|other| !copy.starts_with(other));
        assert!(others.into_iter().all(|other| count(&own, other) == 0), "{name}");
    }
    // The warp that copies and those that sum wait for barriers in shared memory; no loop of theirs has one of the block.
    let specialised = instructions("bulk_specialised");
    let of_tiles = |body: &Vec<&str>| count(body, "ld.shared.v4") > 0 || count(body, "cp.async.bulk") > 0;
    let with_tiles: Vec<_> = loops(&specialised).into_iter().filter(of_tiles).collect();
    assert!(!with_tiles.is_empty() && with_tiles.iter().all(|body| count(body, "bar.sync") == 0), "{with_tiles:#?}");
}

#[test]
fn gpus_without_the_instructions_refuse_them_with_the_reason() {
    let refusal = |profile: &str, name: &str| {
        let device = Sim::open(Profile::load(profile).unwrap());
        let variant = FAMILY.variants.iter().find(|own| own.name == name).unwrap();
        variant.refusal(device.properties())
    };
    assert_eq!(refusal("gtx280", "loads").unwrap(), "loads needs compute capability 2.0 and not 1.3");
    assert_eq!(refusal("gtx280", "async_copies").unwrap(), "async_copies needs compute capability 8.0 and not 1.3");
    assert_eq!(refusal("a100", "async_copies"), None);
    assert_eq!(refusal("a100", "bulk_copies").unwrap(), "bulk_copies needs compute capability 9.0 and not 8.0");
    assert!(VARIANTS.iter().all(|name| refusal("h200", name).is_none()));
}

/// Cycles that a further tile of each block takes.
fn cycles_of_tile(variant: &str, tile_bytes: i64, stages: i64) -> f64 {
    // More tiles than the ring has places, so that it is full.
    let least = (8 * MIB).max(2 * SM_COUNT * tile_bytes * stages);
    let [few, many] = [least, 2 * least].map(|read_bytes| run(variant, tile_bytes, stages, read_bytes));
    let tiles = many.predictor("tiles") - few.predictor("tiles");
    (many.time_us - few.time_us) / tiles * Profile::load("h200").unwrap().sm_clock_mhz
}

/// A block with one stage waits for each tile.
#[test]
fn with_one_stage_every_tile_takes_the_latency_of_memory() {
    let latency_cycles = Profile::load("h200").unwrap().global.latency_cycles;
    for variant in VARIANTS {
        let cycles = cycles_of_tile(variant, 1024, 1);
        assert!(cycles > latency_cycles && cycles < latency_cycles + 500.0, "{variant}: {cycles} cycles");
    }
}

#[test]
fn tiles_under_way_share_the_latency_until_the_bandwidth_is_the_limit() {
    for variant in &VARIANTS[1..] {
        let [one, two, four] = [1, 2, 4].map(|stages| cycles_of_tile(variant, 2048, stages));
        // One lane asks for each copy in bulk: that branch is not shared.
        let parted = Profile::load("h200").unwrap().warps.divergence_cycles;
        for (stages, cycles) in [(2.0, two), (4.0, four)] {
            assert!(
                cycles < 1.25 * one / stages + parted,
                "{variant}: {one} cycles with a stage, {cycles} with {stages}"
            );
        }
        let bandwidth = 16_384.0 / cycles_of_tile(variant, 16_384, 6);
        let profile = Profile::load("h200").unwrap();
        let share = profile.global.gb_per_s * 1e3 / profile.sm_clock_mhz / f64::from(profile.sm_count);
        assert!(
            bandwidth > 0.75 * share && bandwidth < 1.01 * share,
            "{variant}: {bandwidth} of {share} bytes a cycle"
        );
    }
}

#[test]
fn a_ring_that_does_not_fit_is_refused_with_the_bytes() {
    let device = Sim::open(Profile::load("h200").unwrap());
    let mut point = ParameterSet::defaults(FAMILY.parameters, device.properties());
    for (name, value) in [("tile_bytes", 32_768_i64), ("stages", 8), ("set_bytes", 8 * MIB)] {
        point.set(name, Value::from(value)).unwrap();
    }
    let request = Request { variant: "bulk_copies", parameters: &point, device: device.properties(), seed: 1 };
    let refusal = FAMILY.workload(&request).unwrap().refusal(device.properties()).unwrap();
    assert!(refusal.contains("262144 bytes of shared memory") && refusal.contains("232448"), "{refusal}");
}
