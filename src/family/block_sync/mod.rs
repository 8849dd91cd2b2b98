//! Block barriers: threads of a block wait for each other between operations (Cornelis 2010, section 5.2, figure 5.1).

use crate::family::{Conflict, Family, Predictor, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod workload;

/// The intervals that kernels are compiled for, in operations.
pub const INTERVALS: [u64; 9] = [1, 2, 4, 5, 10, 20, 25, 50, 100];

/// The kernels of `cuda/block_sync.cu`.
pub const PTX: &str = kernel::embedded!("block_sync");

/// The block synchronisation family.
pub const FAMILY: Family = Family {
    name: "block_sync",
    summary: "threads of a block wait for each other at a barrier after every few operations",
    ptx: PTX,
    variants: &[
        Variant::new("barrier", "__syncthreads() after every interval: the pattern itself"),
        Variant::new("none", "the same loop without a barrier"),
        Variant::new(
            "warp_synchronous",
            "__syncwarp() after every interval: only a warp's threads wait for each other, which costs no instruction where the compiler sees that they are together",
        )
        .since(7, 0),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "barriers",
            summary: "barriers that each thread comes to, of its block or of its warp: operations / interval, rounded down",
            parameters: &["multiply_adds", "interval"],
        },
        Predictor {
            name: "resident_warps",
            summary: "warps that a multiprocessor holds at once",
            parameters: &["block", "resident_blocks"],
        },
    ],
    check,
    device_bytes: workload::device_bytes,
    workload: workload::build,
    verification,
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "interval",
        summary: "multiply-adds between two barriers: 1, 2, 4, 5, 10, 20, 25, 50 or 100",
        kind: Kind::Integer { min: 1, max: 100, multiple_of: 1 },
        default: Default::Integer(1),
    },
    Parameter {
        name: "multiply_adds",
        summary: "dependent multiply-adds on each element; after the last whole interval no barrier follows",
        kind: Kind::Integer { min: 1, max: 10_000, multiple_of: 1 },
        default: Default::Integer(100),
    },
    Parameter {
        name: "elements",
        summary: "elements of 4 bytes, one for each thread",
        kind: Kind::Integer { min: 1, max: 1 << 26, multiple_of: 1 },
        default: Default::Integer(1 << 23),
    },
    Parameter {
        name: "block",
        summary: "threads of a block",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
    Parameter {
        name: "resident_blocks",
        summary: "most blocks resident on a multiprocessor, held down by the shared memory that they ask for; 0: no limit",
        kind: Kind::Integer { min: 0, max: 32, multiple_of: 1 },
        default: Default::Integer(0),
    },
];

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let interval = parameters.integer("interval");
    if INTERVALS.contains(&interval) {
        return Ok(());
    }
    let all: Vec<String> = INTERVALS.iter().map(u64::to_string).collect();
    Err(Conflict {
        parameters: &["interval"],
        problem: format!("there is no kernel with {interval} operations between two barriers"),
        help: format!("use one of {}", all.join(", ")),
    })
}

/// Every interval, and sizes of one element, of no full warp or block, of full ones and of neither.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let largest_block = i64::from(properties.threads_per_block.min(1024));
    let mut points = Vec::new();
    for interval in INTERVALS {
        let point = defaults.clone().with("interval", interval as i64).with("elements", 1000);
        points.push(point.clone());
        points.push(point.with("multiply_adds", 2 * interval as i64 + 1).with("block", 64));
    }
    for (elements, block, resident) in
        [(1, 32, 0), (31, 64, 1), (4096, 256, 2), (4097, 256, 4), (5000, largest_block, 0)]
    {
        let point = defaults.clone().with("elements", elements).with("block", block);
        points.push(point.with("resident_blocks", resident).with("interval", 10));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    #[test]
    fn intervals_without_a_kernel_are_refused() {
        let point = ParameterSet::defaults(PARAMETERS, Mock::new(MockSettings::default()).properties());
        assert_eq!(check(&point.clone().with("interval", 25)), Ok(()));
        let refused = check(&point.with("interval", 3)).unwrap_err();
        assert!(refused.problem.contains("3 operations") && refused.help.contains("1, 2, 4, 5, 10"), "{refused:?}");
    }

    #[test]
    fn verification_points_are_within_range() {
        for point in verification(Mock::new(MockSettings::default()).properties()) {
            check(&point).unwrap();
            for parameter in PARAMETERS {
                parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
            }
        }
    }
}
