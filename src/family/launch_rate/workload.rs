//! Buffers, launches and expected output of a chain of launches.

use super::reference::after;
use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::family::shared::shared;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

const INPUT: usize = 0;
const OUTPUT: usize = 1;
/// Where the launches that do not write to the output write to.
const SCRATCH: usize = 2;

impl Parameters {
    fn words(&self) -> usize {
        self.launched_blocks as usize * self.block as usize
    }

    /// The buffer that a launch writes to: what it reads must still be there. The last one writes to the output.
    fn target(&self, number: u32) -> usize {
        let launches_to_come = self.chain_launches - 1 - number;
        if launches_to_come.is_multiple_of(2) { OUTPUT } else { SCRATCH }
    }
}

/// Input, output and scratch, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    3 * WORD_BYTES * parameters.words() as u64
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors { launches: parameters.chain_launches.into() }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { chain_launches: launches, launched_blocks, block } = *parameters;
    let words = parameters.words();
    let input = random_words(words, seed);
    let expected =
        shared("words after launches", &[words as u64, launches.into(), seed], words, || after(launches, &input));
    let launch = |number: u32| {
        let source = if number == 0 { INPUT } else { parameters.target(number - 1) };
        Step::Launch(Launch {
            entry: entry(variant),
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: 0,
            arguments: vec![
                Argument::Buffer(source),
                Argument::Buffer(parameters.target(number)),
                Argument::Word(number),
            ],
        })
    };
    Workload {
        ptx: PTX,
        steps: (0..launches).map(launch).collect(),
        submission: submission(variant),
        bytes: 2 * WORD_BYTES * words as u64,
        operations: 2 * words as u64 * u64::from(launches),
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(expected.into()) },
            Buffer { name: "scratch", contents: Contents::Poison { words }, expected: None },
        ],
    }
}

fn entry(variant: Variant) -> &'static str {
    match variant {
        Variant::Stream | Variant::Graph => "launch_rate_step",
        Variant::Dependent => "launch_rate_dependent_step",
    }
}

fn submission(variant: Variant) -> Submission {
    match variant {
        Variant::Stream => Submission::Stream,
        Variant::Graph => Submission::Graph,
        Variant::Dependent => Submission::Dependent,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;
    use crate::workload::Expected;

    fn point(chain_launches: u32) -> Parameters {
        Parameters { chain_launches, launched_blocks: 3, block: 64 }
    }

    #[test]
    fn each_launch_reads_what_the_one_before_wrote_and_the_last_writes_the_output() {
        for launches in [1, 2, 5] {
            for &variant in Variant::ALL {
                let workload = workload(variant, &point(launches));
                let places: Vec<[Argument; 3]> =
                    workload.launches().map(|launch| launch.arguments.clone().try_into().unwrap()).collect();
                assert_eq!(places.len(), launches as usize);
                assert_eq!(places[0][0], Argument::Buffer(INPUT));
                assert_eq!(places[places.len() - 1][1], Argument::Buffer(OUTPUT));
                assert!(places.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{places:?}");
                assert!(places.iter().all(|[source, target, _]| source != target), "{places:?}");
                assert!((0..launches).zip(&places).all(|(number, own)| own[2] == Argument::Word(number)));
                assert_eq!(workload.predictors.launches, f64::from(launches));
            }
        }
    }

    #[test]
    fn every_thread_has_a_word_of_each_buffer() {
        let workload = workload(Variant::Stream, &point(4));
        assert_eq!(workload.buffers[OUTPUT].expected.as_ref().and_then(Expected::words).map(<[u32]>::len), Some(192));
        assert_eq!(bytes_of_buffers(&workload), device_bytes(&point(4)));
        let launch = workload.launches().next().unwrap().clone();
        assert_eq!((launch.grid, launch.block), ([3, 1, 1], [64, 1, 1]));
    }

    #[test]
    fn variants_differ_in_how_launches_are_handed_over() {
        let submission = |variant| workload::<Parameters>(variant, &defaults()).submission;
        assert_eq!(
            Variant::ALL.iter().map(|own| submission(*own)).collect::<Vec<_>>(),
            [Submission::Stream, Submission::Graph, Submission::Dependent]
        );
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for &variant in Variant::ALL {
            assert!(PTX.text_of(entry(variant), (9, 0)).is_some(), "{}", variant.name());
        }
    }
}
