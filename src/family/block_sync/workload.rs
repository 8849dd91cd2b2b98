//! Buffers, launch and expected output of a block synchronisation point.

use rayon::prelude::*;

use super::{INTERVALS, PTX};
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::family::multiply_add::MultiplyAdds;
use crate::family::residency::shared_bytes_for;
use crate::kernel::registers_per_thread;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u64 = 4;

/// Two addresses and three words.
const ARGUMENT_BYTES: u64 = 28;

/// Registers of a thread where the compiler's number is not known: more than any of these kernels has.
const REGISTERS: u32 = 16;

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    2 * WORD_BYTES * parameters.integer("elements")
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let parameters = request.parameters;
    let elements = parameters.integer("elements");
    let block = parameters.integer("block") as u32;
    let (operations, interval) = (parameters.integer("multiply_adds"), parameters.integer("interval"));
    let (points, rest) = (operations / interval, operations % interval);

    let entry = entry(request.variant, interval);
    let limits = request.device.limits();
    let registers = registers_per_thread(entry, request.device.capability()).unwrap_or(REGISTERS);
    let mut resources = Resources {
        threads_per_block: block,
        registers_per_thread: registers,
        shared_bytes_per_block: 0,
        argument_bytes: ARGUMENT_BYTES,
    };
    if let Some(most) = std::num::NonZeroU32::new(parameters.integer("resident_blocks") as u32) {
        resources.shared_bytes_per_block = shared_bytes_for(&limits, &resources, most.get());
    }
    let resident = resident_blocks(&limits, &resources).map_or(0, |residency| residency.blocks);
    let resident_warps = resident * block.div_ceil(LANES as u32);

    let input = random_words(elements as usize, request.seed);
    let all = MultiplyAdds::new(operations);
    let expected: Vec<u32> = input.par_iter().map(|&value| all.apply(value)).collect();
    let barriers = if request.variant == "none" { 0 } else { points };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry,
            grid: [(elements as u32).div_ceil(block), 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            shared_bytes: u32::try_from(resources.shared_bytes_per_block).unwrap_or(u32::MAX),
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Word(elements as u32),
                Argument::Word(points as u32),
                Argument::Word(rest as u32),
            ],
        })],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 2 * operations * elements,
        predictors: vec![("barriers", barriers as f64), ("resident_warps", f64::from(resident_warps))],
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer {
                name: "output",
                contents: Contents::Poison { words: elements as usize },
                expected: Some(expected.into()),
            },
        ],
    }
}

/// The kernel of a variant for an interval that there is one for.
fn entry(variant: &str, interval: u64) -> &'static str {
    macro_rules! kernels {
        ($($interval:literal)*) => {
            [$([
                concat!("block_sync_barrier_", $interval),
                concat!("block_sync_none_", $interval),
                concat!("block_sync_warp_synchronous_", $interval),
            ]),*]
        };
    }
    const KERNELS: [[&str; 3]; INTERVALS.len()] = kernels!(1 2 4 5 10 20 25 50 100);
    let [barrier, none, warp] = KERNELS[INTERVALS.iter().position(|&own| own == interval).unwrap_or(0)];
    match variant {
        "none" => none,
        "warp_synchronous" => warp,
        _ => barrier,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};
    use crate::family::block_sync::PARAMETERS;

    fn workload(variant: &str, parameters: &[(&str, i64)]) -> Workload {
        let device = Mock::new(MockSettings::default()).properties().clone();
        let point = parameters
            .iter()
            .fold(ParameterSet::defaults(PARAMETERS, &device), |point, &(name, value)| point.with(name, value));
        build(&Request { variant, parameters: &point, device: &device, seed: 1 })
    }

    #[test]
    fn every_interval_has_its_kernels() {
        for interval in INTERVALS {
            for variant in ["barrier", "none", "warp_synchronous"] {
                assert_eq!(entry(variant, interval), format!("block_sync_{variant}_{interval}"));
            }
        }
    }

    /// The thesis: floor(n / m) points.
    #[test]
    fn there_is_a_barrier_after_every_whole_interval() {
        for (operations, interval, barriers, rest) in [(100, 1, 100, 0), (100, 25, 4, 0), (99, 10, 9, 9), (3, 4, 0, 3)]
        {
            let parameters = [("multiply_adds", operations), ("interval", interval), ("elements", 100)];
            let workload = workload("barrier", &parameters);
            assert_eq!(workload.predictors[0], ("barriers", f64::from(barriers)));
            let arguments = &workload.launches().next().unwrap().arguments;
            assert_eq!(arguments[2..], [100, barriers as u32, rest].map(Argument::Word));
        }
        assert_eq!(workload("none", &[("elements", 100)]).predictors[0], ("barriers", 0.0));
    }

    #[test]
    fn shared_memory_holds_the_resident_blocks_down() {
        let of = |blocks: i64| {
            let workload = workload("barrier", &[("elements", 100), ("block", 64), ("resident_blocks", blocks)]);
            (workload.launches().next().unwrap().shared_bytes, workload.predictors[1].1)
        };
        assert_eq!(of(0), (0, 64.0));
        // 228 KiB, of which every block takes 1 KiB more than it asks for; more than a half for one block, a third for two.
        assert_eq!(of(1), ((113 << 10) + 128, 2.0));
        assert_eq!(of(2), ((75 << 10) + 128, 4.0));
        assert_eq!(of(32), (0, 64.0));
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        let of_buffers: u64 = workload("none", &[("elements", 77)]).buffers.iter().map(Buffer::bytes).sum();
        assert_eq!(of_buffers, 2 * 4 * 77);
    }
}
