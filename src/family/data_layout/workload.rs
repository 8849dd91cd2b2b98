//! Buffers, launch and expected output of a data-layout point.

use super::access::Layout;
use super::reference::{as_arrays, running_sums};
use super::{FIELDS_MAX, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::drawn_words;
use crate::family::shared::shared;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, POISON, Step, Submission, Workload};
use gpu_simulator::hardware::Banks;

const WORD_BYTES: u64 = 4;

/// Every field's array begins at a multiple of this many words, 256 bytes.
const PITCH_WORDS: u64 = 64;

/// The kernels for each number of fields, those of structures in place for each number that is used.
const ENTRIES: [[&str; FIELDS_MAX as usize]; 3] = [
    [
        "data_layout_array_of_structures_1",
        "data_layout_array_of_structures_2",
        "data_layout_array_of_structures_3",
        "data_layout_array_of_structures_4",
        "data_layout_array_of_structures_5",
        "data_layout_array_of_structures_6",
        "data_layout_array_of_structures_7",
        "data_layout_array_of_structures_8",
    ],
    [
        "data_layout_structure_of_arrays_1",
        "data_layout_structure_of_arrays_2",
        "data_layout_structure_of_arrays_3",
        "data_layout_structure_of_arrays_4",
        "data_layout_structure_of_arrays_5",
        "data_layout_structure_of_arrays_6",
        "data_layout_structure_of_arrays_7",
        "data_layout_structure_of_arrays_8",
    ],
    [
        "data_layout_staged_1",
        "data_layout_staged_2",
        "data_layout_staged_3",
        "data_layout_staged_4",
        "data_layout_staged_5",
        "data_layout_staged_6",
        "data_layout_staged_7",
        "data_layout_staged_8",
    ],
];

/// Words from one field's array to the next; all variants have as much memory.
fn pitch(parameters: &Parameters) -> u64 {
    parameters.elements.next_multiple_of(PITCH_WORDS)
}

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    2 * WORD_BYTES * parameters.fields * pitch(parameters)
}

/// How a variant arranges the structures of a point.
fn layout(parameters: &Parameters, variant: Variant) -> Layout {
    let Parameters { fields, fields_used: used, elements, .. } = *parameters;
    Layout { variant, fields, used, elements }
}

/// Bytes of the used fields, read and written.
fn useful_bytes(layout: &Layout) -> u64 {
    2 * WORD_BYTES * layout.used * layout.elements
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let layout = layout(parameters, variant);
    let (reads, writes) = layout.global_traffic(device.rules);
    let bytes_moved = (reads.bytes_moved + writes.bytes_moved) as f64;
    Predictors {
        sectors_per_request: reads.transactions_per_request(),
        bytes_moved,
        useful_share: useful_bytes(&layout) as f64 / bytes_moved,
        conflict_degree: layout.conflict_degree(device.rules),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let layout = layout(parameters, variant);
    let (fields, pitch) = (layout.fields as usize, pitch(parameters) as usize);
    let is_arrays = variant == Variant::StructureOfArrays;
    let arrange = |mut structures: Vec<u32>, filler| {
        if is_arrays {
            return as_arrays(&structures, fields, pitch, filler);
        }
        structures.resize(fields * pitch, filler);
        structures
    };
    let words = layout.elements as usize * fields;
    let numbers = [layout.elements, layout.fields, layout.used, u64::from(is_arrays), seed];
    let input = {
        let [elements, fields, _, is_arrays, seed] = numbers;
        shared("structures", &[elements, fields, is_arrays, seed], words, || arrange(drawn_words(words, seed), 0))
    };
    let expected = shared("sums over structures", &numbers, words, || {
        arrange(running_sums(&drawn_words(words, seed), fields, layout.used as usize), POISON)
    });

    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch(&layout, parameters.block, pitch as u32, device.rules.banks))],
        submission: Submission::Stream,
        bytes: useful_bytes(&layout),
        operations: layout.used * layout.elements,
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer {
                name: "output",
                contents: Contents::Poison { words: fields * pitch },
                expected: Some(expected.into()),
            },
        ],
    }
}

