//! Exclusive prefix sums, from a naive kernel to one pass over the array (Cornelis 2010, chapter 7, and beyond it).
//!
//! Up to `no_bank_conflicts` the variants are those of tables 7.1 to 7.5, one anti-parallel pattern fewer each; `shifts` is what table
//! 7.5 measures its speedup against. Each is a scan of the whole array, of any length: tiles are scanned, then their
//! totals by the same kernel, and added back. `single_pass` follows Merrill and Garland 2016, Single-pass parallel prefix scan with
//! decoupled look-back; what comes after it has resident blocks that take tiles in turn.

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::Workload;

mod plan;
mod predictors;
mod reference;
mod rung;
mod tree;
mod workload;

/// The kernels of `cuda/prefix_sum.cu`.
pub static PTX: Ptx = kernel::embedded("prefix_sum");

declare_family! {
    /// The family of prefix sums.
    pub static FAMILY = {
        name: "prefix_sum",
        summary: "a ladder: a prefix sum from naive to the bandwidth of memory, one pattern removed after another",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        elements: u64 => elements_beyond_l2, in 1..=1 << 30,
            "number of elements of 4 bytes";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block, a power of two; a tile has 1, 2 or 8 elements per thread";
        // The default is the fastest on an H200 as a whole, from 2^24 to 2^30 elements.
        tile: Tile = Tile::Threads256Elements48, one of {
            Threads256Elements16 = "256x16",
            Threads256Elements24 = "256x24",
            Threads256Elements32 = "256x32",
            Threads256Elements40 = "256x40",
            Threads256Elements48 = "256x48",
            Threads512Elements32 = "512x32",
            Threads1024Elements32 = "1024x32",
        },
            "single_pass: threads per block x elements per thread";
    }

    enum Variant {
        Naive = "naive": "in global memory; each thread finds by a remainder whether it takes part in a step",
            removes "", ignores [tile];
        SharedMemory = "shared_memory": "the same in shared memory",
            removes "global data access", ignores [tile];
        StaticThreadReordering = "static_thread_reordering":
            "the first threads of the block take part, so no remainder is needed",
            removes "branching", ignores [tile];
        TwoElementsPerThread = "two_elements_per_thread":
            "tiles of twice as many elements, so that every thread adds",
            removes "data partitioning", ignores [tile];
        Shifts = "shifts": "indices computed by shifts instead of multiplications",
            removes "multiplications", ignores [tile];
        NoBankConflicts = "no_bank_conflicts":
            "padding in shared memory: one empty word after as many words as there are banks",
            removes "shared data access", ignores [tile];
        WarpShuffle = "warp_shuffle":
            "lanes of a warp exchange their sums by shuffles, with one barrier instead of one for each step of the tree",
            removes "block synchronisation", since (3, 0), ignores [tile];
        RegisterBlocked = "register_blocked": "eight elements per thread in registers, as two vectors of four",
            removes "small tasks", since (3, 0), ignores [tile];
        SinglePass = "single_pass":
            "one launch: each tile reads the sums of the tiles before it (decoupled look-back)",
            removes "global synchronisation", since (7, 0), ignores [block];
        ResidentBlocks = "resident_blocks":
            "resident blocks take tiles in turn, and each adds the totals of the tiles since its last one: no tile waits for another's prefix",
            removes "serial look-back", since (7, 0), ignores [block, tile];
        BulkCopies = "bulk_copies":
            "the next tiles of a block are copied to shared memory while it scans one (cp.async.bulk)",
            removes "exposed latency", since (9, 0), ignores [block, tile];
        SpecialisedWarps = "specialised_warps":
            "each warp has one task: to copy tiles, to add them up, to look back, or to scan; none waits for the others' work on the same tile",
            removes "idle warps", since (9, 0), ignores [block, tile];
        Serial = "serial" on host: "one thread of the host", ignores [block, tile];
        MultiThreaded = "multi_threaded" on host: "all threads of the host, in two passes", ignores [block, tile];
    }

    struct Predictors {
        launches: "kernels launched", of [elements, block, tile];
        bytes_per_element:
            "bytes of global memory read and written per element of the array, over all launches (without the states of tiles)",
            of [elements, block, tile];
        barriers_per_tile: "barriers that a block passes while it scans its tile", of [block, tile];
        warp_steps: "active warps of a block, summed over the steps of both sweeps of its tree",
            of [block, tile];
        divergent_warp_steps: "active warps with inactive threads, summed over the steps", of [block, tile];
        load_passes:
            "passes over the banks of shared memory for the loads of a block's tree, by the rule of the device",
            of [block, tile];
    }
}

/// The smallest power of two, 2^20 or more, at which input and output are four times the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 4, |elements| 8 * elements)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let block = self.block;
        if block.is_power_of_two() {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.block],
            problem: format!("a tree doubles its distance in every step, but {block} is not a power of two"),
            help: "use 32, 64, 128, 256, 512 or 1024".to_owned(),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors_of(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Less than a warp, a tile, one more and one less, and so many that totals of totals are needed.
    fn verification(device: &Properties) -> Vec<Self> {
        let defaults = Self::defaults(device);
        let sizes = [1, 2, 31, 255, 256, 257, 1000, 4095, 4096, 4097, 12_289, 6144 * 3 + 1021];
        let tiles = Tile::ALL.iter().cycle();
        let mut points: Vec<Self> =
            sizes.into_iter().zip(tiles).map(|(elements, &tile)| Self { elements, tile, ..defaults }).collect();
        for (block, elements) in [(32, 33), (32, 2049), (32, 33_000), (64, 4161), (512, 2048), (1024, 2049)] {
            if block <= device.threads_per_block {
                points.push(Self { elements, block, ..defaults });
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{defaults, properties};

    /// The family's defaults, at a small size.
    pub(super) fn small() -> Parameters {
        Parameters { elements: 1000, ..defaults() }
    }

    #[test]
    fn blocks_are_powers_of_two() {
        assert_eq!(Parameters { block: 512, ..small() }.check(), Ok(()));
        let refused = Parameters { block: 96, ..small() }.check().unwrap_err();
        assert!(refused.problem.contains("96 is not a power of two"), "{refused:?}");
    }

    #[test]
    fn default_elements_do_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, elements) in [(0, 1 << 20), (6, 1 << 22), (60, 1 << 25)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(Parameters::defaults(&properties).elements, elements, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn all_rungs_but_the_host_s_remove_something() {
        for (index, variant) in FAMILY.variants.iter().enumerate() {
            assert_eq!(variant.removes.is_none(), variant.is_host, "{}", variant.name);
            assert_eq!(variant.removes == Some(""), index == 0, "{}", variant.name);
        }
    }

    #[test]
    fn blocks_of_verification_points_fit_the_device() {
        for largest in [1024, 512] {
            let device = Properties { threads_per_block: largest, ..properties() };
            let blocks: Vec<u32> = Parameters::verification(&device).iter().map(|point| point.block).collect();
            assert_eq!(blocks.into_iter().max(), Some(largest));
        }
    }
}
