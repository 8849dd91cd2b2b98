//! Known answers and properties of `fit`.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

mod forms;
mod plateaus;

use super::rule::apart;
use super::*;
use proptest::prelude::*;

/// A cost below zero is marked; a rate or a place of a break is no cost.
#[test]
fn costs_below_zero_are_none() {
    let told = |estimate, high, unit| Estimate { parameter: "t_each", estimate, low: -9.0, high, unit }.below_zero();
    assert_eq!(told(-2.0, 1.0, "us"), Some("below zero within the noise, so no cost"));
    assert_eq!(told(-2.0, -1.0, "mj"), Some("below zero, so not a cost"));
    assert_eq!((told(0.0, 1.0, "us"), told(2.0, 3.0, "us"), told(-2.0, -1.0, "width")), (None, None, None));
}

/// Branches and microseconds, as a divergence sweep gives them.
const SWEEP: [(f64, f64); 10] = [
    (1.0, 32.9),
    (2.0, 55.1),
    (3.0, 79.8),
    (4.0, 101.7),
    (6.0, 149.9),
    (8.0, 195.0),
    (12.0, 291.2),
    (16.0, 380.6),
    (24.0, 570.3),
    (32.0, 752.9),
];

fn fitted(law: &'static Law, observations: &[Observation]) -> Result<LawFit, FitError> {
    fit_law(law, law.predictor.unwrap_or("x"), observations, false, false)
}

fn law() -> &'static Law {
    Law::find("branches").unwrap()
}

fn observations(rows: &[(f64, f64)]) -> Vec<Observation> {
    rows.iter().map(|&(x, time_us)| Observation::exact(x, time_us)).collect()
}

fn curve(predictors: impl IntoIterator<Item = u32>, time: impl Fn(f64) -> f64) -> Vec<Observation> {
    predictors.into_iter().map(f64::from).map(|x| Observation::exact(x, time(x))).collect()
}

fn verdict(observations: &[Observation]) -> String {
    fitted(law(), observations).unwrap().verdict.to_string()
}

/// Standard normal deviates, always the same: `numpy.random.default_rng(7).standard_normal(8).round(2)`.
const NOISE: [f64; 8] = [0.0, 0.3, -0.27, -0.89, -0.45, -0.99, 0.06, 1.34];

fn noisy(share: f64, time: impl Fn(f64) -> f64) -> Vec<Observation> {
    let mut all = curve(1..=8, time);
    for (observation, noise) in all.iter_mut().zip(NOISE) {
        observation.time_us *= 1.0 + share * noise;
    }
    all
}

#[track_caller]
fn near(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance * expected.abs(), "{actual:?} is not {expected:?}");
}

// statsmodels 0.15.0: m = sm.WLS(t, sm.add_constant(x), weights=1/t**2).fit(); m.params; m.conf_int(); m.rsquared;
// error_pct: 100*sqrt(mean(((t - loo)/t)**2)), each loo from a refit without its point.
#[test]
fn a_sweep_gives_the_figures_of_statsmodels() {
    let fit = fitted(law(), &observations(&SWEEP)).unwrap();
    let [intercept, slope] = fit.estimates[..] else { panic!() };
    assert_eq!((intercept.parameter, intercept.unit), ("t_outside", "us"));
    assert_eq!((slope.parameter, slope.unit), ("t_branch", "us"));
    near(intercept.estimate, 9.381_086_546_416_277, 1e-10);
    near(intercept.low, 8.748_002_091_897_927, 1e-10);
    near(intercept.high, 10.014_171_000_934_628, 1e-10);
    near(slope.estimate, 23.280_804_416_785_926, 1e-10);
    near(slope.low, 23.077_514_549_544_503, 1e-10);
    near(slope.high, 23.484_094_284_027_35, 1e-10);
    near(fit.r2, 0.999_885_302_089_086_3, 1e-12);
    near(fit.error_pct, 1.128_186_553_367_325_7, 1e-9);
    assert_eq!((fit.n, fit.from, fit.to, fit.verdict.clone()), (10, 1.0, 32.0, fit.verdict.clone()));
    // 100*max(abs(m.fittedvalues/t - 1)): 1.529
    assert_eq!(fit.verdict.to_string(), "holds to within 1.6 %");
    near(fit.time_us(2.0), 9.381_086_546_416_277 + 2.0 * 23.280_804_416_785_926, 1e-10);
    assert_eq!(fit.equation(), "t = 9.38 µs + 23.3 µs · n");
}

