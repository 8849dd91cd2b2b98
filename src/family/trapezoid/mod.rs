//! The trapezoid rule as a ladder: how many threads add to one number (CUDA trapezoidal rule II, after Pacheco and
//! Malensek 2022, sections 6.12 and 6.13; table 6.8).

use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod reference;
#[cfg(test)]
mod tests;
mod workload;

/// The kernels of `cuda/trapezoid.cu`.
pub static PTX: &str = kernel::embedded("trapezoid");

/// The ways to sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rung {
    Serial,
    MultiThreaded,
    AtomicAdd,
    WarpShuffle,
    SharedMemory,
    WarpShuffleManyWarps,
    SharedMemoryManyWarps,
    TwoLaunches,
}

impl Rung {
    const NAMED: [(&'static str, Self); 8] = [
        ("serial", Self::Serial),
        ("multi_threaded", Self::MultiThreaded),
        ("atomic_add", Self::AtomicAdd),
        ("warp_shuffle", Self::WarpShuffle),
        ("shared_memory", Self::SharedMemory),
        ("warp_shuffle_many_warps", Self::WarpShuffleManyWarps),
        ("shared_memory_many_warps", Self::SharedMemoryManyWarps),
        ("two_launches", Self::TwoLaunches),
    ];

    /// The rung of a variant of this family.
    fn named(variant: &str) -> Self {
        Self::NAMED.iter().find(|(name, _)| *name == variant).map_or(Self::AtomicAdd, |(_, rung)| *rung)
    }
}

/// The family of the trapezoid rule.
pub static FAMILY: Family = Family {
    name: "trapezoid",
    summary: "a ladder: every thread adds to one number, which takes one after the other",
    ptx: PTX,
    size: Some(Size::new("trapezoids", 1)),
    variants: &[
        Variant::new("serial", "one thread of the host, in a 32-bit float, for comparison")
            .ignoring(&["block"])
            .on_host(),
        Variant::new("multi_threaded", "all threads of the host, for comparison").ignoring(&["block"]).on_host(),
        // Atomics of 32-bit floats: CUDA C Programming Guide, table of features.
        Variant::new("atomic_add", "every thread adds to the integral by an atomic").since(2, 0).removing(""),
        Variant::new("warp_shuffle", "a warp's terms are summed by shuffles, and its first lane adds to the integral")
            .since(3, 0)
            .removing("an atomic of every thread"),
        Variant::new(
            "shared_memory",
            "the same, summed through shared memory by dissemination, which needs no shuffles",
        )
        .since(2, 0)
        .removing("shuffles"),
        Variant::new(
            "warp_shuffle_many_warps",
            "a block's first warp sums those of its warps, and adds to the integral",
        )
        .since(3, 0)
        .removing("an atomic of every warp"),
        Variant::new("shared_memory_many_warps", "the same, summed through shared memory by dissemination")
            .since(2, 0)
            .removing("shuffles"),
        Variant::new(
            "two_launches",
            "blocks write their sums, and a second launch of one block adds these, always in the same order",
        )
        .removing("atomics"),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "atomics",
            summary: "additions to the integral that are made one after the other",
            parameters: &["trapezoids", "block"],
        },
        Predictor {
            name: "barriers",
            summary: "barriers that blocks pass, all blocks together",
            parameters: &["trapezoids", "block"],
        },
        Predictor { name: "launches", summary: "kernels that are launched", parameters: &[] },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "trapezoids",
        summary: "trapezoids under x^2 + 1 from -3 to 3; one float cannot take more than some 2^24 of them one by one",
        kind: Kind::Integer { min: 1, max: 1 << 28, multiple_of: 1 },
        default: Default::Integer(1 << 20),
    },
    Parameter {
        name: "block",
        summary: "threads of a block: one warp of 32, or many",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(32),
    },
];

#[allow(clippy::unnecessary_wraps, reason = "families have a check that can fail")]
fn check(_: &ParameterSet) -> Result<(), Conflict> {
    Ok(())
}

/// One trapezoid, less than a warp, less than a block, full blocks, and both one more and one less; blocks of one
/// warp, of few, and of an odd number.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for block in [32_i64, 96, 256, 1024].into_iter().filter(|&block| block <= i64::from(properties.threads_per_block)) {
        for trapezoids in [1, 2, 31, 33, 1000, 4095, 4096, 4097, 100_003] {
            points.push(defaults.clone().with("block", block).with("trapezoids", trapezoids));
        }
    }
    points
}
