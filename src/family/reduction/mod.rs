//! Sums of 32-bit floats: a ladder whose rungs each remove an anti-parallel pattern (slides A Study in Reduction, and
//! Gholami, multi-core programming assignment 6).
//!
//! Elements are random floats from 0 to 1. Every order of summation rounds differently, so sums are held against a
//! compensated one within a bound that grows with the rung's longest chain of additions. One float that collects 2^24 or
//! more stands still, since an element is less than half a unit of its last place: from 2^25 elements on, `atomic_global` comes
//! to a wrong sum on any device, and is reported so.

use crate::family::{Conflict, Family, Predictor, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod host;
mod plan;
mod rung;
mod tree;
mod workload;

#[cfg(test)]
mod tests;

/// The kernels of `cuda/reduction.cu`.
pub const PTX: &str = kernel::embedded!("reduction");

/// What rungs that have an element for each thread, or two, do not depend on.
const STAYING: &[&str] = &["staying_blocks", "threads", "loads_in_flight"];
/// The same, where blocks' sums meet by atomics alone.
const STAYING_AND_FINISH: &[&str] = &["finish", "staying_blocks", "threads", "loads_in_flight"];
/// What the host does not depend on.
const OF_DEVICE: &[&str] = &["block", "finish", "staying_blocks", "threads", "loads_in_flight", "transfer"];

/// The family of sums.
pub const FAMILY: Family = Family {
    name: "reduction",
    summary: "the sum of many floats, from an atomic for each to the bandwidth of memory, one pattern removed after another",
    ptx: PTX,
    variants: &[
        Variant::new("atomic_global", "an atomic on one word of global memory for every element")
            .removing("")
            .since(2, 0)
            .ignoring(STAYING_AND_FINISH),
        Variant::new("atomic_shared", "an atomic on a word of the block's shared memory, then one for each block")
            .removing("contended global atomics")
            .since(2, 0)
            .ignoring(STAYING_AND_FINISH),
        Variant::new("shared_divergent", "a tree in shared memory; the thread adds whose own place the sum has")
            .removing("contended shared atomics")
            .ignoring(STAYING),
        Variant::new("shared_strided", "the first threads add, at places 2, 4, 8, ... words apart")
            .removing("divergent warps")
            .ignoring(STAYING),
        Variant::new("shared_sequential", "the first threads add, at neighbouring places")
            .removing("bank conflicts")
            .ignoring(STAYING),
        Variant::new("dual_load", "each thread adds two elements before the tree begins")
            .removing("idle threads")
            .ignoring(STAYING),
        Variant::new(
            "unrolled_last_warp",
            "one warp adds the last 64 sums in shared memory; its lanes wait for each other twice a step, as they have to",
        )
        .removing("barriers for one warp")
        .ignoring(STAYING),
        Variant::new("unrolled_all", "the whole tree without a loop, for a block of known size")
            .removing("instruction overhead")
            .ignoring(STAYING),
        Variant::new("warp_shuffle", "one warp adds the last 64 sums in registers")
            .removing("shared memory within a warp")
            .since(3, 0)
            .ignoring(STAYING_AND_FINISH),
        Variant::new("grid_stride", "blocks stay and go through the elements in turns, so there are few trees")
            .removing("a tree for few elements")
            .since(3, 0)
            .ignoring(&["finish", "threads", "loads_in_flight"]),
        Variant::new("vectorised", "loads of 16 bytes, several on their way for each thread; trees of shuffles")
            .removing("waiting for one load at a time")
            .since(3, 0)
            .ignoring(&["block", "finish"]),
        Variant::new("one_launch", "the last block sums what the blocks have left; nothing to zero, the order fixed")
            .removing("a launch to prepare or finish")
            .since(3, 0)
            .ignoring(&["block", "finish"]),
        Variant::new("serial", host::SERIAL).on_host().ignoring(OF_DEVICE),
        Variant::new("multi_threaded", host::MULTI_THREADED).on_host().ignoring(OF_DEVICE),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "global_atomics",
            summary: "instructions of warps that are atomics on global memory",
            parameters: &["elements", "block", "finish", "staying_blocks", "threads", "loads_in_flight"],
        },
        Predictor {
            name: "shared_atomics",
            summary: "instructions of warps that are atomics on shared memory",
            parameters: &["elements", "block"],
        },
        Predictor {
            name: "barriers",
            summary: "barriers that blocks pass, summed over the blocks",
            parameters: &["elements", "block", "finish", "staying_blocks", "threads", "loads_in_flight"],
        },
        Predictor {
            name: "warp_steps",
            summary: "warps that add, summed over the steps of the blocks' trees",
            parameters: &["elements", "block", "finish", "staying_blocks", "threads", "loads_in_flight"],
        },
        Predictor {
            name: "divergent_warp_steps",
            summary: "those of them some of whose lanes do not add",
            parameters: &["elements", "block", "finish", "staying_blocks", "threads", "loads_in_flight"],
        },
        Predictor {
            name: "tree_load_passes",
            summary: "passes over the banks of shared memory that the loads of the blocks' trees take, by the device's rule",
            parameters: &["elements", "block", "finish", "staying_blocks", "threads", "loads_in_flight"],
        },
    ],
    check,
    device_bytes: workload::device_bytes,
    workload: workload::build,
    verification,
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "elements",
        summary: "floats of 4 bytes to sum",
        kind: Kind::Integer { min: 1, max: 1 << 30, multiple_of: 1 },
        default: Default::Integer(3 << 22),
    },
    Parameter {
        name: "block",
        summary: "threads of a block up to grid_stride: a power of two",
        kind: Kind::Integer { min: 64, max: 1024, multiple_of: 64 },
        default: Default::Integer(512),
    },
    Parameter {
        name: "finish",
        summary: "how the sums of trees meet; by_device: added to the result where floats have atomics (2.0 on), else by launches",
        kind: Kind::Choice(&["by_device", "launches"]),
        default: Default::Text("by_device"),
    },
    Parameter {
        name: "staying_blocks",
        summary: "blocks at most, from grid_stride on, where they go through the elements in turns; 0: as many as are resident at once",
        kind: Kind::Integer { min: 0, max: 1 << 24, multiple_of: 1 },
        default: Default::Integer(0),
    },
    Parameter {
        name: "threads",
        summary: "threads of a block from vectorised on",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(512),
    },
    Parameter {
        name: "loads_in_flight",
        summary: "loads of 16 bytes of a thread before the first is waited for: a power of two",
        kind: Kind::Integer { min: 1, max: 16, multiple_of: 1 },
        default: Default::Integer(4),
    },
    Parameter {
        name: "transfer",
        summary: "none: the elements are on the device; else they come from this memory of the host, and the sum goes back",
        kind: Kind::Choice(&["none", "pageable", "pinned"]),
        default: Default::Text("none"),
    },
];

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    for (name, names) in [("block", &["block"]), ("loads_in_flight", &["loads_in_flight"])] {
        let value = parameters.integer(name);
        if !value.is_power_of_two() {
            return Err(Conflict {
                parameters: names,
                problem: format!("there are kernels for powers of two, and {value} is none"),
                help: format!("use {} or {}", value.next_power_of_two() / 2, value.next_power_of_two()),
            });
        }
    }
    Ok(())
}

/// One element, less than a warp, a block, a vector, and more of each; blocks that go through the elements once and several
/// times; sums of sums.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let largest = i64::from(properties.threads_per_block);
    let mut points = Vec::new();
    for elements in [1, 31, 33, 127, 1000, 4097, 9002] {
        let sized = defaults.clone().with("elements", elements).with("staying_blocks", 3);
        for block in [64, 512, 1024].into_iter().filter(|&block| block <= largest) {
            points.push(sized.clone().with("block", block));
        }
        points.push(sized.clone().with("block", 128).with("threads", 32).with("loads_in_flight", 1));
        points.push(
            sized.clone().with("block", 256).with("threads", 96).with("loads_in_flight", 8).with("staying_blocks", 0),
        );
        points.push(sized.clone().with("finish", "launches").with("threads", 64).with("loads_in_flight", 2));
        points.push(sized.with("transfer", "pageable").with("threads", 64).with("loads_in_flight", 16));
    }
    points.push(defaults.with("elements", 20_001).with("staying_blocks", 7).with("transfer", "pinned"));
    points
}
