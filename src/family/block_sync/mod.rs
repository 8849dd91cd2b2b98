//! Block barriers: threads of a block wait for each other between operations (Cornelis 2010, section 5.2, figure 5.1).

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The intervals that kernels are compiled for, in operations.
pub const INTERVALS: [u64; 9] = [1, 2, 4, 5, 10, 20, 25, 50, 100];

/// The kernels of `cuda/block_sync.cu`.
pub static PTX: Ptx = kernel::embedded("block_sync");

declare_family! {
    /// The block synchronisation family.
    pub static FAMILY = {
        name: "block_sync",
        summary: "threads of a block wait for each other at barriers, with few operations in between",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        interval: u64 = 1, in 1..=100,
            "multiply-adds between two barriers: 1, 2, 4, 5, 10, 20, 25, 50 or 100";
        multiply_adds: u64 = 100, in 1..=10_000,
            "dependent multiply-adds per element; a last interval that is not complete has no barrier";
        elements: u64 = 1 << 23, in 1..=1 << 26,
            "number of elements of 4 bytes, one per thread";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
        resident_blocks: u32 = 0, in 0..=32,
            "at most this many resident blocks per multiprocessor, limited by dynamic shared memory; 0: no limit";
    }

    enum Variant {
        Barrier = "barrier": "__syncthreads() after every interval; this variant has the pattern";
        None = "none": "the same loop without barriers";
        WarpSynchronous = "warp_synchronous":
            "__syncwarp() after every interval: only the threads of a warp wait for each other; the compiler leaves it out if it knows that the warp has converged",
            since (7, 0);
    }

    struct Predictors {
        barriers:
            "barriers that each thread passes, of its block or its warp: multiply_adds / interval, rounded down",
            of [multiply_adds, interval];
        resident_warps:
            "resident warps of a multiprocessor",
            of [block, resident_blocks] and registers;
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if INTERVALS.contains(&self.interval) {
            return Ok(());
        }
        let all: Vec<String> = INTERVALS.iter().map(u64::to_string).collect();
        Err(Conflict {
            parameters: &[Self::NAMES.interval],
            problem: format!("there is no kernel with {} multiply-adds between two barriers", self.interval),
            help: format!("use one of {}", all.join(", ")),
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

    /// Every interval, and sizes of one element, of no full warp or block, of full ones and of neither.
    fn verification(device: &Properties) -> Vec<Self> {
        let defaults = Self::defaults(device);
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for interval in INTERVALS {
            let point = Self { interval, elements: 1000, ..defaults };
            points.extend([point.clone(), Self { multiply_adds: 2 * interval + 1, block: 64, ..point }]);
        }
        for (elements, block, resident_blocks) in
            [(1, 32, 0), (31, 64, 1), (4096, 256, 2), (4097, 256, 4), (5000, largest_block, 0)]
        {
            points.push(Self { elements, block, resident_blocks, interval: 10, ..defaults });
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn intervals_without_a_kernel_are_refused() {
        assert_eq!(Parameters { interval: 25, ..defaults() }.check(), Ok(()));
        let refused = Parameters { interval: 3, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["interval"]);
        assert!(refused.problem.contains("3 multiply-adds") && refused.help.contains("1, 2, 4, 5, 10"), "{refused:?}");
    }
}