fn launch(layout: &Layout, block: u32, pitch: u32, banks: Banks) -> Launch {
    let (elements, fields, used) = (layout.elements as u32, layout.fields as u32, layout.used as u32);
    let (entry, own): (&str, &[u32]) = match layout.variant {
        Variant::ArrayOfStructures => (ENTRIES[0][used as usize - 1], &[fields]),
        Variant::StructureOfArrays => (ENTRIES[1][used as usize - 1], &[pitch]),
        Variant::StagedThroughShared | Variant::StagedPadded => {
            (ENTRIES[2][fields as usize - 1], &[used, layout.pad_shift(banks)])
        }
    };
    let mut arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(elements)];
    arguments.extend(own.iter().map(|word| Argument::Word(*word)));
    Launch {
        entry,
        grid: [elements.div_ceil(block), 1, 1],
        block: [block, 1, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: layout.shared_bytes(block, banks),
        arguments,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::FamilyPoint;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;
    use crate::workload::Expected;
    use gpu_simulator::profile::Profile;

    fn parameters(fields: u64, fields_used: u64, elements: u64) -> Parameters {
        Parameters { fields, fields_used, elements, ..defaults() }
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers_of_every_variant() {
        for (fields, used, elements) in [(1, 1, 1), (3, 2, 64), (8, 8, 1000)] {
            let point = parameters(fields, used, elements);
            for &variant in Variant::ALL {
                assert_eq!(device_bytes(&point), bytes_of_buffers(&workload(variant, &point)), "{variant:?}");
            }
        }
    }

    #[test]
    fn every_variant_has_the_same_elements_in_its_own_arrangement() {
        let point = parameters(3, 2, 100);
        let [structures, arrays, staged, padded] = [
            Variant::ArrayOfStructures,
            Variant::StructureOfArrays,
            Variant::StagedThroughShared,
            Variant::StagedPadded,
        ]
        .map(|variant| workload(variant, &point));
        for (buffer, (own, other)) in structures.buffers.iter().zip(&arrays.buffers).enumerate() {
            let words = |of: &Buffer| match (&of.contents, &of.expected) {
                (Contents::Words(words), _) | (_, Some(Expected::Words(words))) => words.to_vec(),
                _ => panic!("{} is neither", of.name),
            };
            for element in 0..100 {
                for field in 0..3 {
                    assert_eq!(words(own)[element * 3 + field], words(other)[field * 128 + element]);
                }
            }
            assert_eq!(words(own), words(&staged.buffers[buffer]));
            assert_eq!(words(own), words(&padded.buffers[buffer]));
        }
    }

    #[test]
    fn blocks_with_no_room_left_for_arguments_are_refused_where_those_take_shared_memory() {
        let refusal = |profile: &str, fields| {
            let device = Properties::simulated(&Profile::load(profile).unwrap());
            let point = Parameters { block: 512, ..parameters(fields, 1, 512) };
            point.workload(Variant::StagedThroughShared, &device, 1).refusal(&device)
        };
        // 512 structures of 8 words are all of the 16 KiB.
        assert!(refusal("gtx280", 8).is_some_and(|problem| problem.contains("with its arguments")));
        assert_eq!(refusal("gtx280", 7), None);
        assert_eq!(refusal("h200", 8), None);
    }

    #[test]
    fn arguments_are_in_the_kernel_s_order() {
        let of = |variant| {
            let workload = workload(variant, &parameters(6, 5, 100));
            let launch = workload.launches().next().unwrap();
            let words: Vec<u32> = launch.arguments[2..]
                .iter()
                .map(|argument| if let Argument::Word(word) = argument { *word } else { panic!("{argument:?}") })
                .collect();
            (launch.entry, launch.grid[0], launch.shared_bytes, words)
        };
        assert_eq!(of(Variant::ArrayOfStructures), ("data_layout_array_of_structures_5", 1, 0, vec![100, 6]));
        assert_eq!(of(Variant::StructureOfArrays), ("data_layout_structure_of_arrays_5", 1, 0, vec![100, 128]));
        assert_eq!(of(Variant::StagedThroughShared), ("data_layout_staged_6", 1, 6144, vec![100, 5, 31]));
        // A field of structures of 6 words is in the same of 32 banks again after 16 structures.
        assert_eq!(of(Variant::StagedPadded), ("data_layout_staged_6", 1, 6144 + 4 * 15, vec![100, 5, 4]));
    }
}
