//! Buffer, launch and expected output of additions to few words.

use super::{Answer, Element, PTX, Parameters, Predictors, Variant};
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

/// What is added.
const TERM: u32 = 1;
/// From where on a further one changes nothing: whole numbers that the type has no longer.
const MOST_F32: u64 = 1 << 24;
const MOST_F16: u64 = 1 << 11;

/// Words that are left, room for which each block needs where it has its own.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    u64::from(parameters.element.bytes()) * u64::from(parameters.addresses) * u64::from(parameters.launched_blocks)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    let Parameters { addresses, additions, block, launched_blocks, .. } = *parameters;
    Predictors {
        lanes_per_address: LANES as f64 / f64::from(addresses.min(LANES as u32)),
        additions_of_warps: f64::from(additions) * f64::from(block.div_ceil(LANES as u32)) * f64::from(launched_blocks),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant) -> Workload<Predictors> {
    let Parameters { element, addresses, answer, additions, block, launched_blocks } = *parameters;
    let words = device_bytes(parameters) as usize / 4;
    let shared_bytes = match variant {
        Variant::Global => 0,
        Variant::Shared => element.bytes() * addresses,
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(variant, element, answer),
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes,
            arguments: std::iter::once(Argument::Buffer(0))
                .chain([addresses, additions, TERM].map(Argument::Word))
                .collect(),
        })],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: u64::from(additions) * u64::from(block) * u64::from(launched_blocks),
        predictors: predictors(parameters),
        buffers: vec![Buffer {
            name: "words",
            contents: Contents::Words(vec![0; words].into()),
            expected: Some(expected(parameters, variant).into()),
        }],
    }
}

/// What the words come to.
fn expected(parameters: &Parameters, variant: Variant) -> Vec<u32> {
    let Parameters { element, addresses, additions, block, launched_blocks, .. } = *parameters;
    let of_block = |word: u32| u64::from(additions) * u64::from((block - word).div_ceil(addresses));
    let blocks = u64::from(launched_blocks);
    let one = |word: u32| match variant {
        Variant::Global => word_of(element, of_block(word) * blocks),
        Variant::Shared => word_of(element, of_block(word)),
    };
    let words: Vec<u32> = (0..addresses).flat_map(one).collect();
    match variant {
        // Room that only words of blocks need stays as it was.
        Variant::Global => {
            let all = device_bytes(parameters) as usize / 4;
            words.into_iter().chain(std::iter::repeat(0)).take(all).collect()
        }
        Variant::Shared => words.repeat(launched_blocks as usize),
    }
}

/// A sum of so many ones, as the words that hold it.
fn word_of(element: Element, count: u64) -> Vec<u32> {
    let halves = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    match element {
        Element::U32 => vec![count as u32],
        Element::U64 => halves(count),
        Element::F32 => vec![(count.min(MOST_F32) as f32).to_bits()],
        Element::F64 => halves((count as f64).to_bits()),
        Element::F16x2 => {
            let bits = u32::from(half::f16::from_f64(count.min(MOST_F16) as f64).to_bits());
            vec![bits << 16 | bits]
        }
    }
}

/// The kernel of a variant.
fn entry(variant: Variant, element: Element, answer: Answer) -> &'static str {
    macro_rules! kernels {
        ($name:literal) => {
            [
                concat!("atomic_rate_global_", $name),
                concat!("atomic_rate_global_", $name, "_used"),
                concat!("atomic_rate_shared_", $name),
                concat!("atomic_rate_shared_", $name, "_used"),
            ]
        };
    }
    let kernels = match element {
        Element::U32 => kernels!("u32"),
        Element::U64 => kernels!("u64"),
        Element::F32 => kernels!("f32"),
        Element::F64 => kernels!("f64"),
        Element::F16x2 => kernels!("f16x2"),
    };
    kernels[2 * usize::from(variant == Variant::Shared) + usize::from(answer == Answer::Used)]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;
    use crate::workload::Expected;

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for (&variant, &element) in
            Variant::ALL.iter().flat_map(|variant| Element::ALL.iter().map(move |own| (variant, own)))
        {
            for (answer, suffix) in [(Answer::Unused, ""), (Answer::Used, "_used")] {
                let entry = entry(variant, element, answer);
                assert_eq!(entry, format!("atomic_rate_{}_{}{suffix}", variant.name(), element.name()));
                assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            }
        }
    }

    #[test]
    fn words_are_as_many_ones_as_threads_add_to_them() {
        let point = Parameters { addresses: 3, additions: 16, block: 32, launched_blocks: 2, ..defaults() };
        let words = |variant| {
            workload(variant, &point).buffers[0].expected.as_ref().and_then(Expected::words).unwrap().to_vec()
        };
        // Of 32 threads, 11, 11 and 10 add to the words.
        assert_eq!(words(Variant::Global), [352, 352, 320, 0, 0, 0]);
        assert_eq!(words(Variant::Shared), [176, 176, 160, 176, 176, 160]);
        assert_eq!(bytes_of_buffers(&workload(Variant::Shared, &point)), device_bytes(&point));
        assert_eq!(workload(Variant::Shared, &point).launches().next().unwrap().shared_bytes, 12);
        assert_eq!(workload(Variant::Global, &point).predictors.lanes_per_address, 32.0 / 3.0);
        assert_eq!(workload(Variant::Global, &point).predictors.additions_of_warps, 32.0);
    }

    #[test]
    fn floats_stop_where_one_more_is_less_than_their_last_digit() {
        assert_eq!(word_of(Element::F32, 1 << 25), [16_777_216.0_f32.to_bits()]);
        assert_eq!(word_of(Element::F16x2, 5000), [0x6800_6800]);
        assert_eq!(word_of(Element::F64, 3), [0, 0x4008_0000]);
        assert_eq!(word_of(Element::U64, 1 << 33), [0, 2]);
    }
}
