//! Profiles for tests, with constants that are easy to reckon with.

use crate::hardware::{Banks, Coalescing};
use crate::profile::{
    Atomics, Barriers, Blocks, GlobalMemory, LoadStoreQueues, Occupancy, Partitions, Profile, Reconvergence,
    SharedMemory, Unit, Units, Warps,
};

/// Compute capability 9.0: 4 multiprocessors at 1 GHz, 16 bytes of device memory a cycle for each if all are active.
pub(super) fn hopper() -> Profile {
    let unit = Unit { interval_cycles: 1.0, latency_cycles: 4.0 };
    Profile {
        spec: "test".to_owned(),
        title: "Test".to_owned(),
        compute_capability: (9, 0),
        validation: String::new(),
        sha256: String::new(),
        sm_count: 4,
        sm_clock_mhz: 1000.0,
        schedulers_per_sm: 4,
        issues_per_cycle: 1.0,
        reconvergence: Reconvergence::StackYield,
        occupancy: Occupancy {
            threads_per_sm: 2048,
            blocks_per_sm: 32,
            threads_per_block: 1024,
            registers_per_sm: 65_536,
            registers_per_thread: 255,
        },
        units: Units {
            integer: unit,
            multiply: unit,
            float: unit,
            double: unit,
            special: unit,
            exchange: unit,
            control: unit,
        },
        matches: None,
        constant: None,
        driver_copies: None,
        shared: SharedMemory {
            banks: Banks::Phases32,
            pass_cycles: 1.0,
            scheduler_pass_cycles: 1.0,
            latency_cycles: 29.0,
            bytes_per_sm: 228 << 10,
            bytes_per_block: 227 << 10,
            bytes_per_block_opt_in: 227 << 10,
            reserved_bytes_per_block: 1024,
            holds_arguments: false,
        },
        global: GlobalMemory {
            coalescing: Coalescing::Sectors,
            bytes: 1 << 30,
            gb_per_s: 64.0,
            latency_cycles: 600.0,
            l1_bytes: 64 << 10,
            l1_shared_step_bytes: 0,
            l1_latency_cycles: 34.0,
            l2_bytes: 1 << 20,
            l2_latency_cycles: 265.0,
            l2_bytes_per_cycle_per_sm: 64.0,
            slices: None,
            writes: None,
            partitions: None,
        },
        transfers: None,
        warps: Warps::default(),
        load_store: LoadStoreQueues::default(),
        barriers: Barriers { base_cycles: 55.0, threads_per_cycle: 16.0, cycles_per_warp: 0.0 },
        fences: crate::profile::Fences::default(),
        atomics: Atomics {
            same_address_cycles: 3.5,
            same_address_integer_cycles: 3.5,
            unit_cycles: 0.0,
            sector_cycles: 0.0,
            l2_sector_cycles: 0.0,
            latency_cycles: None,
            shared_same_address_cycles: 4.0,
            shared_float: None,
        },
        blocks: Blocks::default(),
        clusters: crate::profile::Clusters::default(),
        bulk_copies: crate::profile::BulkCopies::default(),
        phase_barriers: None,
        copy_group_cycles: 0.0,
        launch_us: 2.5,
        launch_in_stream_us: 1.5,
        launch_in_graph_us: 1.0,
        launch_dependent_us: 1.5,
        dependent_launches: crate::profile::DependentLaunches::default(),
        launch_conditional_us: 1.0,
        step_limit: 1 << 20,
    }
}

/// Compute capability 1.3: no caches, 8 partitions, 16 bytes of device memory a cycle for each of 4 multiprocessors.
pub(super) fn tesla() -> Profile {
    let mut profile = hopper();
    profile.compute_capability = (1, 3);
    profile.schedulers_per_sm = 1;
    profile.reconvergence = Reconvergence::Stack;
    profile.occupancy = Occupancy {
        threads_per_sm: 1024,
        blocks_per_sm: 8,
        threads_per_block: 512,
        registers_per_sm: 16_384,
        registers_per_thread: 124,
    };
    profile.shared.banks = Banks::HalfWarp16;
    profile.shared.bytes_per_sm = 16 << 10;
    profile.shared.bytes_per_block = 16 << 10;
    profile.shared.bytes_per_block_opt_in = 16 << 10;
    profile.shared.reserved_bytes_per_block = 16;
    profile.shared.holds_arguments = true;
    profile.global.coalescing = Coalescing::HalfWarpSegments;
    profile.global.l1_bytes = 0;
    profile.global.l2_bytes = 0;
    profile.global.partitions = Some(Partitions { count: 8, interleave_bytes: 256, scattered_store_pct: 150 });
    profile
}
