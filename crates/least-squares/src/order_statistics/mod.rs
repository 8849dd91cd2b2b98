//! What a set of samples says, whatever their distribution: their median and quantiles, and how well these are known; a mean that
//! outliers do not move; and the shift between two sets.

mod shift;

pub use shift::{shift_interval, shift_interval_at};

/// The median of some samples, in their unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The median; of an even number of samples, the mean of the middle two.
    pub median: f64,
    /// The lower end of its 95 % interval; `None` below 6 independent samples, which cannot have one.
    pub low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub high: Option<f64>,
    /// The number of samples.
    pub samples: usize,
}

/// The median of independent samples with its 95 % interval; `None` without samples, and where one of them is not a
/// number, since then nobody knows on which side of the median it belongs.
///
/// The interval is that of the order statistics, which supposes nothing about how the samples are distributed,
/// only that they are independent: from the `k`-th smallest to the `k`-th largest, with the largest `k` for
/// which a binomial variable of probability ½ lies within those ranks in at least 95 % of cases. Source: Conover,
/// Practical Nonparametric Statistics, 3rd edition, section 3.2; `scipy.stats.quantile_test` gives the same.
pub fn summarise(samples: &[f64]) -> Option<Summary> {
    summarise_as(samples, samples.len() as f64)
}

/// The median of samples in the order in which they were taken, with its 95 % interval as of so many independent ones
/// as [`independent_samples`] says that they are worth; otherwise like [`summarise`].
pub fn summarise_series(samples: &[f64]) -> Option<Summary> {
    if samples.iter().any(|sample| sample.is_nan()) {
        return None;
    }
    summarise_as(samples, independent_samples(samples))
}

/// `summarise`, where the samples are worth `independent` ones.
fn summarise_as(samples: &[f64], independent: f64) -> Option<Summary> {
    let sorted = sorted(samples);
    let (first, last) = (sorted.first()?, sorted.last()?);
    // In the total order anything that is not a number is at one end or the other.
    if first.is_nan() || last.is_nan() {
        return None;
    }
    let rank = interval_rank(sorted.len(), independent);
    Some(Summary {
        median: middle(&sorted)?,
        low: rank.map(|rank| sorted[rank - 1]),
        high: rank.map(|rank| sorted[sorted.len() - rank]),
        samples: sorted.len(),
    })
}

/// The median of these; `None` of none.
pub fn median(samples: &[f64]) -> Option<f64> {
    middle(&sorted(samples))
}

/// The quantile below which `share` of these lie, from 0 to 1; `None` of none, and of another share. Between two samples it is
/// linear: R's `quantile(x, share)`, of its type 7.
pub fn quantile(samples: &[f64], share: f64) -> Option<f64> {
    sorted_quantile(&sorted(samples), share)
}

/// The same of samples in ascending order.
pub(crate) fn sorted_quantile(sorted: &[f64], share: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// The mean without the smallest and the largest tenth, rounded down; `None` of none. `scipy.stats.trim_mean(x, 0.1)`.
pub fn trimmed_mean(samples: &[f64]) -> Option<f64> {
    let sorted = sorted(samples);
    let cut = sorted.len() / 10;
    let kept = sorted.get(cut..sorted.len() - cut)?;
    (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64)
}

/// How many independent samples these, in the order in which they were taken, are worth to their median: the number of
/// them over `1 + 2 * (r1 + r2 + ...)`, with the autocorrelations at lag 1, 2, ... up to the first that is not
/// positive. The variance of a median depends on when samples are above it and when below, not on how far, so the
/// autocorrelations are those of the signs. Source: Geyer, Practical Markov chain Monte Carlo, 1992, section 3.3.
pub fn independent_samples(samples: &[f64]) -> f64 {
    let count = samples.len() as f64;
    let Some(centre) = median(samples) else { return 0.0 };
    let mut signs: Vec<f64> = samples.iter().map(|sample| sign(sample - centre)).collect();
    let mean = signs.iter().sum::<f64>() / count;
    signs.iter_mut().for_each(|sign| *sign -= mean);
    let variance: f64 = signs.iter().map(|sign| sign * sign).sum();
    if variance <= 0.0 {
        return count;
    }
    let correlation = |lag: usize| signs.iter().zip(&signs[lag..]).map(|(a, b)| a * b).sum::<f64>() / variance;
    let positive: f64 = (1..samples.len()).map(correlation).take_while(|correlation| *correlation > 0.0).sum();
    count / (1.0 + 2.0 * positive)
}

/// 1 above zero, -1 below, 0 at it and where there is no telling.
fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median of sorted samples.
fn middle(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    // Equal ones as they are: the sum of two halves may round, and infinities must not meet.
    Some(if lower.total_cmp(&upper).is_eq() { upper } else { lower / 2.0 + upper / 2.0 })
}

impl Summary {
    /// How well the median is known: the larger arm of its interval, in percent of the median. `None` without an
    /// interval; infinite where the interval has a width but the median is not positive.
    pub fn half_width_pct(&self) -> Option<f64> {
        let half_width = (self.high? - self.median).max(self.median - self.low?);
        Some(if half_width == 0.0 {
            0.0
        } else if self.median > 0.0 {
            half_width / self.median * 100.0
        } else {
            f64::INFINITY
        })
    }
}

/// The rank from either end at which the interval of the median of `samples` ends, which are worth `independent` ones:
/// the one at the same quantile as that of so many independent samples.
fn interval_rank(samples: usize, independent: f64) -> Option<usize> {
    let worth = (independent.floor() as usize).min(samples);
    let rank = median_rank(worth)?;
    Some((rank * (samples + 1) / (worth + 1)).max(1))
}

/// The rank `k`, from 1, such that the `k`-th smallest and the `k`-th largest of `samples` are the ends of the
/// smallest symmetric interval that covers the median in at least 95 % of cases; `None` below 6 samples.
///
/// With `B` binomial of `samples` trials of probability ½, that is the largest `k` with `P(k <= B <= samples - k)` of
/// at least 0.95. The sum runs outwards from the middle, where nothing underflows however many samples there are.
fn median_rank(samples: usize) -> Option<usize> {
    let half = samples / 2;
    // The largest probability: C(2m, m) / 4^m, where an odd number of trials has that of one more, twice.
    let middle: f64 = (1..=samples.div_ceil(2)).map(|i| (2 * i - 1) as f64 / (2 * i) as f64).product();
    let mut probability = middle;
    let mut covered = if samples.is_multiple_of(2) { middle } else { 2.0 * middle };
    let mut rank = half;
    while covered < 0.95 {
        if rank == 0 {
            return None;
        }
        probability *= rank as f64 / (samples - rank + 1) as f64;
        covered += 2.0 * probability;
        rank -= 1;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests;
