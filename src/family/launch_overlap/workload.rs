//! Buffers, launches and expected output of a chain of launches with work in each.

use super::reference::Chain;
use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::family::residency::resident_on_device;
use crate::family::shared::shared;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Words, Workload};

const WORD_BYTES: u64 = 4;

const INPUT: usize = 0;
const OUTPUT: usize = 1;
/// Where the launches that do not write to the output write to.
const SCRATCH: usize = 2;
/// The number of the turn, a word for each thread of a loop on the device.
const NUMBERS: usize = 3;
/// Whether a loop on the device goes on.
const CONDITION: usize = 4;

impl Parameters {
    fn words(&self) -> usize {
        self.launched_blocks as usize * self.block as usize
    }

    /// The buffer that a launch writes to: what it reads must still be there. The last one writes to the output.
    fn target(&self, number: u32) -> usize {
        let launches_to_come = self.chain_launches.saturating_sub(1 + number);
        if launches_to_come.is_multiple_of(2) { OUTPUT } else { SCRATCH }
    }

    /// Where launches write to in turn, the first one's target in front.
    fn targets(&self) -> [Argument; 2] {
        let first = self.target(0);
        [first, if first == OUTPUT { SCRATCH } else { OUTPUT }].map(Argument::Buffer)
    }

    /// What each thread does, as the kernels take it.
    fn work(&self) -> [Argument; 2] {
        [self.preamble_multiply_adds, self.multiply_adds].map(Argument::Word)
    }

    fn launch(&self, variant: Variant, arguments: Vec<Argument>) -> Launch {
        Launch {
            entry: entry(variant),
            grid: [self.launched_blocks, 1, 1],
            block: [self.block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: 0,
            arguments,
        }
    }

    /// The launch of this number.
    fn one_of_many(&self, variant: Variant, number: u32) -> Launch {
        let source = if number == 0 { INPUT } else { self.target(number - 1) };
        let mut arguments =
            vec![Argument::Buffer(source), Argument::Buffer(self.target(number)), Argument::Word(number)];
        arguments.extend(self.work());
        self.launch(variant, arguments)
    }

    /// The launch that a loop on the device repeats.
    fn repeated(&self) -> Launch {
        let mut arguments = vec![Argument::Buffer(INPUT)];
        arguments.extend(self.targets());
        arguments.extend([Argument::Buffer(NUMBERS), Argument::Word(self.chain_launches)]);
        arguments.extend(self.work());
        arguments.push(Argument::Buffer(CONDITION));
        self.launch(Variant::Conditional, arguments)
    }

    /// One launch of as many blocks as are resident, and no more than there are words for.
    fn cooperative(&self, device: &Properties) -> Launch {
        let variant = Variant::Cooperative;
        let mut arguments = vec![Argument::Buffer(INPUT)];
        arguments.extend(self.targets());
        arguments.extend([Argument::Word(self.words() as u32), Argument::Word(self.chain_launches)]);
        arguments.extend(self.work());
        let blocks = self.launched_blocks.min(resident_on_device(entry(variant), self.block, 0, device));
        Launch { cooperative: true, grid: [blocks, 1, 1], ..self.launch(variant, arguments) }
    }
}

/// Input, output, scratch and numbers, and the condition, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (4 * parameters.words() as u64 + 1)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant) -> Predictors {
    let turns = f64::from(parameters.chain_launches);
    Predictors {
        launches: if variant == Variant::Cooperative { 1.0 } else { turns },
        boundaries: turns - 1.0,
        multiply_adds_between: f64::from(parameters.preamble_multiply_adds) + f64::from(parameters.multiply_adds),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { chain_launches: launches, preamble_multiply_adds: preamble, multiply_adds: operations, .. } =
        *parameters;
    let words = parameters.words();
    let input = random_words(words, seed);
    let what = [words as u64, launches.into(), preamble.into(), operations.into(), seed];
    let chain = Chain { launches, preamble, operations };
    let expected = shared("words after launches with work", &what, words, || chain.after(&input));
    let launches: Vec<Launch> = match variant {
        Variant::Conditional => vec![parameters.repeated()],
        Variant::Cooperative => vec![parameters.cooperative(device)],
        _ => (0..launches).map(|number| parameters.one_of_many(variant, number)).collect(),
    };
    let turns = words as u64 * u64::from(parameters.chain_launches);
    let mut buffers = vec![
        Buffer { name: "input", contents: Contents::Words(input), expected: None },
        Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(expected.into()) },
        Buffer { name: "scratch", contents: Contents::Poison { words }, expected: None },
    ];
    if variant == Variant::Conditional {
        let of = |words: Vec<u32>| Contents::Words(Words::from(words));
        buffers.push(Buffer { name: "numbers", contents: of(vec![0; words]), expected: None });
        buffers.push(Buffer { name: "condition", contents: of(vec![1]), expected: None });
    }
    Workload {
        ptx: PTX,
        steps: launches.into_iter().map(Step::Launch).collect(),
        submission: submission(variant),
        bytes: 2 * WORD_BYTES * words as u64,
        operations: turns * (4 + 2 * (u64::from(preamble) + u64::from(operations))),
        predictors: predictors(parameters, variant),
        buffers,
    }
}

