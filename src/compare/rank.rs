//! The exact interval of Mann and Whitney: which of the ordered differences of two samples are the ends of the interval of their shift.

use std::cell::RefCell;
use std::collections::HashMap;

/// Both tails of the interval.
const TAILS: f64 = 0.05;

/// The most rounds of a side for which ranks are counted out; beyond, means are as good.
const ROUNDS_MAX: usize = 40;

/// The ends of the 95 % interval of the shift between two samples of these sizes, from all their differences; `None` where a sample
/// is empty, or too large to count. Below 4 and 4 the whole range is less than 95 %, as in R's `wilcox.test(conf.int = TRUE)`,
/// whose interval this is (Hollander and Wolfe, Nonparametric Statistical Methods, section 4.3).
pub(super) fn rank_interval(differences: &[f64], base: usize, other: usize) -> Option<(f64, f64)> {
    if base == 0 || other == 0 || base > ROUNDS_MAX || other > ROUNDS_MAX || differences.iter().any(|own| own.is_nan())
    {
        return None;
    }
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = rank(base, other);
    Some((*sorted.get(rank - 1)?, *sorted.get(sorted.len().checked_sub(rank)?)?))
}

thread_local! {
    /// The ranks that were counted, since most points have as many rounds as the others.
    static RANKS: RefCell<HashMap<(usize, usize), usize>> = RefCell::new(HashMap::new());
}

/// The rank of the lower end, from 1.
fn rank(base: usize, other: usize) -> usize {
    let sizes = (base.min(other), base.max(other));
    RANKS.with(|ranks| *ranks.borrow_mut().entry(sizes).or_insert_with(|| lower_quantile(sizes.0, sizes.1).max(1)))
}

/// The smallest number of pairs in the wrong order up to which at least half the tails lie: R's `qwilcox(0.025, m, n)`.
fn lower_quantile(m: usize, n: usize) -> usize {
    // How many of the orders of m and n values have so many pairs in the wrong order: those whose largest value is of the
    // first sample, and those where it is of the second.
    let mut counts: Vec<Vec<Vec<f64>>> = vec![vec![vec![1.0]; n + 1]; m + 1];
    for i in 1..=m {
        for j in 1..=n {
            counts[i][j] = (0..=i * j)
                .map(|pairs| {
                    let with = pairs.checked_sub(j).and_then(|rest| counts[i - 1][j].get(rest)).copied().unwrap_or(0.0);
                    let without = counts[i][j - 1].get(pairs).copied().unwrap_or(0.0);
                    with + without
                })
                .collect();
        }
    }
    let of = &counts[m][n];
    let all: f64 = of.iter().sum();
    let mut below = 0.0;
    of.iter()
        .position(|count| {
            below += count / all;
            below >= TAILS / 2.0
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The smallest u with scipy.stats.mannwhitneyu(x, y, alternative="less", method="exact").pvalue >= 0.025 for samples whose
    // statistic is u, which is R's qwilcox(0.025, m, n): one more than the critical values in tables of U.
    #[test]
    fn quantiles_are_those_of_r() {
        for (m, n, expected) in RANKS_OF_R {
            assert_eq!(lower_quantile(m, n), expected, "{m} and {n}");
            assert_eq!(lower_quantile(n, m), expected, "{n} and {m}");
        }
    }

    const RANKS_OF_R: [(usize, usize, usize); 9] = [
        (2, 2, 0),
        (3, 5, 1),
        (4, 4, 1),
        (5, 5, 3),
        (5, 8, 7),
        (8, 12, 23),
        (12, 12, 38),
        (20, 30, 201),
        (30, 30, 318),
    ];
}
