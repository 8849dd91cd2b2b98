//! Summarises the points of a comparison.

use rayon::prelude::*;
use serde::Serialize;

use super::ratio::Ratio;
use super::side_by_side::{Cell, Judged, Row, Standing};
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
    let count = |standing| {
        rows.par_iter().filter_map(|row| row.others.get(other)).filter(|cell: &&Cell| cell.standing == standing).count()
    };
    let verdicts =
        VERDICTS.map(|verdict| (verdict, judged.par_iter().filter(|(_, own)| own.verdict == verdict).count()));
    let mean = mean_ratio(judged.iter().map(|(_, own)| own.ratio.ln())).map(|ratio| {
        let own_half = |own: &Judged| {
            let (low, high) = own.interval?;
            Some(((high / low).ln() / 2.0 - logarithm_pct(own.allowance_pct)).max(0.0))
        };
        let squares: Option<f64> = judged.iter().map(|(_, own)| own_half(own).map(|half| half * half)).sum();
        let allowance =
            judged.iter().map(|(_, own)| logarithm_pct(own.allowance_pct)).sum::<f64>() / judged.len() as f64;
        let half = squares.map(|squares| squares.sqrt() / judged.len() as f64 + allowance);
        Ratio { ratio, interval: half.map(|half| (ratio * (-half).exp(), ratio * half.exp())) }
    });
    let ratios = || judged.iter().map(|(_, own)| own.ratio);
    Summary {
        mean,
        range: ratios().min_by(f64::total_cmp).zip(ratios().max_by(f64::total_cmp)),
        verdicts: verdicts.into_iter().filter(|(_, count)| *count > 0).collect(),
        compared: judged.len(),
        added: count(Standing::Added),
        removed: count(Standing::Removed),
        failed: count(Standing::Failed),
        differ_most: differ_most(&judged),
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
