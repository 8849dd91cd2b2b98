//! Buffer, launch and expected output of a point of barriers or fences.

use super::{PTX, Parameters, Predictors, Store, Variant};
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

const WORD_BYTES: u64 = 4;

fn threads(parameters: &Parameters) -> u64 {
    u64::from(parameters.block) * u64::from(parameters.launched_blocks)
}

/// A word for each thread, and one for the cycles of the loop.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (threads(parameters) + 1)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors { warps_per_block: f64::from(parameters.block.div_ceil(LANES as u32)) }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant) -> Workload<Predictors> {
    let Parameters { waits, store, block, launched_blocks } = *parameters;
    let words = threads(parameters) as usize;
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(variant, store),
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: 0,
            arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(waits)],
        })],
        submission: Submission::Stream,
        bytes: WORD_BYTES * threads(parameters),
        operations: 0,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(vec![waits; words].into()) },
            Buffer::of_cycles(),
        ],
    }
}

/// The kernel of a variant, with a store before each wait or without one.
fn entry(variant: Variant, store: Store) -> &'static str {
    let [without, with] = match variant {
        Variant::BlockBarrier => ["wait_cost_block_barrier", "wait_cost_block_barrier_behind_store"],
        Variant::None => ["wait_cost_none", "wait_cost_none_behind_store"],
        Variant::BlockFence => ["wait_cost_block_fence", "wait_cost_block_fence_behind_store"],
        Variant::DeviceFence => ["wait_cost_device_fence", "wait_cost_device_fence_behind_store"],
        Variant::SystemFence => ["wait_cost_system_fence", "wait_cost_system_fence_behind_store"],
    };
    match store {
        Store::None => without,
        Store::Before => with,
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
            for (store, suffix) in [(Store::None, ""), (Store::Before, "_behind_store")] {
                let entry = entry(variant, store);
                assert_eq!(entry, format!("wait_cost_{}{suffix}", variant.name()));
                assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            }
        }
    }

    #[test]
    fn every_thread_leaves_the_number_of_its_waits() {
        let point = Parameters { waits: 5, block: 96, launched_blocks: 2, ..defaults() };
        let workload = workload(Variant::DeviceFence, &point);
        assert_eq!(workload.buffers[0].expected.as_ref().and_then(Expected::words), Some(&[5; 192][..]));
        assert_eq!(bytes_of_buffers(&workload), device_bytes(&point));
        assert_eq!(workload.predictors.warps_per_block, 3.0);
        let launch = workload.launches().next().unwrap().clone();
        assert_eq!((launch.grid[0], launch.block[0], launch.arguments[2].clone()), (2, 96, Argument::Word(5)));
    }
}
