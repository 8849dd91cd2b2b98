//! Data partitioning and mapping: which elements a thread processes, how many threads a block has, and how many warps a
//! multiprocessor holds (Cornelis 2010, chapter 6).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;
use gpu_simulator::hardware::lanes::LANES;

mod mapping;
mod reference;
mod workload;

/// Threads of a block at most, on any GPU.
const BLOCK_MAX: i64 = 1024;

/// The kernels of `cuda/partition.cu`.
pub static PTX: &str = kernel::embedded("partition");

/// The partitioning family.
pub static FAMILY: Family = Family {
    name: "partition",
    summary: "data is mapped to threads and blocks in ways that leave lanes, warps or multiprocessors idle",
    ptx: PTX,
    size: Some(Size::new("elements", 1)),
    variants: &[
        Variant::new("one_element_1d", "a row of elements, one for each thread of one-dimensional blocks").ignoring(&[
            "block_width",
            "block_height",
            "elements_per_thread",
            "ordering",
            "warp_limit",
        ]),
        Variant::new("one_element_2d", "a matrix of elements, one for each thread of two-dimensional blocks")
            .ignoring(&["block", "elements_per_thread", "ordering", "warp_limit"]),
        Variant::new("several_elements", "a tile for each block, several elements of it for each thread").ignoring(&[
            "block_width",
            "block_height",
            "warp_limit",
        ]),
        Variant::new("grid_stride", "several elements for each thread, all threads of the grid apart").ignoring(&[
            "block_width",
            "block_height",
            "ordering",
            "warp_limit",
        ]),
        Variant::new(
            "limited_by_shared",
            "grid_stride whose blocks ask for so much shared memory that few are resident",
        )
        .ignoring(&["block_width", "block_height", "ordering"]),
        Variant::new("limited_by_registers", "grid_stride whose threads have so many registers that few are resident")
            .ignoring(&["block_width", "block_height", "ordering"]),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "waves",
            summary: "blocks of the busiest multiprocessor, in units of those that it holds at once",
            parameters: SHAPE,
        },
        Predictor { name: "resident_warps", summary: "warps that a multiprocessor holds at once", parameters: SHAPE },
        Predictor {
            name: "occupancy",
            summary: "share of the warps that a multiprocessor can hold at most",
            parameters: SHAPE,
        },
        Predictor {
            name: "lanes_used",
            summary: "share of the lanes of a block's warps that have a thread",
            parameters: &["block", "block_width", "block_height"],
        },
        Predictor { name: "grid_blocks", summary: "blocks of the grid", parameters: SHAPE },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

/// What the shape of a launch follows from.
const SHAPE: &[&str] = &["elements", "block", "block_width", "block_height", "elements_per_thread", "warp_limit"];

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "elements",
        summary: "elements of 4 bytes; a matrix of them is square or twice as wide as high, its width a power of two",
        kind: Kind::Integer { min: 1, max: 1 << 30, multiple_of: 1 },
        default: Default::OfDevice(elements_beyond_l2),
    },
    Parameter {
        name: "arithmetic",
        summary: "type of the elements",
        kind: Kind::Choice(&["float", "integer"]),
        default: Default::Text("float"),
    },
    Parameter {
        name: "multiply_adds",
        summary: "dependent multiply-adds that each element goes through, between reading and writing it",
        kind: Kind::Integer { min: 0, max: 4096, multiple_of: 1 },
        default: Default::Integer(1),
    },
    Parameter {
        name: "block",
        summary: "threads of a one-dimensional block",
        kind: Kind::Integer { min: 1, max: BLOCK_MAX, multiple_of: 1 },
        default: Default::Integer(256),
    },
    Parameter {
        name: "block_width",
        summary: "threads of a two-dimensional block along a row of the matrix",
        kind: Kind::Integer { min: 1, max: BLOCK_MAX, multiple_of: 1 },
        default: Default::Integer(16),
    },
    Parameter {
        name: "block_height",
        summary: "threads of a two-dimensional block along a column of the matrix",
        kind: Kind::Integer { min: 1, max: BLOCK_MAX, multiple_of: 1 },
        default: Default::Integer(16),
    },
    Parameter {
        name: "elements_per_thread",
        summary: "elements that a thread processes one after the other",
        kind: Kind::Integer { min: 1, max: 1024, multiple_of: 1 },
        default: Default::Integer(4),
    },
    Parameter {
        name: "ordering",
        summary: "striped: neighbouring threads take neighbouring elements; blocked: a thread's elements are neighbours",
        kind: Kind::Choice(&["striped", "blocked"]),
        default: Default::Text("striped"),
    },
    Parameter {
        name: "warp_limit",
        summary: "warps that a multiprocessor shall hold at once: as near to it as the variant can get (see resident_warps)",
        kind: Kind::Integer { min: 1, max: 64, multiple_of: 1 },
        default: Default::OfDevice(all_warps),
    },
];

