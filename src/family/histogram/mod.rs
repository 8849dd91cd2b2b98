//! Histograms: how many words of an array are in each of a number of bins.
//!
//! Words are below 2^16, and bins are of equal width. Every word is counted by an atomic addition: in global memory, where all blocks add to the
//! same bins, or in shared memory, where each block has bins of its own and adds them to those in global memory at the end. The
//! later variants differ in how lanes of a warp that count in the same bin keep out of each other's way.

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::Workload;

mod counting;
mod reference;
mod workload;

/// The kernels of `cuda/histogram.cu`.
pub static PTX: Ptx = kernel::embedded("histogram");

declare_family! {
    /// The family of histograms.
    pub static FAMILY = {
        name: "histogram",
        summary: "words are counted in bins by atomics, in global memory, in shared memory, and with fewer lanes in the same bin",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        elements: u64 => elements_beyond_l2, in 1..=1 << 30,
            "number of words of 4 bytes";
        input: Input = Input::Uniform, one of {
            Uniform = "uniform",
            FourValues = "four_values",
            OneValue = "one_value",
        }, "what the words are: any value, one of four, or all the same";
        bins: u32 = 256, in 2..=4096, step 2,
            "number of bins, a power of two";
        block: u32 = 512, in 32..=1024, step 32,
            "threads per block, a power of two";
    }

    enum Variant {
        GlobalAtomics = "global_atomics": "an atomic on global memory for each word",
            removes "", since (1, 1);
        SharedAtomics = "shared_atomics":
            "each block counts in shared memory, and adds its bins to those in global memory at the end",
            removes "contended global memory", since (1, 2);
        Vectorised = "vectorised": "four words with each load, and four loads on their way before the first is counted",
            removes "small accesses", since (1, 2);
        WarpCopies = "warp_copies": "as vectorised, with bins for each warp in shared memory", since (1, 2);
        LaneCopies = "lane_copies":
            "as vectorised, with eight copies of the bins, side by side in other banks, for lanes to take turns",
            since (1, 2);
        WarpAggregated = "warp_aggregated":
            "as shared_atomics, but lanes with the same bin elect one, which adds for all of them", since (7, 0);
        Sorted = "sorted": "as shared_atomics, but each block sorts a word for each thread, and adds each run of equal bins at once",
            since (1, 2);
    }

    struct Predictors {
        counting_blocks: "blocks that count", of [elements, block, bins];
        shared_words: "words of shared memory that a block counts in", of [block, bins];
    }
}

/// The smallest power of two, 2^20 or more, at which the words are four times the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 4, |elements| 4 * elements)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        for (parameters, value, why) in [
            (&[Self::NAMES.bins], self.bins, "a word's bin is found by a shift"),
            (&[Self::NAMES.block], self.block, "a block sorts by pairs whose distance doubles"),
        ] {
            if !value.is_power_of_two() {
                return Err(Conflict {
                    parameters,
                    problem: format!("{why}, but {value} is not a power of two"),
                    help: format!("use {} or {}", value.next_power_of_two() / 2, value.next_power_of_two()),
                });
            }
        }
        Ok(())
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

    /// Words that fill no vector, no warp, no block and no grid; few bins and many.
    fn verification(_: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for &input in Input::ALL {
            for (elements, bins, block) in
                [(1, 2, 32), (31, 256, 64), (1027, 16, 128), (5000, 256, 512), (40_001, 1024, 256), (100_003, 256, 512)]
            {
                points.push(Self { elements, input, bins, block });
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
    fn only_powers_of_two_are_taken() {
        assert_eq!(Parameters { bins: 4096, block: 64, ..defaults() }.check(), Ok(()));
        let bins = Parameters { bins: 100, ..defaults() }.check().unwrap_err();
        assert_eq!((bins.parameters, bins.help.as_str()), (&["bins"][..], "use 64 or 128"));
        let block = Parameters { block: 96, ..defaults() }.check().unwrap_err();
        assert_eq!((block.parameters, block.help.as_str()), (&["block"][..], "use 64 or 128"));
    }
}
