use proptest::prelude::*;

use super::*;

/// Compute capability 9.0.
fn hopper() -> Limits {
    Limits {
        compute_capability: (9, 0),
        schedulers_per_sm: 4,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        threads_per_block: 1024,
        registers_per_sm: 65_536,
        registers_per_thread: 255,
        shared_bytes_per_sm: 228 << 10,
        shared_bytes_per_block: 227 << 10,
        reserved_shared_bytes_per_block: 1024,
        shared_holds_arguments: false,
    }
}

/// Compute capability 1.3.
fn tesla() -> Limits {
    Limits {
        compute_capability: (1, 3),
        schedulers_per_sm: 1,
        threads_per_sm: 1024,
        blocks_per_sm: 8,
        threads_per_block: 512,
        registers_per_sm: 16_384,
        registers_per_thread: 124,
        shared_bytes_per_sm: 16 << 10,
        shared_bytes_per_block: 16 << 10,
        reserved_shared_bytes_per_block: 16,
        shared_holds_arguments: true,
    }
}

fn resources(threads_per_block: u32, registers_per_thread: u32, shared_bytes_per_block: u64) -> Resources {
    Resources { threads_per_block, registers_per_thread, shared_bytes_per_block, argument_bytes: 0 }
}

#[track_caller]
fn holds(limits: &Limits, resources: Resources, blocks: u32, limited_by: Limit) {
    let residency = resident_blocks(limits, &resources).unwrap();
    assert_eq!((residency.blocks, residency.limited_by), (blocks, limited_by), "{residency:?}");
}

#[test]
fn threads_and_blocks_limit_small_kernels() {
    let limits = hopper();
    holds(&limits, resources(256, 32, 0), 8, Limit::Threads);
    holds(&limits, resources(1024, 16, 0), 2, Limit::Threads);
    holds(&limits, resources(32, 16, 0), 32, Limit::Blocks);
    // 33 threads are two warps, 65 are three: 64 / 3.
    holds(&limits, resources(65, 16, 0), 21, Limit::Threads);
}

#[test]
fn registers_are_given_to_warps_by_256() {
    let limits = hopper();
    // 33 registers are 40: 1280 a warp, 12 warps of each scheduler's 16384.
    holds(&limits, resources(256, 33, 0), 6, Limit::Registers);
    holds(&limits, resources(512, 33, 0), 3, Limit::Registers);
    // 72 registers: 2304 a warp, 7 of each scheduler. The multiprocessor as a whole would hold 28 warps.
    holds(&limits, resources(128, 72, 0), 7, Limit::Registers);
    // 48 registers: 1536 a warp, 10 of each scheduler, though 42 would fit the multiprocessor as a whole.
    holds(&limits, resources(64, 48, 0), 20, Limit::Registers);
    holds(&limits, resources(256, 255, 0), 1, Limit::Registers);
    // Spilled to 255.
    holds(&limits, resources(256, 1000, 0), 1, Limit::Registers);
    let refused = resident_blocks(&limits, &resources(1024, 65, 0)).unwrap_err();
    assert!(refused.contains("65 registers") && refused.contains("65536"), "{refused}");
}

#[test]
fn a_block_of_capability_1_takes_its_registers_together() {
    let mut limits = tesla();
    // 256 threads of 17 registers: 4352, rounded to 4608 by 512; 16384 / 4608.
    holds(&limits, resources(256, 17, 0), 3, Limit::Registers);
    holds(&limits, resources(256, 16, 0), 4, Limit::Threads);
    // Three warps count as four: 4 * 32 * 24 = 3072.
    holds(&limits, resources(96, 24, 0), 5, Limit::Registers);
    // Compute capability 1.1 by 256: 256 threads of 10 registers are 2560, of 8192.
    limits.compute_capability = (1, 1);
    limits.registers_per_sm = 8192;
    limits.threads_per_sm = 768;
    holds(&limits, resources(256, 10, 0), 3, Limit::Threads);
    // The well-known cliff: one more register, and a third of the threads is gone.
    holds(&limits, resources(256, 11, 0), 2, Limit::Registers);
}

