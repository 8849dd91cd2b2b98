//! Buffers, launches and expected output of a histogram.

use super::counting::Counting;
use super::{PTX, Parameters, Predictors, Variant, reference};
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;
/// Threads of a block that clears bins.
const CLEARING: u32 = 256;

const INPUT: usize = 0;
const OUTPUT: usize = 1;

/// Words and bins, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (parameters.elements + u64::from(parameters.bins))
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let counting = Counting::new(parameters, variant, device);
    Predictors { counting_blocks: f64::from(counting.blocks), shared_words: f64::from(counting.bin_words) }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { elements, input, bins, block } = *parameters;
    let counting = Counting::new(parameters, variant, device);
    let words = reference::words(input, elements as usize, seed);
    let expected = Some(reference::histogram(&words, bins).into());
    let clear = Launch {
        entry: "histogram_clear",
        grid: [bins.div_ceil(CLEARING), 1, 1],
        block: [CLEARING, 1, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: 0,
        arguments: vec![Argument::Buffer(OUTPUT), Argument::Word(bins)],
    };
    let count = Launch {
        entry: counting.entry,
        grid: [counting.blocks, 1, 1],
        block: [block, 1, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: counting.shared_words * WORD_BYTES as u32,
        arguments: vec![
            Argument::Buffer(INPUT),
            Argument::Buffer(OUTPUT),
            Argument::Word(bins),
            Argument::Word(reference::shift(bins)),
            Argument::Long(elements),
        ],
    };
    Workload {
        ptx: PTX,
        buffers: vec![
            Buffer { name: "words", contents: Contents::Words(words), expected: None },
            Buffer { name: "histogram", contents: Contents::Poison { words: bins as usize }, expected },
        ],
        steps: vec![Step::Launch(clear), Step::Launch(count)],
        submission: Submission::Stream,
        bytes: WORD_BYTES * elements,
        operations: elements,
        predictors: predictors(parameters, variant, device),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::FamilyPoint;
    use crate::family::fixtures::{bytes_of_buffers, properties, workload};
    use crate::parameter::Named;

    #[test]
    fn every_variant_must_come_to_the_same_histogram_of_all_words() {
        for point in Parameters::verification(&properties()) {
            let expected: Vec<_> = Variant::ALL
                .iter()
                .map(|variant| workload(*variant, &point).buffers[OUTPUT].expected.clone())
                .collect();
            assert!(expected.windows(2).all(|pair| pair[0] == pair[1]), "{point:?}");
            let words = reference::words(point.input, point.elements as usize, 1);
            let counted: u32 = reference::histogram(&words, point.bins).iter().sum();
            assert_eq!(u64::from(counted), point.elements, "{point:?}");
        }
    }

    #[test]
    fn buffers_have_the_bytes_that_are_told() {
        for point in Parameters::verification(&properties()) {
            assert_eq!(bytes_of_buffers(&workload(Variant::Sorted, &point)), device_bytes(&point), "{point:?}");
        }
    }
}
