//! Exclusive prefix sums, from a naive kernel to one pass over the array (Cornelis 2010, chapter 7, and beyond it).
//!
//! Up to `no_bank_conflicts` the variants are those of tables 7.1 to 7.5, one anti-parallel pattern fewer each; `shifts` is what table
//! 7.5 measures its speedup against. Each is a scan of the whole array, of any length: tiles are scanned, then their
//! totals by the same kernel, and added back. The last one follows Merrill and Garland 2016, Single-pass parallel prefix scan with
//! decoupled look-back.

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod plan;
mod predictors;
mod reference;
mod rung;
mod tree;
mod workload;

/// The kernels of `cuda/prefix_sum.cu`.
pub static PTX: &str = kernel::embedded("prefix_sum");

/// What a rung depends on beside the number of elements: all but one on the block, that one on the tile's shape.
const BLOCK: &[&str] = &["elements", "block", "tile"];
/// What variants with a block of any size ignore.
const NO_TILE: &[&str] = &["tile"];

/// The family of prefix sums.
pub static FAMILY: Family = Family {
    name: "prefix_sum",
    summary: "a prefix sum sheds one anti-parallel pattern after another, until it runs at the speed of memory",
    ptx: PTX,
    size: Some(Size::new("elements", 1)),
    variants: &[
        Variant::new("naive", "in global memory, every thread asking for a remainder whether it takes part in a step")
            .removing("")
            .ignoring(NO_TILE),
        Variant::new("shared_memory", "the same in shared memory").removing("global data access").ignoring(NO_TILE),
        Variant::new("static_thread_reordering", "the first threads of the block take part, without remainders")
            .removing("branching")
            .ignoring(NO_TILE),
        Variant::new("two_elements_per_thread", "tiles of twice as many elements, so that no thread only copies")
            .removing("data partitioning")
            .ignoring(NO_TILE),
        Variant::new("shifts", "places found by shifting").removing("multiplications").ignoring(NO_TILE),
        Variant::new("no_bank_conflicts", "a place of shared memory left empty after as many as there are banks")
            .removing("shared data access")
            .ignoring(NO_TILE),
        Variant::new(
            "warp_shuffle",
            "lanes of a warp hand each other their sums, with one barrier instead of a tree's",
        )
        .removing("block synchronisation")
        .since(3, 0)
        .ignoring(NO_TILE),
        Variant::new("register_blocked", "two vectors of four elements for each thread, in registers")
            .removing("small tasks")
            .since(3, 0)
            .ignoring(NO_TILE),
        Variant::new("single_pass", "tiles look back at those before them instead of being added to by another launch")
            .removing("global synchronisation")
            .since(7, 0)
            .ignoring(&["block"]),
        Variant::new("serial", "one thread of the host").on_host().ignoring(&["block", "tile"]),
        Variant::new("multi_threaded", "all threads of the host, in two passes").on_host().ignoring(&["block", "tile"]),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor { name: "launches", summary: "kernels launched", parameters: BLOCK },
        Predictor {
            name: "bytes_per_element",
            summary: "bytes of global memory that threads read and write in all launches, for each element of the array (without the states of tiles)",
            parameters: BLOCK,
        },
        Predictor {
            name: "barriers_per_tile",
            summary: "barriers that a block passes while it scans its tile",
            parameters: &["block", "tile"],
        },
        Predictor {
            name: "warp_steps",
            summary: "warps of a block that take part, summed over the steps of both sweeps of its tree",
            parameters: &["block", "tile"],
        },
        Predictor {
            name: "divergent_warp_steps",
            summary: "those of them some of whose threads do not take part",
            parameters: &["block", "tile"],
        },
        Predictor {
            name: "load_passes",
            summary: "passes over the banks of shared memory that the loads of a block's tree take, by the device's rule",
            parameters: &["block", "tile"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

/// The most elements that there may be.
const ELEMENTS_MAX: i64 = 1 << 30;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "elements",
        summary: "elements of 4 bytes, any number of them",
        kind: Kind::Integer { min: 1, max: ELEMENTS_MAX, multiple_of: 1 },
        default: Default::OfDevice(elements_beyond_l2),
    },
    Parameter {
        name: "block",
        summary: "threads of a block, a power of two; their tile has as many elements, twice or eight times as many",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
    Parameter {
        name: "tile",
        summary: "threads of a block of single_pass, and elements of each of them",
        kind: Kind::Choice(rung::TILES),
        default: Default::Text(rung::DEFAULT_TILE),
    },
];

/// The smallest power of two, 2^20 or more, at which input and output are four times the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 4, |elements| 8 * elements)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let block = parameters.integer("block");
    if block.is_power_of_two() {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["block"],
        problem: format!("a tree doubles its distances from step to step, and {block} is no power of two"),
        help: "use 32, 64, 128, 256, 512 or 1024".to_owned(),
    })
}

/// Less than a warp, a tile, one more and one less, and so many that totals of totals are needed.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for (index, elements) in [1, 2, 31, 255, 256, 257, 1000, 4095, 4096, 4097, 12_289].into_iter().enumerate() {
        let tile = rung::TILES[index % rung::TILES.len()];
        points.push(defaults.clone().with("elements", elements).with("tile", tile));
    }
    for (block, elements) in [(32, 33), (32, 2049), (32, 33_000), (64, 4161), (512, 2048), (1024, 2049)] {
        if block <= properties.threads_per_block {
            points.push(defaults.clone().with("elements", elements).with("block", i64::from(block)));
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
    fn blocks_are_powers_of_two() {
        assert_eq!(check(&parameters().with("block", 512)), Ok(()));
        let refused = check(&parameters().with("block", 96)).unwrap_err();
        assert!(refused.problem.contains("96 is no power of two"), "{refused:?}");
    }

    #[test]
    fn default_elements_do_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, elements) in [(0, 1 << 20), (6, 1 << 22), (60, 1 << 25)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(elements_beyond_l2(&properties), elements, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn all_rungs_but_the_host_s_remove_something() {
        for (index, variant) in FAMILY.variants.iter().enumerate() {
            assert_eq!(variant.removes.is_none(), variant.is_host, "{}", variant.name);
            assert_eq!(variant.removes == Some(""), index == 0, "{}", variant.name);
        }
    }

    #[test]
    fn verification_points_are_within_range_and_fit_the_device() {
        let mut properties = properties();
        for largest in [1024, 512] {
            properties.threads_per_block = largest;
            for point in verification(&properties) {
                check(&point).unwrap();
                assert!(point.integer("block") <= u64::from(largest));
                for parameter in PARAMETERS {
                    parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
                }
            }
        }
    }
}