#[test]
fn signs_are_in_the_equation() {
    let equation = |time: fn(f64) -> f64| fitted(law(), &curve(1..=6, time)).unwrap().equation();
    assert_eq!(equation(|x| 23.3 * x - 1.2), "t = −1.20 µs + 23.3 µs · n");
    assert_eq!(equation(|x| 100.0 - 0.0301 * x), "t = 100 µs − 0.0301 µs · n");
    let sum = fitted(Law::find("branch_sum").unwrap(), &curve(1..=6, |x| 12_345.0 + 2.0 * x)).unwrap();
    assert_eq!(sum.equation(), "t = 12345 µs + 2.00 µs · work");
}

#[test]
fn lines_with_noise_hold() {
    for share in [0.0, 0.0025, 0.01] {
        for time in [|x| 9.0 + 23.0 * x, |x| 50.0 + 5.0 * x] as [fn(f64) -> f64; 2] {
            let fit = fitted(law(), &noisy(share, time)).unwrap();
            assert!(
                matches!(fit.verdict, Verdict::Holds { within_pct } if within_pct <= 200.0 * share + 1e-9),
                "{}",
                fit.verdict
            );
        }
    }
}

#[test]
fn curves_fail() {
    for predictors in [vec![1, 2, 4, 8, 16, 32], (1..=8).collect(), (1..=32).collect(), (0..=16).collect()] {
        for time in [
            |x| 1.0 + x * x,
            |x| 50.0 + x * x,
            |x| 1000.0 + x * x,
            |x: f64| 10.0 + x.powf(1.5),
            |x: f64| 10.0 + 10.0 * (x + 1.0).log2(),
        ] as [fn(f64) -> f64; 5]
        {
            let verdict = verdict(&curve(predictors.clone(), time));
            assert!(verdict.starts_with("fails: "), "{verdict} over {predictors:?}");
        }
    }
}

/// Where each step has fewer than two predictors, steps look like a line.
#[test]
fn steps_too_narrow_to_be_found_are_told() {
    let steps = Law::of_form(Form::Steps);
    let times = curve(1..=16, |x| 50.0 + 30.0 * (x / 1.4).ceil());
    let fit = fitted(steps, &times).unwrap();
    assert!(matches!(fit.verdict, Verdict::Fails(_)), "{:?}", fit.verdict);
    let note = "steps narrower than 2.00 are not tried: they need more values of x (two on each step)";
    assert!(fit.notes.iter().any(|own| own == note), "{:?}", fit.notes);
    assert!(!fitted(law(), &times).unwrap().notes.iter().any(|own| own.contains("narrower")));
}

/// Where a piece has fewer than three times, its line is not known, and no other figure may say that it fits.
#[test]
fn a_break_beyond_the_places_looked_at_is_none() {
    let two_lines = Law::of_form(Form::TwoLines);
    let uneven = [1.0, 2.0, 4.0, 7.0, 11.0, 16.0, 23.0, 32.0];
    let late = |x: f64| 200.0 + x + 3.0 * (x - 21.5).max(0.0);
    let early = |x: f64| 100.0 + 9.0 * x.min(2.2) + x;
    for time in [&late as &dyn Fn(f64) -> f64, &early] {
        let times = observations(&uneven.map(|x| (x, time(x))));
        let known: Vec<Observation> = times.iter().map(|one| Observation { error: Some(1e-3), ..*one }).collect();
        let fit = fitted(two_lines, &known).unwrap();
        let Verdict::Fails(reason) = &fit.verdict else { panic!("{:?}", fit.verdict) };
        assert!(reason.starts_with("the break may be beyond "), "{reason}");
        assert!(fit.replication.unwrap().p < 1e-6, "{:?}", fit.replication);
        let best = fit_best("x", &known, false).unwrap();
        assert_ne!(best.law.form, Form::TwoLines);
    }
}

/// With few times the corrected criterion of two lines is infinite, and they are named all the same where they predict far better.
#[test]
fn a_better_form_is_named_with_eight_predictors() {
    let bend = |x: f64| if x <= 5.0 { 100.0 + 20.0 * x } else { 200.0 + 22.5 * (x - 5.0) };
    let exact = curve(1..=8, bend);
    let known: Vec<Observation> = exact.iter().map(|one| Observation { error: Some(1e-4), ..*one }).collect();
    let fit = fit_law(law(), "branches_per_warp", &known, false, true).unwrap();
    assert!(
        fit.verdict.is_success() && fit.finding().contains("with the law `two_lines` the error is "),
        "{}",
        fit.finding()
    );
}

