//! Sums by a tree in shared memory: which threads of a block do the additions (Cornelis 2010, section 3.3.2, figures 3.3
//! and 3.4).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod tree;
mod workload;

/// The kernels of `cuda/block_sum.cu`.
pub static PTX: Ptx = kernel::embedded("block_sum");

declare_family! {
    /// The family of sums of blocks.
    pub static FAMILY = {
        name: "block_sum",
        summary: "a sum by a tree in shared memory keeps whole warps busy with few active threads",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block, each with one element; a power of two";
        repetitions: u32 = 8, in 1..=4096,
            "how often each block repeats its tree, so that the tree takes longer than reading the elements";
        elements: u64 => elements_beyond_l2, in 1..=1 << 28,
            "number of elements of 4 bytes; the last block is filled up with zeros";
    }

    enum Variant {
        ScatteredThreads = "scattered_threads":
            "each sum is computed by the thread of its place: in every step, active threads are twice as far apart";
        LeadingThreads = "leading_threads":
            "the first threads of the block compute the sums: the other warps are idle, but the loads of a warp have bank conflicts";
    }

    struct Predictors {
        warp_steps:
            "active warps of a block, summed over the steps of its tree",
            of [block];
        divergent_warp_steps:
            "active warps with inactive threads, summed over the steps",
            of [block];
        load_passes:
            "passes over the banks of shared memory for the loads of a block's tree, by the rule of the device",
            of [block];
    }
}

/// The smallest power of two, 2^20 or more, at which the elements do not fit in the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 1, |elements| 4 * elements)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let block = self.block;
        if block.is_power_of_two() {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.block],
            problem: format!("a tree halves its block in every step, but {block} is not a power of two"),
            help: "use 32, 64, 128, 256, 512 or 1024".to_owned(),
        })
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

    /// Less than a warp, less than a block, full blocks, and both an element more and an element less. Blocks are no larger than
    /// the device's largest.
    fn verification(device: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for block in [32, 64, 256, 1024].into_iter().filter(|&block| block <= device.threads_per_block) {
            for elements in [1, 31, 33, 1000, 4095, 4096, 4097] {
                for repetitions in [1, 3] {
                    points.push(Self { block, repetitions, elements });
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
    fn blocks_are_powers_of_two() {
        assert_eq!(Parameters { block: 512, ..small() }.check(), Ok(()));
        let refused = Parameters { block: 96, ..small() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["block"]);
        assert!(refused.problem.contains("96 is not a power of two"), "{refused:?}");
    }

    #[test]
    fn default_elements_do_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, elements) in [(0, 1 << 20), (6, 1 << 21), (60, 1 << 24)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(elements_beyond_l2(&properties), elements, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn verification_points_fit_the_device() {
        let mut properties = properties();
        for largest in [1024, 512] {
            properties.threads_per_block = largest;
            let points = Parameters::verification(&properties);
            assert!(points.len() >= 42);
            assert!(points.iter().all(|point| point.block <= largest), "{largest}");
        }
    }
}
