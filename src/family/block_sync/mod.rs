//! Block barriers: threads of a block wait for each other between operations (Cornelis 2010, section 5.2, figure 5.1).

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel;
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The intervals that kernels are compiled for, in operations.
pub const INTERVALS: [u64; 9] = [1, 2, 4, 5, 10, 20, 25, 50, 100];

/// The kernels of `cuda/block_sync.cu`.
pub static PTX: &str = kernel::embedded("block_sync");

declare_family! {
    /// The block synchronisation family.
    pub static FAMILY = {
        name: "block_sync",
        summary: "threads of a block wait for each other at a barrier after every few operations",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        interval: u64 = 1, in 1..=100,
            "multiply-adds between two barriers: 1, 2, 4, 5, 10, 20, 25, 50 or 100";
        multiply_adds: u64 = 100, in 1..=10_000,
            "dependent multiply-adds on each element; after the last whole interval no barrier follows";
        elements: u64 = 1 << 23, in 1..=1 << 26,
            "elements of 4 bytes, one for each thread";
        block: u32 = 256, in 32..=1024, step 32,
            "threads of a block";
        resident_blocks: u32 = 0, in 0..=32,
            "most blocks resident on a multiprocessor, held down by the shared memory that they ask for; 0: no limit";
    }

    enum Variant {
        Barrier = "barrier": "__syncthreads() after every interval: the pattern itself";
        None = "none": "the same loop without a barrier";
        WarpSynchronous = "warp_synchronous":
            "__syncwarp() after every interval: only a warp's threads wait for each other, which costs no instruction where the compiler sees that they are together",
            since (7, 0);
    }

    struct Predictors {
        barriers:
            "barriers that each thread comes to, of its block or of its warp: operations / interval, rounded down",
            of [multiply_adds, interval];
        resident_warps:
            "warps that a multiprocessor holds at once",
            of [block, resident_blocks];
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
            problem: format!("there is no kernel with {} operations between two barriers", self.interval),
            help: format!("use one of {}", all.join(", ")),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
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
        assert!(refused.problem.contains("3 operations") && refused.help.contains("1, 2, 4, 5, 10"), "{refused:?}");
    }
}