#[test]
fn shared_memory_is_taken_by_granules_with_what_is_reserved() {
    let limits = hopper();
    // 33792 bytes and 1 KiB reserved: 34816 of 233472.
    holds(&limits, resources(128, 32, 33 << 10), 6, Limit::SharedMemory);
    holds(&limits, resources(128, 32, 227 << 10), 1, Limit::SharedMemory);
    let refused = resident_blocks(&limits, &resources(128, 32, (227 << 10) + 1)).unwrap_err();
    assert!(refused.contains("232449") && refused.contains("232448"), "{refused}");
}

#[test]
fn arguments_take_shared_memory_of_capability_1() {
    let limits = tesla();
    // 4096 bytes and 16 reserved are 4608: 3 blocks. Without what is reserved they would be 4.
    holds(&limits, resources(128, 8, 4096), 3, Limit::SharedMemory);
    holds(&limits, resources(128, 8, 4080), 4, Limit::SharedMemory);
    let with_arguments = Resources { argument_bytes: 4, ..resources(128, 8, 4080) };
    holds(&limits, with_arguments, 3, Limit::SharedMemory);
    let refused = resident_blocks(&limits, &Resources { argument_bytes: 4, ..resources(128, 8, 16 << 10) });
    assert!(refused.unwrap_err().contains("with its arguments"));
    let refused = resident_blocks(&limits, &resources(128, 8, 16 << 10)).unwrap_err();
    assert!(refused.contains("takes 16896 bytes"), "{refused}");
}

#[test]
fn blocks_that_cannot_be_are_refused() {
    assert!(resident_blocks(&hopper(), &resources(0, 8, 0)).unwrap_err().contains("no threads"));
    assert!(resident_blocks(&hopper(), &resources(1025, 8, 0)).unwrap_err().contains("1025"));
    assert!(resident_blocks(&tesla(), &resources(513, 8, 0)).unwrap_err().contains("512"));
    assert!(resident_blocks(&hopper(), &resources(32, 8, u64::MAX)).is_err());
}

#[test]
fn no_registers_and_no_shared_memory_limit_nothing() {
    let mut limits = hopper();
    limits.reserved_shared_bytes_per_block = 0;
    holds(&limits, resources(64, 0, 0), 32, Limit::Threads);
    holds(&limits, resources(32, 0, 0), 32, Limit::Blocks);
}

/// A multiprocessor by the GPU data of NVIDIA's CUDA Occupancy Calculator (the spreadsheet of CUDA 4.1 for compute capability 1, of
/// CUDA 11 for others): threads, blocks, registers, and shared memory, of which from 8.0 on every block takes 1 KiB more.
fn multiprocessor(capability: (u32, u32)) -> Limits {
    let (threads, blocks, registers, shared_kib) = match capability {
        (1, 0..=1) => (768, 8, 8192, 16),
        (1, _) => (1024, 8, 16_384, 16),
        (2, _) => (1536, 8, 32_768, 48),
        (3, _) => (2048, 16, 65_536, 48),
        (7, 0) => (2048, 32, 65_536, 96),
        (7, _) => (1024, 16, 65_536, 64),
        (8, 0) => (2048, 32, 65_536, 164),
        (8, _) => (1536, 16, 65_536, 100),
        _ => (2048, 32, 65_536, 228),
    };
    let (is_first, reserved) = (capability.0 == 1, if capability.0 < 8 { 0 } else { 1024 });
    Limits {
        compute_capability: capability,
        schedulers_per_sm: [1, 2, 4][(capability.0 as usize - 1).min(2)],
        threads_per_sm: threads,
        blocks_per_sm: blocks,
        threads_per_block: if is_first { 512 } else { 1024 },
        registers_per_sm: registers,
        registers_per_thread: 255,
        shared_bytes_per_sm: shared_kib << 10,
        shared_bytes_per_block: (shared_kib << 10) - reserved,
        reserved_shared_bytes_per_block: reserved,
        shared_holds_arguments: is_first,
    }
}

