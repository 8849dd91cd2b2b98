//! Transposing a matrix: reads and writes that cannot both be of neighbouring words, unless they go through shared memory
//! (Cornelis 2010, section 4.3.2).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod access;
mod reference;
mod workload;

/// The kernels of `cuda/transpose.cu`.
pub static PTX: &str = kernel::embedded("transpose");

const COPY: &str = "copy";
const NAIVE: &str = "naive";
const SHARED: &str = "shared";
const SHARED_PADDED: &str = "shared_padded";
const SHARED_SWIZZLED: &str = "shared_swizzled";
const SHARED_VECTORISED: &str = "shared_vectorised";

/// The family of transpositions.
pub static FAMILY: Family = Family {
    name: "transpose",
    summary: "the lanes of a warp write a matrix by columns, or read a tile in shared memory from one bank",
    ptx: PTX,
    size: Some(Size::new("width", 2)),
    variants: &[
        Variant::new(NAIVE, "reads rows and writes columns, straight from global memory to global memory: the pattern"),
        Variant::new(SHARED, "through a tile in shared memory, whose columns are in one bank: half a remedy"),
        Variant::new(SHARED_PADDED, "through a tile with a word left free after every row"),
        Variant::new(SHARED_SWIZZLED, "through a tile whose rows are each in another order, with no word left free"),
        // Its tile takes all the shared memory that compute capability 1 has, whose arguments need some too.
        Variant::new(
            SHARED_VECTORISED,
            "through a swizzled tile of 64 rows, by accesses of four words where rows allow it",
        )
        .since(2, 0)
        .ignoring(&["tile", "rows_per_thread"]),
        Variant::new(COPY, "copies the same tiles without transposing them: no remedy, but as fast as one can be"),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "sectors_per_request",
            summary: "sectors or segments that a request to write moves, by the device's rule (mean over requests)",
            parameters: &["width", "tile"],
        },
        Predictor {
            name: "bytes_moved",
            summary: "bytes of all that is moved, read and written, by the device's rule",
            parameters: &["width", "tile"],
        },
        Predictor {
            name: "conflict_degree",
            summary: "passes over the banks in which a warp reads a full tile, where 1 is without conflicts; 0 without a tile",
            parameters: &["tile"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "width",
        summary: "rows and columns of the square matrix, in elements of 4 bytes",
        kind: Kind::Integer { min: 1, max: 16_384, multiple_of: 1 },
        default: Default::OfDevice(width_beyond_l2),
    },
    Parameter {
        name: "tile",
        summary: "rows and columns of a block's tile: 16 or 32",
        kind: Kind::Integer { min: 16, max: 32, multiple_of: 16 },
        default: Default::Integer(32),
    },
    Parameter {
        name: "rows_per_thread",
        summary: "elements of a tile's column that a thread takes: 1, 2, 4 or 8; a block has so many times fewer threads",
        kind: Kind::Integer { min: 1, max: 8, multiple_of: 1 },
        default: Default::Integer(4),
    },
];

/// The smallest power of two, 2048 or more, at which both matrices together are three times the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 2048, 3, |width| 2 * 4 * width * width)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let rows = parameters.integer("rows_per_thread");
    if rows.is_power_of_two() {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["rows_per_thread"],
        problem: format!("a tile cannot be split into {rows} parts of as many rows each"),
        help: "use 1, 2, 4 or 8".to_owned(),
    })
}

/// One element, less than a tile, tiles, and neither; widths at which rows begin within a sector, and at which they are whole
/// numbers of four words but not of tiles.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for width in [1, 31, 64, 77, 100, 131] {
        for tile in [16, 32] {
            for rows in [1, 2, 4, 8] {
                let point = defaults.clone().with("width", width).with("tile", tile);
                points.push(point.with("rows_per_thread", rows));
            }
        }
    }
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

    pub(super) fn parameters(width: i64, tile: i64, rows: i64) -> ParameterSet {
        let defaults = ParameterSet::defaults(PARAMETERS, &properties());
        defaults.with("width", width).with("tile", tile).with("rows_per_thread", rows)
    }

    #[test]
    fn default_width_does_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, width) in [(0, 2048), (6, 2048), (60, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn tiles_are_split_evenly() {
        for rows in 1..=8 {
            assert_eq!(check(&parameters(64, 32, rows)).is_ok(), [1, 2, 4, 8].contains(&rows), "{rows}");
        }
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
