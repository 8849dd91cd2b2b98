//! Buffers, launch and expected output of a block synchronisation point.

use rayon::prelude::*;

use super::{INTERVALS, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::family::multiply_add::MultiplyAdds;
use crate::family::residency::shared_bytes_for;
use crate::kernel::registers_per_thread;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u64 = 4;

/// Two addresses and three words.
const ARGUMENT_BYTES: u64 = 28;

/// Registers of a thread where the compiler's number is not known: more than any of these kernels has.
const REGISTERS: u32 = 16;

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    2 * WORD_BYTES * parameters.elements
}

/// What a block of a kernel takes of a multiprocessor: shared memory enough that no more blocks are resident than asked for.
fn resources(parameters: &Parameters, entry: &'static str, device: &Properties) -> Resources {
    let limits = device.limits();
    let mut resources = Resources {
        threads_per_block: parameters.block,
        registers_per_thread: registers_per_thread(entry, device.capability()).unwrap_or(REGISTERS),
        shared_bytes_per_block: 0,
        argument_bytes: ARGUMENT_BYTES,
    };
    if parameters.resident_blocks > 0 {
        resources.shared_bytes_per_block = shared_bytes_for(&limits, &resources, parameters.resident_blocks);
    }
    resources
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let Parameters { interval, multiply_adds, block, .. } = *parameters;
    let resources = resources(parameters, entry(variant, interval), device);
    let resident = resident_blocks(&device.limits(), &resources).map_or(0, |residency| residency.blocks);
    Predictors {
        barriers: if variant == Variant::None { 0.0 } else { (multiply_adds / interval) as f64 },
        resident_warps: f64::from(resident * block.div_ceil(LANES as u32)),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { interval, multiply_adds, elements, block, .. } = *parameters;
    let (points, rest) = (multiply_adds / interval, multiply_adds % interval);

    let entry = entry(variant, interval);
    let resources = resources(parameters, entry, device);
    let input = random_words(elements as usize, seed);
    let all = MultiplyAdds::new(multiply_adds);
    let expected: Vec<u32> = input.par_iter().map(|&value| all.apply(value)).collect();
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry,
            grid: [(elements as u32).div_ceil(block), 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
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
        operations: 2 * multiply_adds * elements,
        predictors: predictors(parameters, variant, device),
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
fn entry(variant: Variant, interval: u64) -> &'static str {
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
        Variant::Barrier => barrier,
        Variant::None => none,
        Variant::WarpSynchronous => warp,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;

    #[test]
    fn every_interval_has_its_kernels() {
        for interval in INTERVALS {
            for variant in Variant::ALL {
                assert_eq!(entry(*variant, interval), format!("block_sync_{}_{interval}", variant.name()));
            }
        }
    }

    /// The thesis: floor(n / m) points.
    #[test]
    fn there_is_a_barrier_after_every_whole_interval() {
        for (multiply_adds, interval, barriers, rest) in
            [(100, 1, 100, 0), (100, 25, 4, 0), (99, 10, 9, 9), (3, 4, 0, 3)]
        {
            let point = Parameters { multiply_adds, interval, elements: 100, ..defaults() };
            let workload = workload(Variant::Barrier, &point);
            assert_eq!(workload.predictors.barriers, f64::from(barriers));
            let arguments = &workload.launches().next().unwrap().arguments;
            assert_eq!(arguments[2..], [100, barriers as u32, rest].map(Argument::Word));
        }
        let point = Parameters { elements: 100, ..defaults() };
        assert_eq!(workload(Variant::None, &point).predictors.barriers, 0.0);
    }

    #[test]
    fn shared_memory_holds_the_resident_blocks_down() {
        let of = |resident_blocks| {
            let point = Parameters { elements: 100, block: 64, resident_blocks, ..defaults() };
            let workload = workload(Variant::Barrier, &point);
            (workload.launches().next().unwrap().shared_bytes, workload.predictors.resident_warps)
        };
        assert_eq!(of(0), (0, 64.0));
        // 228 KiB, of which every block takes 1 KiB more than it asks for; more than a half for one block, a third for two.
        assert_eq!(of(1), ((113 << 10) + 128, 2.0));
        assert_eq!(of(2), ((75 << 10) + 128, 4.0));
        assert_eq!(of(32), (0, 64.0));
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        let point = Parameters { elements: 77, ..defaults() };
        assert_eq!(bytes_of_buffers(&workload(Variant::None, &point)), 2 * 4 * 77);
    }
}