/// Compute capability 3.5 and above: what `cudaOccMaxActiveBlocksPerMultiprocessor` of `cuda_occupancy.h` returns, CUDA 13.0.
#[test]
fn the_toolkits_own_calculator_says_the_same() {
    let kernels = [
        resources(256, 32, 0),
        resources(256, 33, 0),
        resources(128, 72, 0),
        resources(192, 40, 4096),
        resources(96, 50, 12_000),
        resources(1024, 64, 0),
        resources(64, 24, 3000),
        resources(160, 128, 20_480),
        resources(32, 16, 1025),
        resources(512, 63, 48_000),
    ];
    for (capability, expected) in [
        ((3, 5), [8, 6, 7, 8, 4, 1, 16, 2, 16, 1]),
        ((7, 0), [8, 6, 7, 8, 8, 1, 32, 3, 32, 2]),
        ((7, 5), [4, 4, 7, 5, 5, 1, 16, 3, 16, 1]),
        ((8, 0), [8, 6, 7, 8, 12, 1, 32, 3, 32, 2]),
        ((8, 6), [6, 6, 7, 8, 7, 1, 16, 3, 16, 2]),
        ((9, 0), [8, 6, 7, 8, 12, 1, 32, 3, 32, 2]),
    ] {
        let blocks = kernels.map(|kernel| resident_blocks(&multiprocessor(capability), &kernel).unwrap().blocks);
        assert_eq!(blocks, expected, "compute capability {capability:?}");
    }
}

/// The spreadsheet's arithmetic, done by hand. Compute capability 1 gives a block's registers at once, for an even number of warps and
/// by 256 (1.0, 1.1) or 512 (1.2, 1.3); 2 gives each warp its own by 64, for even numbers of warps of the multiprocessor.
#[test]
fn the_spreadsheet_says_the_same_of_old_ones() {
    use Limit::{Blocks, Registers, SharedMemory, Threads};
    for (capability, kernel, blocks, limited_by) in [
        ((1, 0), resources(256, 10, 0), 3, Threads),
        ((1, 0), resources(192, 13, 0), 3, Registers), // 2496, by 256: 2560 of 8192
        ((1, 1), resources(64, 20, 0), 6, Registers),  // 1280 of 8192
        ((1, 1), resources(32, 20, 0), 6, Registers),  // two warps' worth
        ((1, 1), resources(128, 8, 4000), 4, SharedMemory), // 4096 of 16384
        ((1, 2), resources(192, 13, 0), 5, Threads),
        ((1, 3), resources(192, 17, 0), 4, Registers), // 3264, by 512: 3584 of 16384
        ((1, 3), resources(64, 8, 0), 8, Blocks),
        ((2, 0), resources(256, 20, 0), 6, Threads), // 640 a warp: 51 warps, 50 of them evenly
        ((2, 0), resources(256, 21, 0), 5, Registers), // 704 a warp: 46 warps
        ((2, 0), resources(256, 22, 0), 5, Registers), // the same
        ((2, 0), resources(256, 23, 0), 5, Registers), // 768 a warp: 42
        ((2, 0), resources(192, 32, 0), 5, Registers), // 1024 a warp: 32
        ((2, 1), resources(128, 16, 6145), 7, SharedMemory), // 6272 of 49152
        ((3, 0), resources(256, 33, 0), 6, Registers), // 1280 a warp: 48, by 256
    ] {
        holds(&multiprocessor(capability), kernel, blocks, limited_by);
    }
}

#[test]
fn what_each_limit_would_allow_is_told() {
    let residency = resident_blocks(&hopper(), &resources(256, 40, 10_000)).unwrap();
    assert_eq!(residency.allowed, [Some(8), Some(6), Some(20), Some(32)]);
    assert_eq!(residency.taken, Taken { warps: 8, registers: 10_240, shared_bytes: 11_136 });
    assert_eq!((residency.blocks, residency.limited_by, residency.warps()), (6, Limit::Registers, 48));
    let residency = resident_blocks(&tesla(), &Resources { argument_bytes: 16, ..resources(96, 24, 0) }).unwrap();
    assert_eq!(residency.taken, Taken { warps: 3, registers: 3072, shared_bytes: 512 });
    let mut limits = hopper();
    limits.reserved_shared_bytes_per_block = 0;
    assert_eq!(resident_blocks(&limits, &resources(32, 0, 0)).unwrap().allowed, [Some(64), None, None, Some(32)]);
}

