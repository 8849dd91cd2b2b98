//! The exact interval of Mann and Whitney for the shift between two samples.

use std::cell::RefCell;
use std::collections::HashMap;

/// Both tails of the interval.
const TAILS: f64 = 0.05;

/// The most samples of a side for which ranks are counted out; beyond, means are as good.
const SAMPLES_MAX: usize = 40;

/// The ends of the 95 % interval of the shift from `base` to `other`, in their unit; `None` where a side is empty, has more than 40
/// samples, or one that is not a number. Below 4 and 4 samples it is the whole range of differences, which covers less than 95 %, as
/// in R's `wilcox.test(conf.int = TRUE)`, whose interval this is (Hollander and Wolfe, Nonparametric Statistical Methods,
/// section 4.3).
pub fn shift_interval(base: &[f64], other: &[f64]) -> Option<(f64, f64)> {
    if base.is_empty() || other.is_empty() || base.len().max(other.len()) > SAMPLES_MAX {
        return None;
    }
    let differences = other.iter().flat_map(|other| base.iter().map(move |base| other - base));
    let mut sorted: Vec<f64> = differences.collect();
    if sorted.iter().any(|own| own.is_nan()) {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let rank = rank(base.len(), other.len());
    Some((*sorted.get(rank - 1)?, *sorted.get(sorted.len().checked_sub(rank)?)?))
}

/// The same with other tails than 5 % together; `None` also where not even the whole range of differences covers that much.
pub fn shift_interval_at(base: &[f64], other: &[f64], tails: f64) -> Option<(f64, f64)> {
    let of_most = base.len().max(other.len());
    if base.is_empty() || other.is_empty() || of_most > SAMPLES_MAX || tails.is_nan() || tails <= 0.0 {
        return None;
    }
    let mut sorted: Vec<f64> = other.iter().flat_map(|other| base.iter().map(move |base| other - base)).collect();
    if sorted.iter().any(|own| own.is_nan()) {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let rank = rank_at(base.len(), other.len(), tails);
    Some((*sorted.get(rank.checked_sub(1)?)?, *sorted.get(sorted.len().checked_sub(rank)?)?))
}

thread_local! {
    /// The ranks that were counted, since many samples are as large as each other.
    static RANKS: RefCell<HashMap<(usize, usize, u64), usize>> = RefCell::new(HashMap::new());
}

/// The rank of the lower end, from 1.
fn rank(base: usize, other: usize) -> usize {
    rank_at(base, other, TAILS).max(1)
}

/// The same for other tails; 0 where there are too few samples for them.
fn rank_at(base: usize, other: usize, tails: f64) -> usize {
    let (least, most) = (base.min(other), base.max(other));
    let quantile = || lower_quantile(least, most, tails);
    RANKS.with(|ranks| *ranks.borrow_mut().entry((least, most, tails.to_bits())).or_insert_with(quantile))
}

/// The smallest number of pairs in the wrong order up to which at least half the tails lie: R's `qwilcox(tails / 2, m, n)`.
fn lower_quantile(m: usize, n: usize, tails: f64) -> usize {
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
            below >= tails / 2.0
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
            assert_eq!(lower_quantile(m, n, TAILS), expected, "{m} and {n}");
            assert_eq!(lower_quantile(n, m, TAILS), expected, "{n} and {m}");
        }
    }

    // qwilcox(0.025, 5, 4) of R is 2: the differences at ranks 2 and 19 of 20.
    #[test]
    fn the_interval_is_that_of_the_ordered_differences() {
        let (x, y) = ([1.1, 1.4, 2.0, 2.2, 3.1], [2.5, 3.3, 4.1, 5.0]);
        let (low, high) = shift_interval(&x, &y).unwrap();
        assert!((low - 0.2).abs() < 1e-12 && (high - 3.6).abs() < 1e-12, "{low} to {high}");
        assert_eq!(shift_interval(&x, &[]), None);
        assert_eq!(shift_interval(&x, &[f64::NAN]), None);
        assert_eq!(shift_interval(&[1.0; 41], &x), None);
        assert_eq!(shift_interval(&[1.0], &[3.0]), Some((2.0, 2.0)));
        assert_eq!(shift_interval_at(&x, &y, 0.05), Some((low, high)));
        assert_eq!(shift_interval_at(&[1.0], &[3.0], 0.05), None, "one pair covers nothing");
        // Of 126 orders of five and four values two have all pairs in one order: 1.6 %.
        assert_eq!(shift_interval_at(&x, &y, 0.015), None);
        assert_eq!(shift_interval_at(&x, &y, 0.03).map(|own| own.0), Some(2.5 - 3.1));
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
