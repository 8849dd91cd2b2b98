//! Buffers, launches and expected output of an atomics point.

use super::assignment::{Assignment, BLOCK};
use super::{PTX, Parameters, Predictors, Variant, reference};
use crate::family::inputs::random_words;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const COUNTER_BYTES: u64 = 4;

/// The counters and their copies, in bytes. Only privatised counters have copies.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let assignment = Assignment::new(parameters);
    COUNTER_BYTES * (assignment.addresses + assignment.copies * assignment.pitch())
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let assignment = Assignment::new(parameters);
    Predictors {
        lanes_per_address: assignment.lanes_per_address(),
        elements_per_address: assignment.elements_per_address(),
        global_atomics: assignment.global_atomics(variant, device) as f64,
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let assignment = Assignment::new(parameters);
    let start = random_words(assignment.addresses as usize, seed);
    let expected = Some(reference::count(&start, &assignment).into());
    let launch = |entry, blocks: u64, arguments| Launch {
        entry,
        grid: [blocks as u32, 1, 1],
        block: [BLOCK as u32, 1, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: 0,
        arguments,
    };
    let counter_mask = Argument::Word(assignment.addresses as u32 - 1);
    let counting = |into| {
        vec![
            Argument::Buffer(into),
            Argument::Word(assignment.elements as u32),
            Argument::Word(assignment.element_shift),
            counter_mask.clone(),
        ]
    };
    let blocks = assignment.blocks(device);
    let count =
        |entry, shared_bytes: u64| Launch { shared_bytes: shared_bytes as u32, ..launch(entry, blocks, counting(0)) };

    let in_place = match variant {
        Variant::Global => Some(count("atomics_global", 0)),
        Variant::Shared => Some(count("atomics_shared", COUNTER_BYTES * assignment.addresses)),
        Variant::WarpAggregated => Some(count("atomics_warp_aggregated", 0)),
        Variant::Privatised => None,
    };
    let (buffers, launches) = if let Some(count) = in_place {
        (vec![Buffer { name: "counters", contents: Contents::Words(start), expected }], vec![count])
    } else {
        let copies = [Argument::Word(assignment.copies as u32), Argument::Word(assignment.pitch() as u32)];
        // The first copy begins where the counters of the other variants do, the others at zero.
        let mut private = start.into_vec();
        private.resize((assignment.copies * assignment.pitch()) as usize, 0);
        let output = Contents::Poison { words: assignment.addresses as usize };
        let buffers = vec![
            Buffer { name: "private counters", contents: Contents::Words(private.into()), expected: None },
            Buffer { name: "counters", contents: output, expected },
        ];
        let count = launch("atomics_privatised", blocks, [counting(0), copies.to_vec()].concat());
        let merge_arguments = [vec![Argument::Buffer(0), Argument::Buffer(1), counter_mask], copies.to_vec()].concat();
        (buffers, vec![count, launch("atomics_merge", assignment.addresses.div_ceil(BLOCK), merge_arguments)])
    };
    Workload {
        ptx: PTX,
        buffers,
        steps: launches.into_iter().map(Step::Launch).collect(),
        submission: Submission::Stream,
        bytes: COUNTER_BYTES * 2 * assignment.addresses,
        operations: assignment.elements,
        predictors: predictors(parameters, variant, device),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spread;
    use super::super::tests::small;
    use super::*;
    use crate::family::FamilyPoint;
    use crate::family::fixtures::{bytes_of_buffers, properties, workload};
    use crate::parameter::Named;
    use crate::workload::Expected;
    use gpu_simulator::profile::Profile;

    #[test]
    fn every_variant_must_come_to_the_same_counters() {
        for point in Parameters::verification(&properties()) {
            let expected: Vec<Expected> = Variant::ALL
                .iter()
                .map(|variant| workload(*variant, &point).buffers.pop().unwrap().expected.unwrap())
                .collect();
            assert!(expected.windows(2).all(|pair| pair[0] == pair[1]), "{point:?}");
            assert_eq!(expected[0].len() as u64, point.addresses);
        }
    }

    #[test]
    fn device_bytes_are_those_of_privatised_counters() {
        for point in Parameters::verification(&properties()) {
            assert_eq!(bytes_of_buffers(&workload(Variant::Privatised, &point)), device_bytes(&point));
        }
    }

    #[test]
    fn only_blocks_that_count_for_themselves_have_shared_memory() {
        for (variant, shared_bytes) in
            [(Variant::Global, 0), (Variant::Shared, 256), (Variant::WarpAggregated, 0), (Variant::Privatised, 0)]
        {
            let workload = workload(variant, &Parameters { addresses: 64, ..small() });
            assert_eq!(workload.launches().next().unwrap().shared_bytes, shared_bytes, "{variant:?}");
        }
    }

    /// 16 KiB of counters are all that a block of compute capability 1 has, but its arguments lie there too.
    #[test]
    fn counters_that_do_not_fit_beside_the_arguments_are_refused() {
        let gpu = Profile::load("gtx280").unwrap();
        let device = Properties::simulated(&gpu);
        let refusal = |addresses| workload(Variant::Shared, &Parameters { addresses, ..small() }).refusal(&device);
        assert_eq!(refusal(2048), None);
        assert!(refusal(4096).is_some_and(|reason| reason.contains("with its arguments")), "{:?}", refusal(4096));
    }

    #[test]
    fn arguments_are_in_the_kernels_order() {
        let point = Parameters { addresses: 16, copies: 4, spread: Spread::AcrossWarps, ..small() };
        let word = Argument::Word;
        let counting = [Argument::Buffer(0), word(1000), word(5), word(15)];
        for variant in [Variant::Global, Variant::Shared, Variant::WarpAggregated] {
            let workload = workload(variant, &point);
            assert_eq!(
                workload.launches().map(|launch| launch.arguments.clone()).collect::<Vec<_>>(),
                [counting.to_vec()]
            );
        }
        let workload = workload(Variant::Privatised, &point);
        let arguments: Vec<_> = workload.launches().map(|launch| launch.arguments.clone()).collect();
        assert_eq!(arguments[0], [counting.to_vec(), vec![word(4), word(32)]].concat());
        assert_eq!(arguments[1], [Argument::Buffer(0), Argument::Buffer(1), word(15), word(4), word(32)]);
    }
}