fn entry(variant: Variant) -> &'static str {
    match variant {
        Variant::Stream | Variant::Graph => "launch_overlap_step",
        Variant::Dependent => "launch_overlap_dependent_step",
        Variant::DependentEarly | Variant::DependentGraph => "launch_overlap_dependent_early_step",
        Variant::Conditional => "launch_overlap_conditional_step",
        Variant::Cooperative => "launch_overlap_cooperative",
    }
}

fn submission(variant: Variant) -> Submission {
    match variant {
        Variant::Stream | Variant::Cooperative => Submission::Stream,
        Variant::Graph => Submission::Graph,
        Variant::Dependent | Variant::DependentEarly => Submission::Dependent,
        Variant::DependentGraph => Submission::DependentGraph,
        Variant::Conditional => Submission::While { condition: CONDITION },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;

    fn point(chain_launches: u32) -> Parameters {
        Parameters { chain_launches, launched_blocks: 3, block: 64, ..defaults() }
    }

    #[test]
    fn each_launch_reads_what_the_one_before_wrote_and_the_last_writes_the_output() {
        for launches in [1, 2, 5] {
            for variant in [Variant::Stream, Variant::Dependent, Variant::DependentGraph] {
                let workload = workload(variant, &point(launches));
                let places: Vec<Vec<Argument>> = workload.launches().map(|launch| launch.arguments.clone()).collect();
                assert_eq!(places.len(), launches as usize);
                assert_eq!(places[0][0], Argument::Buffer(INPUT));
                assert_eq!(places[places.len() - 1][1], Argument::Buffer(OUTPUT));
                assert!(places.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{places:?}");
                assert!(places.iter().all(|own| own[0] != own[1]), "{places:?}");
                assert!((0..launches).zip(&places).all(|(number, own)| own[2] == Argument::Word(number)));
            }
        }
    }

    /// Turn 0 writes to the first target, and the last turn must write to the output.
    #[test]
    fn turns_of_one_launch_end_in_the_output() {
        for (launches, first, second) in [(1, OUTPUT, SCRATCH), (2, SCRATCH, OUTPUT), (5, OUTPUT, SCRATCH)] {
            for variant in [Variant::Conditional, Variant::Cooperative] {
                let workload = workload(variant, &point(launches));
                let all: Vec<_> = workload.launches().collect();
                let [launch] = all[..] else { panic!("{} launches", all.len()) };
                assert_eq!(launch.arguments[..3], [INPUT, first, second].map(Argument::Buffer), "{launches}");
            }
        }
    }

    #[test]
    fn boundaries_are_between_launches_or_turns() {
        let of = |variant| {
            let own = workload(variant, &point(7)).predictors;
            (own.launches, own.boundaries)
        };
        assert_eq!(of(Variant::Stream), (7.0, 6.0));
        assert_eq!(of(Variant::Conditional), (7.0, 6.0));
        assert_eq!(of(Variant::Cooperative), (1.0, 6.0));
    }

    #[test]
    fn every_thread_has_a_word_of_each_buffer_and_cooperative_blocks_are_resident() {
        let conditional = workload(Variant::Conditional, &point(4));
        assert_eq!(bytes_of_buffers(&conditional), device_bytes(&point(4)));
        assert_eq!(conditional.buffers[CONDITION].words(), 1);
        // The mock has one multiprocessor for 2048 threads.
        let blocks = |launched_blocks| {
            let point = Parameters { launched_blocks, ..point(2) };
            workload(Variant::Cooperative, &point).launches().next().unwrap().grid[0]
        };
        assert_eq!((blocks(3), blocks(1000)), (3, 32));
    }

    #[test]
    fn variants_differ_in_how_launches_are_handed_over() {
        use Submission::{Dependent, DependentGraph, Graph, Stream, While};
        let submission = |variant| workload::<Parameters>(variant, &defaults()).submission;
        assert_eq!(
            Variant::ALL.iter().map(|own| submission(*own)).collect::<Vec<_>>(),
            [Stream, Graph, Dependent, Dependent, DependentGraph, While { condition: CONDITION }, Stream]
        );
    }

    #[test]
    fn kernels_of_dependent_launches_wait_and_no_others() {
        for &variant in Variant::ALL {
            let waits = PTX.text_of(entry(variant), (9, 0)).map(|text| text.contains("griddepcontrol.wait"));
            assert_eq!(waits, Some(submission(variant).overlaps()), "{}", variant.name());
        }
    }
}
