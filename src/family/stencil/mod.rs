//! A stencil over time steps: launches exchange what blocks need of each other after every step, or blocks compute several
//! steps at once and their neighbours' cells too (Cornelis 2010, section 5.3).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod reference;
mod workload;

/// The kernels of `cuda/stencil.cu`.
pub static PTX: &str = kernel::embedded("stencil");

/// The stencil family.
pub static FAMILY: Family = Family {
    name: "stencil",
    summary: "blocks need their neighbours' cells for every step, and exchange or compute them",
    ptx: PTX,
    size: Some(Size::new("width", 2)),
    variants: &[
        Variant::new("exchange", "a launch for every step, cells exchanged through global memory: the pattern itself")
            .ignoring(&["steps_per_launch", "tile"]),
        Variant::new(
            "redundant_halo",
            "several steps in a launch, in shared memory, over a halo that is computed again",
        ),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor { name: "launches", summary: "kernels launched", parameters: &["steps", "steps_per_launch"] },
        Predictor {
            name: "redundancy",
            summary: "cells computed for each cell that is needed",
            parameters: &["width", "steps", "steps_per_launch", "tile"],
        },
        Predictor {
            name: "bytes_asked",
            summary: "bytes that all lanes read from and write to global memory",
            parameters: &["width", "steps", "steps_per_launch", "tile"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "steps_per_launch",
        summary: "time steps that a launch of redundant_halo computes, and width of its halo",
        kind: Kind::Integer { min: 1, max: 16, multiple_of: 1 },
        default: Default::Integer(4),
    },
    Parameter {
        name: "steps",
        summary: "time steps in all; the last launch may have fewer than the others",
        kind: Kind::Integer { min: 1, max: 1000, multiple_of: 1 },
        default: Default::Integer(48),
    },
    Parameter {
        name: "width",
        summary: "rows and columns of the closed square sheet, in cells of 4 bytes",
        kind: Kind::Integer { min: 1, max: 8192, multiple_of: 1 },
        default: Default::OfDevice(width_beyond_l2),
    },
    Parameter {
        name: "tile",
        summary: "rows and columns of cells that a block takes in, halo included",
        kind: Kind::Integer { min: 16, max: 128, multiple_of: 16 },
        default: Default::Integer(32),
    },
    Parameter {
        name: "block",
        summary: "threads of a block, which is 32 columns wide",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
];

/// The smallest power of two, 1024 or more, at which the two sheets together are twice the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1024, 2, |width| 2 * 4 * width * width)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let (tile, halo) = (parameters.integer("tile"), parameters.integer("steps_per_launch"));
    if tile > 2 * halo {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["steps_per_launch", "tile"],
        problem: format!(
            "after {halo} steps nothing is left of a tile of {tile}, which loses one cell on each side a step"
        ),
        help: format!("give at most {} for steps_per_launch, or a larger tile", (tile - 1) / 2),
    })
}

/// Sheets of one cell, narrower than the halo, of whole tiles and of parts of them; numbers of launches that are odd and even.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties).with("tile", 32);
    let largest_block = i64::from(properties.threads_per_block.min(1024));
    let mut points = Vec::new();
    for (width, block) in [(1, 32), (5, 64), (33, 96), (64, 256), (77, largest_block)] {
        for (steps, steps_per_launch) in [(1, 1), (4, 1), (7, 3), (15, 15)] {
            let point = defaults.clone().with("width", width).with("block", block);
            points.push(point.with("steps", steps).with("steps_per_launch", steps_per_launch));
        }
    }
    let large = defaults.with("width", 100).with("steps", 17);
    points.push(large.clone().with("tile", 48).with("steps_per_launch", 5));
    points.push(large.with("tile", 64).with("steps_per_launch", 16));
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    pub(super) fn properties() -> Properties {
        Mock::new(MockSettings::default()).properties().clone()
    }

    #[test]
    fn default_width_does_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, width) in [(0, 1024), (6, 2048), (60, 4096), (100, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn tiles_that_vanish_are_refused() {
        let point = ParameterSet::defaults(PARAMETERS, &properties()).with("tile", 32);
        assert_eq!(check(&point.clone().with("steps_per_launch", 15)), Ok(()));
        assert!(check(&point.with("steps_per_launch", 16)).unwrap_err().help.contains("at most 15"));
    }

    #[test]
    fn verification_points_are_within_range() {
        for point in verification(&properties()) {
            check(&point).unwrap();
            for parameter in PARAMETERS {
                parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
            }
        }
    }
}
