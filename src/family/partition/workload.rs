//! Buffers, launch and expected output of a partitioning point.

use super::PTX;
use super::mapping::Mapping;
use super::reference::{Elements, elements};
use crate::family::Request;
use crate::parameter::ParameterSet;
use crate::workload::{Buffer, Contents, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    2 * WORD_BYTES * parameters.integer("elements")
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let parameters = request.parameters;
    let float = parameters.text("arithmetic") == "float";
    let (count, operations) = (parameters.integer("elements"), parameters.integer("multiply_adds"));
    let mapping = Mapping::new(request.variant, parameters, request.device);
    let Elements { input, output } = elements(float, count as usize, operations, request.seed);
    Workload {
        ptx: PTX,
        predictors: mapping.predictors(request.device),
        steps: vec![Step::Launch(mapping.launch)],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 2 * count * operations,
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
    use super::*;
    use crate::family::partition::FAMILY;
    use crate::family::partition::tests::{parameters, properties};

    #[test]
    fn every_variant_has_the_same_buffers_and_the_poisoned_one_is_checked() {
        let (parameters, device) = (parameters().with("multiply_adds", 3), properties());
        let workload = |variant| build(&Request { variant, parameters: &parameters, device: &device, seed: 1 });
        let first = workload("one_element_1d");
        assert_eq!(first.operations, 2 * 3 * 1000);
        for variant in FAMILY.variants {
            let own = workload(variant.name);
            assert_eq!(own.bytes, own.buffers.iter().map(Buffer::bytes).sum::<u64>());
            assert!(matches!(&own.buffers[0].contents, Contents::Words(words) if words.len() == 1000));
            assert!(matches!(own.buffers[1].contents, Contents::Poison { words: 1000 }));
            assert_eq!(own.buffers[1].expected, first.buffers[1].expected, "{}", variant.name);
        }
    }
}
