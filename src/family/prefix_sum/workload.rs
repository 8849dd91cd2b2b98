//! Buffers, steps and expected output of a point.

use super::plan::{INPUT, OUTPUT, Plan};
use super::predictors::predictors;
use super::rung::Rung;
use super::{FAMILY, PTX, reference};
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Buffer, Compute, Contents, HostWork, Step, Submission, Workload};
use gpu_simulator::hardware::Banks;

const WORD_BYTES: u64 = 4;

/// Input, output and what the neediest variant needs beside them, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    let elements = parameters.integer("elements");
    let beside = |variant: &str| {
        // Banks change what blocks need, not what is in device memory.
        let plan = Plan::new(&Rung::of(variant, parameters, Banks::Phases32)?, elements);
        Some(plan.beside.iter().map(|(_, words)| words).sum::<u64>())
    };
    let most = FAMILY.variants.iter().filter_map(|variant| beside(variant.name)).max().unwrap_or(0);
    WORD_BYTES * (2 * elements + most)
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let elements = request.parameters.integer("elements");
    let banks = request.device.rules.banks;
    let input = random_words(elements as usize, request.seed);
    let expected = Some(reference::multi_threaded(&input).into());
    let rung = Rung::of(request.variant, request.parameters, banks);
    let plan = rung.map(|rung| Plan::new(&rung, elements));
    let predictors = predictors(rung.as_ref().zip(plan.as_ref()), elements, banks);
    let words = elements as usize;
    let (source, target, beside, steps) = match plan {
        None => (
            Contents::HostWords(input),
            Contents::HostPoison { words },
            Vec::new(),
            vec![Step::Host(host_work(request.variant))],
        ),
        Some(Plan { steps, beside }) => (Contents::Words(input), Contents::Poison { words }, beside, steps),
    };
    let mut buffers = vec![
        Buffer { name: "input", contents: source, expected: None },
        Buffer { name: "output", contents: target, expected },
    ];
    buffers.extend(beside.into_iter().map(|(name, words)| Buffer {
        name,
        contents: Contents::Poison { words: words as usize },
        expected: None,
    }));
    Workload {
        ptx: PTX,
        steps,
        submission: Submission::Stream,
        bytes: 2 * WORD_BYTES * elements,
        operations: elements,
        predictors,
        buffers,
    }
}

fn host_work(variant: &str) -> HostWork {
    let compute: Compute = if variant == "serial" {
        |reads, _| reads.first().map(|input| reference::serial(input)).unwrap_or_default()
    } else {
        |reads, _| reads.first().map(|input| reference::multi_threaded(input)).unwrap_or_default()
    };
    HostWork { reads: vec![INPUT], writes: OUTPUT, argument: 0, compute }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{parameters, properties};
    use super::*;

    fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
        build(&Request { variant, parameters, device: &properties(), seed: 1 })
    }

    #[test]
    fn the_neediest_variant_fits_in_the_bytes_that_are_told() {
        for elements in [1, 1000, 100_003] {
            let point = parameters().with("elements", elements);
            let bytes = |variant: &crate::family::Variant| {
                workload(variant.name, &point).buffers.iter().map(Buffer::bytes).sum::<u64>()
            };
            assert_eq!(FAMILY.variants.iter().map(bytes).max(), Some(device_bytes(&point)), "{elements}");
        }
    }

    #[test]
    fn every_variant_computes_the_same_from_the_same() {
        let naive = workload("naive", &parameters());
        for variant in FAMILY.variants {
            let own = workload(variant.name, &parameters());
            assert_eq!(own.buffers[OUTPUT].expected, naive.buffers[OUTPUT].expected, "{}", variant.name);
            assert_eq!(own.predictors.len(), FAMILY.predictors.len());
            for (own, predictor) in own.predictors.iter().zip(FAMILY.predictors) {
                assert_eq!(own.0, predictor.name);
            }
            assert_eq!(own.has_phases(), variant.is_host);
        }
    }

    #[test]
    fn the_host_s_work_is_the_reference() {
        for variant in ["serial", "multi_threaded"] {
            let workload = workload(variant, &parameters());
            let [Step::Host(work)] = workload.steps.as_slice() else { panic!("{:?}", workload.steps) };
            let Contents::HostWords(input) = &workload.buffers[INPUT].contents else { panic!("input is the host's") };
            let words = (work.compute)(&[input], work.argument);
            assert_eq!(workload.buffers[OUTPUT].expected, Some(words.into()));
            assert_eq!((work.writes, workload.buffers[OUTPUT].is_on_device()), (OUTPUT, false));
        }
    }
}
