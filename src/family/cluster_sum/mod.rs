//! The sum of an array with an atomic in global memory for each block, against one for each cluster whose blocks combine their sums in shared memory.

use crate::family::shares::check_groups;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The kernels of `cuda/cluster_sum.cu`.
pub static PTX: Ptx = kernel::embedded("cluster_sum");

declare_family! {
    /// The family of sums by clusters.
    pub static FAMILY = {
        name: "cluster_sum",
        summary: "blocks sum an array up, and add their sums to one word in global memory",
        ptx: PTX,
        size: words_per_thread ^ 1,
    };

    struct Parameters {
        words_per_thread: u32 = 4, in 1..=1 << 12,
            "words of 4 bytes that each thread sums up";
        cluster_blocks: u32 = 8, in 2..=16,
            "blocks of a cluster; more than 8 are not portable";
        launched_blocks: u32 = 2112, in 2..=1 << 16,
            "blocks of the launch, a multiple of cluster_blocks";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
    }

    enum Variant {
        BlockAtomics = "block_atomics":
            "an atomic in global memory for each block; this variant has the pattern", since (3, 0), ignores [cluster_blocks];
        ClusterAtomics = "cluster_atomics":
            "blocks add their sums up in the shared memory of the first one of their cluster, and an atomic in global memory for each cluster", since (9, 0);
    }

    struct Predictors {
        result_atomics: "atomics on the word of the result", of [launched_blocks, cluster_blocks];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let names = const { &[Self::NAMES.launched_blocks, Self::NAMES.cluster_blocks] };
        check_groups("clusters", self.launched_blocks, self.cluster_blocks, names)?;
        if workload::words(self) <= workload::WORDS_MAX {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.words_per_thread, Self::NAMES.launched_blocks, Self::NAMES.block],
            problem: format!("{} words, where {} are possible", workload::words(self), workload::WORDS_MAX),
            help: "give fewer words_per_thread or launched_blocks".to_owned(),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        workload::predictors(self, variant)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// Clusters of two blocks, of the most that are portable and of the most; words for one turn of the loop, and for parts of one.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        [(1, 2, 2, 32), (3, 2, 6, 96), (4, 4, 16, 64), (9, 8, 8, 256), (5, 16, 32, largest_block)]
            .map(|(words_per_thread, cluster_blocks, launched_blocks, block)| Self {
                words_per_thread,
                cluster_blocks,
                launched_blocks,
                block,
            })
            .to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn blocks_that_are_no_whole_clusters_and_too_many_words_are_refused() {
        assert_eq!(defaults::<Parameters>().check(), Ok(()));
        let refused = Parameters { cluster_blocks: 5, ..defaults() }.check().unwrap_err();
        assert!(refused.problem.contains("2112 blocks are no whole number of clusters of 5"), "{refused:?}");
        let all = Parameters { words_per_thread: 4096, launched_blocks: 1 << 16, block: 1024, ..defaults() };
        let refused = all.check().unwrap_err();
        assert!(refused.problem.contains("words, where 1073741824 are possible"), "{refused:?}");
    }
}
