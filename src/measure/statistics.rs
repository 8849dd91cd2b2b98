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
    /// Its name in files: `precise`, `budget` or `samples_max`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Budget => "budget",
            Self::SamplesMax => "samples_max",
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may panic, and means the very digits")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // from scipy import stats                                                          (scipy of /tmp/cudaenv)
    // k = 0
    // while 2 * stats.binom.cdf(k, n, .5) <= .05: k += 1
    #[test]
    fn ranks_are_those_of_the_binomial_distribution() {
        for samples in 0..6 {
            assert_eq!(median_rank(samples), None, "{samples}");
        }
        let expected = [
            1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 8, 9, 9, 10, 10, 10, 11, 11, 12, 12, 13, 13,
            13, 14,
        ];
        let actual: Vec<usize> = (6..=40).map(|samples| median_rank(samples).unwrap()).collect();
        assert_eq!(actual, expected);
        for (samples, rank) in
            [(50, 18), (64, 24), (100, 40), (101, 41), (200, 86), (500, 228), (1000, 469), (2000, 956)]
        {
            assert_eq!(median_rank(samples), Some(rank), "{samples}");
        }
        assert_eq!((6..=1000).map(|samples| median_rank(samples).unwrap()).sum::<usize>(), 229_588);
    }

    const TIMES: [f64; 12] = [12.1, 11.7, 13.9, 12.4, 11.9, 12.0, 12.3, 30.5, 12.2, 11.8, 12.6, 12.05];

    // numpy.median(x), scipy.stats.quantile_test(x, p=.5).confidence_interval(.95)
    #[test]
    fn summaries_are_those_of_scipy() {
        let summary = |count: usize| summarise(&TIMES[..count]).unwrap();
        let twelve = summary(12);
        assert!((twelve.median - 12.15).abs() < 1e-12);
        assert_eq!((twelve.low, twelve.high, twelve.samples), (Some(11.9), Some(12.6), 12));
        assert_eq!(summary(9), Summary { median: 12.2, low: Some(11.9), high: Some(13.9), samples: 9 });
        assert_eq!((summary(6).low, summary(6).high), (Some(11.7), Some(13.9)));
        assert_eq!(summary(5), Summary { median: 12.1, low: None, high: None, samples: 5 });
    }

    #[test]
    fn the_half_width_is_that_of_the_longer_arm() {
        // (12.6 - 12.15) / 12.15 and (13.9 - 12.2) / 12.2; turned round, the lower arm is the longer one.
        let pct = |samples: &[f64]| summarise(samples).unwrap().half_width_pct().unwrap();
        assert!((pct(&TIMES) - 3.703_703_703_703_7).abs() < 1e-9);
        assert!((pct(&TIMES[..9]) - 13.934_426_229_508_2).abs() < 1e-9);
        let turned: Vec<f64> = TIMES[..9].iter().map(|time| 24.4 - time).collect();
        assert!((pct(&turned) - 13.934_426_229_508_2).abs() < 1e-9);
        assert_eq!(summarise(&TIMES[..5]).unwrap().half_width_pct(), None);
        assert_eq!(pct(&[0.0; 8]), 0.0);
        assert_eq!(pct(&[-2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0]), f64::INFINITY);
    }

    #[test]
    fn what_is_not_a_number_has_no_summary() {
        assert_eq!(summarise(&[]), None);
        assert_eq!(summarise(&[1.0, f64::NAN, 3.0]), None);
        assert_eq!(summarise(&[1.0, -f64::NAN, 3.0]), None);
        assert_eq!(summarise(&[1.0, f64::INFINITY, 3.0]).unwrap().median, 3.0);
        assert_eq!(summarise(&[f64::INFINITY; 4]).unwrap().median, f64::INFINITY);
    }

    const RULE: StoppingRule =
        StoppingRule { min_samples: 8, max_samples: 20, precision_pct: 0.5, budget: Duration::from_secs(15) };

    fn decide(rule: StoppingRule, count: usize, spread: f64, seconds: u64) -> Option<StopReason> {
        let samples = (0..count).map(|i| 100.0 + spread * i as f64).collect();
        rule.decide(&samples, Duration::from_secs(seconds))
    }

    #[test]
    fn sampling_stops_for_one_reason() {
        assert_eq!(decide(RULE, 0, 0.0, 99), None);
        assert_eq!(decide(RULE, 7, 0.0, 0), None);
        assert_eq!(decide(RULE, 8, 0.0, 0), Some(StopReason::Precise));
        assert_eq!(decide(RULE, 8, 1.0, 14), None);
        assert_eq!(decide(RULE, 8, 1.0, 15), Some(StopReason::Budget));
        assert_eq!(decide(RULE, 1, 0.0, 15), Some(StopReason::Budget));
        assert_eq!(decide(RULE, 19, 1.0, 0), None);
        assert_eq!(decide(RULE, 20, 1.0, 15), Some(StopReason::SamplesMax));
        assert_eq!(decide(RULE, 20, 0.0, 15), Some(StopReason::Precise));
        // Five samples have no interval, however few are asked for.
        assert_eq!(decide(StoppingRule { min_samples: 1, ..RULE }, 5, 0.0, 0), None);
        assert_eq!(
            decide(StoppingRule { min_samples: 1, max_samples: 1, ..RULE }, 1, 0.0, 0),
            Some(StopReason::SamplesMax)
        );
    }

    #[test]
    fn precision_is_reached_at_the_limit_itself() {
        // Nine samples a half apart: the median 102 and the second from either end are 1.5 apart.
        let rule = |precision_pct| StoppingRule { precision_pct, ..RULE };
        assert_eq!(decide(rule(150.0 / 102.0 + 1e-12), 9, 0.5, 0), Some(StopReason::Precise));
        assert_eq!(decide(rule(150.0 / 102.0 - 1e-9), 9, 0.5, 0), None);
        assert_eq!(decide(rule(0.0), 9, 0.0, 0), Some(StopReason::Precise));
    }

    #[test]
    fn reasons_have_names() {
        let names = [StopReason::Precise, StopReason::Budget, StopReason::SamplesMax].map(StopReason::name);
        assert_eq!(names, ["precise", "budget", "samples_max"]);
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_and_no_order_matters(
            (samples, shuffled) in prop::collection::vec(0.001..1e6_f64, 6..200)
                .prop_flat_map(|samples| (Just(samples.clone()), Just(samples).prop_shuffle())),
        ) {
            let summary = summarise(&samples).unwrap();
            prop_assert!(summary.low.unwrap() <= summary.median && summary.median <= summary.high.unwrap());
            let below = samples.iter().filter(|&&sample| sample < summary.median).count();
            let above = samples.iter().filter(|&&sample| sample > summary.median).count();
            prop_assert!(below.max(above) <= samples.len() / 2);
            prop_assert_eq!(summarise(&shuffled), Some(summary));
            let mut pushed = Samples::default();
            for &sample in &shuffled {
                pushed.push(sample);
            }
            prop_assert_eq!(pushed.len(), samples.len());
            prop_assert_eq!(pushed.summary(), Some(summary));
        }

        #[test]
        fn nothing_panics(samples in prop::collection::vec(prop::num::f64::ANY, 0..40)) {
            let summary = summarise(&samples);
            prop_assert_eq!(summary.is_none(), samples.is_empty() || samples.iter().any(|sample| sample.is_nan()));
        }
    }
}