#[test]
fn an_estimate_of_registers_is_lowered_until_one_block_fits() {
    let limits = multiprocessor((1, 1));
    let (residency, fewer) = resident_blocks_spilled(&limits, &resources(512, 32, 0)).unwrap();
    assert_eq!((residency.blocks, fewer.registers_per_thread), (1, 16));
    let (residency, same) = resident_blocks_spilled(&limits, &resources(256, 10, 0)).unwrap();
    assert_eq!((Ok(residency), same.registers_per_thread), (resident_blocks(&limits, &resources(256, 10, 0)), 10));
    let refused = resident_blocks_spilled(&limits, &resources(1024, 40, 0)).unwrap_err();
    assert!(refused.contains("1024 threads"), "{refused}");
}

fn capabilities() -> impl Strategy<Value = (u32, u32)> {
    prop::sample::select(vec![(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (3, 5), (7, 0), (7, 5), (8, 0), (8, 6), (9, 0)])
}

proptest! {
    /// A block that takes more, of whatever it is, never leaves room for more blocks; nor do more blocks fit than each limit allows.
    #[test]
    fn taking_more_never_makes_room(
        capability in capabilities(),
        threads in 1_u32..=512, registers in 0_u32..=255, shared in 0_u64..=48 << 10,
        more_threads in 0_u32..=512, more_registers in 0_u32..=64, more_shared in 0_u64..=32 << 10,
    ) {
        let limits = multiprocessor(capability);
        let blocks = |kernel: &Resources| resident_blocks(&limits, kernel).map_or(0, |residency| residency.blocks);
        let less = resources(threads, registers, shared);
        for more in [
            resources(threads + more_threads, registers, shared),
            resources(threads, registers + more_registers, shared),
            resources(threads, registers, shared + more_shared),
        ] {
            prop_assert!(blocks(&more) <= blocks(&less), "{more:?} {} {less:?} {}", blocks(&more), blocks(&less));
        }
        if let Ok(residency) = resident_blocks(&limits, &less) {
            prop_assert_eq!(Some(residency.blocks), residency.allowed.into_iter().flatten().min());
            prop_assert!(residency.blocks > 0 && residency.warps() * 32 <= limits.threads_per_sm);
            let shared = u64::from(residency.blocks) * residency.taken.shared_bytes;
            prop_assert!(shared <= limits.shared_bytes_per_sm);
            let registers = u64::from(residency.blocks) * residency.taken.registers;
            prop_assert!(registers <= u64::from(limits.registers_per_sm));
        }
    }

    /// A multiprocessor that has more never holds fewer blocks.
    #[test]
    fn having_more_never_takes_room(
        capability in capabilities(), threads in 1_u32..=512, registers in 0_u32..=128, shared in 0_u64..=16 << 10,
        warps in 0_u32..=32, blocks in 0_u32..=16, more_registers in 0_u32..=8, more_shared in 0_u64..=64 << 10,
    ) {
        let limits = multiprocessor(capability);
        let larger = Limits {
            threads_per_sm: limits.threads_per_sm + 32 * warps,
            blocks_per_sm: limits.blocks_per_sm + blocks,
            registers_per_sm: limits.registers_per_sm + 8192 * more_registers,
            shared_bytes_per_sm: limits.shared_bytes_per_sm + more_shared,
            ..limits
        };
        let kernel = resources(threads, registers, shared);
        if let Ok(residency) = resident_blocks(&limits, &kernel) {
            prop_assert!(resident_blocks(&larger, &kernel).is_ok_and(|other| other.blocks >= residency.blocks));
        }
    }
}
