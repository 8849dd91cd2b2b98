//! Buffer, launch and expected output of a point of blocks that do next to nothing.

use super::{PTX, Parameters, Predictors, Variant};
use crate::kernel::registers_per_thread;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u64 = 4;
/// An address, with the number of blocks behind it in `persistent`.
const ARGUMENT_BYTES: u64 = 12;
/// Registers of a thread where the compiler's number is not known: rather more than these kernels have.
const REGISTERS: u32 = 16;

/// What a launch comes to on a device.
#[derive(Debug, Clone, Copy)]
struct Plan {
    grid_blocks: u32,
    /// Blocks that a multiprocessor holds at once.
    resident_blocks: u32,
}

impl Plan {
    fn new(parameters: &Parameters, variant: Variant, device: &Properties) -> Self {
        let resources = Resources {
            threads_per_block: parameters.block,
            registers_per_thread: registers_per_thread(entry(variant), device.capability()).unwrap_or(REGISTERS),
            shared_bytes_per_block: parameters.shared_bytes.into(),
            argument_bytes: ARGUMENT_BYTES,
        };
        // Where not even one block is resident, the device will say so itself.
        let resident_blocks = resident_blocks(&device.limits(), &resources).map_or(1, |residency| residency.blocks);
        let grid_blocks = match variant {
            Variant::Blocks => parameters.work_blocks,
            Variant::Persistent => parameters.work_blocks.min(resident_blocks.saturating_mul(device.sm_count)).max(1),
        };
        Self { grid_blocks, resident_blocks }
    }
}

/// A word for each block of work.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * u64::from(parameters.work_blocks)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let Plan { grid_blocks, resident_blocks } = Plan::new(parameters, variant, device);
    Predictors {
        grid_blocks: grid_blocks.into(),
        waves: f64::from(grid_blocks.div_ceil(device.sm_count.max(1))) / f64::from(resident_blocks.max(1)),
        resident_warps: f64::from(resident_blocks * parameters.block.div_ceil(LANES as u32)),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties) -> Workload<Predictors> {
    let Parameters { work_blocks: words, block, shared_bytes } = *parameters;
    let arguments = match variant {
        Variant::Blocks => vec![Argument::Buffer(0)],
        Variant::Persistent => vec![Argument::Buffer(0), Argument::Word(words)],
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(variant),
            grid: [Plan::new(parameters, variant, device).grid_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes,
            arguments,
        })],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 0,
        predictors: predictors(parameters, variant, device),
        buffers: vec![Buffer {
            name: "output",
            contents: Contents::Poison { words: words as usize },
            expected: Some((0..words).collect::<Vec<_>>().into()),
        }],
    }
}

fn entry(variant: Variant) -> &'static str {
    match variant {
        Variant::Blocks => "block_start_blocks",
        Variant::Persistent => "block_start_persistent",
    }
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
        for &variant in Variant::ALL {
            assert_eq!(entry(variant), format!("block_start_{}", variant.name()));
            assert!(PTX.text_of(entry(variant), (9, 0)).is_some(), "{}", variant.name());
        }
    }

    #[test]
    fn each_word_has_its_number() {
        let point = Parameters { work_blocks: 5, ..defaults() };
        for &variant in Variant::ALL {
            let workload = workload(variant, &point);
            let expected = workload.buffers[0].expected.as_ref().and_then(Expected::words);
            assert_eq!(expected, Some(&[0, 1, 2, 3, 4][..]));
            assert_eq!(bytes_of_buffers(&workload), device_bytes(&point));
        }
    }

    /// The mock has one multiprocessor for 2048 threads.
    #[test]
    fn a_grid_has_a_block_for_each_of_the_work_or_as_many_as_are_resident() {
        let of = |variant, work_blocks, block| {
            let workload = workload(variant, &Parameters { work_blocks, block, shared_bytes: 0 });
            let Predictors { grid_blocks, waves, resident_warps } = workload.predictors;
            assert_eq!(f64::from(workload.launches().next().unwrap().grid[0]), grid_blocks);
            (grid_blocks, waves, resident_warps)
        };
        assert_eq!(of(Variant::Blocks, 1000, 256), (1000.0, 125.0, 64.0));
        assert_eq!(of(Variant::Persistent, 1000, 256), (8.0, 1.0, 64.0));
        assert_eq!(of(Variant::Persistent, 1000, 1024), (2.0, 1.0, 64.0));
        assert_eq!(of(Variant::Persistent, 3, 256), (3.0, 0.375, 64.0));
    }
}
