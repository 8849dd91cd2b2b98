//! The branch map: which case each element's thread follows, so that every warp follows exactly as many
//! branches as asked for.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::{CASES, Frequency, Parameters, WorkPerBranch};

/// Lanes of a warp, which are neighbouring columns of one row of the matrix.
pub(super) const LANES: usize = 32;

/// How warps choose the branches that they follow.
#[derive(Debug, Clone, PartialEq)]
enum Choice {
    /// Every warp follows the first branches.
    First,
    /// Each branch is followed in proportion to its weight.
    Weighted(Vec<u32>),
}

/// The branches that the warps of a `width` by `width` matrix follow.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BranchPlan {
    branches: usize,
    width: usize,
    work_per_branch: WorkPerBranch,
    choice: Choice,
}

impl BranchPlan {
    /// The plan that a point's parameters describe.
    pub(super) fn new(parameters: &Parameters) -> Self {
        let choice = match parameters.frequency {
            Frequency::Even => Choice::First,
            Frequency::Weighted => Choice::Weighted(parameters.weights.as_slice().to_vec()),
        };
        Self {
            branches: parameters.branches as usize,
            width: parameters.width as usize,
            work_per_branch: parameters.work_per_branch,
            choice,
        }
    }

    /// Work of a case, in works of the first.
    pub(super) fn relative_work(&self, case: usize) -> u64 {
        match self.work_per_branch {
            WorkPerBranch::Equal => 1,
            WorkPerBranch::Ascending => case as u64 + 1,
        }
    }

    /// Whether warps with as many lanes follow the same branches, wherever they are.
    pub(super) fn is_alike_everywhere(&self) -> bool {
        self.choice == Choice::First
    }

    /// Rows and columns of the matrix.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Warps that a row of the matrix takes.
    pub(super) fn warps_per_row(&self) -> usize {
        self.width.div_ceil(LANES)
    }

    /// How many cases may be followed at all.
    pub(super) fn cases(&self) -> usize {
        match &self.choice {
            Choice::First => self.branches,
            Choice::Weighted(weights) => weights.len(),
        }
        .min(CASES)
    }

    /// Branches that a warp follows, averaged over all warps. A warp at the right edge of a matrix whose width
    /// is no multiple of 32 follows at most as many as it has lanes.
    pub(super) fn branches_per_warp(&self) -> f64 {
        self.mean_over_warps(|followed| followed as f64)
    }

    /// Relative work of the branches that a warp follows, summed, averaged over all warps (the sums of
    /// Cornelis 2010, equations 3.2 and 3.3).
    pub(super) fn followed_work(&self) -> f64 {
        self.mean_over_warps(|followed| match &self.choice {
            Choice::First => (0..followed).map(|case| self.relative_work(case) as f64).sum(),
            Choice::Weighted(weights) => {
                let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
                let mean: f64 = (0..)
                    .zip(weights)
                    .map(|(case, &weight)| f64::from(weight) / total * self.relative_work(case) as f64)
                    .sum();
                followed as f64 * mean
            }
        })
    }

    fn mean_over_warps(&self, of_warp_following: impl Fn(usize) -> f64) -> f64 {
        let full = self.width / LANES;
        let rest = self.width % LANES;
        let mut sum = full as f64 * of_warp_following(self.branches);
        let mut warps = full as f64;
        if rest > 0 {
            sum += of_warp_following(self.branches.min(rest));
            warps += 1.0;
        }
        sum / warps
    }

    /// The map, row by row: the case that each element's thread follows. A warp's lanes are dealt out evenly
    /// among its branches, in an order drawn from `seed`.
    pub(super) fn map(&self, seed: u64) -> Vec<u32> {
        let mut map = vec![0; self.width * self.width];
        map.par_chunks_mut(self.width).enumerate().for_each(|(row, cases)| {
            let mut generator = ChaCha8Rng::seed_from_u64(seed);
            generator.set_stream(row as u64);
            for (warp, lanes) in cases.chunks_mut(LANES).enumerate() {
                let followed = self.followed_in(row, warp);
                for (lane, case) in lanes.iter_mut().enumerate() {
                    *case = followed[lane % followed.len()] as u32;
                }
                for lane in (1..lanes.len()).rev() {
                    lanes.swap(lane, generator.next_u32() as usize % (lane + 1));
                }
            }
        });
        map
    }

    /// The cases that a warp of a row follows, and how many of its lanes follow each.
    pub(super) fn lanes_of_cases(&self, row: usize, warp: usize) -> impl Iterator<Item = (usize, usize)> {
        let lanes = self.lanes_of(warp);
        let followed = self.followed_in(row, warp);
        let count = followed.len();
        followed.into_iter().enumerate().map(move |(index, case)| (case, (lanes - index).div_ceil(count)))
    }

    /// Lanes of a warp of a row that have an element.
    fn lanes_of(&self, warp: usize) -> usize {
        LANES.min(self.width - warp * LANES)
    }

    fn followed_in(&self, row: usize, warp: usize) -> Vec<usize> {
        self.followed_by(row * self.warps_per_row() + warp, self.branches.min(self.lanes_of(warp)))
    }

