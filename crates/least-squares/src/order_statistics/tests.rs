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

/// Forty steps of a first-order autoregression around 100, with the correlation 0.7.
const CORRELATED: [f64; 40] = [
    100.0, 100.3, 99.94, 99.06, 98.89, 98.23, 98.82, 100.52, 99.87, 99.29, 99.99, 100.35, 100.35, 99.32, 99.49, 100.34,
    98.89, 98.77, 97.24, 96.78, 95.9, 96.9, 96.56, 97.86, 98.66, 98.88, 96.7, 97.15, 97.96, 98.68, 97.55, 97.81, 97.49,
    97.43, 99.26, 98.68, 99.04, 100.21, 99.57, 99.58,
];

// s = numpy.sign(x - numpy.median(x)); s -= s.mean()
// rho = numpy.correlate(s, s, 'full')[len(s) - 1:]; rho /= rho[0], summed up to the first that is not positive:
// 40 / (1 + 2 * 2.5) = 6.667, so as of 6 samples, the smallest to the largest: at rank 41 / 7 of 40.
#[test]
fn samples_that_follow_each_other_are_worth_fewer() {
    assert!((independent_samples(&CORRELATED) - 6.666_666_666_666_667).abs() < 1e-12);
    let summary = summarise_series(&CORRELATED).unwrap();
    assert_eq!((summary.median, summary.low, summary.high), (98.884_999_999_999_99, Some(96.9), Some(100.3)));
    let independent = summarise(&CORRELATED).unwrap();
    assert_eq!(independent.median, summary.median);
    assert!(independent.low > summary.low && independent.high < summary.high);
    // A slow wave of 40 samples is worth less than 6.
    let wave: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 2.0 } + f64::from(i) * 1e-3).collect();
    assert!(independent_samples(&wave) < 6.0);
    assert_eq!(summarise_series(&wave).unwrap().low, None);
}

#[test]
fn samples_that_alternate_or_are_all_the_same_are_worth_their_number() {
    let alternating: Vec<f64> = (0..12).map(|i| f64::from(i % 2)).collect();
    assert_eq!(independent_samples(&alternating), 12.0);
    assert_eq!(independent_samples(&[5.0; 9]), 9.0);
    assert_eq!(independent_samples(&[]), 0.0);
    assert_eq!(summarise_series(&alternating), summarise(&alternating));
}

// scipy.stats.trim_mean(x, .1)
#[test]
fn trimmed_means_are_those_of_scipy() {
    let near = |samples: &[f64], wanted: f64| assert!((trimmed_mean(samples).unwrap() - wanted).abs() < 1e-12);
    near(&TIMES, 12.325);
    near(&TIMES[..9], 14.333_333_333_333_334);
    near(&[&TIMES[..], &TIMES[..9]].concat(), 12.355_882_352_941_18);
    assert_eq!(trimmed_mean(&[]), None);
}

// numpy.quantile(x, [0, .025, .25, .5, .9, 1])
#[test]
fn quantiles_are_those_of_numpy() {
    for (share, expected) in [(0.0, 11.7), (0.025, 11.7275), (0.25, 11.975), (0.5, 12.15), (0.9, 13.77), (1.0, 30.5)] {
        assert!((quantile(&TIMES, share).unwrap() - expected).abs() < 1e-12, "{share}");
    }
    assert_eq!((quantile(&[], 0.5), quantile(&TIMES, 1.5), quantile(&TIMES, f64::NAN)), (None, None, None));
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
    }

    #[test]
    fn nothing_panics(samples in prop::collection::vec(prop::num::f64::ANY, 0..40)) {
        let summary = summarise(&samples);
        prop_assert_eq!(summarise_series(&samples).is_none(), summary.is_none());
        prop_assert!(independent_samples(&samples) <= samples.len() as f64);
        trimmed_mean(&samples);
        prop_assert_eq!(summary.is_none(), samples.is_empty() || samples.iter().any(|sample| sample.is_nan()));
    }
}
