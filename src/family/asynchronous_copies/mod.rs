//! Tiles of global memory that are brought into shared memory and summed there, by the way they are brought and by how many are under way.
//!
//! What a multiprocessor brings in a time is what it has under way divided by the latency (Little's law), up to its share of the bandwidth of L2
//! or of device memory. Loads go through registers, which hold little. Copies go past them into a ring of tiles, as deep as shared memory
//! has room for. Bulk copies take one instruction for a tile and a longer latency.

use crate::family::shares::Pieces;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/asynchronous_copies.cu`.
pub static PTX: Ptx = kernel::embedded("asynchronous_copies");

/// Bytes that a thread copies, loads and sums at a time.
const PIECE_BYTES: u32 = 16;

declare_family! {
    /// The family of tiles that are copied to shared memory.
    pub static FAMILY = {
        name: "asynchronous_copies",
        summary: "tiles are brought into shared memory and summed there, while so many of the next ones are under way",
        ptx: PTX,
        size: read_bytes ^ 1,
    };

    struct Parameters {
        tile_bytes: u32 = 4096, in 1024..=1 << 15, step 16,
            "bytes of a tile";
        stages: u32 = 4, in 1..=8,
            "tiles in a block's ring in shared memory, hence the most that are under way at once";
        set_bytes: u64 => one_mib_each, in 1024..=1 << 34,
            "bytes of the set, which the blocks share out: each brings in the tiles of a part of its own, over and over; by default 1 MiB for each multiprocessor";
        read_bytes: u64 = 1 << 28, in 1024..=1 << 36,
            "bytes that all blocks bring in together, rounded down to whole tiles of blocks";
        block: u32 = 256, in 64..=1024, step 32,
            "threads per block";
        launched_blocks: u64 => sm_count, in 1..=1 << 16,
            "blocks of the launch; by default one for each multiprocessor";
    }

    enum Variant {
        Loads = "loads": "loads of 16 bytes past L1 into registers (ld.global.cg), which are stored in shared memory; its ring has one tile; this variant has the pattern", since (2, 0), ignores [stages];
        AsyncCopies = "async_copies": "copies of 16 bytes past the registers, by all threads (cp.async)", since (8, 0);
        BulkCopies = "bulk_copies": "a copy of the whole tile, by one thread, for which all wait at a barrier in shared memory (cp.async.bulk, mbarrier)", since (9, 0);
        BulkSpecialised = "bulk_specialised": "the same by a warp that does nothing else, and that the others tell when a place is free (warp specialisation)", since (9, 0);
    }

    struct Predictors {
        tiles: "tiles that each block brings in", of [read_bytes, tile_bytes, launched_blocks];
        bytes_in_flight:
            "bytes that a multiprocessor has under way at once: tile_bytes * stages * resident blocks, for loads what the threads' registers hold of a tile",
            of [tile_bytes, stages, block, launched_blocks] and registers;
    }
}

/// A block for each multiprocessor.
fn sm_count(properties: &Properties) -> u64 {
    u64::from(properties.sm_count).clamp(1, 1 << 16)
}

/// 1 MiB for each multiprocessor: more than L2 where that is smaller.
fn one_mib_each(properties: &Properties) -> u64 {
    sm_count(properties) << 20
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { tile_bytes, set_bytes, read_bytes, launched_blocks, .. } = *self;
        let tiles = Pieces { names: ["tile", "tiles"], bytes: tile_bytes.into(), launched_blocks };
        let set = const { &[Self::NAMES.set_bytes, Self::NAMES.tile_bytes, Self::NAMES.launched_blocks] };
        let read = const { &[Self::NAMES.read_bytes, Self::NAMES.tile_bytes, Self::NAMES.launched_blocks] };
        let counted = const { &[Self::NAMES.read_bytes, Self::NAMES.launched_blocks] };
        tiles.check((set_bytes, set), (read_bytes, read), counted)
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Every depth of the ring with fewer tiles than it has places, as many and more; shares that are brought in once, in part and often; tiles that
    /// are no multiple of what the block brings at a time.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for stages in 1..=8 {
            for (tile_bytes, set_bytes, read_bytes, block, launched_blocks) in [
                (1024, 4096, 1024 * 3 + 5, 64, 1),
                (1040, 30_000, 1040 * 3 * 8, 96, 3),
                (2000, 41_234, 160_000, largest_block, 2),
            ] {
                points.push(Self { tile_bytes, stages, set_bytes, read_bytes, block, launched_blocks });
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn points_without_a_tile_for_each_block_are_refused() {
        let point = Parameters { launched_blocks: 4, tile_bytes: 2048, ..defaults() };
        assert_eq!(point.check(), Ok(()));
        let refused = |point: Parameters| point.check().unwrap_err();
        let small = refused(Parameters { set_bytes: 8191, ..point });
        assert_eq!(small.parameters, ["set_bytes", "tile_bytes", "launched_blocks"]);
        assert!(small.problem.contains("no tile of 2048 bytes for each of 4 blocks"), "{small:?}");
        assert!(small.help.contains("at least 8192 for set_bytes"), "{small:?}");
        assert!(refused(Parameters { read_bytes: 8191, ..point }).problem.starts_with("read_bytes = 8191"));
        let long = Parameters { read_bytes: 1 << 36, launched_blocks: 1, tile_bytes: 1024, ..point };
        assert_eq!(long.check(), Ok(()));
    }
}
