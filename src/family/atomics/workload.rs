//! Buffers, launches and expected output of an atomics point.

use super::pattern::{BLOCK, Pattern};
use super::{PTX, reference};
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const COUNTER_BYTES: u64 = 4;

/// The counters and their copies, in bytes. Only privatised counters have copies.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    let pattern = Pattern::new(parameters);
    COUNTER_BYTES * (pattern.addresses + pattern.copies * pattern.pitch())
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let pattern = Pattern::new(request.parameters);
    let start = random_words(pattern.addresses as usize, request.seed);
    let expected = Some(reference::count(&start, &pattern));
    let launch = |entry, blocks: u64, arguments| Launch {
        entry,
        grid: [blocks as u32, 1, 1],
        block: [BLOCK as u32, 1, 1],
        cooperative: false,
        shared_bytes: 0,
        arguments,
    };
    let counter_mask = Argument::Word(pattern.addresses as u32 - 1);
    let counting = |into| {
        vec![
            Argument::Buffer(into),
            Argument::Word(pattern.elements as u32),
            Argument::Word(pattern.element_shift),
            counter_mask,
        ]
    };
    let blocks = pattern.blocks(request.device);

    let (buffers, launches) = if request.variant == "privatised" {
        let copies = [Argument::Word(pattern.copies as u32), Argument::Word(pattern.pitch() as u32)];
        // The first copy begins where the counters of the other variants do, the others at zero.
        let mut private = start;
        private.resize((pattern.copies * pattern.pitch()) as usize, 0);
        let output = Contents::Poison { words: pattern.addresses as usize };
        let buffers = vec![
            Buffer { name: "private counters", contents: Contents::Words(private), expected: None },
            Buffer { name: "counters", contents: output, expected: expected.map(Into::into) },
        ];
        let count = launch("atomics_privatised", blocks, [counting(0), copies.to_vec()].concat());
        let merge_arguments = [vec![Argument::Buffer(0), Argument::Buffer(1), counter_mask], copies.to_vec()].concat();
        (buffers, vec![count, launch("atomics_merge", pattern.addresses.div_ceil(BLOCK), merge_arguments)])
    } else {
        let entry = match request.variant {
            "shared" => "atomics_shared",
            "warp_aggregated" => "atomics_warp_aggregated",
            _ => "atomics_global",
        };
        let own_bytes = if request.variant == "shared" { COUNTER_BYTES * pattern.addresses } else { 0 };
        let count = Launch { shared_bytes: own_bytes as u32, ..launch(entry, blocks, counting(0)) };
        (
            vec![Buffer { name: "counters", contents: Contents::Words(start), expected: expected.map(Into::into) }],
            vec![count],
        )
    };
    Workload {
        ptx: PTX,
        buffers,
        steps: launches.into_iter().map(Step::Launch).collect(),
        submission: Submission::Stream,
        bytes: COUNTER_BYTES * 2 * pattern.addresses,
        operations: pattern.elements,
        predictors: vec![
            ("lanes_per_address", pattern.lanes_per_address()),
            ("elements_per_address", pattern.elements_per_address()),
            ("global_atomics", pattern.global_atomics(request.variant, request.device) as f64),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{parameters, properties};
    use super::super::{FAMILY, verification};
    use super::*;
    use crate::workload::Expected;
    use gpu_simulator::profile::Profile;

    fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
        build(&Request { variant, parameters, device: &properties(), seed: 1 })
    }

    #[test]
    fn every_variant_must_come_to_the_same_counters() {
        for point in verification(&properties()) {
            let expected: Vec<Expected> = FAMILY
                .variants
                .iter()
                .map(|variant| workload(variant.name, &point).buffers.pop().unwrap().expected.unwrap())
                .collect();
            assert!(expected.windows(2).all(|pair| pair[0] == pair[1]), "{point}");
            assert_eq!(expected[0].len() as u64, point.integer("addresses"));
        }
    }

    #[test]
    fn no_point_needs_more_memory_than_was_foreseen() {
        for point in verification(&properties()) {
            let bytes = |variant| workload(variant, &point).buffers.iter().map(Buffer::bytes).sum::<u64>();
            assert_eq!(bytes("privatised"), device_bytes(&point));
            assert!(bytes("global") <= device_bytes(&point));
        }
    }

    #[test]
    fn only_blocks_that_count_for_themselves_have_shared_memory() {
        let shared_bytes =
            |variant| workload(variant, &parameters().with("addresses", 64)).launches().next().unwrap().shared_bytes;
        assert_eq!(["global", "shared", "warp_aggregated", "privatised"].map(shared_bytes), [0, 256, 0, 0]);
    }

    /// 16 KiB of counters are all that a block of compute capability 1 has, but its arguments lie there too.
    #[test]
    fn counters_that_do_not_fit_beside_the_arguments_are_refused() {
        let gpu = Profile::load("gtx280").unwrap();
        let device = crate::properties::Properties::simulated(&gpu);
        let refusal = |addresses: i64| workload("shared", &parameters().with("addresses", addresses)).refusal(&device);
        assert_eq!(refusal(2048), None);
        assert!(refusal(4096).is_some_and(|reason| reason.contains("with its arguments")), "{:?}", refusal(4096));
    }

    #[test]
    fn arguments_are_in_the_kernels_order() {
        let point = parameters().with("addresses", 16).with("copies", 4).with("spread", "across_warps");
        let word = Argument::Word;
        let counting = [Argument::Buffer(0), word(1000), word(5), word(15)];
        for variant in ["global", "shared", "warp_aggregated"] {
            let workload = workload(variant, &point);
            assert_eq!(workload.launches().map(|launch| launch.arguments.clone()).collect::<Vec<_>>(), [counting]);
        }
        let workload = workload("privatised", &point);
        let arguments: Vec<_> = workload.launches().map(|launch| launch.arguments.clone()).collect();
        assert_eq!(arguments[0], [counting.to_vec(), vec![word(4), word(32)]].concat());
        assert_eq!(arguments[1], [Argument::Buffer(0), Argument::Buffer(1), word(15), word(4), word(32)]);
    }
}