#[test]
fn a_first_time_that_is_off_is_left_out() {
    for factor in [0.8, 0.9, 0.94, 1.06, 1.1, 1.2] {
        let mut all = noisy(0.001, |x| 9.0 + 23.0 * x);
        all[0].time_us *= factor;
        let fit = fitted(law(), &all).unwrap();
        assert!(
            matches!(fit.verdict, Verdict::HoldsFrom { symbol: "n", from: 2.0, within_pct } if within_pct < 0.2),
            "{factor}"
        );
        assert_eq!((fit.n, fit.from, fit.to), (7, 2.0, 8.0));
        let rest = fitted(law(), &all[1..]).unwrap();
        assert_eq!((&rest.estimates, rest.r2, rest.error_pct), (&fit.estimates, fit.r2, fit.error_pct));
    }
}

#[test]
fn no_more_than_a_quarter_is_left_out_and_four_remain() {
    let broken =
        |count: u32, off: u32| curve(1..=count, |x| if x <= f64::from(off) { 300.0 + x } else { 9.0 + 23.0 * x });
    assert_eq!(verdict(&broken(8, 2)), "holds from n = 3 on, exactly");
    assert!(verdict(&broken(8, 3)).starts_with("fails"));
    assert_eq!(verdict(&broken(12, 3)), "holds from n = 4 on, exactly");
    assert_eq!(verdict(&broken(5, 1)), "holds from n = 2 on, exactly");
    assert!(verdict(&broken(4, 1)).starts_with("fails"));
}

#[test]
fn values_are_left_out_with_all_their_observations() {
    let mut all = curve(1..=8, |x| 9.0 + 23.0 * x);
    all[0].time_us = 100.0;
    all.extend([101.0, 102.0].map(|time_us| Observation::exact(1.0, time_us)));
    let fit = fitted(law(), &all).unwrap();
    assert_eq!((fit.verdict.to_string().as_str(), fit.n), ("holds from n = 2 on, exactly", 7));
}

#[test]
fn failures_name_the_criterion_and_the_figure() {
    let constant = curve(1..=8, |_| 42.0);
    assert_eq!(verdict(&constant), "no measurable cost: from n = 1 to 8 all times are the same");
    assert_eq!(fitted(law(), &constant).unwrap().r2, 0.0);
    let falling = curve(1..=8, |x| 42.0 - x);
    assert_eq!(verdict(&falling), "fails: the slope −1.00 µs is not above zero");
    let scatter = noisy(0.05, |_| 100.0);
    assert!(verdict(&scatter).ends_with(" µs, is not clearly above zero"), "{}", verdict(&scatter));
    // statsmodels as for the sweep: root mean square 9.429, errors 18.54, -1.35, ... 13.33 at n = 1 to 8, R2 0.93990.
    let square = curve(1..=8, |x| 50.0 + x * x);
    assert_eq!(verdict(&square), "fails: leave-one-out error 9.4 % is above 3 %, largest error 18.5 % at n = 1");
    let mut last = curve(1..=16, |x| 9.0 + 23.0 * x);
    last[9].time_us *= 1.07;
    assert_eq!(verdict(&last), "fails: leave-one-out error 6.5 % at n = 10 is above 5 %");
    let flat = noisy(0.004, |x| 100.0 + x);
    // Likewise: R2 0.98598, and the line rises from 100.851 to 108.055.
    assert_eq!(verdict(&flat), "fails: R2 0.986 is below 0.99, with times that rise by 7.14 % from n = 1 to 8");
}

#[test]
fn three_distinct_values_are_estimated_but_not_judged() {
    let fit = fitted(law(), &observations(&[(1.0, 32.0), (2.0, 55.0), (4.0, 101.0)])).unwrap();
    assert_eq!(fit.verdict.to_string(), "undecided: only 3 distinct values of n, 4 are needed");
    near(fit.estimates[1].estimate, 23.0, 1e-12);
    let fit = fitted(law(), &observations(&[(1.0, 32.0), (1.0, 32.0), (2.0, 55.0)])).unwrap();
    assert_eq!(fit.verdict.to_string(), "undecided: only 2 distinct values of n, 4 are needed");
    assert_eq!(fit.error_pct, 0.0);
}

#[test]
fn what_cannot_be_fitted_is_refused_in_the_laws_terms() {
    let reason = |rows: &[(f64, f64)]| fitted(law(), &observations(rows)).unwrap_err().to_string();
    assert_eq!(reason(&[(1.0, 2.0)]), "law `branches` needs at least 3 times to fit, not 1");
    assert_eq!(reason(&[(4.0, 2.0), (4.0, 2.0), (4.0, 3.0)]), "n is 4 at all 3 points, so nothing can grow with it");
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            reason(&[(1.0, 1.0), (2.0, time), (3.0, 1.0)]),
            format!("law `branches` cannot be fitted: the time {time} µs at n = 2 is not a positive number")
        );
    }
    assert!(reason(&[(1.0, 1.0), (f64::NAN, 1.0)]).contains("its predictor n is NaN"));
    assert!(reason(&[(1.0, 1e-300), (2.0, 1e300), (3.0, 1.0)]).contains("too far apart"));
}

