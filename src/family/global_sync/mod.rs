//! Global synchronisation: all threads of a grid wait for each other between operations (Cornelis 2010, section 5.2,
//! figure 5.2), and ways to do that without ending the kernel or to do without it.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/global_sync.cu`.
pub static PTX: Ptx = kernel::embedded("global_sync");

/// Elements that a thread of `redundant_halo` is responsible for.
pub const ELEMENTS_PER_THREAD: u64 = 4;

declare_family! {
    /// The global synchronisation family.
    pub static FAMILY = {
        name: "global_sync",
        summary: "all threads of a grid wait for each other, with few operations in between",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        interval: u32 = 10, in 1..=1000,
            "multiply-adds between two synchronisations; after the last one there may be fewer";
        multiply_adds: u32 = 100, in 1..=1000,
            "dependent multiply-adds per element in all";
        exchange: Exchange = Exchange::None, one of { None = "none", Neighbours = "neighbours" },
            "what an element needs after a synchronisation: none, or the values of its two neighbours";
        elements: u32 = 1 << 23, in 1..=1 << 26,
            "number of elements of 4 bytes; they form a ring";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
    }

    enum Variant {
        Relaunch = "relaunch": "a kernel launch for every interval; this variant has the pattern";
        RelaunchShared = "relaunch_shared": "the same, with the elements staged through shared memory in every launch";
        Cooperative = "cooperative": "one launch with the grid barrier of cooperative groups", since (6, 0);
        AtomicBarrier = "atomic_barrier":
            "one launch with a barrier of one atomic counter and a generation number", since (6, 0);
        Graph = "graph": "the launches of `relaunch`, submitted as one CUDA graph", since (3, 0);
        RedundantHalo = "redundant_halo":
            "one launch whose blocks also compute the elements that they need of their neighbours, and never wait";
    }

    struct Predictors {
        launches: "kernels launched", of [multiply_adds, interval];
        grid_barriers: "barriers of all blocks within a launch", of [multiply_adds, interval];
        synchronisations:
            "how often all threads wait for each other, at the end of a launch or at a grid barrier",
            of [multiply_adds, interval];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { interval, multiply_adds: operations, .. } = *self;
        if interval <= operations {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.interval, Self::NAMES.multiply_adds],
            problem: format!("the interval of {interval} multiply-adds is longer than all {operations}"),
            help: format!("give at most {operations} for interval, or more multiply_adds"),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        workload::predictors(self, variant)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Sizes of one element, of no full warp or block, of full ones and of neither, less than the halo among them; odd and even
    /// numbers of rounds.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for exchange in [Exchange::None, Exchange::Neighbours] {
            for (elements, block, multiply_adds, interval) in [
                (1, 32, 7, 1),
                (2, 32, 8, 4),
                (31, 64, 9, 9),
                (31, 64, 23, 10),
                (1024, 256, 8, 1),
                (4097, 96, 7, 2),
                (4097, 96, 12, 12),
                (5000, largest_block, 23, 10),
            ] {
                points.push(Self { interval, multiply_adds, exchange, elements, block });
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
    fn intervals_of_more_operations_than_there_are_are_refused() {
        assert_eq!(Parameters { interval: 100, ..defaults() }.check(), Ok(()));
        let refused = Parameters { interval: 101, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["interval", "multiply_adds"]);
        assert!(refused.problem.contains("longer than all 100"), "{refused:?}");
    }
}
