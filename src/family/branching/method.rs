//! How each variant goes through the branches: its kernels, the shared memory they need, and what their warps follow.

use rayon::prelude::*;

use super::map::{BranchPlan, LANES};
use super::{Arithmetic, CASES, Operation, Variant};

/// What the warps of a launch follow, averaged over those that have an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Followed {
    /// Branches that a warp follows.
    pub(super) branches_per_warp: f64,
    /// Work of these, in works of the first branch.
    pub(super) work: f64,
}

impl Variant {
    /// The kernel for an operation and arithmetic.
    pub(super) fn entry(self, operation: Operation, arithmetic: Arithmetic) -> &'static str {
        let [integer, float, convolved] = match self {
            Self::Divergent => {
                ["branching_compute_integer", "branching_compute_float", "branching_convolution_integer"]
            }
            Self::TableLookup => [
                "branching_table_lookup_compute_integer",
                "branching_table_lookup_compute_float",
                "branching_table_lookup_convolution_integer",
            ],
            Self::StaticReordering => [
                "branching_static_reordering_compute_integer",
                "branching_static_reordering_compute_float",
                "branching_static_reordering_convolution_integer",
            ],
            Self::DynamicReordering => [
                "branching_dynamic_reordering_compute_integer",
                "branching_dynamic_reordering_compute_float",
                "branching_dynamic_reordering_convolution_integer",
            ],
        };
        match (operation, arithmetic) {
            (Operation::Compute, Arithmetic::Integer) => integer,
            (Operation::Compute, Arithmetic::Float) => float,
            // Of floats there is none, which the parameters' check excludes.
            (Operation::Convolution, Arithmetic::Integer | Arithmetic::Float) => convolved,
        }
    }

    /// Words of dynamic shared memory for each thread of a block, beside the convolution's tile: operands and results,
    /// and the order where it is made there.
    pub(super) fn shared_words_per_thread(self) -> u32 {
        match self {
            Self::Divergent | Self::TableLookup => 0,
            Self::StaticReordering => 1,
            Self::DynamicReordering => 2,
        }
    }

    /// What the warps of blocks with `block_rows` rows of 32 threads follow.
    pub(super) fn followed(self, plan: &BranchPlan, block_rows: usize) -> Followed {
        match self {
            Self::Divergent => Followed { branches_per_warp: plan.branches_per_warp(), work: plan.followed_work() },
            Self::TableLookup => Followed { branches_per_warp: 1.0, work: longest_work(plan) },
            Self::StaticReordering | Self::DynamicReordering => reordered(plan, block_rows),
        }
    }
}

/// The most work of any lane of a warp, averaged over the warps: all branches have one body, which the warp runs as often
/// as the lane that needs it most often.
fn longest_work(plan: &BranchPlan) -> f64 {
    let (width, warps) = (plan.width(), plan.warps_per_row());
    let columns = alike(plan, warps, width.is_multiple_of(LANES));
    let of_row = |(row, rows): (usize, u64)| -> u64 {
        let longest = |warp| plan.lanes_of_cases(row, warp).map(|(case, _)| plan.relative_work(case)).max();
        rows * columns.iter().filter_map(|(warp, count)| Some(count * longest(*warp)?)).sum::<u64>()
    };
    let sum: u64 = alike(plan, width, true).into_par_iter().map(of_row).sum();
    sum as f64 / (width * warps) as f64
}

