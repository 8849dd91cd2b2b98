//! Buffers, launch and expected output of blocks that read each other's words.

use super::reference::{PITCH_WORDS, SET_WORDS, followed, sets, summed};
use super::{LoadsAre, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::drawn_words;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;
/// Bytes of a wide load.
const PIECE_BYTES: u64 = 16;

impl Parameters {
    fn outcomes(&self) -> u64 {
        let threads = match self.loads_are {
            LoadsAre::Chain => 1,
            LoadsAre::Wide => self.block,
        };
        u64::from(self.launched_blocks) * u64::from(threads)
    }

    /// The block whose set a block reads.
    fn owner(&self, variant: Variant, block: u32) -> u32 {
        let rank = block % self.cluster_blocks;
        match variant {
            Variant::OwnShared => block,
            Variant::L2 | Variant::Distributed => block - rank + (rank + 1) % self.cluster_blocks,
        }
    }

    /// Bytes that a block reads of a set.
    fn read_bytes(&self) -> u64 {
        let loads = u64::from(self.loads);
        match self.loads_are {
            LoadsAre::Chain => WORD_BYTES * loads,
            LoadsAre::Wide => PIECE_BYTES * loads * u64::from(self.block),
        }
    }
}

/// The sets, and what is come to.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (PITCH_WORDS as u64 * u64::from(parameters.launched_blocks) + parameters.outcomes())
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors { block_bytes: parameters.read_bytes() as f64 }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { loads_are, cluster_blocks, loads, launched_blocks, block } = *parameters;
    let keys = drawn_words(SET_WORDS, seed);
    let mut order: Vec<u32> = (0..SET_WORDS as u32).collect();
    order[1..].sort_by_key(|place| keys[*place as usize]);
    let sets = sets(launched_blocks, &order);
    let owners = (0..launched_blocks).map(|own| parameters.owner(variant, own));
    let expected: Vec<u32> = match loads_are {
        LoadsAre::Chain => owners.map(|owner| followed(&sets, loads, owner)).collect(),
        LoadsAre::Wide => {
            let of_none = summed(&sets, loads, block, 0);
            owners.flat_map(|owner| of_none.iter().map(move |sum| sum.wrapping_add(owner << 16))).collect()
        }
    };
    let is_chain = loads_are == LoadsAre::Chain;
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: match (variant, is_chain) {
                (Variant::L2, true) => "cluster_exchange_l2_chain",
                (Variant::L2, false) => "cluster_exchange_l2_wide",
                (Variant::Distributed, true) => "cluster_exchange_distributed_chain",
                (Variant::Distributed, false) => "cluster_exchange_distributed_wide",
                (Variant::OwnShared, true) => "cluster_exchange_own_shared_chain",
                (Variant::OwnShared, false) => "cluster_exchange_own_shared_wide",
            },
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            cluster_blocks: if variant == Variant::Distributed { cluster_blocks } else { 1 },
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Word(if variant == Variant::OwnShared { 1 } else { cluster_blocks }),
                Argument::Word(loads),
            ],
        })],
        submission: Submission::Stream,
        bytes: parameters.read_bytes() * u64::from(launched_blocks),
        operations: 0,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "sets", contents: Contents::Words(sets.into()), expected: None },
            Buffer {
                name: "outcomes",
                contents: Contents::Poison { words: expected.len() },
                expected: Some(expected.into()),
            },
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};
    use crate::parameter::Named;

    fn point(loads_are: LoadsAre) -> Parameters {
        Parameters { loads_are, cluster_blocks: 4, loads: 16, launched_blocks: 8, block: 64 }
    }

    fn expected(variant: Variant, loads_are: LoadsAre) -> Vec<u32> {
        workload(variant, &point(loads_are)).buffers[1].expected.as_ref().unwrap().words().unwrap().to_vec()
    }

    #[test]
    fn each_block_reads_of_the_next_one_of_its_cluster() {
        let place = expected(Variant::OwnShared, LoadsAre::Chain)[0];
        let owners = |variant| -> Vec<u32> {
            expected(variant, LoadsAre::Chain).iter().map(|own| (own - place) >> 16).collect()
        };
        assert_eq!(owners(Variant::OwnShared), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(owners(Variant::Distributed), [1, 2, 3, 0, 5, 6, 7, 4]);
        assert_eq!(owners(Variant::L2), owners(Variant::Distributed));
    }

    #[test]
    fn bytes_are_those_of_the_buffers_and_of_what_is_read() {
        for (loads_are, read_bytes) in [(LoadsAre::Chain, 64), (LoadsAre::Wide, 16 * 16 * 64)] {
            let own = workload(Variant::L2, &point(loads_are));
            assert_eq!(bytes_of_buffers(&own), device_bytes(&point(loads_are)));
            assert_eq!((own.predictors.block_bytes, own.bytes), (f64::from(read_bytes), 8 * read_bytes as u64));
        }
        assert_eq!(expected(Variant::L2, LoadsAre::Wide).len(), 8 * 64);
    }

    #[test]
    fn only_what_reads_of_others_is_in_clusters() {
        for &variant in Variant::ALL {
            for &loads_are in LoadsAre::ALL {
                let launch = workload(variant, &point(loads_are)).launches().next().unwrap().clone();
                assert_eq!(launch.cluster_blocks, if variant == Variant::Distributed { 4 } else { 1 });
                assert!(PTX.text_of(launch.entry, (9, 0)).is_some(), "{}", launch.entry);
            }
        }
    }
}
