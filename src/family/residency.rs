//! How many blocks of a kernel are resident at once, and shared memory that a launch asks for only to limit them.

use crate::kernel::compiled;
use crate::properties::Properties;
use gpu_simulator::hardware::occupancy::{Limits, Resources, resident_blocks};

/// Blocks of a kernel that a device holds at once, with so much dynamic shared memory; one on each multiprocessor where it holds none, which it will
/// say itself.
pub(super) fn resident_on_device(
    entry: &str,
    threads_per_block: u32,
    dynamic_shared_bytes: u64,
    device: &Properties,
) -> u32 {
    let compiled = compiled(entry, device.capability());
    let resources = Resources {
        threads_per_block,
        registers_per_thread: compiled.map_or(0, |kernel| kernel.registers),
        shared_bytes_per_block: compiled.map_or(0, |kernel| kernel.static_shared_bytes) + dynamic_shared_bytes,
        argument_bytes: 0,
    };
    let of_multiprocessor = resident_blocks(&device.limits(), &resources).map_or(1, |residency| residency.blocks);
    of_multiprocessor.saturating_mul(device.sm_count).max(1)
}

/// What shared memory is asked for in multiples of.
const UNIT_BYTES: u64 = 128;

/// The least shared memory of a block, in bytes, with which at most `blocks` blocks are resident on a multiprocessor; what
/// `resources` need is part of it. Where no block may have as much as that takes, what is returned is more than a block
/// may have, so that a launch with it is refused.
pub(super) fn shared_bytes_for(limits: &Limits, resources: &Resources, blocks: u32) -> u64 {
    let resident = |shared_bytes: u64| {
        resident_blocks(limits, &Resources { shared_bytes_per_block: shared_bytes, ..*resources })
            .map_or(0, |residency| residency.blocks)
    };
    let least = resources.shared_bytes_per_block;
    if resident(least) <= blocks {
        return least;
    }
    // More shared memory never makes room for more blocks.
    let (mut too_little, mut enough) = (least / UNIT_BYTES, limits.shared_bytes_per_sm / UNIT_BYTES + 1);
    while enough - too_little > 1 {
        let middle = too_little.midpoint(enough);
        if resident(middle * UNIT_BYTES) <= blocks {
            enough = middle;
        } else {
            too_little = middle;
        }
    }
    enough * UNIT_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_simulator::profile::Profile;

    fn resources(threads_per_block: u32) -> Resources {
        Resources { threads_per_block, registers_per_thread: 10, shared_bytes_per_block: 0, argument_bytes: 16 }
    }

    #[test]
    fn as_many_blocks_are_resident_as_are_asked_for() {
        for name in ["h200", "a100", "gtx280", "8500gt"] {
            let mut limits = Profile::load(name).expect("it is embedded").limits();
            // As if a block could have all shared memory of a multiprocessor.
            limits.shared_bytes_per_block = limits.shared_bytes_per_sm - limits.reserved_shared_bytes_per_block;
            let resources = resources(64);
            let unlimited = resident_blocks(&limits, &resources).expect("it fits").blocks;
            for blocks in 1..=unlimited {
                let bytes = shared_bytes_for(&limits, &resources, blocks);
                let resident = |shared_bytes_per_block| {
                    resident_blocks(&limits, &Resources { shared_bytes_per_block, ..resources }).unwrap().blocks
                };
                // Shared memory comes in portions too large to have every high number.
                assert!(resident(bytes) <= blocks, "{name}: {bytes} bytes");
                assert!(blocks > 5 || resident(bytes) == blocks, "{name}: {bytes} bytes");
                assert!(bytes == 0 || resident(bytes - UNIT_BYTES) > blocks, "{name}: {bytes} bytes are not the least");
            }
            assert_eq!(shared_bytes_for(&limits, &resources, unlimited + 1), 0, "{name}");
        }
    }

    #[test]
    fn what_no_block_may_have_is_asked_for_all_the_same_and_refused() {
        let mut limits = Profile::load("h200").expect("it is embedded").limits();
        limits.shared_bytes_per_block = 48 << 10;
        let bytes = shared_bytes_for(&limits, &resources(256), 1);
        assert!(bytes > 48 << 10, "{bytes}");
    }
}
