//! Branch divergence: lanes of a warp follow different cases of a switch (Cornelis 2010, chapter 3).

use crate::device::Properties;
use crate::family::{Conflict, Family, Predictor, Request, Variant};
use crate::parameter::{Default, Kind, Parameter, ParameterSet, parse_weights};
use crate::workload::Workload;

/// Cases of the kernels' switch.
pub const CASES: usize = 32;

/// The branching family.
pub const FAMILY: Family = Family {
    name: "branching",
    summary: "lanes of a warp follow different branches, which the warp runs one after another",
    variants: &[Variant { name: "divergent", summary: "a switch over the map's value: the pattern itself" }],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "branches_per_warp",
            summary: "branches that a warp follows, averaged over all warps",
            parameters: &["branches"],
        },
        Predictor {
            name: "followed_work",
            summary: "work of the branches that a warp follows, summed, in works of the first branch; averaged over all warps",
            parameters: &["branches", "work_per_branch", "frequency", "weights"],
        },
    ],
    check,
    device_bytes: |_| 0,
    workload: |_: &Request<'_>| -> Workload {
        Workload { ptx: "", buffers: vec![], launches: vec![], bytes: 0, operations: 0, predictors: vec![] }
    },
    verification: |_: &Properties| Vec::new(),
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
        default: Default::Text("1"),
    },
    Parameter {
        name: "width",
        summary: "rows and columns of the square matrix, in elements of 4 bytes",
        kind: Kind::Integer { min: 1, max: 32_768, multiple_of: 1 },
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
fn width_beyond_l2(properties: &Properties) -> i64 {
    let mut width: u64 = 2048;
    while 3 * 4 * width * width < 3 * properties.l2_bytes {
        width *= 2;
    }
    width as i64
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    if parameters.text("operation") == "convolution" && parameters.text("arithmetic") == "float" {
        return Err(Conflict {
            parameters: &["arithmetic", "operation"],
            problem: "the convolution has no float kernel".to_owned(),
            help: "use arithmetic = \"integer\" with operation = \"convolution\"".to_owned(),
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
                    "with weights {} a warp can follow at most {most_branches} branches, not {}: \
                     it follows no branch twice, so branches * (largest weight / sum of weights) must not exceed 1",
                    parameters.text("weights"),
                    parameters.integer("branches"),
                ),
                help: "give more or more even weights, or fewer branches".to_owned(),
            });
        }
    }
    Ok(())
}
