//! Buffers, steps and expected output of a point.

use super::plan::{INPUT, OUTPUT, Plan, resident};
use super::predictors::predictors;
use super::rung::{OnHost, Rung};
use super::{PTX, Parameters, Predictors, Variant, reference};
use crate::family::inputs::random_words;
use crate::family::shared::shared;
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::{Buffer, Compute, Contents, HostWork, Step, Submission, Workload};
use gpu_simulator::hardware::Banks;

const WORD_BYTES: u64 = 4;

/// Input, output and what the neediest variant needs beside them, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let elements = parameters.elements;
    let beside = |variant: Variant| {
        // Banks change what blocks need, not what is in device memory.
        let plan = Plan::new(&Rung::of(variant, parameters, Banks::Phases32).ok()?, elements, u32::MAX);
        Some(plan.words_beside())
    };
    let most = Variant::ALL.iter().filter_map(|variant| beside(*variant)).max().unwrap_or(0);
    WORD_BYTES * (2 * elements + most)
}

/// A point's predictors; none of what they count where the host does it.
pub(super) fn predictors_of(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let banks = device.rules.banks;
    Rung::of(variant, parameters, banks).map_or_else(
        |_| Predictors::default(),
        |rung| predictors(&rung, &plan_of(&rung, parameters.elements, device), parameters.elements, banks),
    )
}

fn plan_of(rung: &Rung, elements: u64, device: &Properties) -> Plan {
    Plan::new(rung, elements, resident(rung, device))
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let elements = parameters.elements;
    let words = elements as usize;
    let banks = device.rules.banks;
    let input = random_words(words, seed);
    let expected = Some(shared("prefix sums", &[elements, seed], words, || reference::multi_threaded(&input)).into());
    let (source, target, beside, do_blocks_meet, steps) = match Rung::of(variant, parameters, banks) {
        Ok(rung) => {
            let plan = plan_of(&rung, elements, device);
            (Contents::Words(input), Contents::Poison { words }, plan.beside, plan.do_blocks_meet, plan.steps)
        }
        Err(how) => {
            let steps = vec![Step::Host(host_work(how))];
            (Contents::HostWords(input), Contents::HostPoison { words }, Vec::new(), false, steps)
        }
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
    if do_blocks_meet {
        let contents = Contents::Words(vec![0].into());
        buffers.push(Buffer { name: "blocks that have met", contents, expected: None });
    }
    Workload {
        ptx: PTX,
        steps,
        submission: Submission::Stream,
        bytes: 2 * WORD_BYTES * elements,
        operations: elements,
        predictors: predictors_of(parameters, variant, device),
        buffers,
    }
}

fn host_work(how: OnHost) -> HostWork {
    let compute: Compute = match how {
        OnHost::Serial => |reads, _| reads.first().map(|input| reference::serial(input)).unwrap_or_default(),
        OnHost::MultiThreaded => {
            |reads, _| reads.first().map(|input| reference::multi_threaded(input)).unwrap_or_default()
        }
    };
    HostWork { reads: vec![INPUT], writes: OUTPUT, argument: 0, compute }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};

    #[test]
    fn the_neediest_variant_fits_in_the_bytes_that_are_told() {
        for elements in [1, 1000, 100_003] {
            let point = Parameters { elements, ..small() };
            let most = Variant::ALL.iter().map(|variant| bytes_of_buffers(&workload(*variant, &point))).max();
            assert_eq!(most, Some(device_bytes(&point)), "{elements}");
        }
    }

    #[test]
    fn every_variant_computes_the_same_from_the_same() {
        let naive = workload(Variant::Naive, &small());
        for variant in Variant::ALL.iter().copied() {
            let own = workload(variant, &small());
            assert_eq!(own.buffers[OUTPUT].expected, naive.buffers[OUTPUT].expected, "{variant:?}");
            let is_host = matches!(variant, Variant::Serial | Variant::MultiThreaded);
            assert_eq!((own.has_phases(), own.predictors == Predictors::default()), (is_host, is_host), "{variant:?}");
        }
    }

    #[test]
    fn the_host_s_work_is_the_reference() {
        for variant in [Variant::Serial, Variant::MultiThreaded] {
            let workload = workload(variant, &small());
            let [Step::Host(work)] = workload.steps.as_slice() else { panic!("{:?}", workload.steps) };
            let Contents::HostWords(input) = &workload.buffers[INPUT].contents else { panic!("input is the host's") };
            let words = (work.compute)(&[input], work.argument);
            assert_eq!(workload.buffers[OUTPUT].expected, Some(words.into()));
            assert_eq!((work.writes, workload.buffers[OUTPUT].is_on_device()), (OUTPUT, false));
        }
    }
}
