//! Buffers, launch and expected output of a partitioning point.

use super::mapping::Mapping;
use super::reference::{Elements, elements};
use super::{PTX, Parameters, Predictors, Variant};
use crate::properties::Properties;
use crate::workload::{Buffer, Contents, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    2 * WORD_BYTES * parameters.elements
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { elements: count, arithmetic, multiply_adds, .. } = *parameters;
    let mapping = Mapping::new(variant, parameters, device);
    let Elements { input, output } = elements(arithmetic, count as usize, multiply_adds, seed);
    Workload {
        ptx: PTX,
        predictors: mapping.predictors(device),
        steps: vec![Step::Launch(mapping.launch)],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 2 * count * multiply_adds,
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer {
                name: "output",
                contents: Contents::Poison { words: count as usize },
                expected: Some(output.into()),
            },
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};
    use crate::parameter::Named;

    #[test]
    fn every_variant_has_the_same_buffers_and_the_poisoned_one_is_checked() {
        let point = Parameters { multiply_adds: 3, ..small() };
        let first = workload(Variant::OneElement1d, &point);
        assert_eq!(first.operations, 2 * 3 * 1000);
        for &variant in Variant::ALL {
            let own = workload(variant, &point);
            assert_eq!(own.bytes, bytes_of_buffers(&own));
            assert!(matches!(&own.buffers[0].contents, Contents::Words(words) if words.len() == 1000));
            assert!(matches!(own.buffers[1].contents, Contents::Poison { words: 1000 }));
            assert_eq!(own.buffers[1].expected, first.buffers[1].expected, "{variant:?}");
        }
    }
}
