//! Branch divergence: lanes of a warp follow different cases of a switch, and what helps (Cornelis 2010, chapter 3).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet, parse_weights};
use crate::properties::Properties;

mod map;
mod method;
mod order;
mod reference;
mod workload;

/// Cases of the kernels' switch.
pub const CASES: usize = 32;

/// The weights of a point that has none.
const NO_WEIGHTS: &str = "1";

/// The kernels of `cuda/branching.cu`.
pub static PTX: &str = kernel::embedded("branching");

/// The branching family.
pub static FAMILY: Family = Family {
    name: "branching",
    summary: "lanes of a warp follow different branches, which the warp runs one after another",
    ptx: PTX,
    size: Some(Size::new("width", 2)),
    variants: &[
        Variant::new("divergent", "a switch over the map's value: the pattern itself"),
        Variant::new(
            "table_lookup",
            "the constants that branches differ in come from a table in shared memory: one body, no switch",
        ),
        Variant::new(
            "static_reordering",
            "threads of a block take its elements branch by branch, in an order made ahead that is read in the map's place",
        ),
        Variant::new(
            "dynamic_reordering",
            "threads of a block take its elements branch by branch, in an order that the block makes with shared atomics",
        )
        .since(1, 2),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "branches_per_warp",
            summary: "branches that a warp follows (mean over warps)",
            parameters: &["branches"],
        },
        Predictor {
            name: "followed_work",
            summary: "work of all branches that a warp follows, where the first branch's is 1 (mean over warps)",
            parameters: &["branches", "work_per_branch", "frequency", "weights"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "branches",
        summary: "branches that each warp follows",
        kind: Kind::Integer { min: 1, max: CASES as i64, multiple_of: 1 },
        default: Default::Integer(2),
    },
    Parameter {
        name: "operation",
        summary: "what a branch does: multiply-adds in registers, or a 3x3 filter over a shared-memory tile",
        kind: Kind::Choice(&["compute", "convolution"]),
        default: Default::Text("compute"),
    },
    Parameter {
        name: "arithmetic",
        summary: "type of the operands; convolution has integer only",
        kind: Kind::Choice(&["integer", "float"]),
        default: Default::Text("integer"),
    },
    Parameter {
        name: "work",
        summary: "steps of the first branch: 16 multiply-adds each (compute), or one pass of the filter each (convolution)",
        kind: Kind::Integer { min: 1, max: 4096, multiple_of: 1 },
        default: Default::Integer(16),
    },
    Parameter {
        name: "work_per_branch",
        summary: "equal: every branch takes `work` steps; ascending: branch k takes k times as many",
        kind: Kind::Choice(&["equal", "ascending"]),
        default: Default::Text("equal"),
    },
    Parameter {
        name: "frequency",
        summary: "even: every warp follows the first `branches` branches; weighted: each branch is followed as often as its weight says",
        kind: Kind::Choice(&["even", "weighted"]),
        default: Default::Text("even"),
    },
    Parameter {
        name: "weights",
        summary: "relative frequencies of the branches, first branch first, where frequency is weighted",
        kind: Kind::Weights { max_count: CASES },
        default: Default::Text(NO_WEIGHTS),
    },
    Parameter {
        name: "width",
        summary: "rows and columns of the square matrix, in elements of 4 bytes",
        kind: Kind::Integer { min: 1, max: 16_384, multiple_of: 1 },
        default: Default::OfDevice(width_beyond_l2),
    },
    Parameter {
        name: "block",
        summary: "threads of a block, which is 32 columns wide",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
];

/// The smallest power of two, 2048 or more, at which the three matrices together are three times the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 2048, 3, |width| 3 * 4 * width * width)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    if parameters.text("operation") == "convolution" && parameters.text("arithmetic") == "float" {
        return Err(Conflict {
            parameters: &["arithmetic", "operation"],
            problem: "the convolution has no float kernel".to_owned(),
            help: "use arithmetic = \"integer\" with operation = \"convolution\"".to_owned(),
        });
    }
    if parameters.text("frequency") == "even" && parameters.text("weights") != NO_WEIGHTS {
        return Err(Conflict {
            parameters: &["weights", "frequency"],
            problem: "weights have no effect where frequency is even".to_owned(),
            help: "set frequency = \"weighted\", or leave the weights out".to_owned(),
        });
    }
    if parameters.text("frequency") == "weighted" {
        let weights = parse_weights(parameters.text("weights")).unwrap_or_default();
        let total: u32 = weights.iter().sum();
        let largest = weights.iter().copied().max().unwrap_or(0);
        let most_branches = total.checked_div(largest).unwrap_or(0);
        if parameters.integer("branches") > u64::from(most_branches) {
            return Err(Conflict {
                parameters: &["branches", "weights"],
                problem: format!(
                    "with weights {} a warp can follow no more than {most_branches} of the branches: \
                     it follows none twice, so branches * (largest weight / sum of weights) must not exceed 1",
                    parameters.text("weights"),
                ),
                help: format!("give more or more even weights, or at most {most_branches} for branches"),
            });
        }
    }
    Ok(())
}

/// Sizes of one element, of no full warp, of full warps and blocks, and of neither; every way to branch at each. Blocks
/// are no larger than the device's largest.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties).with("work", 3);
    let largest_block = i64::from(properties.threads_per_block.min(1024));
    let operations = [("compute", "integer"), ("compute", "float"), ("convolution", "integer")];
    let mut points = Vec::new();
    for (operation, arithmetic) in operations {
        let point = defaults.clone().with("operation", operation).with("arithmetic", arithmetic);
        for (width, block) in [(1, 32), (31, 64), (33, 256), (64, 256), (77, 96), (100, largest_block)] {
            for branches in [1, 2, 5, 31, 32] {
                points.push(point.clone().with("width", width).with("block", block).with("branches", branches));
            }
        }
        for width in [64, 95] {
            let ascending = point.clone().with("width", width).with("work_per_branch", "ascending");
            points.push(ascending.clone().with("branches", 32));
            let weighted = ascending.with("frequency", "weighted");
            points.push(weighted.clone().with("branches", 1).with("weights", "9:1"));
            points.push(weighted.with("branches", 3).with("weights", "1:2:3:4:5:6:7:8"));
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
        ParameterSet::defaults(PARAMETERS, &properties()).with("width", 64)
    }

    #[test]
    fn default_width_does_not_fit_in_l2() {
        let mut properties = Mock::new(MockSettings::default()).properties().clone();
        for (l2_mebibytes, width) in [(0, 2048), (6, 2048), (60, 4096), (100, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
            assert!(12 * width * width >= 3 * properties.l2_bytes);
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        let refused = |point: ParameterSet| check(&point).unwrap_err();
        assert!(
            refused(parameters().with("operation", "convolution").with("arithmetic", "float"))
                .problem
                .contains("float")
        );
        assert!(refused(parameters().with("weights", "2:1")).problem.contains("no effect"));
        let weighted = parameters().with("frequency", "weighted").with("weights", "4:3:2:1");
        assert_eq!(check(&weighted.clone().with("branches", 2)), Ok(()));
        assert!(refused(weighted.with("branches", 3)).problem.contains("no more than 2 of the branches"));
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
