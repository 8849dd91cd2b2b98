#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::global_sync::{ELEMENTS_PER_THREAD, FAMILY, PTX};

use crate::common::H200;

use super::{Simulated, count, entry, loops};

const ELEMENTS: i64 = 5000;
const BLOCK: i64 = 96;
/// Blocks that have a thread for each element.
const BLOCKS: f64 = 53.0;

fn run(profile: &str, variant: &str, interval: i64, exchange: &str) -> Simulated {
    let parameters = [
        ("multiply_adds", 20.into()),
        ("interval", interval.into()),
        ("exchange", exchange.into()),
        ("elements", ELEMENTS.into()),
        ("block", BLOCK.into()),
    ];
    Simulated::run(profile, &FAMILY, variant, &parameters)
}

#[test]
fn kernels_have_their_loads_their_barriers_and_their_operations() {
    for (suffix, loads) in [("", 1), ("_neighbours", 3)] {
        let body = |variant: &str| entry(PTX, &format!("global_sync_{variant}{suffix}"));
        let relaunch = body("relaunch");
        assert_eq!((count(&relaunch, "ld.global"), count(&relaunch, "st.global")), (loads, 1), "{relaunch:#?}");
        // Ten operations in one loop, one in the other.
        assert_eq!(loops(&relaunch).iter().map(|body| count(body, "mad.lo.u32")).collect::<Vec<_>>(), [10, 1]);
        let shared = body("relaunch_shared");
        assert_eq!(count(&shared, "bar.sync"), 2);
        assert_eq!(count(&shared, "ld.shared"), loads + 1, "{shared:#?}");
        for (variant, atomic) in [("cooperative", "atom.add"), ("atomic_barrier", "atom.global.inc")] {
            let persistent = body(variant);
            // The rounds: the elements of a thread and the barrier.
            let rounds = loops(&persistent).into_iter().max_by_key(Vec::len).unwrap();
            assert_eq!((count(&rounds, "ld.global"), count(&rounds, "st.global")), (loads, 1), "{rounds:#?}");
            let arrives = rounds.iter().any(|line| line.contains(atomic) || line.contains("atom.global.add"));
            assert!(arrives, "{variant}: {rounds:#?}");
            assert!(count(&rounds, "bar") >= 2, "{rounds:#?}");
            assert!(
                !rounds.iter().any(|line| line.contains(".nc.")),
                "what others wrote must not come from a stale cache"
            );
        }
        let redundant = body("redundant_halo");
        assert_eq!(count(&redundant, "atom"), 0);
        assert!(loops(&redundant).iter().any(|body| count(body, "bar.sync") == 1 && count(body, "st.shared") == 1));
    }
}

#[test]
fn launches_and_barriers_are_what_the_simulated_devices_count() {
    for profile in ["h200", "gtx280"] {
        for exchange in ["none", "neighbours"] {
            for interval in [1, 3, 20] {
                let rounds = f64::from((20_u32).div_ceil(interval as u32));
                for variant in ["relaunch", "relaunch_shared", "graph", "cooperative", "atomic_barrier"] {
                    let new = ["graph", "cooperative", "atomic_barrier"].contains(&variant);
                    if new && profile == "gtx280" {
                        continue;
                    }
                    let run = run(profile, variant, interval, exchange);
                    assert_eq!(run.predictor("synchronisations"), rounds, "{variant}");
                    // The grid is small enough for all its blocks to be resident.
                    assert_eq!(run.counter("blocks"), run.predictor("launches") * BLOCKS, "{variant}");
                    if variant == "relaunch_shared" {
                        assert_eq!(run.counter("block_barriers"), 2.0 * rounds * BLOCKS);
                    }
                    if variant == "atomic_barrier" {
                        // Each block arrives, and the last one tells the others; two barriers of a block around that.
                        let barriers = run.predictor("grid_barriers");
                        assert_eq!(run.counter("atomic_instructions"), barriers * (BLOCKS + 1.0));
                        assert_eq!(run.counter("block_barriers"), 2.0 * barriers * BLOCKS);
                    }
                    if variant == "cooperative" {
                        assert_eq!(run.predictor("grid_barriers"), rounds - 1.0);
                    }
                }
            }
        }
    }
}

#[test]
fn redundant_halos_are_loaded_once() {
    for profile in ["h200", "gtx280"] {
        for (exchange, halo) in [("none", 0.0), ("neighbours", 7.0)] {
            let run = run(profile, "redundant_halo", 3, exchange);
            let blocks = (ELEMENTS as f64 / (BLOCK * ELEMENTS_PER_THREAD as i64) as f64).ceil();
            assert_eq!(run.counter("blocks"), blocks);
            let own = (BLOCK * ELEMENTS_PER_THREAD as i64) as f64;
            let asked = 4.0 * (blocks * (own + 2.0 * halo) + ELEMENTS as f64);
            assert_eq!(run.counter("global_bytes_asked"), asked, "{profile} {exchange}");
            // One before the first round, and one after each of seven.
            assert_eq!(run.counter("block_barriers"), 8.0 * blocks);
        }
    }
}

#[test]
fn many_launches_cost_more_than_one_and_as_a_graph_less() {
    let time_us = |variant, interval| run("h200", variant, interval, "none").time_us;
    let (many, one) = (time_us("relaunch", 1), time_us("relaunch", 20));
    assert!(many > 5.0 * one, "{many}, {one}");
    assert!(time_us("graph", 1) < many);
    assert!(time_us("redundant_halo", 1) < many);
}

/// Before Volta the grid barrier is our own, on the word that the driver allots: as right, and as many barriers.
#[test]
fn gpus_before_volta_have_a_grid_barrier_too() {
    let line = "compute_capability = { value = \"9.0\"";
    assert!(H200.contains(line));
    let folder = tempfile::tempdir().unwrap();
    let pascal = folder.path().join("pascal.toml");
    std::fs::write(&pascal, H200.replace(line, "compute_capability = { value = \"6.1\"")).unwrap();
    let pascal = pascal.to_str().unwrap();
    let kernel = "global_sync_cooperative";
    let [old, new] = [(6, 1), (7, 0)].map(|capability| PTX.text_of(kernel, capability).unwrap());
    assert!(old.contains(".target sm_52") && !old.contains(".release") && new.contains(".release"));
    for exchange in ["none", "neighbours"] {
        let [old, new] = [pascal, "h200"].map(|profile| run(profile, "cooperative", 3, exchange));
        assert_eq!(old.predictor("grid_barriers"), new.predictor("grid_barriers"));
        assert_eq!(old.counter("block_barriers"), new.counter("block_barriers"), "{exchange}");
    }
}
