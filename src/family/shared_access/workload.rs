//! Buffers, launch and expected output of a point of the shared-memory family.

use super::accesses::Accesses;
use super::{COLUMNS, PTX, Parameters, Predictors, STRIDE_MAX, TILE, Variant, reference};
use crate::family::inputs::random_words;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

const ELEMENT_BYTES: u64 = 4;

/// Input and output of the copies, in bytes, which are no less than those of the reads but for the tile.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let Parameters { width, word_bytes, .. } = *parameters;
    let tile_bytes = (LANES * STRIDE_MAX) as u64 * u64::from(word_bytes);
    ELEMENT_BYTES * width * width + tile_bytes.max(ELEMENT_BYTES * width * width)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let banks = device.rules.banks;
    Predictors { conflict_degree: Accesses::new(variant, parameters, banks).conflict_degree(banks) }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let accesses = Accesses::new(variant, parameters, device.rules.banks);
    let width = parameters.width as usize;
    let repetitions = parameters.repetitions;
    let elements = (width * width) as u64;

    let mut arguments =
        vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(width as u32), Argument::Word(repetitions)];
    let (entry, input, expected, shared_bytes, operations) = match accesses {
        Accesses::Copy { read_exchanged, write_exchanged } => {
            let input = random_words(width * width, seed);
            let expected = reference::copy(&input, width, read_exchanged != write_exchanged);
            let entry = match (read_exchanged, write_exchanged) {
                (false, false) => "shared_access_read_unconflicted_write_unconflicted",
                (true, false) => "shared_access_read_conflicted_write_unconflicted",
                (false, true) => "shared_access_read_unconflicted_write_conflicted",
                (true, true) => "shared_access_read_conflicted_write_conflicted",
            };
            (entry, input, expected, 0, 0)
        }
        Accesses::Read(placement) => {
            let word_elements = u64::from(placement.word_bytes) / ELEMENT_BYTES;
            let shape = (placement.stride as usize, word_elements as usize);
            let input = random_words(LANES * shape.0 * shape.1, seed);
            let expected = reference::read(&input, width, repetitions, shape, placement.row_mask as usize);
            let entry = match placement.word_bytes {
                4 => "shared_access_read_4",
                8 => "shared_access_read_8",
                _ => "shared_access_read_16",
            };
            arguments.extend(
                [
                    placement.stride,
                    placement.pitch,
                    placement.swizzle_shift,
                    placement.swizzle_mask,
                    placement.row_mask,
                ]
                .map(Argument::Word),
            );
            let sums = elements * u64::from(repetitions) * COLUMNS as u64 * word_elements;
            (entry, input, expected, placement.shared_bytes(), sums)
        }
    };
    let blocks = width.div_ceil(TILE) as u32;
    let launch = Launch {
        entry,
        grid: [blocks, blocks, 1],
        block: [TILE as u32, TILE as u32, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes,
        arguments,
    };
    Workload {
        ptx: PTX,
        bytes: ELEMENT_BYTES * (input.len() + expected.len()) as u64,
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer {
                name: "output",
                contents: Contents::Poison { words: width * width },
                expected: Some(expected.into()),
            },
        ],
        steps: vec![Step::Launch(launch)],
        submission: Submission::Stream,
        operations,
        predictors: predictors(parameters, variant, device),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};

    #[test]
    fn a_copy_has_an_input_and_an_output() {
        let copy = workload(Variant::ReadUnconflictedWriteUnconflicted, &Parameters { width: 64, ..small() });
        assert_eq!(bytes_of_buffers(&copy), 2 * 4 * 64 * 64);
    }

    #[test]
    fn variants_that_read_the_same_sum_the_same() {
        for stride in [1, 3, 12, 32] {
            let point = Parameters { stride, word_bytes: 8, ..small() };
            let expected = |variant| workload(variant, &point).buffers[1].expected.clone().unwrap();
            assert_eq!(expected(Variant::Strided), expected(Variant::Padded));
            assert_eq!(expected(Variant::Strided), expected(Variant::Swizzled));
            assert_ne!(expected(Variant::Strided), expected(Variant::Broadcast));
        }
    }

    #[test]
    fn shared_memory_is_the_same_for_every_stride() {
        for (word_bytes, shared_bytes) in [(4, 4224), (8, 8448), (16, 16_896)] {
            for stride in [1, 7, 32] {
                for variant in [Variant::Strided, Variant::Padded, Variant::Swizzled, Variant::Broadcast] {
                    let point = Parameters { stride, word_bytes, ..small() };
                    let workload = workload(variant, &point);
                    assert_eq!(workload.launches().next().unwrap().shared_bytes, shared_bytes);
                }
            }
        }
    }

    #[test]
    fn arguments_are_in_the_kernel_s_order() {
        let point = Parameters { stride: 12, ..small() };
        let arguments = |variant| workload(variant, &point).launches().next().unwrap().arguments.clone();
        let words = |words: &[u32]| {
            let buffers = [Argument::Buffer(0), Argument::Buffer(1)].into_iter();
            buffers.chain(words.iter().copied().map(Argument::Word)).collect::<Vec<_>>()
        };
        assert_eq!(arguments(Variant::ReadConflictedWriteUnconflicted), words(&[33, 3]));
        assert_eq!(arguments(Variant::Strided), words(&[33, 3, 12, 12, 0, 0, 31]));
        assert_eq!(arguments(Variant::Padded), words(&[33, 3, 12, 13, 0, 0, 31]));
        // Of 12, two bits are zero: rows 8 apart begin in the same bank and exchange words in groups of 4.
        assert_eq!(arguments(Variant::Swizzled), words(&[33, 3, 12, 12, 3, 3, 31]));
        assert_eq!(arguments(Variant::Broadcast), words(&[33, 3, 12, 12, 0, 0, 0]));
    }
}
