//! What blocks of a cluster read of each other: from the shared memory of the block beside, against from L2 and from their own.

use crate::family::shares::check_groups;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/cluster_exchange.cu`.
pub static PTX: Ptx = kernel::embedded("cluster_exchange");

declare_family! {
    /// The family of blocks that read each other's words.
    pub static FAMILY = {
        name: "cluster_exchange",
        summary: "each block reads a set of 2048 words of the block beside it, from L2 or from that block's shared memory",
        ptx: PTX,
        size: loads ^ 1,
    };

    struct Parameters {
        loads_are: LoadsAre = LoadsAre::Chain, one of { Chain = "chain", Wide = "wide" },
            "which loads: of one thread of each block, each of which says where the next one goes; or of all threads, 16 bytes each, side by side";
        cluster_blocks: u32 = 8, in 2..=16,
            "blocks of a cluster, each of which reads of the next one, the last one of the first; more than 8 are not portable";
        loads: u32 = 1024, in 8..=1 << 20, step 8,
            "loads of a thread, one after another";
        launched_blocks: u32 = 16, in 2..=1 << 15,
            "blocks of the launch, a multiple of cluster_blocks";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
    }

    enum Variant {
        L2 = "l2": "from global memory past L1 (ld.global.cg), where L2 has the sets; this variant has the pattern", since (2, 0);
        Distributed = "distributed": "from the shared memory of the block beside (ld.shared::cluster)", since (9, 0);
        OwnShared = "own_shared": "from the block's own shared memory, for comparison", ignores [cluster_blocks];
    }

    struct Predictors {
        block_bytes: "bytes that a block reads of the set", of [loads_are, loads, block];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let names = const { &[Self::NAMES.launched_blocks, Self::NAMES.cluster_blocks] };
        check_groups("clusters", self.launched_blocks, self.cluster_blocks, names)
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

    /// Clusters of two blocks, of the most that are portable and of the most; fewer loads than the set has words or pieces, as many, and more.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for loads_are in [LoadsAre::Chain, LoadsAre::Wide] {
            for (cluster_blocks, launched_blocks, loads, block) in
                [(2, 2, 8, 32), (2, 6, 24, 96), (4, 8, 2048, 64), (8, 8, 2056, 256), (16, 16, 40, largest_block)]
            {
                points.push(Self { loads_are, cluster_blocks, loads, launched_blocks, block });
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
    fn blocks_that_are_no_whole_clusters_are_refused() {
        assert_eq!(defaults::<Parameters>().check(), Ok(()));
        let refused = Parameters { cluster_blocks: 5, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["launched_blocks", "cluster_blocks"]);
        assert!(refused.problem.contains("16 blocks are no whole number of clusters of 5"), "{refused:?}");
    }
}