    /// The distinct cases, `count` of them, that a warp follows. Weighted ones come from systematic sampling
    /// (Madow 1949): points one unit apart on the cumulated weights, whose offsets are spread evenly over the
    /// warps, so that each case is followed as often as its weight says.
    fn followed_by(&self, warp: usize, count: usize) -> Vec<usize> {
        const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
        let weights = match &self.choice {
            Choice::First => return (0..count).collect(),
            Choice::Weighted(weights) => weights,
        };
        let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        let offset = (warp as f64 * GOLDEN_RATIO).fract();
        let mut followed = Vec::with_capacity(count);
        let mut cumulated = 0.0;
        for (case, &weight) in weights.iter().enumerate() {
            cumulated += f64::from(weight) * count as f64 / total;
            if followed.len() < count && cumulated > offset + followed.len() as f64 {
                followed.push(case);
            }
        }
        // Rounding may leave the last point just beyond the cumulated weights.
        if followed.len() < count && followed.last() != Some(&(weights.len() - 1)) {
            followed.push(weights.len() - 1);
        }
        followed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::family::branching::tests::{small, weighted};

    fn distinct(cases: &[u32]) -> HashSet<u32> {
        cases.iter().copied().collect()
    }

    #[test]
    fn every_full_warp_follows_exactly_the_branches_asked_for() {
        for branches in 1..=CASES {
            let plan = BranchPlan::new(&Parameters { branches: branches as u64, width: 96, ..small() });
            for warp in plan.map(7).chunks(LANES) {
                assert_eq!(distinct(warp), (0..branches as u32).collect());
            }
        }
    }

    #[test]
    fn lanes_are_dealt_evenly() {
        let map = BranchPlan::new(&Parameters { branches: 5, width: 32, ..small() }).map(1);
        for warp in map.chunks(LANES) {
            for case in 0..5 {
                let lanes = warp.iter().filter(|&&followed| followed == case).count();
                assert!((6..=7).contains(&lanes), "case {case} has {lanes} of 32 lanes");
            }
        }
    }

    #[test]
    fn lanes_of_cases_are_those_of_the_map() {
        for branches in [1, 2, 3] {
            let plan = BranchPlan::new(&Parameters { branches, width: 77, ..weighted("4:3:2:1:1:1") });
            let map = plan.map(5);
            for (row, cases) in map.chunks(77).enumerate() {
                for (warp, lanes) in cases.chunks(LANES).enumerate() {
                    let mut counted = [0; CASES];
                    lanes.iter().for_each(|&case| counted[case as usize] += 1);
                    let mut told = [0; CASES];
                    plan.lanes_of_cases(row, warp).for_each(|(case, lanes)| told[case] += lanes);
                    assert_eq!(told, counted, "row {row}, warp {warp}");
                }
            }
        }
    }

    #[test]
    fn partial_warps_follow_at_most_as_many_branches_as_lanes() {
        let plan = BranchPlan::new(&Parameters { branches: 8, width: 37, ..small() });
        let map = plan.map(3);
        let counted: usize = map.chunks(37).flat_map(|row| row.chunks(LANES)).map(|lanes| distinct(lanes).len()).sum();
        assert_eq!(counted, 37 * (8 + 5));
        assert!((plan.branches_per_warp() - 6.5).abs() < 1e-12);
    }

    #[test]
    fn ascending_work_sums_to_triangular_numbers() {
        let point = Parameters { branches: 4, work_per_branch: WorkPerBranch::Ascending, ..small() };
        let plan = BranchPlan::new(&point);
        assert!((plan.followed_work() - 10.0).abs() < 1e-12);
    }

    /// Equation 3.3 by hand: weights 4:3:2:1 of works 1, 2, 3, 4 average 2 per branch; two branches make 4.
    #[test]
    fn weighted_work_is_the_sum_of_equation_3_3() {
        let point = Parameters { branches: 2, work_per_branch: WorkPerBranch::Ascending, ..weighted("4:3:2:1") };
        assert!((BranchPlan::new(&point).followed_work() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn weighted_cases_are_followed_as_often_as_their_weights_say() {
        for (weights, branches) in [("9:1", 1), ("4:3:2:1", 2), ("1:2:3:4:5:6:7:8", 4), ("3:1:3:1", 2)] {
            let point = Parameters { branches, width: 512, ..weighted(weights) };
            let plan = BranchPlan::new(&point);
            let map = plan.map(11);
            let mut followed = [0_u32; CASES];
            for warp in map.chunks(LANES) {
                let cases = distinct(warp);
                assert_eq!(cases.len() as u64, branches, "weights {weights}");
                cases.iter().for_each(|&case| followed[case as usize] += 1);
            }
            let weights = point.weights.as_slice();
            let total: u32 = weights.iter().sum();
            let executions: u32 = followed.iter().sum();
            for (case, weight) in weights.iter().enumerate() {
                let share = f64::from(followed[case]) / f64::from(executions);
                let wanted = f64::from(*weight) / f64::from(total);
                assert!((share - wanted).abs() < 2e-3, "case {case} has a share of {share}, not {wanted}");
            }
        }
    }

    #[test]
    fn the_map_follows_the_seed_alone() {
        let plan = BranchPlan::new(&Parameters { branches: 3, ..small() });
        assert_eq!(plan.map(5), plan.map(5));
        assert_ne!(plan.map(5), plan.map(6));
    }
}
