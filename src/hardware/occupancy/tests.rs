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
