//! Sums by a tree in shared memory: which threads of a block do the additions (Cornelis 2010, section 3.3.2, figures 3.3
//! and 3.4).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod reference;
mod tree;
mod workload;

/// The kernels of `cuda/block_sum.cu`.
pub static PTX: &str = kernel::embedded("block_sum");

/// The variant whose active threads are scattered over the warps.
const SCATTERED: &str = "scattered_threads";
/// The variant whose active threads are the first of the block.
const LEADING: &str = "leading_threads";

/// The family of sums of blocks.
pub static FAMILY: Family = Family {
    name: "block_sum",
    summary: "a tree of additions in shared memory keeps warps busy for few of their threads",
    ptx: PTX,
    size: Some(Size::new("elements", 1)),
    variants: &[
        Variant::new(SCATTERED, "the thread adds whose own place the sum has: active threads are ever farther apart"),
        Variant::new(
            LEADING,
            "the first threads of the block add: the other warps are idle, but the places that a warp adds collide in banks",
        ),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "warp_steps",
            summary: "warps of a block that add, summed over the steps of its tree",
            parameters: &["block"],
        },
        Predictor {
            name: "divergent_warp_steps",
            summary: "those of them some of whose threads do not add",
            parameters: &["block"],
        },
        Predictor {
            name: "load_passes",
            summary: "passes over the banks of shared memory that the loads of a block's tree take, by the device's rule",
            parameters: &["block"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "block",
        summary: "threads of a block, which are also the elements that it sums: a power of two",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
    Parameter {
        name: "repetitions",
        summary: "how many times each block runs its tree, so that it counts for more than reading the elements",
        kind: Kind::Integer { min: 1, max: 4096, multiple_of: 1 },
        default: Default::Integer(8),
    },
    Parameter {
        name: "elements",
        summary: "elements of 4 bytes; the last block's missing ones are zeros",
        kind: Kind::Integer { min: 1, max: 1 << 28, multiple_of: 1 },
        default: Default::OfDevice(elements_beyond_l2),
    },
];

/// The smallest power of two, 2^20 or more, at which the elements do not fit in the L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 1, |elements| 4 * elements)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let block = parameters.integer("block");
    if block.is_power_of_two() {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["block"],
        problem: format!("a tree halves its block in every step, and {block} is no power of two"),
        help: "use 32, 64, 128, 256, 512 or 1024".to_owned(),
    })
}

/// Less than a warp, less than a block, full blocks, and both an element more and an element less. Blocks are no larger than
/// the device's largest.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for block in [32_i64, 64, 256, 1024].into_iter().filter(|&block| block <= i64::from(properties.threads_per_block)) {
        for elements in [1, 31, 33, 1000, 4095, 4096, 4097] {
            for repetitions in [1, 3] {
                let point = defaults.clone().with("block", block).with("elements", elements);
                points.push(point.with("repetitions", repetitions));
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
    fn blocks_are_powers_of_two() {
        assert_eq!(check(&parameters().with("block", 512)), Ok(()));
        let refused = check(&parameters().with("block", 96)).unwrap_err();
        assert!(refused.problem.contains("96 is no power of two"), "{refused:?}");
    }

    #[test]
    fn default_elements_do_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, elements) in [(0, 1 << 20), (6, 1 << 21), (60, 1 << 24)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(elements_beyond_l2(&properties), elements, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn verification_points_are_within_range_and_fit_the_device() {
        let mut properties = properties();
        for largest in [1024, 512] {
            properties.threads_per_block = largest;
            let points = verification(&properties);
            assert!(points.len() >= 42);
            for point in points {
                check(&point).unwrap();
                assert!(point.integer("block") <= u64::from(largest));
                for parameter in PARAMETERS {
                    parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
                }
            }
        }
    }
}
