//! Buffers, launch and expected output of blocks that wait for each other.

use super::reference::after;
use super::{Exchange, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;
/// Words of a group's barrier in global memory, as in the kernels.
const BARRIER_WORDS: usize = 64;
/// Words at the ends of a block, and places of them that take turns.
const END_WORDS: usize = 2 * 2;

impl Parameters {
    fn groups(&self) -> u32 {
        self.launched_blocks / self.cluster_blocks
    }

    fn words(&self) -> usize {
        self.launched_blocks as usize * self.block as usize
    }

    /// Rounds with an exchange: each, or the last one alone.
    fn exchanges(&self) -> u32 {
        match self.exchange {
            Exchange::None => 1,
            Exchange::Neighbours => self.waits,
        }
    }
}

/// Input and output, and what blocks tell each other through global memory.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let told = END_WORDS * parameters.launched_blocks as usize + BARRIER_WORDS * parameters.groups() as usize;
    WORD_BYTES * (2 * parameters.words() + told) as u64
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors {
        groups: parameters.groups().into(),
        waiting_threads: (parameters.cluster_blocks * parameters.block).into(),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { exchange, cluster_blocks, waits, launched_blocks, block } = *parameters;
    let words = parameters.words();
    let input = random_words(words, seed);
    let ring = cluster_blocks as usize * block as usize;
    let expected: Vec<u32> = input.chunks(ring).flat_map(|ring| after(parameters.exchanges(), ring)).collect();
    let zeros = |words: usize| Contents::Words(vec![0; words].into());
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: match (variant, exchange) {
                (Variant::ClusterBarrier, Exchange::None) => "cluster_sync_cluster",
                (Variant::ClusterBarrier, Exchange::Neighbours) => "cluster_sync_cluster_neighbours",
                (Variant::GridBarrier, Exchange::None) => "cluster_sync_grid",
                (Variant::GridBarrier, Exchange::Neighbours) => "cluster_sync_grid_neighbours",
            },
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            shared_bytes: WORD_BYTES as u32 * 2 * (block + 2),
            // Blocks that wait for each other without a cluster must all be resident.
            cooperative: variant == Variant::GridBarrier,
            cluster_blocks: if variant == Variant::ClusterBarrier { cluster_blocks } else { 1 },
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Buffer(2),
                Argument::Buffer(3),
                Argument::Word(cluster_blocks),
                Argument::Word(waits),
            ],
        })],
        submission: Submission::Stream,
        bytes: 2 * WORD_BYTES * words as u64,
        operations: 0,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(expected.into()) },
            Buffer { name: "ends", contents: zeros(END_WORDS * launched_blocks as usize), expected: None },
            Buffer { name: "barriers", contents: zeros(BARRIER_WORDS * parameters.groups() as usize), expected: None },
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;

    fn point(exchange: Exchange, waits: u32) -> Parameters {
        Parameters { exchange, waits, cluster_blocks: 4, launched_blocks: 8, block: 32 }
    }

    #[test]
    fn clusters_are_launched_as_such_and_others_as_a_cooperative_grid() {
        let launch = |variant| workload(variant, &point(Exchange::None, 9)).launches().next().unwrap().clone();
        let [cluster, grid] = [Variant::ClusterBarrier, Variant::GridBarrier].map(launch);
        assert_eq!((cluster.cluster_blocks, cluster.cooperative), (4, false));
        assert_eq!((grid.cluster_blocks, grid.cooperative), (1, true));
        assert_eq!((cluster.grid, cluster.block, cluster.shared_bytes), ([8, 1, 1], [32, 1, 1], 272));
        assert_eq!(cluster.arguments[4..], [Argument::Word(4), Argument::Word(9)]);
    }

    #[test]
    fn each_group_has_a_ring_of_its_own_and_variants_compute_the_same() {
        let expected = |variant, point: &Parameters| {
            workload(variant, point).buffers[1].expected.as_ref().unwrap().words().unwrap().to_vec()
        };
        let each = expected(Variant::GridBarrier, &point(Exchange::Neighbours, 3));
        assert_eq!(each, expected(Variant::ClusterBarrier, &point(Exchange::Neighbours, 3)));
        let Contents::Words(input) =
            workload(Variant::GridBarrier, &point(Exchange::None, 3)).buffers[0].contents.clone()
        else {
            panic!("words")
        };
        assert_eq!(each[128..], after(3, &input[128..]));
        assert_eq!(expected(Variant::GridBarrier, &point(Exchange::None, 3))[..128], after(1, &input[..128]));
    }

    #[test]
    fn bytes_are_those_of_the_buffers_and_predictors_those_of_the_groups() {
        let point: Parameters = defaults();
        let own = workload(Variant::GridBarrier, &point);
        assert_eq!(bytes_of_buffers(&own), device_bytes(&point));
        let Predictors { groups, waiting_threads } = own.predictors;
        assert_eq!((groups, waiting_threads), (2.0, 2048.0));
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for (&variant, &exchange) in
            Variant::ALL.iter().flat_map(|own| Exchange::ALL.iter().map(move |exchange| (own, exchange)))
        {
            let entry = workload(variant, &point(exchange, 2)).launches().next().unwrap().entry;
            assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
        }
    }
}
