use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::trapezoid::{FAMILY, PTX};
use apbench::parameter::Value;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry};

const ON_GPU: [&str; 6] = [
    "atomic_add",
    "warp_shuffle",
    "shared_memory",
    "warp_shuffle_many_warps",
    "shared_memory_many_warps",
    "two_launches",
];

fn point(trapezoids: i64, block: i64) -> [(&'static str, Value); 2] {
    [("trapezoids", trapezoids.into()), ("block", block.into())]
}

/// Atomics, shuffles, loads of shared memory, waits of warps, barriers of blocks.
fn kinds(kernel: &str) -> [usize; 5] {
    let instructions = entry(PTX, kernel);
    ["red.global.add.f32", "shfl.sync.down", "ld.shared", "bar.warp.sync", "bar.sync"]
        .map(|opcode| count(&instructions, opcode))
}

#[test]
fn every_rung_sums_by_its_own_means() {
    assert_eq!(kinds("trapezoid_atomic_add"), [1, 0, 0, 0, 0]);
    assert_eq!(kinds("trapezoid_warp_shuffle"), [1, 5, 0, 0, 0]);
    assert_eq!(kinds("trapezoid_shared_memory"), [1, 0, 5, 10, 0]);
    assert_eq!(kinds("trapezoid_warp_shuffle_many_warps"), [1, 10, 1, 0, 1]);
    assert_eq!(kinds("trapezoid_shared_memory_many_warps"), [1, 0, 11, 20, 1]);
    assert_eq!(kinds("trapezoid_block_sums"), [0, 0, 11, 20, 1]);
    assert_eq!(kinds("trapezoid_add_block_sums"), [0, 0, 11, 20, 1]);
}

/// Between a lane's store and its next one all lanes have waited for each other twice: once before they read, and once behind it.
#[test]
fn lanes_never_read_and_write_in_one_step() {
    let wanted = ["st.shared.f32", "bar.warp.sync", "ld.shared.f32", "bar.warp.sync"];
    let instructions = entry(PTX, "trapezoid_shared_memory");
    let order: Vec<&str> = instructions
        .iter()
        .filter_map(|line| {
            ["st.shared.f32", "ld.shared.f32", "bar.warp.sync"].into_iter().find(|own| line.starts_with(own))
        })
        .collect();
    assert_eq!(order, wanted.repeat(5));
}

/// Terms are rounded after each operation, on every GPU and on the host.
#[test]
fn no_operations_are_fused() {
    for variant in ON_GPU.into_iter().filter(|variant| *variant != "two_launches") {
        let instructions = entry(PTX, &format!("trapezoid_{variant}"));
        assert_eq!((count(&instructions, "fma"), count(&instructions, "mul.rn.f32")), (0, 3), "{variant}");
    }
}

#[test]
fn atomics_barriers_and_shuffles_are_those_foretold() {
    for variant in ON_GPU {
        for (trapezoids, block) in [(1, 32), (33, 32), (4096, 32), (4097, 256), (10_000, 1024)] {
            let run = Simulated::run("h200", &FAMILY, variant, &point(trapezoids, block));
            let label = format!("{variant} {trapezoids} {block}");
            let warps = (trapezoids as u64).div_ceil(block as u64) * (block as u64 / 32);
            // A warp's additions are one request.
            let requests = if variant == "atomic_add" {
                (trapezoids as u64).div_ceil(32) as f64
            } else {
                run.predictor("atomics")
            };
            assert!((run.counter("global_atomic_requests") - requests).abs() < 0.5, "{label}");
            if variant == "atomic_add" {
                let waiting = run.predictor("atomics") - requests;
                assert!((run.counter("atomic_serialisations") - waiting).abs() < 0.5, "{label}");
            }
            assert!((run.counter("block_barriers") - run.predictor("barriers")).abs() < 0.5, "{label}");
            if variant == "warp_shuffle" {
                assert!((run.counter("exchange_instructions") - 5.0 * warps as f64).abs() < 0.5, "{label}");
            }
        }
    }
}

/// Which has neither shuffles nor atomics of floats.
#[test]
fn the_oldest_devices_run_the_rung_without_atomics() {
    for device in ["gtx280", "8500gt"] {
        let properties = Sim::open(Profile::load(device).unwrap()).properties().clone();
        let runs: Vec<&str> =
            FAMILY.variants.iter().filter(|own| own.refusal(&properties).is_none()).map(|own| own.name).collect();
        assert_eq!(runs, ["two_launches"], "{device}");
        for (trapezoids, block) in [(1000, 32), (4097, 256)] {
            Simulated::run(device, &FAMILY, "two_launches", &point(trapezoids, block));
        }
    }
}
