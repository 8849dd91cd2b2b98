//! The check on the mock, whose noise is known.

use super::*;
use crate::device::mock::Mock;

/// Fast enough, with a time that grows with the work.
const SETTINGS: MeasureSettings = MeasureSettings {
    sampling: crate::scenario::Sampling::Cold,
    flush: crate::device::Flush::Clean,
    precision_pct: 0.5,
    budget_s: 0.2,
    rounds_min: 5,
    rounds_max: 8,
    samples_min: 10,
    samples_max: 400,
    seed: 1,
    energy: false,
};

fn check(mock: &str, pairs: usize) -> SelfCheck {
    let mock = Mock::new(format!("outside_us=2,slope_us=0,mop_us=6.4,{mock}").parse().unwrap());
    selfcheck(&mock, SETTINGS, pairs, |_, _| ()).unwrap()
}

#[test]
fn little_noise_can_be_trusted() {
    let check = check("jitter_pct=1,null_us=1", 20);
    assert_eq!((check.same.len(), check.longer.len()), (20, 10));
    assert_eq!((check.false_verdicts, check.found), (0, 10));
    // Two means of 320 samples with a standard deviation of 1 % differ by 0.08 %; 95 % of them by less than 0.16 %.
    let floor = check.noise_floor_pct.unwrap();
    assert!(floor > 0.02 && floor < 0.4, "{floor}");
    // 64 * 64 elements, 200 steps of 16 multiply-adds: 168 µs and 2 besides; 3 % of the former.
    let longer = check.longer_by_pct.unwrap();
    assert!((longer - 2.96).abs() < 0.3, "{longer}");
    assert!(check.trusted == Some(true) && check.advice.is_empty(), "{:?}", check.advice);
    assert_eq!(check.noise_floor("now".to_owned()).map(|floor| floor.comparisons), Some(20));
    assert_eq!((check.clock_mhz, check.lowest_clock_mhz, check.null_cost_us), (Some(1000.0), Some(1000.0), Some(1.0)));
}

#[test]
fn much_noise_cannot_and_the_advice_says_why() {
    let check = check("jitter_pct=60", 20);
    assert!(check.noise_floor_pct.unwrap() > 1.0, "{:?}", check.noise_floor_pct);
    assert!(check.trusted == Some(false));
    assert!(check.advice[0].starts_with("the noise floor of"), "{:?}", check.advice);
}

#[test]
fn a_difference_that_is_not_found_is_reason_enough() {
    let check = check("jitter_pct=0.2,mop_us=0", 20);
    assert!(check.trusted == Some(false), "the mock takes as long whatever the work");
    assert!(check.advice[0].starts_with("a difference of 0.0"), "{:?}", check.advice);
    assert!(check.advice[0].contains("found in only 0 of 10"), "{:?}", check.advice);
}

#[test]
fn a_flagged_guard_is_reason_enough() {
    let check = check("throttle=1,mop_us=6.4", 2);
    let [few, flagged] = &check.advice[..] else { panic!("{:?}", check.advice) };
    assert!(few.starts_with("2 comparisons are too few"), "{few}");
    assert!(flagged.starts_with("check throttling"), "{flagged}");
    assert!(check.trusted == Some(false));
    assert_eq!(check.noise_floor("now".to_owned()), None, "2 comparisons tell no noise floor");
    assert_eq!(check.noise_floor_pct, Some(0.0));
}

#[test]
fn a_kernel_that_fails_is_told() {
    let check = check("fail=3", 8);
    assert_eq!(check.same.len(), 1);
    assert!(check.trusted == Some(false));
    assert_eq!(check.problems, ["the mock was told to fail here"]);
}

#[test]
fn a_simulated_device_repeats_exactly() {
    let device = crate::device::select::DeviceSpec::Simulated("h200".to_owned()).open(|_| ()).unwrap();
    let check = selfcheck(&*device, SETTINGS, 40, |_, _| ()).unwrap();
    assert!(check.repeats_exactly && check.trusted.is_none() && check.advice.is_empty(), "{:?}", check.advice);
    assert_eq!(check.same.iter().map(|comparison| comparison.verdict).collect::<Vec<_>>(), [Verdict::Same]);
    assert_eq!((check.noise_floor_pct, check.noise_floor("now".to_owned())), (None, None));
    assert_eq!(check.same.iter().map(|comparison| comparison.ratio).collect::<Vec<_>>(), [Some(1.0)]);
}

fn ratios(ratios: &[f64]) -> Vec<Comparison> {
    let round = |time_us: f64| Observation { round: 0, trimmed_us: time_us, median_us: time_us };
    ratios.iter().map(|ratio| within_run(&[round(1.0)], &[round(*ratio)], None)).collect()
}

// numpy.quantile(numpy.abs(ratios - 1), .95, method='inverted_cdf')
#[test]
fn the_floor_is_what_95_percent_stay_below() {
    assert_eq!(floor_pct(&[]), None);
    let near = |comparisons: &[Comparison], expected: f64| {
        let floor = floor_pct(comparisons).unwrap();
        assert!((floor - expected).abs() < 1e-9, "{floor}, not {expected}");
    };
    near(&ratios(&[0.98, 1.01]), 2.0);
    let hundred: Vec<f64> = (1..=100).map(|i| 1.0 - f64::from(i) / 1e4).collect();
    near(&ratios(&hundred), 0.95);
    near(&ratios(&hundred[..40]), 0.38);
}
