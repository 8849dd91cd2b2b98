//! The trapezoid rule as a ladder: how many threads add to one number (CUDA trapezoidal rule II, after Pacheco and
//! Malensek 2022, sections 6.12 and 6.13; table 6.8).

use crate::family::{FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
#[cfg(test)]
mod tests;
mod workload;

/// The kernels of `cuda/trapezoid.cu`.
pub static PTX: Ptx = kernel::embedded("trapezoid");

declare_family! {
    /// The family of the trapezoid rule.
    pub static FAMILY = {
        name: "trapezoid",
        summary: "a ladder: all threads add to one number, which atomics do one after another",
        ptx: PTX,
        size: trapezoids ^ 1,
    };

    struct Parameters {
        trapezoids: u64 = 1 << 20, in 1..=1 << 28,
            "number of trapezoids under x^2 + 1 from -3 to 3; a sum in one 32-bit float stops growing after about 2^24 of them";
        block: u32 = 32, in 32..=1024, step 32,
            "threads per block: one warp (32), or more";
    }

    enum Variant {
        Serial = "serial" on host: "one thread of the host with a 32-bit float, for comparison", ignores [block];
        MultiThreaded = "multi_threaded" on host: "all threads of the host, for comparison", ignores [block];
        // Atomics of 32-bit floats: CUDA C Programming Guide, table of features.
        AtomicAdd = "atomic_add": "every thread adds its term to the integral by an atomic", removes "", since (2, 0);
        WarpShuffle = "warp_shuffle": "shuffles sum the terms of a warp, and its first lane adds the sum to the integral",
            removes "an atomic of every thread", since (3, 0);
        SharedMemory = "shared_memory":
            "the same, but summed through shared memory (dissemination), which needs no shuffles",
            removes "shuffles", since (2, 0);
        WarpShuffleManyWarps = "warp_shuffle_many_warps":
            "the first warp of a block adds the sums of its warps, and then adds to the integral",
            removes "an atomic of every warp", since (3, 0);
        SharedMemoryManyWarps = "shared_memory_many_warps":
            "the same, but summed through shared memory (dissemination)",
            removes "shuffles", since (2, 0);
        TwoLaunches = "two_launches":
            "the blocks write their sums, and a second launch with one block adds them, always in the same order",
            removes "atomics";
    }

    struct Predictors {
        atomics: "additions to the integral, which are made one after the other", of [trapezoids, block];
        barriers: "barriers passed, summed over the blocks", of [trapezoids, block];
        launches: "kernel launches", of [];
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
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
