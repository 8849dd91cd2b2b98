//! Sums of 32-bit floats: a ladder whose rungs each remove an anti-parallel pattern (slides A Study in Reduction, and
//! Gholami, multi-core programming assignment 6).
//!
//! Elements are random floats from 0 to 1. Every order of summation rounds differently, so sums are held against a
//! compensated one within a bound that grows with the rung's longest chain of additions. One float that collects 2^24 or
//! more stands still, since an element is less than half a unit of its last place: from 2^25 elements on, `atomic_global` comes
//! to a wrong sum on any device, and is reported so.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod host;
mod plan;
mod rung;
mod tree;
mod workload;

#[cfg(test)]
mod tests;

/// The kernels of `cuda/reduction.cu`.
pub static PTX: Ptx = kernel::embedded("reduction");

declare_family! {
    /// The family of sums.
    pub static FAMILY = {
        name: "reduction",
        summary: "a ladder: the sum of many floats, from an atomic per element to the bandwidth of memory, one pattern removed after another",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        elements: u64 = 3 << 22, in 1..=1 << 30,
            "number of floats of 4 bytes to sum";
        block: u32 = 512, in 64..=1024, step 64,
            "threads per block up to grid_stride, a power of two";
        finish: Finish = Finish::ByDevice, one of { ByDevice = "by_device", Launches = "launches" },
            "how the sums of the blocks are added; by_device: by atomics on floats if the device has them (from 2.0 on), else by more launches";
        staying_blocks: u64 = 0, in 0..=1 << 24,
            "at most this many blocks from grid_stride on, where each block loops over the elements; 0: as many as are resident";
        threads: u32 = 512, in 32..=1024, step 32,
            "threads per block from vectorised on";
        loads_in_flight: u32 = 4, in 1..=16,
            "loads of 16 bytes that a thread has in flight, a power of two";
        transfer: Transfer = Transfer::None, one of { None = "none", Pageable = "pageable", Pinned = "pinned" },
            "none: the elements are on the device; otherwise they are copied from this kind of host memory, and the sum is copied back";
    }

    enum Variant {
        AtomicGlobal = "atomic_global": "an atomic on one word of global memory for every element",
            removes "", since (2, 0), ignores [finish, staying_blocks, threads, loads_in_flight];
        AtomicShared = "atomic_shared": "an atomic on a word of shared memory for every element, then one on global memory per block",
            removes "contended global atomics", since (2, 0), ignores [finish, staying_blocks, threads, loads_in_flight];
        SharedDivergent = "shared_divergent": "a tree in shared memory; each sum is computed by the thread of its place",
            removes "contended shared atomics", ignores [staying_blocks, threads, loads_in_flight];
        SharedStrided = "shared_strided": "the first threads compute the sums, from words 2, 4, 8, ... apart",
            removes "divergent warps", ignores [staying_blocks, threads, loads_in_flight];
        SharedSequential = "shared_sequential": "the first threads compute the sums, from neighbouring words",
            removes "bank conflicts", ignores [staying_blocks, threads, loads_in_flight];
        DualLoad = "dual_load": "each thread adds two elements before the tree starts",
            removes "idle threads", ignores [staying_blocks, threads, loads_in_flight];
        UnrolledLastWarp = "unrolled_last_warp":
            "one warp adds the last 64 sums in shared memory, with __syncwarp() twice in each step",
            removes "barriers for one warp", ignores [staying_blocks, threads, loads_in_flight];
        UnrolledAll = "unrolled_all": "the whole tree without a loop, for a block size known to the compiler",
            removes "instruction overhead", ignores [staying_blocks, threads, loads_in_flight];
        WarpShuffle = "warp_shuffle": "one warp adds the last 64 sums in registers, by shuffles",
            removes "shared memory within a warp", since (3, 0), ignores [finish, staying_blocks, threads, loads_in_flight];
        GridStride = "grid_stride": "as many blocks as are resident, each of which loops over the elements, so there are few trees",
            removes "a tree for few elements", since (3, 0), ignores [finish, threads, loads_in_flight];
        Vectorised = "vectorised": "loads of 16 bytes, several in flight per thread; trees of shuffles",
            removes "waiting for one load at a time", since (3, 0), ignores [block, finish];
        OneLaunch = "one_launch": "the last block to finish adds the sums of the blocks, always in the same order; no launch to zero the result",
            removes "a launch to prepare or finish", since (3, 0), ignores [block, finish];
        Serial = "serial" on host:
            "one thread of the host: 16 accumulators of 32 bits for each 4096 elements, whose sums are added in 64 bits",
            ignores [block, finish, staying_blocks, threads, loads_in_flight, transfer];
        MultiThreaded = "multi_threaded" on host:
            "the same on all threads of the host, each with consecutive elements",
            ignores [block, finish, staying_blocks, threads, loads_in_flight, transfer];
    }

    struct Predictors {
        global_atomics: "atomic instructions on global memory, counted per warp",
            of [elements, block, finish, staying_blocks, threads, loads_in_flight];
        shared_atomics: "atomic instructions on shared memory, counted per warp",
            of [elements, block];
        barriers: "barriers passed, summed over the blocks",
            of [elements, block, finish, staying_blocks, threads, loads_in_flight];
        warp_steps: "active warps, summed over the steps of the trees of all blocks",
            of [elements, block, finish, staying_blocks, threads, loads_in_flight];
        divergent_warp_steps: "active warps with inactive lanes, summed over the steps",
            of [elements, block, finish, staying_blocks, threads, loads_in_flight];
        tree_load_passes:
            "passes over the banks of shared memory for the loads of all trees, by the rule of the device",
            of [elements, block, finish, staying_blocks, threads, loads_in_flight];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        const BLOCK: &[&str] = &[Parameters::NAMES.block];
        const LOADS: &[&str] = &[Parameters::NAMES.loads_in_flight];
        for (parameters, value) in [(BLOCK, self.block), (LOADS, self.loads_in_flight)] {
            if !value.is_power_of_two() {
                return Err(Conflict {
                    parameters,
                    problem: format!("there are kernels for powers of two only, and {value} is not one"),
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

    /// One element, less than a warp, a block, a vector, and more of each; blocks that go through the elements once and several
    /// times; sums of sums.
    fn verification(device: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for elements in [1, 31, 33, 127, 1000, 4097, 9002] {
            let sized = Self { elements, staying_blocks: 3, ..Self::defaults(device) };
            for block in [64, 512, 1024].into_iter().filter(|&block| block <= device.threads_per_block) {
                points.push(Self { block, ..sized });
            }
            points.extend([
                Self { block: 128, threads: 32, loads_in_flight: 1, ..sized },
                Self { block: 256, threads: 96, loads_in_flight: 8, staying_blocks: 0, ..sized },
                Self { finish: Finish::Launches, threads: 64, loads_in_flight: 2, ..sized },
                Self { transfer: Transfer::Pageable, threads: 64, loads_in_flight: 16, ..sized },
            ]);
        }
        let transfer = Transfer::Pinned;
        points.push(Self { elements: 20_001, staying_blocks: 7, transfer, ..Self::defaults(device) });
        points
    }
}
