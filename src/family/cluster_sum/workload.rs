//! Buffers, launch and expected output of a sum by clusters.

use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;
/// Words of the array at most: the kernels count them in 32 bits.
pub(super) const WORDS_MAX: u64 = 1 << 30;

/// Words of the array.
pub(super) fn words(parameters: &Parameters) -> u64 {
    let Parameters { words_per_thread, launched_blocks, block, .. } = *parameters;
    u64::from(words_per_thread) * u64::from(launched_blocks) * u64::from(block)
}

/// The array, and the result.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (words(parameters) + 1)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant) -> Predictors {
    let atomics = match variant {
        Variant::BlockAtomics => parameters.launched_blocks,
        Variant::ClusterAtomics => parameters.launched_blocks / parameters.cluster_blocks,
    };
    Predictors { result_atomics: atomics.into() }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { words_per_thread, cluster_blocks, launched_blocks, block } = *parameters;
    let array = random_words(words(parameters) as usize, seed);
    // It does not begin at zero, so that who stores a sum in place of adding it is found out.
    let start = seed as u32 ^ 0x5bd1_e995;
    let sum = array.iter().fold(start, |sum, word| sum.wrapping_add(*word));
    let is_of_clusters = variant == Variant::ClusterAtomics;
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: if is_of_clusters { "cluster_sum_clusters" } else { "cluster_sum_blocks" },
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            cluster_blocks: if is_of_clusters { cluster_blocks } else { 1 },
            arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(words_per_thread)],
        })],
        submission: Submission::Stream,
        bytes: WORD_BYTES * words(parameters),
        operations: words(parameters),
        predictors: predictors(parameters, variant),
        buffers: vec![
            Buffer { name: "array", contents: Contents::Words(array), expected: None },
            Buffer { name: "total", contents: Contents::Words(vec![start].into()), expected: Some(vec![sum].into()) },
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};
    use crate::parameter::Named;

    const POINT: Parameters = Parameters { words_per_thread: 3, cluster_blocks: 4, launched_blocks: 8, block: 64 };

    #[test]
    fn variants_come_to_the_same_with_an_atomic_for_each_block_or_cluster() {
        let [blocks, clusters] = [Variant::BlockAtomics, Variant::ClusterAtomics].map(|own| workload(own, &POINT));
        assert_eq!(blocks.buffers[1].expected, clusters.buffers[1].expected);
        assert_eq!((blocks.predictors.result_atomics, clusters.predictors.result_atomics), (8.0, 2.0));
        let launch = |own: &Workload<Predictors>| own.launches().next().unwrap().cluster_blocks;
        assert_eq!((launch(&blocks), launch(&clusters)), (1, 4));
    }

    #[test]
    fn bytes_are_those_of_the_buffers() {
        let own = workload(Variant::BlockAtomics, &POINT);
        assert_eq!((bytes_of_buffers(&own), own.bytes), (device_bytes(&POINT), 4 * 3 * 8 * 64));
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for &variant in Variant::ALL {
            let entry = workload(variant, &POINT).launches().next().unwrap().entry;
            assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
        }
    }
}
