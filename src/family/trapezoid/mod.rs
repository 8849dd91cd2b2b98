//! The trapezoid rule as a ladder: how many threads add to one number (CUDA trapezoidal rule II, after Pacheco and
//! Malensek 2022, sections 6.12 and 6.13; table 6.8).

use crate::family::{FamilyPoint, declare_family};
use crate::kernel;
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
#[cfg(test)]
mod tests;
mod workload;

/// The kernels of `cuda/trapezoid.cu`.
pub static PTX: &str = kernel::embedded("trapezoid");

declare_family! {
    /// The family of the trapezoid rule.
    pub static FAMILY = {
        name: "trapezoid",
        summary: "a ladder: every thread adds to one number, which takes one after the other",
        ptx: PTX,
        size: trapezoids ^ 1,
    };

    struct Parameters {
        trapezoids: u64 = 1 << 20, in 1..=1 << 28,
            "trapezoids under x^2 + 1 from -3 to 3; one float cannot take more than some 2^24 of them one by one";
        block: u32 = 32, in 32..=1024, step 32,
            "threads of a block: one warp of 32, or many";
    }

    enum Variant {
        Serial = "serial" on host: "one thread of the host, in a 32-bit float, for comparison", ignores [block];
        MultiThreaded = "multi_threaded" on host: "all threads of the host, for comparison", ignores [block];
        // Atomics of 32-bit floats: CUDA C Programming Guide, table of features.
        AtomicAdd = "atomic_add": "every thread adds to the integral by an atomic", removes "", since (2, 0);
        WarpShuffle = "warp_shuffle": "a warp's terms are summed by shuffles, and its first lane adds to the integral",
            removes "an atomic of every thread", since (3, 0);
        SharedMemory = "shared_memory":
            "the same, summed through shared memory by dissemination, which needs no shuffles",
            removes "shuffles", since (2, 0);
        WarpShuffleManyWarps = "warp_shuffle_many_warps":
            "a block's first warp sums those of its warps, and adds to the integral",
            removes "an atomic of every warp", since (3, 0);
        SharedMemoryManyWarps = "shared_memory_many_warps":
            "the same, summed through shared memory by dissemination",
            removes "shuffles", since (2, 0);
        TwoLaunches = "two_launches":
            "blocks write their sums, and a second launch of one block adds these, always in the same order",
            removes "atomics";
    }

    struct Predictors {
        atomics: "additions to the integral that are made one after the other", of [trapezoids, block];
        barriers: "barriers that blocks pass, all blocks together", of [trapezoids, block];
        launches: "kernels that are launched", of [];
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn workload(&self, variant: Variant, device: &Properties, _: u64) -> Workload<Predictors> {
        workload::build(self, variant, device)
    }

    /// One trapezoid, less than a warp, less than a block, full blocks, and both one more and one less; blocks of one
    /// warp, of few, and of an odd number.
    fn verification(device: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for block in [32, 96, 256, 1024].into_iter().filter(|&block| block <= device.threads_per_block) {
            for trapezoids in [1, 2, 31, 33, 1000, 4095, 4096, 4097, 100_003] {
                points.push(Self { trapezoids, block });
            }
        }
        points
    }
}
