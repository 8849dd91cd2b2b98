//! What L2 brings in from device memory beside the sector that a load asks for, and how soon.
//!
//! A load of one word brings in a sector of 32 bytes, or what the GPU brings in of its own accord. Whoever comes to the neighbouring sectors next waits for
//! device memory again. A load can ask for 64, 128 or 256 bytes at once, and a prefetch for a place that is come to later. Both only move the
//! wait: what is brought in and never used takes bandwidth.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The kernels of `cuda/l2_sectors.cu`.
pub static PTX: Ptx = kernel::embedded("l2_sectors");

/// Loads that a turn of the kernels' loop makes.
const UNROLLED: u32 = 8;
/// The most bytes that the places of a warp are spread over, as a kernel counts them in 32 bits.
const PART_BYTES_MAX: u64 = 1 << 31;
/// The most bytes that all places are spread over.
const SET_BYTES_MAX: u64 = 1 << 36;

declare_family! {
    /// The family of sectors that L2 brings in.
    pub static FAMILY = {
        name: "l2_sectors",
        summary: "dependent loads go through memory in steps, and each waits for the sector that it needs",
        ptx: PTX,
        size: accesses ^ 1,
        reads_clock: true,
    };

    struct Parameters {
        stride_bytes: u32 = 32, in 8..=4096, step 8,
            "bytes from the place of one load to that of the next";
        accesses: u32 = 4096, in 8..=1 << 20, step 8,
            "loads of each warp, each of which says where the next one goes";
        prefetch_distance: u32 = 4, in 1..=1024,
            "how many places ahead the variant prefetch asks for";
        block: u32 = 32, in 32..=1024, step 32,
            "threads per block; each warp follows a chain of its own";
        launched_blocks: u64 = 1, in 1..=1 << 16,
            "blocks of the launch";
    }

    enum Variant {
        Plain = "plain": "loads past L1 (ld.global.cg), whose sectors the GPU brings in as it likes; this variant has the pattern",
            since (2, 0), ignores [prefetch_distance];
        Promoted64 = "promoted_64": "the same, asking L2 for 64 bytes at once (L2::64B)", since (7, 5), ignores [prefetch_distance];
        Promoted128 = "promoted_128": "the same, asking L2 for 128 bytes at once (L2::128B)", since (7, 5), ignores [prefetch_distance];
        Promoted256 = "promoted_256": "the same, asking L2 for 256 bytes at once (L2::256B)", since (8, 0), ignores [prefetch_distance];
        Prefetch = "prefetch": "before each load, L2 is asked for a place that comes later (prefetch.global.L2)", since (2, 0);
    }

    struct Predictors {
        asked_pieces_per_load:
            "pieces of memory that L2 is asked for, over the loads: the stride over what a load asks for at once (32 bytes where it says nothing), 1 at most",
            of [stride_bytes];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { stride_bytes, accesses, block, launched_blocks, .. } = *self;
        let part_bytes = workload::part_bytes(self);
        if part_bytes > PART_BYTES_MAX {
            let most = PART_BYTES_MAX / u64::from(stride_bytes) / u64::from(UNROLLED) * u64::from(UNROLLED);
            return Err(Conflict {
                parameters: &[Self::NAMES.accesses, Self::NAMES.stride_bytes],
                problem: format!("{accesses} places {stride_bytes} bytes apart are more than a kernel counts"),
                help: format!("give at most {most} for accesses, or a shorter stride"),
            });
        }
        let set_bytes = workload::set_bytes(self);
        if set_bytes > SET_BYTES_MAX {
            return Err(Conflict {
                parameters: &[Self::NAMES.launched_blocks, Self::NAMES.block, Self::NAMES.accesses],
                problem: format!(
                    "{launched_blocks} blocks of {block} threads go through {set_bytes} bytes, and {SET_BYTES_MAX} are possible"
                ),
                help: "give fewer blocks, threads or accesses".to_owned(),
            });
        }
        Ok(())
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        workload::predictors(self, variant)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// Strides within a sector, of a sector, within a line and beyond; one turn of the loop and several; prefetches of places that are there and of
    /// none; one warp and several.
    fn verification(_: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for stride_bytes in [8, 24, 32, 64, 136, 256] {
            for (accesses, prefetch_distance, block, launched_blocks) in
                [(8, 1, 32, 1), (40, 50, 96, 2), (64, 8, 64, 3)]
            {
                points.push(Self { stride_bytes, accesses, prefetch_distance, block, launched_blocks });
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
    fn more_places_than_a_kernel_counts_are_refused() {
        let point = Parameters { stride_bytes: 4096, accesses: 1 << 19, ..defaults() };
        assert_eq!(point.check(), Ok(()));
        let long = Parameters { accesses: (1 << 19) + 8, ..point }.check().unwrap_err();
        assert_eq!(long.parameters, ["accesses", "stride_bytes"]);
        assert!(long.help.contains("at most 524288 for accesses"), "{long:?}");
        let many = Parameters { launched_blocks: 33, ..point }.check().unwrap_err();
        assert_eq!(many.parameters, ["launched_blocks", "block", "accesses"]);
        assert!(many.problem.contains("33 blocks of 32 threads"), "{many:?}");
    }
}
