//! Known answers and properties of `statistics`.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::*;
use proptest::prelude::*;

// from scipy import stats
// k = 0
// while 2 * stats.binom.cdf(k, n, .5) <= .05: k += 1
#[test]
fn ranks_are_those_of_the_binomial_distribution() {
    for samples in 0..6 {
        assert_eq!(median_rank(samples), None, "{samples}");
    }
    let expected = [
        1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 8, 9, 9, 10, 10, 10, 11, 11, 12, 12, 13, 13, 13,
        14,
    ];
    let actual: Vec<usize> = (6..=40).map(|samples| median_rank(samples).unwrap()).collect();
    assert_eq!(actual, expected);
    for (samples, rank) in [(50, 18), (64, 24), (100, 40), (101, 41), (200, 86), (500, 228), (1000, 469), (2000, 956)] {
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
