//! Data partitioning and mapping: which elements a thread processes, how many threads a block has, and how many warps a
//! multiprocessor holds (Cornelis 2010, chapter 6).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;
use gpu_simulator::hardware::lanes::LANES;

mod mapping;
mod reference;
mod workload;

/// Threads of a block at most, on any GPU.
const BLOCK_MAX: i64 = 1024;

/// The kernels of `cuda/partition.cu`.
pub static PTX: Ptx = kernel::embedded("partition");

declare_family! {
    /// The partitioning family.
    pub static FAMILY = {
        name: "partition",
        summary: "data is partitioned so that lanes, warps or multiprocessors are idle",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        elements: u64 => elements_beyond_l2, in 1..=1 << 30,
            "number of elements of 4 bytes; as a matrix they are square or twice as wide as high, and the width is a power of two";
        arithmetic: Arithmetic = Arithmetic::Float, one of { Float = "float", Integer = "integer" },
            "type of the elements";
        multiply_adds: u64 = 1, in 0..=4096,
            "dependent multiply-adds per element, between its read and its write";
        block: u64 = 256, in 1..=BLOCK_MAX,
            "threads per one-dimensional block";
        block_width: u64 = 16, in 1..=BLOCK_MAX,
            "width of a two-dimensional block in threads, along a row of the matrix";
        block_height: u64 = 16, in 1..=BLOCK_MAX,
            "height of a two-dimensional block in threads, along a column of the matrix";
        elements_per_thread: u64 = 4, in 1..=1024,
            "elements that each thread processes one after the other";
        ordering: Ordering = Ordering::Striped, one of { Striped = "striped", Blocked = "blocked" },
            "striped: neighbouring threads take neighbouring elements; blocked: each thread takes neighbouring elements";
        warp_limit: u64 => all_warps, in 1..=64,
            "wanted resident warps per multiprocessor; the variant comes as near as it can (see the predictor resident_warps)";
    }

    enum Variant {
        OneElement1d = "one_element_1d":
            "one element per thread, in one-dimensional blocks",
            ignores [block_width, block_height, elements_per_thread, ordering, warp_limit];
        OneElement2d = "one_element_2d":
            "one element of a matrix per thread, in two-dimensional blocks",
            ignores [block, elements_per_thread, ordering, warp_limit];
        SeveralElements = "several_elements":
            "a tile per block, with several elements per thread",
            ignores [block_width, block_height, warp_limit];
        GridStride = "grid_stride":
            "several elements per thread, with the number of threads in the grid as their distance",
            ignores [block_width, block_height, ordering, warp_limit];
        LimitedByShared = "limited_by_shared":
            "grid_stride with few resident blocks, limited by dynamic shared memory",
            ignores [block_width, block_height, ordering];
        LimitedByRegisters = "limited_by_registers":
            "grid_stride with few resident blocks, limited by registers per thread",
            ignores [block_width, block_height, ordering];
    }

    struct Predictors {
        waves:
            "blocks of the busiest multiprocessor over its resident blocks",
            of [elements, block, block_width, block_height, elements_per_thread, warp_limit] and registers;
        resident_warps:
            "resident warps of a multiprocessor",
            of [elements, block, block_width, block_height, elements_per_thread, warp_limit] and registers;
        occupancy:
            "resident warps over the most that a multiprocessor can hold (occupancy)",
            of [elements, block, block_width, block_height, elements_per_thread, warp_limit] and registers;
        lanes_used:
            "share of the lanes in the warps of a block that have a thread",
            of [block, block_width, block_height];
        grid_blocks:
            "blocks of the grid",
            of [elements, block, block_width, block_height, elements_per_thread, warp_limit];
    }
}

/// The smallest power of two, 2^22 or more, at which input and output together are three times the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 22, 3, |elements| 2 * 4 * elements)
}

fn all_warps(properties: &Properties) -> u64 {
    (u64::from(properties.threads_per_sm) / LANES as u64).clamp(1, 64)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let (width, height) = (self.block_width, self.block_height);
        if width * height > BLOCK_MAX.unsigned_abs() {
            return Err(Conflict {
                parameters: &[Self::NAMES.block_width, Self::NAMES.block_height],
                problem: format!(
                    "a block of {width} x {height} threads has {}, but a GPU allows at most {BLOCK_MAX}",
                    width * height
                ),
                help: format!("choose them so that their product is at most {BLOCK_MAX}; a [[zip]] group lists pairs"),
            });
        }
        Ok(())
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        mapping::Mapping::new(variant, self, device).predictors(device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Sizes of one element, of no full warp, of full warps and blocks, and of neither, with blocks of all kinds; blocks are no
    /// larger than the device's largest.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest = u64::from(device.threads_per_block).clamp(1, BLOCK_MAX.unsigned_abs());
        let defaults = Self::defaults(device);
        let mut points = Vec::new();
        for (arithmetic, multiply_adds) in
            [(Arithmetic::Float, 1), (Arithmetic::Float, 37), (Arithmetic::Integer, 16), (Arithmetic::Integer, 0)]
        {
            for (elements, block, [block_width, block_height]) in [
                (1, 32, [1, 1]),
                (31, 16, [3, 5]),
                (1000, 256, [16, 16]),
                (4096, 48, [64, 2]),
                (5003, largest, [1, 64]),
                (16_385, 100, [22, 22]),
            ] {
                let shape = Self { elements, arithmetic, multiply_adds, block, block_width, block_height, ..defaults };
                for (elements_per_thread, ordering, warp_limit) in [
                    (1, Ordering::Striped, 64),
                    (3, Ordering::Blocked, 16),
                    (64, Ordering::Striped, 1),
                    (8, Ordering::Blocked, 32),
                ] {
                    points.push(Self { elements_per_thread, ordering, warp_limit, ..shape });
                }
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
    fn default_elements_do_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, exponent) in [(0, 22), (6, 22), (60, 25), (100, 26)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(elements_beyond_l2(&properties), 1 << exponent, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn blocks_have_at_most_1024_threads() {
        let block = |block_width, block_height| Parameters { block_width, block_height, ..small() };
        for (width, height) in [(32, 32), (64, 16), (1024, 1), (1, 1024), (22, 22)] {
            assert_eq!(block(width, height).check(), Ok(()), "{width} x {height}");
        }
        for (width, height) in [(64, 32), (33, 32), (1024, 1024)] {
            let problem = block(width, height).check().unwrap_err().problem;
            assert!(problem.contains(&(width * height).to_string()), "{problem}");
        }
    }

    #[test]
    fn without_a_limit_all_warps_may_be_resident() {
        let mut properties = properties();
        for (threads_per_sm, warps) in [(768, 24), (1024, 32), (2048, 64), (0, 1)] {
            properties.threads_per_sm = threads_per_sm;
            assert_eq!(all_warps(&properties), warps);
        }
    }

    #[test]
    fn blocks_of_verification_points_are_no_larger_than_the_device_s() {
        for largest in [512, 1024] {
            let properties = Properties { threads_per_block: largest, ..properties() };
            for Parameters { block, block_width, block_height, .. } in Parameters::verification(&properties) {
                assert!(block.max(block_width * block_height) <= u64::from(largest));
            }
        }
    }
}
