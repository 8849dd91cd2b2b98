//! Global synchronisation: all threads of a grid wait for each other between operations (Cornelis 2010, section 5.2,
//! figure 5.2), and ways to do that without ending the kernel or to do without it.

use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod reference;
mod workload;

/// The kernels of `cuda/global_sync.cu`.
pub static PTX: &str = kernel::embedded("global_sync");

/// Elements that a thread of `redundant_halo` is responsible for.
pub const ELEMENTS_PER_THREAD: u64 = 4;

/// The global synchronisation family.
pub static FAMILY: Family = Family {
    name: "global_sync",
    summary: "all threads of a grid wait for each other after every few operations",
    ptx: PTX,
    size: Some(Size::new("elements", 1)),
    variants: &[
        Variant::new("relaunch", "a launch for every interval: the pattern itself"),
        Variant::new("relaunch_shared", "the same, the elements staged through shared memory in every launch"),
        Variant::new("cooperative", "one launch with the grid barrier of cooperative groups").since(6, 0),
        Variant::new("atomic_barrier", "one launch with a barrier of one atomic counter and one generation")
            .since(6, 0),
        Variant::new("graph", "the launches of `relaunch`, submitted as one CUDA graph").since(3, 0),
        Variant::new(
            "redundant_halo",
            "one launch whose blocks compute their neighbours' elements too, and never wait",
        ),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor { name: "launches", summary: "kernels launched", parameters: &["multiply_adds", "interval"] },
        Predictor {
            name: "grid_barriers",
            summary: "barriers of all blocks inside a launch",
            parameters: &["multiply_adds", "interval"],
        },
        Predictor {
            name: "synchronisations",
            summary: "times that all threads wait for each other, at the end of a launch or at a grid barrier",
            parameters: &["multiply_adds", "interval"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "interval",
        summary: "multiply-adds between two synchronisations; the last of them may be followed by fewer",
        kind: Kind::Integer { min: 1, max: 1000, multiple_of: 1 },
        default: Default::Integer(10),
    },
    Parameter {
        name: "multiply_adds",
        summary: "dependent multiply-adds on each element, in all",
        kind: Kind::Integer { min: 1, max: 1000, multiple_of: 1 },
        default: Default::Integer(100),
    },
    Parameter {
        name: "exchange",
        summary: "what an element needs of the others after a synchronisation: nothing, or its two neighbours",
        kind: Kind::Choice(&["none", "neighbours"]),
        default: Default::Text("none"),
    },
    Parameter {
        name: "elements",
        summary: "elements of 4 bytes, a ring",
        kind: Kind::Integer { min: 1, max: 1 << 26, multiple_of: 1 },
        default: Default::Integer(1 << 23),
    },
    Parameter {
        name: "block",
        summary: "threads of a block",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
];

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let (interval, operations) = (parameters.integer("interval"), parameters.integer("multiply_adds"));
    if interval <= operations {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["interval", "multiply_adds"],
        problem: format!("an interval of {interval} operations, of which there are only {operations}"),
        help: format!("give at most {operations} for interval, or more operations"),
    })
}

/// Sizes of one element, of no full warp or block, of full ones and of neither, less than the halo among them; odd and even
/// numbers of rounds.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let largest_block = i64::from(properties.threads_per_block.min(1024));
    let mut points = Vec::new();
    for exchange in ["none", "neighbours"] {
        let point = defaults.clone().with("exchange", exchange);
        for (elements, block, operations, interval) in [
            (1, 32, 7, 1),
            (2, 32, 8, 4),
            (31, 64, 9, 9),
            (31, 64, 23, 10),
            (1024, 256, 8, 1),
            (4097, 96, 7, 2),
            (4097, 96, 12, 12),
            (5000, largest_block, 23, 10),
        ] {
            let sized = point.clone().with("elements", elements).with("block", block);
            points.push(sized.with("multiply_adds", operations).with("interval", interval));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    #[test]
    fn intervals_of_more_operations_than_there_are_are_refused() {
        let point = ParameterSet::defaults(PARAMETERS, Mock::new(MockSettings::default()).properties());
        assert_eq!(check(&point.clone().with("interval", 100)), Ok(()));
        assert!(check(&point.with("interval", 101)).unwrap_err().problem.contains("only 100"));
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
