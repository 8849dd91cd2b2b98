//! Synchronisation of the blocks of a cluster, against a barrier in global memory among as many blocks, and a stencil's halo exchanged over both.

use crate::family::shares::check_groups;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/cluster_sync.cu`.
pub static PTX: Ptx = kernel::embedded("cluster_sync");

declare_family! {
    /// The family of clusters whose blocks wait for each other.
    pub static FAMILY = {
        name: "cluster_sync",
        summary: "groups of blocks wait for each other over and over, as clusters or by global memory",
        ptx: PTX,
        size: waits ^ 1,
    };

    struct Parameters {
        exchange: Exchange = Exchange::None, one of { None = "none", Neighbours = "neighbours" },
            "what a block gets of others before each barrier: none, or the end words of the two blocks beside it, which its threads then combine";
        cluster_blocks: u32 = 8, in 1..=16,
            "blocks that wait for each other; more than 8 are not portable, and not every GPU has them";
        waits: u32 = 256, in 1..=1 << 20,
            "barriers, one after another; one more comes before them";
        launched_blocks: u32 = 16, in 1..=1 << 16,
            "blocks of the launch, a multiple of cluster_blocks";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
    }

    enum Variant {
        GridBarrier = "grid_barrier":
            "a barrier of one atomic counter and a generation number in global memory; this variant has the pattern", since (6, 0);
        ClusterBarrier = "cluster_barrier":
            "the barrier of a cluster; what is exchanged is stored in the shared memory of the block beside", since (9, 0);
    }

    struct Predictors {
        groups: "groups of blocks that wait for each other", of [launched_blocks, cluster_blocks];
        waiting_threads: "threads that wait for each other at a barrier", of [cluster_blocks, block];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let names = const { &[Self::NAMES.launched_blocks, Self::NAMES.cluster_blocks] };
        check_groups("groups", self.launched_blocks, self.cluster_blocks, names)
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// Groups of one block, of two that are both neighbours of each other, and of the most; one barrier, and odd and even numbers of them.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for exchange in [Exchange::None, Exchange::Neighbours] {
            for (cluster_blocks, launched_blocks, waits, block) in
                [(1, 3, 5, 32), (2, 2, 1, 64), (2, 6, 8, 96), (4, 8, 7, 32), (8, 8, 4, largest_block), (16, 16, 5, 64)]
            {
                points.push(Self { exchange, cluster_blocks, waits, launched_blocks, block });
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
    fn blocks_that_are_no_whole_groups_are_refused() {
        assert_eq!(defaults::<Parameters>().check(), Ok(()));
        let refused = Parameters { cluster_blocks: 3, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["launched_blocks", "cluster_blocks"]);
        assert!(refused.problem.contains("16 blocks are no whole number of groups of 3"), "{refused:?}");
    }
}
