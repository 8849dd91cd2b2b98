//! Boundaries between launches that each do some work: what they take, and what hides a part of it.

use crate::family::{FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/launch_overlap.cu`.
pub static PTX: Ptx = kernel::embedded("launch_overlap");

declare_family! {
    /// The family of boundaries between launches.
    pub static FAMILY = {
        name: "launch_overlap",
        summary: "kernels run one after another, and each does some work before it needs what the one before it wrote",
        ptx: PTX,
        size: chain_launches ^ 1,
    };

    struct Parameters {
        chain_launches: u32 = 64, in 1..=1 << 14,
            "launches, one after another; turns of the loop where there is one launch";
        preamble_multiply_adds: u32 = 0, in 0..=1 << 20,
            "dependent multiply-adds of each thread before it needs what the launch before wrote";
        multiply_adds: u32 = 0, in 0..=1 << 20,
            "dependent multiply-adds of each thread after it has read that";
        launched_blocks: u32 = 1, in 1..=1 << 16,
            "blocks of each launch";
        block: u32 = 128, in 32..=1024, step 32,
            "threads per block; each computes a word";
    }

    enum Variant {
        Stream = "stream": "a launch after another in a stream; this variant has the pattern";
        Graph = "graph": "the same launches, submitted as one CUDA graph", since (3, 0);
        Dependent = "dependent":
            "each launch may begin when the blocks of the one before it have ended, and waits after its preamble (programmatic dependent launch)",
            since (9, 0);
        DependentEarly = "dependent_early":
            "each launch may begin when the blocks of the one before it have begun, and waits after its preamble", since (9, 0);
        DependentGraph = "dependent_graph":
            "the launches of `dependent_early`, submitted as one CUDA graph", since (9, 0);
        Conditional = "conditional":
            "a CUDA graph with one launch that repeats itself (a conditional node)", since (6, 0);
        Cooperative = "cooperative":
            "one launch with the grid barrier of cooperative groups in place of each boundary", since (7, 0);
    }

    struct Predictors {
        launches: "kernels launched", of [chain_launches];
        boundaries: "times that all threads of a launch or of a turn must have ended before the next may read", of [chain_launches];
        multiply_adds_between: "multiply-adds of a thread from one boundary to the next, its preamble included",
            of [preamble_multiply_adds, multiply_adds];
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        workload::predictors(self, variant)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// One launch, an even and an odd number; one warp, and blocks that need each other's words; without work and with work on either
    /// side, in whole turns of the loops and in parts of them.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        [
            (1, 0, 0, 1, 32),
            (2, 7, 10, 1, 96),
            (3, 2000, 0, 5, 32),
            (8, 0, 33, 3, 64),
            (9, 3000, 20, 150, 64),
            (33, 40, 11, 2, largest_block),
        ]
        .map(|(chain_launches, preamble_multiply_adds, multiply_adds, launched_blocks, block)| Self {
            chain_launches,
            preamble_multiply_adds,
            multiply_adds,
            launched_blocks,
            block,
        })
        .to_vec()
    }
}