#[test]
fn a_figure_never_reads_like_the_limit_that_it_misses() {
    assert_eq!(apart(3.004, 3.0, 1), "3.004");
    assert_eq!(apart(7.24, 3.0, 1), "7.2");
    assert_eq!(apart(0.989_99, 0.99, 3), "0.98999");
}

fn some_observations() -> impl Strategy<Value = Vec<Observation>> {
    prop::collection::vec((0_u32..64, 0.9..1.1_f64), 6..24)
        .prop_map(|rows| {
            rows.into_iter()
                .map(|(x, noise)| Observation::exact(f64::from(x), (9.0 + 23.0 * f64::from(x)) * noise))
                .collect::<Vec<_>>()
        })
        .prop_filter("predictors that vary", |all| all.iter().any(|one| one.x.total_cmp(&all[0].x).is_ne()))
}

proptest! {
    #[test]
    fn the_order_of_observations_does_not_matter(
        (all, shuffled) in some_observations().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
    ) {
        let (all, shuffled) = (fitted(law(), &all).unwrap(), fitted(law(), &shuffled).unwrap());
        prop_assert_eq!(format!("{all:?}"), format!("{shuffled:?}"));
    }

    #[test]
    fn the_unit_of_time_scales_the_estimates_alone(all in some_observations(), factor in 1e-6..1e6_f64) {
        let scaled: Vec<_> =
            all.iter().map(|one| Observation::exact(one.x, one.time_us * factor)).collect();
        let (fit, scaled) = (fitted(law(), &all).unwrap(), fitted(law(), &scaled).unwrap());
        let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-8 * scale;
        for (one, other) in fit.estimates.iter().zip(&scaled.estimates) {
            let scale = (one.estimate.abs() + one.high.abs()) * factor;
            prop_assert!(close(one.estimate * factor, other.estimate, scale));
            prop_assert!(close(one.low * factor, other.low, scale));
            prop_assert!(close(one.high * factor, other.high, scale));
        }
        prop_assert!(close(fit.r2, scaled.r2, 1.0));
        prop_assert!(close(fit.error_pct, scaled.error_pct, 1.0 + fit.error_pct));
    }

    /// Whatever a kink is held at, what is said of a fit is said of the curve that is printed.
    #[test]
    fn figures_of_curves_with_a_kink_are_those_of_the_curve(all in some_observations()) {
        for form in [Form::TwoLines, Form::Overlap, Form::Hiding] {
            let Ok(fit) = fitted(Law::of_form(form), &all) else { continue };
            let own: Vec<&Observation> = all.iter().filter(|one| (fit.from..=fit.to).contains(&one.x)).collect();
            let weighted = |value: &dyn Fn(&Observation) -> f64| -> f64 {
                own.iter().map(|one| value(one) / (one.time_us * one.time_us)).sum()
            };
            let mean = weighted(&|one| one.time_us) / weighted(&|_| 1.0);
            let left = weighted(&|one| (one.time_us - fit.time_us(one.x)).powi(2));
            let variation = weighted(&|one| (one.time_us - mean).powi(2));
            let expected = (1.0 - left / variation).clamp(0.0, 1.0);
            prop_assert!(variation < 1e-9 || (fit.r2 - expected).abs() < 1e-6, "{form:?}: {}, not {expected}", fit.r2);
        }
    }

    #[test]
    fn exact_lines_hold(intercept in 0.1..1e4_f64, slope in 0.1..1e4_f64, first in 0_u32..4, count in 4_u32..40) {
        let fit = fitted(law(), &curve(first..first + count, |x| intercept + slope * x)).unwrap();
        prop_assert!(fit.verdict.is_success(), "{}", fit.verdict);
        prop_assert!(fit.error_pct < 1e-6 && fit.r2 > 1.0 - 1e-12);
        prop_assert!((fit.estimates[0].estimate - intercept).abs() <= 1e-9 * (intercept + slope));
        prop_assert!((fit.estimates[1].estimate - slope).abs() <= 1e-9 * (intercept + slope));
    }
}

#[test]
fn a_fixed_cost_below_zero_is_called_none() {
    let line = |fixed_us: f64| fitted(Law::find("affine").unwrap(), &curve(1..=12, |x| fixed_us + 10.0 * x)).unwrap();
    assert_eq!(line(-2.0).notes, ["t_fixed is below zero, which no time can be: do not read it as a cost"]);
    assert_eq!(line(2.0).notes, Vec::<String>::new());
}
