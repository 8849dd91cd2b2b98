//! Launches: what each of a chain takes that does next to nothing, by how the chain is handed to the GPU.

use crate::family::{FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/launch_rate.cu`.
pub static PTX: Ptx = kernel::embedded("launch_rate");

declare_family! {
    /// The family of launches.
    pub static FAMILY = {
        name: "launch_rate",
        summary: "short kernels are launched one after another, each of which reads what the one before it wrote",
        ptx: PTX,
        size: chain_launches ^ 1,
    };

    struct Parameters {
        chain_launches: u32 = 64, in 1..=1 << 14,
            "launches, one after another";
        launched_blocks: u32 = 1, in 1..=1 << 16,
            "blocks of each launch";
        block: u32 = 128, in 32..=1024, step 32,
            "threads per block; each computes a word";
    }

    enum Variant {
        Stream = "stream": "a launch after another in a stream; this variant has the pattern";
        Graph = "graph": "the same launches, submitted as one CUDA graph", since (3, 0);
        Dependent = "dependent":
            "each launch may begin while the one before it ends, and waits for it on the GPU (programmatic dependent launch)", since (9, 0);
    }

    struct Predictors {
        launches: "kernels launched", of [chain_launches];
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// One launch, an even and an odd number; one warp, and blocks that need each other's words.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        [(1, 1, 32), (2, 1, 96), (3, 5, 32), (8, 3, 64), (33, 2, largest_block)]
            .map(|(chain_launches, launched_blocks, block)| Self { chain_launches, launched_blocks, block })
            .to_vec()
    }
}
