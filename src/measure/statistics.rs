//! What a set of samples says: their median, how well it is known, and whether that is well enough to stop.

use std::time::Duration;

/// Samples of one quantity, kept in order as they come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    sorted: Vec<f64>,
}

/// The median of some samples, in their unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The median; of an even number of samples, the mean of the middle two.
    pub median: f64,
    /// The lower end of its 95 % interval; `None` below 6 samples, which cannot have one.
    pub low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub high: Option<f64>,
    /// The number of samples.
    pub samples: usize,
}

/// When to stop sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// The fewest samples that precision may rest on.
    pub min_samples: usize,
    /// The most samples to take. It goes before `min_samples`.
    pub max_samples: usize,
    /// The half-width of the 95 % interval of the median, in percent of the median, that is precise enough.
    pub precision_pct: f64,
    /// The time that sampling may take.
    pub budget: Duration,
}

/// Why sampling stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The median is known as precisely as was asked.
    Precise,
    /// The time for it is spent.
    Budget,
    /// There are as many samples as were allowed.
    SamplesMax,
    /// Every sample would be the same: the device's times follow from a model.
    RepeatsExactly,
}

impl Samples {
    /// Adds a sample; the cost is that of moving the larger ones up.
    pub fn push(&mut self, sample: f64) {
        let place = self.sorted.partition_point(|other| other.total_cmp(&sample).is_le());
        self.sorted.insert(place, sample);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The median with its 95 % interval; `None` without samples, and where one of them is not a number, since then
    /// nobody knows on which side of the median it belongs.
    ///
    /// The interval is that of the order statistics, which supposes nothing about how the samples are distributed,
    /// only that they are independent: from the `k`-th smallest to the `k`-th largest, with the largest `k` for
    /// which a binomial variable of probability ½ lies within those ranks in at least 95 % of cases. Source: Conover,
    /// Practical Nonparametric Statistics, 3rd edition, section 3.2; `scipy.stats.quantile_test` gives the same.
    pub fn summary(&self) -> Option<Summary> {
        let (first, last) = (self.sorted.first()?, self.sorted.last()?);
        // In the total order anything that is not a number is at one end or the other.
        if first.is_nan() || last.is_nan() {
            return None;
        }
        let samples = self.sorted.len();
        let upper = self.sorted[samples / 2];
        let lower = self.sorted[(samples - 1) / 2];
        let rank = median_rank(samples);
        Some(Summary {
            // Equal ones as they are: the sum of two halves may round, and infinities must not meet.
            median: if lower.total_cmp(&upper).is_eq() { upper } else { lower / 2.0 + upper / 2.0 },
            low: rank.map(|rank| self.sorted[rank - 1]),
            high: rank.map(|rank| self.sorted[samples - rank]),
            samples,
        })
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Self { sorted }
    }
}

/// The median of these samples with its 95 % interval; see [`Samples::summary`].
pub fn summarise(samples: &[f64]) -> Option<Summary> {
    samples.iter().copied().collect::<Samples>().summary()
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

impl StoppingRule {
    /// Whether to stop, having these samples after `spent`, and why. Never before the first sample.
    ///
    /// Precision goes first, then the number of samples, then the budget, which is spent even where `min_samples`
    /// are not yet reached. Stopping on the width of the interval, not on what it says, does not bias the median.
    pub fn decide(&self, samples: &Samples, spent: Duration) -> Option<StopReason> {
        if samples.is_empty() {
            return None;
        }
        if samples.len() >= self.min_samples && self.is_precise(samples) {
            Some(StopReason::Precise)
        } else if samples.len() >= self.max_samples {
            Some(StopReason::SamplesMax)
        } else if spent >= self.budget {
            Some(StopReason::Budget)
        } else {
            None
        }
    }

    fn is_precise(&self, samples: &Samples) -> bool {
        let half_width = samples.summary().and_then(|summary| summary.half_width_pct());
        half_width.is_some_and(|half_width| half_width <= self.precision_pct)
    }
}

impl StopReason {
    /// Its name in files: `precise`, `budget`, `samples_max` or `repeats_exactly`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Budget => "budget",
            Self::SamplesMax => "samples_max",
            Self::RepeatsExactly => "repeats_exactly",
        }
    }
}

#[cfg(test)]
mod tests;
