use apbench::family::{Family, cluster_exchange, cluster_sum, cluster_sync};
use apbench::properties::Properties;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

#[test]
fn loops_of_barriers_hold_a_barrier_and_little_else() {
    let of_cluster = loops(&entry(cluster_sync::PTX, "cluster_sync_cluster"));
    let [turn] = of_cluster.as_slice() else { panic!("one loop: {of_cluster:#?}") };
    assert_eq!(count(turn, "barrier.cluster.arrive"), 1, "{turn:#?}");
    assert_eq!(count(turn, "barrier.cluster.wait"), 1, "{turn:#?}");
    assert_eq!((count(turn, "ld."), count(turn, "st.")), (0, 0), "{turn:#?}");
    let of_grid = loops(&entry(cluster_sync::PTX, "cluster_sync_grid"));
    let turn = of_grid.iter().max_by_key(|turn| turn.len()).expect("there is a loop");
    // The last one adds to the generation.
    assert_eq!((count(turn, "bar.sync"), count(turn, "atom.global.inc")), (2, 1), "{turn:#?}");
}

#[test]
fn chains_and_wide_loads_stay_in_their_loops() {
    for (memory, load) in
        [("l2", "ld.global.cg"), ("distributed", "ld.volatile.shared::cluster"), ("own_shared", "ld.volatile.shared")]
    {
        for (kind, loads) in [("chain", 16), ("wide", 8)] {
            let loops = loops(&entry(cluster_exchange::PTX, &format!("cluster_exchange_{memory}_{kind}")));
            let most = loops.iter().map(|turn| count(turn, load)).max();
            assert_eq!(most, Some(loads), "{memory} {kind}: {loops:#?}");
        }
    }
}

#[test]
fn clusters_need_compute_capability_9() {
    let refusal = |family: &Family, variant: &str, profile: &str| {
        let variant = family.variants.iter().find(|own| own.name == variant).unwrap();
        variant.refusal(&Properties::simulated(&Profile::load(profile).unwrap()))
    };
    for (family, variant) in [
        (&cluster_sync::FAMILY, "cluster_barrier"),
        (&cluster_exchange::FAMILY, "distributed"),
        (&cluster_sum::FAMILY, "cluster_atomics"),
    ] {
        assert_eq!(refusal(family, variant, "h200"), None);
        assert!(refusal(family, variant, "a100").unwrap().contains("9.0"), "{variant}");
    }
}

#[test]
fn a_further_barrier_and_a_further_load_take_what_the_profile_says() {
    let profile = Profile::load("h200").unwrap();
    let barrier_us = |cluster_blocks: i64| {
        let time_us = |barriers: i64| {
            let parameters =
                [("cluster_blocks", cluster_blocks.into()), ("waits", barriers.into()), ("block", 128.into())];
            Simulated::run("h200", &cluster_sync::FAMILY, "cluster_barrier", &parameters).time_us
        };
        // The first ones are over before what was loaded is there.
        (time_us(65) - time_us(33)) / 32.0
    };
    let more_cycles = (barrier_us(8) - barrier_us(1)) * profile.sm_clock_mhz;
    // Of eight blocks of four warps, which take the unit of barriers where they are a cluster of one block.
    let own = profile.clusters;
    let of_unit = 4.0 * profile.barriers.cycles_per_warp;
    let of_profile =
        own.barrier_cycles + 8.0 * own.barrier_cycles_per_block + 4.0 * own.barrier_cycles_per_warp - of_unit;
    assert!((more_cycles - of_profile).abs() < 2.0, "{more_cycles} and {of_profile} cycles");
    let load_us = |variant: &str| {
        let time_us = |loads: i64| {
            let parameters = [("loads", loads.into()), ("block", 32.into())];
            Simulated::run("h200", &cluster_exchange::FAMILY, variant, &parameters).time_us
        };
        (time_us(272) - time_us(16)) / 256.0
    };
    let more_cycles = (load_us("distributed") - load_us("own_shared")) * profile.sm_clock_mhz;
    let of_profile = profile.clusters.remote_latency_cycles - profile.shared.latency_cycles;
    assert!((more_cycles - of_profile).abs() < 3.0, "{more_cycles} and {of_profile} cycles");
}

#[test]
fn barriers_and_atomics_are_what_the_simulated_device_counts() {
    let parameters = [("waits", 7.into()), ("launched_blocks", 16.into())];
    let run = Simulated::run("h200", &cluster_sync::FAMILY, "cluster_barrier", &parameters);
    // One more comes before them.
    assert_eq!((run.counter("block_barriers"), run.predictor("groups")), (16.0 * 8.0, 2.0));
    let parameters = [("cluster_blocks", 4.into()), ("launched_blocks", 16.into())];
    let run = Simulated::run("h200", &cluster_sum::FAMILY, "cluster_atomics", &parameters);
    assert_eq!((run.counter("global_atomic_requests"), run.predictor("result_atomics")), (4.0, 4.0));
}
