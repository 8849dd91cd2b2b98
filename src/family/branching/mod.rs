//! Branch divergence: lanes of a warp follow different cases of a switch, and what helps (Cornelis 2010, chapter 3).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Weights;
use crate::properties::Properties;
use crate::workload::Workload;

mod map;
mod method;
mod order;
mod reference;
mod workload;

/// Cases of the kernels' switch.
pub const CASES: usize = 32;

/// The kernels of `cuda/branching.cu`.
pub static PTX: Ptx = kernel::embedded("branching");

declare_family! {
    /// The branching family.
    pub static FAMILY = {
        name: "branching",
        summary: "lanes of a warp follow different branches, which the warp runs one after another",
        ptx: PTX,
        size: width ^ 2,
    };

    struct Parameters {
        branches: u64 = 2, in 1..=CASES as i64,
            "branches that each warp follows";
        operation: Operation = Operation::Compute, one of { Compute = "compute", Convolution = "convolution" },
            "what a branch does: multiply-adds in registers, or a 3x3 filter over a shared-memory tile";
        arithmetic: Arithmetic = Arithmetic::Integer, one of { Integer = "integer", Float = "float" },
            "type of the operands; convolution takes integer only";
        work: u64 = 16, in 1..=4096,
            "steps of the first branch; a step is 16 multiply-adds (compute) or one pass of the filter (convolution)";
        work_per_branch: WorkPerBranch = WorkPerBranch::Equal, one of { Equal = "equal", Ascending = "ascending" },
            "equal: every branch takes `work` steps; ascending: branch k takes k * `work` steps";
        frequency: Frequency = Frequency::Even, one of { Even = "even", Weighted = "weighted" },
            "even: every warp follows the first `branches` branches; weighted: each branch is followed in proportion to its weight";
        weights: Weights, at most CASES,
            "relative frequencies of the branches from the first on, for frequency = weighted";
        width: u64 => width_beyond_l2, in 1..=16_384,
            "rows and columns of the square matrix, in elements of 4 bytes";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block; a block is 32 columns wide";
    }

    enum Variant {
        Divergent = "divergent": "a switch over the branch of the element; this variant has the pattern";
        TableLookup = "table_lookup":
            "one body for all branches, with the constants of the branch from a table in shared memory";
        StaticReordering = "static_reordering":
            "the threads of a block take its elements sorted by branch; the order is computed before the launch";
        DynamicReordering = "dynamic_reordering":
            "the threads of a block take its elements sorted by branch; the block sorts them with atomics on shared memory",
            since (1, 2);
    }

    struct Predictors {
        branches_per_warp:
            "branches that a warp follows (mean over warps)",
            of [branches];
        followed_work:
            "work of all branches that a warp follows, in units of the first branch's work (mean over warps)",
            of [branches, work_per_branch, frequency, weights];
    }
}

/// The smallest power of two, 2048 or more, at which the three matrices together are three times the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 2048, 3, |width| 3 * 4 * width * width)
}

impl Parameters {
    /// What is wrong with the weights.
    fn check_weights(&self) -> Result<(), Conflict> {
        match self.frequency {
            Frequency::Even if self.weights == Weights::one() => Ok(()),
            Frequency::Even => Err(Conflict {
                parameters: &[Self::NAMES.weights, Self::NAMES.frequency],
                problem: "weights have no effect with frequency = even".to_owned(),
                help: "set frequency = \"weighted\", or leave the weights out".to_owned(),
            }),
            Frequency::Weighted => {
                let weights = self.weights.as_slice();
                let total: u32 = weights.iter().sum();
                let largest = weights.iter().copied().max().unwrap_or(0);
                let most_branches = total.checked_div(largest).unwrap_or(0);
                if self.branches <= u64::from(most_branches) {
                    return Ok(());
                }
                Err(Conflict {
                    parameters: &[Self::NAMES.branches, Self::NAMES.weights],
                    problem: format!(
                        "with weights {} a warp can follow at most {most_branches} of the branches: it follows no branch twice, so branches * (largest weight / sum of weights) must be at most 1",
                        self.weights,
                    ),
                    help: format!(
                        "give more weights, give weights that differ less, or set branches to at most {most_branches}"
                    ),
                })
            }
        }
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if self.operation == Operation::Convolution && self.arithmetic == Arithmetic::Float {
            return Err(Conflict {
                parameters: &[Self::NAMES.arithmetic, Self::NAMES.operation],
                problem: "the convolution has no float kernel".to_owned(),
                help: "use arithmetic = \"integer\" with operation = \"convolution\"".to_owned(),
            });
        }
        self.check_weights()
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        workload::predictors(self, variant)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// Sizes of one element, of no full warp, of full warps and blocks, and of neither; every way to branch at each. Blocks
    /// are no larger than the device's largest.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let operations = [
            (Operation::Compute, Arithmetic::Integer),
            (Operation::Compute, Arithmetic::Float),
            (Operation::Convolution, Arithmetic::Integer),
        ];
        let mut points = Vec::new();
        for (operation, arithmetic) in operations {
            let point = Self { operation, arithmetic, work: 3, ..Self::defaults(device) };
            for (width, block) in [(1, 32), (31, 64), (33, 256), (64, 256), (77, 96), (100, largest_block)] {
                for branches in [1, 2, 5, 31, 32] {
                    points.push(Self { branches, width, block, ..point.clone() });
                }
            }
            for width in [64, 95] {
                let ascending = Self { width, work_per_branch: WorkPerBranch::Ascending, ..point.clone() };
                points.push(Self { branches: 32, ..ascending.clone() });
                for (branches, weights) in [(1, "9:1"), (3, "1:2:3:4:5:6:7:8")] {
                    points.extend(Weights::parse(weights).map(|weights| Self {
                        branches,
                        frequency: Frequency::Weighted,
                        weights,
                        ..ascending.clone()
                    }));
                }
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{defaults, properties};

    /// The family's defaults, at a small size.
    pub(super) fn small() -> Parameters {
        Parameters { width: 64, ..defaults() }
    }

    /// The same with branches that are followed as often as these weights say.
    pub(super) fn weighted(weights: &str) -> Parameters {
        Parameters { frequency: Frequency::Weighted, weights: Weights::parse(weights).unwrap(), ..small() }
    }

    #[test]
    fn default_width_does_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, width) in [(0, 2048), (6, 2048), (60, 4096), (100, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
            assert!(12 * width * width >= 3 * properties.l2_bytes);
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        let refused = |point: Parameters| point.check().unwrap_err();
        let float = Parameters { operation: Operation::Convolution, arithmetic: Arithmetic::Float, ..small() };
        assert!(refused(float).problem.contains("float"));
        let no_effect = Parameters { frequency: Frequency::Even, ..weighted("2:1") };
        assert!(refused(no_effect).problem.contains("no effect"));
        assert_eq!(Parameters { branches: 2, ..weighted("4:3:2:1") }.check(), Ok(()));
        let too_many = refused(Parameters { branches: 3, ..weighted("4:3:2:1") });
        assert!(too_many.problem.contains("with weights 4:3:2:1 a warp can follow at most 2 of the branches"));
    }

    #[test]
    fn every_operation_is_verified_with_weights() {
        let points = Parameters::verification(&properties());
        let of = |frequency| points.iter().filter(|point| point.frequency == frequency).count();
        assert_eq!((of(Frequency::Even), of(Frequency::Weighted)), (3 * (6 * 5 + 2), 3 * 2 * 2));
    }
}