/// The places of which one stands for all like it, with how many these are: where every warp follows the first branches, only the
/// last place may differ from the others, if it is not whole.
fn alike(plan: &BranchPlan, places: usize, last_is_whole: bool) -> Vec<(usize, u64)> {
    if !plan.is_alike_everywhere() {
        return (0..places).map(|place| (place, 1)).collect();
    }
    let whole = places - usize::from(!last_is_whole);
    let all = [(0, whole as u64), (places - 1, u64::from(!last_is_whole))];
    all.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// The branches of warps whose blocks' elements are in the order of their branches: a branch with elements from the
/// `first` to the `last` place of that order is followed by every warp from the one of the first to the one of the last.
fn reordered(plan: &BranchPlan, block_rows: usize) -> Followed {
    let width = plan.width();
    let columns = alike(plan, plan.warps_per_row(), width.is_multiple_of(LANES));
    let of_row_of_blocks = |(row_of_blocks, count): (usize, u64)| {
        let rows = row_of_blocks * block_rows..width.min((row_of_blocks + 1) * block_rows);
        let mut sums = [0_u64; 3];
        for (block, blocks) in &columns {
            let mut elements_of_case = [0; CASES];
            for row in rows.clone() {
                plan.lanes_of_cases(row, *block).for_each(|(case, lanes)| elements_of_case[case] += lanes);
            }
            let mut first = 0;
            for (case, elements) in elements_of_case.into_iter().enumerate().filter(|(_, elements)| *elements > 0) {
                let last = first + elements - 1;
                let warps = (last / LANES - first / LANES + 1) as u64;
                sums[0] += blocks * warps;
                sums[1] += blocks * warps * plan.relative_work(case);
                first += elements;
            }
            sums[2] += blocks * first.div_ceil(LANES) as u64;
        }
        sums.map(|sum| count * sum)
    };
    let [branches, work, warps] = alike(plan, width.div_ceil(block_rows), width.is_multiple_of(block_rows))
        .into_par_iter()
        .map(of_row_of_blocks)
        .reduce(|| [0; 3], |left, right| std::array::from_fn(|index| left[index] + right[index]));
    Followed { branches_per_warp: branches as f64 / warps as f64, work: work as f64 / warps as f64 }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::family::branching::order::{order, split};
    use crate::family::branching::tests::{small, weighted};
    use crate::family::branching::{PTX, Parameters, WorkPerBranch};
    use crate::parameter::Named;

    fn approximately(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    fn reordered_branches(branches: u64, width: u64, block_rows: usize) -> f64 {
        let plan = BranchPlan::new(&Parameters { branches, width, ..small() });
        Variant::DynamicReordering.followed(&plan, block_rows).branches_per_warp
    }

    /// By hand, for 256 threads: 2 branches have 4 warps each; 32 have 8 elements each, 4 in a warp; 3 have 88, 88 and 80
    /// elements, which begin in the middle of the third and the sixth of 8 warps.
    #[test]
    fn reordered_branches_are_those_counted_by_hand() {
        for (branches, expected) in [(1, 1.0), (2, 1.0), (8, 1.0), (16, 2.0), (32, 4.0), (3, 10.0 / 8.0)] {
            let found = reordered_branches(branches, 64, 8);
            assert!(approximately(found, expected), "{branches} branches: {found}");
        }
        // A block of one warp has nothing to reorder.
        assert!(approximately(reordered_branches(5, 64, 1), 5.0));
        // One row of one element, whose warp is full of threads without one.
        assert!(approximately(reordered_branches(32, 1, 8), 1.0));
        // 33 columns: a warp follows 2 branches, 16 lanes each, and 33 rows of a single column all follow the first. The
        // blocks of 8 rows have 4 and 4 warps of full ones, and one of the column; the last row has 1 warp of 2, and 1.
        assert!(approximately(reordered_branches(2, 33, 8), (4.0 * (8.0 + 1.0) + 2.0 + 1.0) / (4.0 * 9.0 + 2.0)));
    }

    /// The branches and the work of the reordered warps of a map, counted.
    fn counted(plan: &BranchPlan, block_rows: usize) -> Followed {
        let width = plan.width();
        let entries = order(&plan.map(3), width, block_rows);
        let (mut branches, mut work, mut warps) = (0, 0, 0);
        for row in (0..width).step_by(block_rows) {
            let rows = block_rows.min(width - row);
            for column in (0..width).step_by(LANES) {
                let first = row * width + column * rows;
                let elements = rows * LANES.min(width - column);
                for warp in entries[first..first + elements].chunks(LANES) {
                    let cases: HashSet<usize> = warp.iter().map(|&entry| split(entry).0).collect();
                    warps += 1;
                    branches += cases.len();
                    work += cases.iter().map(|&case| plan.relative_work(case)).sum::<u64>();
                }
            }
        }
        Followed { branches_per_warp: branches as f64 / f64::from(warps), work: work as f64 / f64::from(warps) }
    }

    #[test]
    fn reordered_branches_are_those_of_the_order_at_every_size() {
        for (width, block_rows) in [(31, 2), (64, 8), (77, 3), (100, 32)] {
            for branches in [1, 2, 3, 7, 32] {
                let work_per_branch = WorkPerBranch::Ascending;
                for point in [
                    Parameters { branches, work_per_branch, width, ..small() },
                    Parameters { width, branches: branches.min(4), work_per_branch, ..weighted("1:2:3:4:5:6:7:8") },
                ] {
                    let plan = BranchPlan::new(&point);
                    let followed = Variant::StaticReordering.followed(&plan, block_rows);
                    assert_eq!(followed, counted(&plan, block_rows), "{point:?} rows={block_rows}");
                }
            }
        }
    }

    #[test]
    fn a_table_leaves_one_branch_as_long_as_the_longest() {
        let point = Parameters { branches: 5, width: 37, work_per_branch: WorkPerBranch::Ascending, ..small() };
        let followed = Variant::TableLookup.followed(&BranchPlan::new(&point), 8);
        assert!(approximately(followed.branches_per_warp, 1.0));
        // Every row has a warp that follows all five, and one of five lanes that does so too.
        assert!(approximately(followed.work, 5.0));
        let equal = BranchPlan::new(&Parameters { work_per_branch: WorkPerBranch::Equal, ..point });
        assert!(approximately(Variant::TableLookup.followed(&equal, 8).work, 1.0));
    }

    #[test]
    fn every_variant_has_kernels_of_its_own() {
        let entries: HashSet<&str> = Variant::ALL
            .iter()
            .flat_map(|variant| {
                [
                    (Operation::Convolution, Arithmetic::Integer),
                    (Operation::Compute, Arithmetic::Float),
                    (Operation::Compute, Arithmetic::Integer),
                ]
                .map(|(operation, arithmetic)| variant.entry(operation, arithmetic))
            })
            .collect();
        assert_eq!(entries.len(), 3 * Variant::ALL.len());
        assert!(entries.iter().all(|entry| PTX.text_of(entry, (9, 0)).is_some()));
    }
}
