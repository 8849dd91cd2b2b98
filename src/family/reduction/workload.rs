//! Buffers, steps and expected sum of a point.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::plan::{Pass, Plan};
use super::rung::{OnHost, Rung};
use super::{PTX, Parameters, Predictors, Transfer, Variant, host};
use crate::family::inputs::random_floats;
use crate::family::summation::{Total, compensated_sum};
use crate::properties::Properties;
use crate::workload::{
    Argument, Buffer, Compute, Contents, Copying, Expected, HostMemory, HostWork, Launch, Step, Submission, Words,
    Workload,
};

const FLOAT_BYTES: u64 = 4;
/// Places of the first buffers.
const INPUT: usize = 0;
const RESULT: usize = 1;

/// Elements, the result, and the sums that blocks leave for others: no more than one for 32 elements, passes to come included.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let elements = parameters.elements;
    FLOAT_BYTES * (elements + elements.div_ceil(32) + 64)
}

/// A point's predictors; none of what they count where the host does it.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    Rung::of(variant)
        .map_or_else(|_| Predictors::default(), |rung| Plan::new(rung, parameters, device).predictors(device))
}

/// The sum of the random floats of a seed: summed once for all points of that many elements, since a billion take a second.
fn total(input: &Words, seed: u64) -> Total {
    static TOTALS: Mutex<BTreeMap<(usize, u64), Total>> = Mutex::new(BTreeMap::new());
    let totals = || TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (input.len(), seed);
    let before = totals().get(&key).copied();
    before.unwrap_or_else(|| {
        let total = compensated_sum(input);
        totals().insert(key, total);
        total
    })
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let elements = parameters.elements;
    let input = random_floats(elements as usize, seed);
    let total = total(&input, seed);
    let result = |additions: u64| Some(Expected::from(vec![total.within(additions)]));
    let (buffers, steps) = match Rung::of(variant) {
        Ok(rung) => {
            let plan = Plan::new(rung, parameters, device);
            let mut buffers = vec![
                Buffer { name: "input", contents: Contents::Words(input), expected: None },
                Buffer {
                    name: "result",
                    contents: Contents::Poison { words: 1 },
                    expected: result(plan.longest_chain()),
                },
            ];
            let launches = launches(&plan, parameters, &mut buffers);
            let steps = with_transfers(launches, parameters);
            (buffers, steps)
        }
        Err(how) => on_host(how, input, result(host::LONGEST_CHAIN)),
    };
    Workload {
        ptx: PTX,
        buffers,
        steps,
        submission: Submission::Stream,
        bytes: FLOAT_BYTES * (elements + 1),
        operations: elements - 1,
        predictors: predictors(parameters, variant, device),
    }
}

/// The launches of a plan, and the buffers that they need beside input and result.
fn launches(plan: &Plan, parameters: &Parameters, buffers: &mut Vec<Buffer>) -> Vec<Step> {
    let launch = |pass: Pass, arguments| {
        Step::Launch(Launch {
            entry: plan.rung.entry(parameters, plan.is_added),
            grid: [pass.blocks as u32, 1, 1],
            block: [plan.threads as u32, 1, 1],
            shared_bytes: plan.rung.shared_bytes(parameters) as u32,
            cooperative: false,
            cluster_blocks: 1,
            arguments,
        })
    };
    let mut steps = Vec::new();
    if plan.is_added {
        steps.push(Step::Launch(Launch {
            entry: "reduction_zero",
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            cooperative: false,
            cluster_blocks: 1,
            arguments: vec![Argument::Buffer(RESULT)],
        }));
    }
    let mut from = INPUT;
    for (index, &pass) in plan.passes.iter().enumerate() {
        let mut left_for_others = |words: u64| {
            let contents = Contents::Poison { words: words as usize };
            buffers.push(Buffer { name: "sums of blocks", contents, expected: None });
            buffers.len() - 1
        };
        let is_last = index + 1 == plan.passes.len();
        let into = if is_last { RESULT } else { left_for_others(pass.blocks) };
        let mut arguments = vec![Argument::Buffer(from), Argument::Buffer(into), Argument::Long(pass.elements)];
        if plan.rung == Rung::OneLaunch {
            arguments.push(Argument::Buffer(left_for_others(pass.blocks)));
            arguments.push(Argument::Buffer(buffers.len()));
            let contents = Contents::Words(vec![0].into());
            buffers.push(Buffer { name: "ticket", contents, expected: Some(vec![0].into()) });
        }
        steps.push(launch(pass, arguments));
        from = into;
    }
    steps
}

/// The steps with the elements brought to the device before, and the result fetched afterwards, if so asked for.
fn with_transfers(launches: Vec<Step>, parameters: &Parameters) -> Vec<Step> {
    let memory = match parameters.transfer {
        Transfer::None => return launches,
        Transfer::Pageable => HostMemory::Pageable,
        Transfer::Pinned => HostMemory::Pinned,
    };
    let elements = parameters.elements as usize;
    let upload = Step::Upload(Copying { buffer: INPUT, words: 0..elements, memory });
    let download = Step::Download(Copying { buffer: RESULT, words: 0..1, memory });
    [upload].into_iter().chain(launches).chain([download]).collect()
}

/// The host's way, without the device.
fn on_host(how: OnHost, input: Words, expected: Option<Expected>) -> (Vec<Buffer>, Vec<Step>) {
    let compute: Compute = match how {
        OnHost::Serial => host::serial,
        OnHost::MultiThreaded => host::multi_threaded,
    };
    let buffers = vec![
        Buffer { name: "input", contents: Contents::HostWords(input), expected: None },
        Buffer { name: "result", contents: Contents::HostPoison { words: 1 }, expected },
    ];
    let work = HostWork { reads: vec![INPUT], writes: RESULT, argument: 0, compute };
    (buffers, vec![Step::Host(work)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_for_each_seed_and_size() {
        for _ in 0..2 {
            for (elements, seed) in [(5000, 1), (5000, 2), (6000, 1)] {
                let input = random_floats(elements, seed);
                assert_eq!(total(&input, seed), compensated_sum(&input), "{elements} {seed}");
            }
        }
    }
}
