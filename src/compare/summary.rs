//! Summarises the points of a comparison.

use rayon::prelude::*;
use serde::Serialize;

use super::ratio::Ratio;
use super::side_by_side::{Judged, Row, Standing};
use super::verdict::{Verdict, logarithm_pct};

/// How many points that differ most are named.
const MOST: usize = 3;

/// The summary of all points of one run against the base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The geometric mean of the ratios; `None` where nothing could be compared.
    pub mean: Option<Ratio>,
    /// The smallest and the largest ratio.
    pub range: Option<(f64, f64)>,
    /// How many points have each verdict, the most telling first.
    pub verdicts: Vec<(Verdict, usize)>,
    /// Points that were compared.
    pub compared: usize,
    /// Points that only the other has.
    pub added: usize,
    /// Points that only the base has.
    pub removed: usize,
    /// Points that have no time in one of the two.
    pub failed: usize,
    /// The rows of the points that differ most, the one that does most first.
    pub differ_most: Vec<usize>,
}

const VERDICTS: [Verdict; 6] =
    [Verdict::Slower, Verdict::Faster, Verdict::LikelySlower, Verdict::LikelyFaster, Verdict::Unsure, Verdict::Same];

/// Over the cells of one of the others.
///
/// The mean's interval is that of the points' own: their errors are independent, and what processes differ by, which may be the same for
/// all points, is added once. It says how well the mean over these points is known, not what other points would come to.
pub(super) fn summarise(rows: &[Row], other: usize) -> Summary {
    let judged: Vec<(usize, &Judged)> = rows
        .par_iter()
        .enumerate()
        .filter_map(|(row, own)| Some((row, own.others.get(other)?.judged.as_ref()?)))
        .collect();
    let standings = counts(
        rows.par_iter().filter_map(|row| Some(row.others.get(other)?.standing)),
        &[Standing::Added, Standing::Removed, Standing::Failed],
    );
    let verdicts = counts(judged.par_iter().map(|(_, own)| own.verdict), &VERDICTS);
    let [added, removed, failed] = standings;
    // Sums are made in the order of the rows, so that their last digits are the same each time.
    let terms: Vec<Term> = judged.par_iter().map(|(_, own)| Term::of(own)).collect();
    let mean = mean_ratio(terms.iter().map(|own| own.logarithm)).map(|ratio| {
        let squares: Option<f64> = terms.iter().map(|own| own.squared_half).sum();
        let allowance = terms.iter().map(|own| own.allowance).sum::<f64>() / terms.len() as f64;
        let half = squares.map(|squares| squares.sqrt() / terms.len() as f64 + allowance);
        Ratio { ratio, interval: half.map(|half| (ratio * (-half).exp(), ratio * half.exp())) }
    });
    let ratios = || judged.iter().map(|(_, own)| own.ratio);
    Summary {
        mean,
        range: ratios().min_by(f64::total_cmp).zip(ratios().max_by(f64::total_cmp)),
        verdicts: VERDICTS.into_iter().zip(verdicts).filter(|(_, count)| *count > 0).collect(),
        compared: judged.len(),
        added,
        removed,
        failed,
        differ_most: differ_most(&judged),
    }
}

/// How many of the items are each of these, in one pass.
fn counts<T: PartialEq + Sync, const N: usize>(items: impl ParallelIterator<Item = T>, kinds: &[T; N]) -> [usize; N] {
    let count = |mut counts: [usize; N], item: T| {
        if let Some(kind) = kinds.iter().position(|kind| *kind == item) {
            counts[kind] += 1;
        }
        counts
    };
    let add = |one: [usize; N], other: [usize; N]| std::array::from_fn(|kind| one[kind] + other[kind]);
    items.fold(|| [0; N], count).reduce(|| [0; N], add)
}

/// What a point adds to the mean; all are logarithms.
struct Term {
    logarithm: f64,
    /// The square of half its own interval; `None` where it has none.
    squared_half: Option<f64>,
    allowance: f64,
}

impl Term {
    fn of(own: &Judged) -> Self {
        let allowance = logarithm_pct(own.allowance_pct);
        let half = own.interval.map(|(low, high)| ((high / low).ln() / 2.0 - allowance).max(0.0));
        Self { logarithm: own.ratio.ln(), squared_half: half.map(|half| half * half), allowance }
    }
}

/// The rows that differ most, the one that does most first.
fn differ_most(judged: &[(usize, &Judged)]) -> Vec<usize> {
    let mut sizes: Vec<(usize, f64)> = judged.par_iter().map(|(row, own)| (*row, own.ratio.ln().abs())).collect();
    let order =
        |(row, one): &(usize, f64), (other_row, other): &(usize, f64)| other.total_cmp(one).then(row.cmp(other_row));
    if sizes.len() > MOST {
        sizes.select_nth_unstable_by(MOST, order);
        sizes.truncate(MOST);
    }
    sizes.sort_by(order);
    sizes.into_iter().filter(|(_, size)| *size > 0.0).map(|(row, _)| row).collect()
}

/// The exponential of the mean of logarithms; `None` of none.
pub(super) fn mean_ratio(logarithms: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = logarithms.fold((0.0, 0_usize), |(sum, count), own| (sum + own, count + 1));
    (count > 0).then(|| (sum / count as f64).exp()).filter(|mean| mean.is_finite())
}