/// The smallest power of two, 2^22 or more, at which input and output together are three times the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 22, 3, |elements| 2 * 4 * elements)
}

fn all_warps(properties: &Properties) -> u64 {
    (u64::from(properties.threads_per_sm) / LANES as u64).clamp(1, 64)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let (width, height) = (parameters.integer("block_width"), parameters.integer("block_height"));
    if width * height > BLOCK_MAX as u64 {
        return Err(Conflict {
            parameters: &["block_width", "block_height"],
            problem: format!(
                "a block {width} threads wide and {height} high has {}, more than any GPU's {BLOCK_MAX}",
                width * height
            ),
            help: format!("choose them so that their product is at most {BLOCK_MAX}; a [[zip]] group lists pairs"),
        });
    }
    Ok(())
}

/// Sizes of one element, of no full warp, of full warps and blocks, and of neither, with blocks of all kinds; blocks are no
/// larger than the device's largest.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let largest = i64::from(properties.threads_per_block).clamp(1, BLOCK_MAX);
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for (arithmetic, operations) in [("float", 1), ("float", 37), ("integer", 16), ("integer", 0)] {
        let point = defaults.clone().with("arithmetic", arithmetic).with("multiply_adds", operations);
        for (elements, block, [width, height]) in [
            (1, 32, [1, 1]),
            (31, 16, [3, 5]),
            (1000, 256, [16, 16]),
            (4096, 48, [64, 2]),
            (5003, largest, [1, 64]),
            (16_385, 100, [22, 22]),
        ] {
            let shape = point.clone().with("elements", elements).with("block", block);
            let shape = shape.with("block_width", width).with("block_height", height);
            for (elements_per_thread, ordering, warp_limit) in
                [(1, "striped", 64), (3, "blocked", 16), (64, "striped", 1), (8, "blocked", 32)]
            {
                let point = shape.clone().with("elements_per_thread", elements_per_thread);
                points.push(point.with("ordering", ordering).with("warp_limit", warp_limit));
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

    /// The family's defaults, at a small size.
    pub(super) fn parameters() -> ParameterSet {
        ParameterSet::defaults(PARAMETERS, &properties()).with("elements", 1000)
    }

    #[test]
    fn default_elements_do_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, exponent) in [(0, 22), (6, 22), (60, 25), (100, 26)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(elements_beyond_l2(&properties), 1 << exponent, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn blocks_have_at_most_1024_threads() {
        let block = |width, height| parameters().with("block_width", width).with("block_height", height);
        for (width, height) in [(32, 32), (64, 16), (1024, 1), (1, 1024), (22, 22)] {
            assert_eq!(check(&block(width, height)), Ok(()), "{width} x {height}");
        }
        for (width, height) in [(64, 32), (33, 32), (1024, 1024)] {
            let problem = check(&block(width, height)).unwrap_err().problem;
            assert!(problem.contains(&(width * height).to_string()), "{problem}");
        }
    }

    #[test]
    fn without_a_limit_all_warps_may_be_resident() {
        let mut properties = properties();
        for (threads_per_sm, warps) in [(768, 24), (1024, 32), (2048, 64), (0, 1)] {
            properties.threads_per_sm = threads_per_sm;
            assert_eq!(all_warps(&properties), warps);
        }
    }

    #[test]
    fn verification_points_are_within_range_also_of_small_devices() {
        for largest in [512, 1024] {
            let properties = Properties { threads_per_block: largest, ..properties() };
            for point in verification(&properties) {
                check(&point).unwrap();
                for parameter in PARAMETERS {
                    parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
                }
                assert!(point.integer("block") <= u64::from(largest));
                assert!(point.integer("block_width") * point.integer("block_height") <= u64::from(largest));
            }
        }
    }

    #[test]
    fn variants_ignore_parameters_that_there_are() {
        for variant in FAMILY.variants {
            for ignored in variant.ignores {
                assert!(FAMILY.parameter(ignored).is_some(), "{}: {ignored}", variant.name);
            }
        }
    }
}
