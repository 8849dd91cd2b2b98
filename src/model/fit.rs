//! A law held against times: its parameters with their intervals, how well it predicts, and a verdict.

use thiserror::Error;

use super::law::Law;
use super::linear::{Line, LineError, Point};
use super::verdict::Verdict;
use crate::unit;

/// The least share of the variation of the times that a law must explain.
pub const LEAST_R2: f64 = 0.99;
/// The most that the leave-one-out errors may be in the root mean square, in percent of the times.
pub const MOST_ERROR_PCT: f64 = 3.0;
/// The most that any one leave-one-out error may be, in percent of its time.
pub const MOST_SINGLE_ERROR_PCT: f64 = 5.0;
/// The fewest distinct predictors that a verdict can rest on.
pub const FEWEST_PREDICTORS: usize = 4;
/// The smallest predictors that may be left out: one in this many.
pub const LEFT_OUT_ONE_IN: usize = 4;

/// One time to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The law's predictor: a count or a ratio, without a unit.
    pub x: f64,
    /// The time, in microseconds.
    pub time_us: f64,
}

/// A parameter of a law, estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Its name in the law.
    pub parameter: &'static str,
    /// The estimate.
    pub estimate: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
    /// The unit of all three.
    pub unit: &'static str,
}

/// A law with figures.
#[derive(Debug, Clone)]
pub struct LawFit {
    /// The law.
    pub law: &'static Law,
    /// Its intercept and its slope, in this order.
    pub estimates: [Estimate; 2],
    /// The share of the weighted variation of the times that it explains, from 0 to 1; 0 where they do not vary.
    pub r2: f64,
    /// The root mean square of the leave-one-out errors, each in percent of its time. Observations that cannot be
    /// predicted from the others (the only one with another predictor than theirs) have no part in it.
    pub error_pct: f64,
    /// The observations used.
    pub n: usize,
    /// The smallest predictor among them.
    pub from: f64,
    /// The largest predictor among them.
    pub to: f64,
    /// Whether the law holds.
    pub verdict: Verdict,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// Two points leave no residual to estimate an error from.
    #[error("law `{law}` needs at least 3 times to fit, there are {count}")]
    TooFew {
        /// The law's name.
        law: &'static str,
        /// The observations there are.
        count: usize,
    },
    /// There is no slope.
    #[error("law `{law}` cannot be fitted: {symbol} is {x} in all {count} observations")]
    SamePredictor {
        /// The law's name.
        law: &'static str,
        /// Its symbol for the predictor.
        symbol: &'static str,
        /// The predictor.
        x: f64,
        /// The observations there are.
        count: usize,
    },
    /// A time is zero, negative, infinite or not a number.
    #[error("law `{law}` cannot be fitted: the time {time_us} µs at {symbol} = {x} is not a positive number")]
    BadTime {
        /// The law's name.
        law: &'static str,
        /// Its symbol for the predictor.
        symbol: &'static str,
        /// The predictor.
        x: f64,
        /// The time, in microseconds.
        time_us: f64,
    },
    /// A predictor is infinite or not a number.
    #[error("law `{law}` cannot be fitted: its predictor {symbol} is {x}, which is not a number to fit")]
    BadPredictor {
        /// The law's name.
        law: &'static str,
        /// Its symbol for the predictor.
        symbol: &'static str,
        /// The predictor.
        x: f64,
    },
    /// The figures span more than floating point can square.
    #[error("law `{law}` cannot be fitted: its predictors or times are too large or too far apart")]
    OutOfRange {
        /// The law's name.
        law: &'static str,
    },
}

/// Fits a law to times and says whether it holds.
///
/// The fit is relative least squares, each observation weighted by 1 / time²: times of one sweep span decades and
/// their errors are in proportion to them, so that unweighted the largest times alone would set the intercept.
///
/// **The rule.** A law holds when, over the observations used,
///
/// 1. the 95 % interval of the slope lies above zero,
/// 2. the leave-one-out errors (each time predicted by the fit to all the others, in percent of the time) are at most
///    3 % in the root mean square and
/// 3. at most 5 % each, and
/// 4. R² is at least 0.99.
///
/// If all observations do not satisfy this, the smallest predictors are left out, one distinct value at a time, at
/// most a quarter of the distinct values and never so many that fewer than 4 remain; the first rest that satisfies it
/// gives "holds from", and the estimates are then those of that rest. Otherwise the law fails, with the estimates and
/// the reason (the first of the four that is missed) from all observations. Fewer than 4 distinct predictors fail.
///
/// The errors say whether the law predicts, and are the strictest criterion over a steep range. R² is where the times
/// rise by less than a factor of about 2.5: the flatter they are, the more curves predict them within 3 %, so that the
/// misfit must be small beside the rise and not only beside the time. It implies the slope's interval but for its
/// sign, which is asked first for the sake of a plain reason. No more than a quarter may go because over half of its
/// range any smooth curve is nearly a line: with half, `10 + n^1.5` and `10 + n log n` over 1 to 32 would hold.
///
/// # Errors
/// [`FitError`] where not even the estimates can be had: fewer than 3 observations, equal predictors, a time that is
/// not a positive number, a predictor that is not finite, or figures too far apart.
pub fn fit_law(law: &'static Law, observations: &[Observation]) -> Result<LawFit, FitError> {
    for &Observation { x, time_us } in observations {
        if !x.is_finite() {
            return Err(FitError::BadPredictor { law: law.name, symbol: law.symbol, x });
        }
        if !(time_us.is_finite() && time_us > 0.0) {
            return Err(FitError::BadTime { law: law.name, symbol: law.symbol, x, time_us });
        }
    }
    // Sorted, so that not even the last digit depends on the order of the observations. Adding 0 makes -0 a 0.
    let mut sorted: Vec<Observation> =
        observations.iter().map(|&Observation { x, time_us }| Observation { x: x + 0.0, time_us }).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.time_us.total_cmp(&b.time_us)));
    let groups: Vec<&[Observation]> = sorted.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()).collect();

    let all = Candidate::fit(law, &sorted)?;
    let distinct = groups.len();
    if distinct < FEWEST_PREDICTORS {
        let reason = format!("only {distinct} distinct values of {}, {FEWEST_PREDICTORS} are needed", law.symbol);
        return Ok(all.with(Verdict::Fails(reason)));
    }
    let Err(reason) = all.check() else {
        return Ok(all.with(Verdict::Holds));
    };
    let mut rest = &sorted[..];
    for dropped in groups.iter().take((distinct / LEFT_OUT_ONE_IN).min(distinct - FEWEST_PREDICTORS)) {
        rest = &rest[dropped.len()..];
        let candidate = Candidate::fit(law, rest)?;
        if candidate.check().is_ok() {
            let verdict = Verdict::HoldsFrom { symbol: law.symbol, from: candidate.from() };
            return Ok(candidate.with(verdict));
        }
    }
    Ok(all.with(Verdict::Fails(reason)))
}

impl LawFit {
    /// The time in microseconds that the law gives at a predictor of `x`.
    pub fn time_us(&self, x: f64) -> f64 {
        let [intercept, slope] = &self.estimates;
        intercept.estimate + slope.estimate * x
    }

    /// The law with its figures, to three significant digits: `t = 9.12 µs + 23.3 µs · n`.
    pub fn equation(&self) -> String {
        let [intercept, slope] = &self.estimates;
        let sign = if slope.estimate < 0.0 { '−' } else { '+' };
        let (intercept, slope) = (figure(intercept.estimate), figure(slope.estimate.abs()));
        format!("t = {intercept} µs {sign} {slope} µs · {}", self.law.symbol)
    }
}

/// A fit that has yet to be judged, to observations sorted by predictor.
struct Candidate<'a> {
    law: &'static Law,
    observations: &'a [Observation],
    line: Line,
    error_pct: f64,
    /// The largest leave-one-out error without its sign, in percent, and the predictor where it is.
    largest: (f64, f64),
}

impl<'a> Candidate<'a> {
    fn fit(law: &'static Law, observations: &'a [Observation]) -> Result<Self, FitError> {
        // In proportion to the smallest time, so that no square leaves the range of floating point needlessly.
        let smallest = observations.iter().fold(f64::INFINITY, |least, observation| least.min(observation.time_us));
        let points: Vec<Point> = observations
            .iter()
            .map(|&Observation { x, time_us }| Point { x, y: time_us, weight: (smallest / time_us).powi(2) })
            .collect();
        let line = Line::fit(&points).map_err(|error| match error {
            LineError::TooFew { count } => FitError::TooFew { law: law.name, count },
            LineError::SamePredictor { count, x } => {
                FitError::SamePredictor { law: law.name, symbol: law.symbol, x, count }
            }
            LineError::NotFinite { .. } | LineError::BadWeight { .. } | LineError::OutOfRange => {
                FitError::OutOfRange { law: law.name }
            }
        })?;
        let errors: Vec<(f64, f64)> = observations
            .iter()
            .zip(&line.left_out)
            .filter_map(|(&Observation { x, time_us }, left_out)| {
                left_out.map(|predicted| ((predicted - time_us) / time_us * 100.0, x))
            })
            .collect();
        let mean_square = errors.iter().map(|(error, _)| error * error).sum::<f64>() / errors.len() as f64;
        let largest = errors
            .iter()
            .map(|&(error, x)| (error.abs(), x))
            .fold((0.0, observations[0].x), |largest, next| if next.0 > largest.0 { next } else { largest });
        Ok(Self { law, observations, line, error_pct: mean_square.sqrt(), largest })
    }

    fn from(&self) -> f64 {
        self.observations[0].x
    }

    fn to(&self) -> f64 {
        self.observations[self.observations.len() - 1].x
    }

    /// The rule, without leaving anything out; the error is the reason.
    fn check(&self) -> Result<(), String> {
        let symbol = self.law.symbol;
        let slope = self.line.slope;
        let (largest, at) = self.largest;
        if slope.low <= 0.0 {
            return Err(if slope.high > slope.low {
                let [slope, low, high] = [slope.estimate, slope.low, slope.high].map(figure);
                format!("the slope {slope} µs, 95 % interval {low} to {high} µs, is not clearly above zero")
            } else {
                format!("the slope {} µs is not above zero", figure(slope.estimate))
            });
        }
        if self.error_pct > MOST_ERROR_PCT {
            return Err(format!(
                "leave-one-out error {} % is above {MOST_ERROR_PCT} %, largest error {} % at {symbol} = {at}",
                apart(self.error_pct, MOST_ERROR_PCT, 1),
                apart(largest, MOST_ERROR_PCT, 1),
            ));
        }
        if largest > MOST_SINGLE_ERROR_PCT {
            return Err(format!(
                "leave-one-out error {} % at {symbol} = {at} is above {MOST_SINGLE_ERROR_PCT} %",
                apart(largest, MOST_SINGLE_ERROR_PCT, 1),
            ));
        }
        if self.line.r2 < LEAST_R2 {
            let (from, to) = (self.from(), self.to());
            let rise_pct = (self.line.at(to) / self.line.at(from) - 1.0) * 100.0;
            return Err(format!(
                "R2 {} is below {LEAST_R2}, with times that rise by {} % from {symbol} = {from} to {to}",
                apart(self.line.r2, LEAST_R2, 3),
                figure(rise_pct),
            ));
        }
        Ok(())
    }

    fn with(self, verdict: Verdict) -> LawFit {
        let estimate = |parameter, from: super::linear::Coefficient| Estimate {
            parameter,
            estimate: from.estimate,
            low: from.low,
            high: from.high,
            unit: "us",
        };
        LawFit {
            law: self.law,
            estimates: [estimate(self.law.intercept, self.line.intercept), estimate(self.law.slope, self.line.slope)],
            r2: self.line.r2,
            error_pct: self.error_pct,
            n: self.observations.len(),
            from: self.from(),
            to: self.to(),
            verdict,
        }
    }
}

/// Three significant digits, with a minus sign that is not a hyphen.
fn figure(value: f64) -> String {
    unit::significant(value, 3).replace('-', "−")
}

/// `value` with at least `decimals` decimals, and as many more as it takes not to read like `limit`.
fn apart(value: f64, limit: f64, decimals: usize) -> String {
    let limit_at = |decimals| format!("{limit:.decimals$}");
    let decimals = (decimals..12).find(|&count| format!("{value:.count$}") != limit_at(count)).unwrap_or(12);
    format!("{value:.decimals$}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may panic, and means the very digits")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn law() -> &'static Law {
        Law::find("branches").unwrap()
    }

    fn observations(rows: &[(f64, f64)]) -> Vec<Observation> {
        rows.iter().map(|&(x, time_us)| Observation { x, time_us }).collect()
    }

    fn curve(predictors: impl IntoIterator<Item = u32>, time: impl Fn(f64) -> f64) -> Vec<Observation> {
        predictors.into_iter().map(f64::from).map(|x| Observation { x, time_us: time(x) }).collect()
    }

    fn verdict(observations: &[Observation]) -> String {
        fit_law(law(), observations).unwrap().verdict.to_string()
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

    // statsmodels 0.15.0: m = sm.WLS(t, sm.add_constant(x), weights=1/t**2).fit(); m.params; m.conf_int(); m.rsquared;
    // error_pct: 100*sqrt(mean(((t - loo)/t)**2)), each loo from a refit without its point.
    #[test]
    fn a_sweep_gives_the_figures_of_statsmodels() {
        let fit = fit_law(law(), &observations(&SWEEP)).unwrap();
        let [intercept, slope] = fit.estimates;
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
        assert_eq!((fit.n, fit.from, fit.to, fit.verdict.clone()), (10, 1.0, 32.0, Verdict::Holds));
        near(fit.time_us(2.0), 9.381_086_546_416_277 + 2.0 * 23.280_804_416_785_926, 1e-10);
        assert_eq!(fit.equation(), "t = 9.38 µs + 23.3 µs · n");
    }

    #[test]
    fn signs_are_in_the_equation() {
        let equation = |time: fn(f64) -> f64| fit_law(law(), &curve(1..=6, time)).unwrap().equation();
        assert_eq!(equation(|x| 23.3 * x - 1.2), "t = −1.20 µs + 23.3 µs · n");
        assert_eq!(equation(|x| 100.0 - 0.0301 * x), "t = 100 µs − 0.0301 µs · n");
        let sum = fit_law(Law::find("branch_sum").unwrap(), &curve(1..=6, |x| 12_345.0 + 2.0 * x)).unwrap();
        assert_eq!(sum.equation(), "t = 12345 µs + 2.00 µs · Σc");
    }

    #[test]
    fn lines_with_noise_hold() {
        for share in [0.0, 0.0025, 0.01] {
            assert_eq!(verdict(&noisy(share, |x| 9.0 + 23.0 * x)), "holds");
            assert_eq!(verdict(&noisy(share, |x| 50.0 + 5.0 * x)), "holds");
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

    #[test]
    fn a_first_time_that_is_off_is_left_out() {
        for factor in [0.8, 0.9, 0.94, 1.06, 1.1, 1.2] {
            let mut all = noisy(0.001, |x| 9.0 + 23.0 * x);
            all[0].time_us *= factor;
            let fit = fit_law(law(), &all).unwrap();
            assert_eq!(fit.verdict, Verdict::HoldsFrom { symbol: "n", from: 2.0 }, "{factor}");
            assert_eq!((fit.n, fit.from, fit.to), (7, 2.0, 8.0));
            let rest = fit_law(law(), &all[1..]).unwrap();
            assert_eq!((rest.estimates, rest.r2, rest.error_pct), (fit.estimates, fit.r2, fit.error_pct));
        }
    }

    #[test]
    fn no_more_than_a_quarter_is_left_out_and_four_remain() {
        let broken =
            |count: u32, off: u32| curve(1..=count, |x| if x <= f64::from(off) { 300.0 + x } else { 9.0 + 23.0 * x });
        assert_eq!(verdict(&broken(8, 2)), "holds from n >= 3");
        assert!(verdict(&broken(8, 3)).starts_with("fails"));
        assert_eq!(verdict(&broken(12, 3)), "holds from n >= 4");
        assert_eq!(verdict(&broken(5, 1)), "holds from n >= 2");
        assert!(verdict(&broken(4, 1)).starts_with("fails"));
    }

    #[test]
    fn values_are_left_out_with_all_their_observations() {
        let mut all = curve(1..=8, |x| 9.0 + 23.0 * x);
        all[0].time_us = 100.0;
        all.extend([101.0, 102.0].map(|time_us| Observation { x: 1.0, time_us }));
        let fit = fit_law(law(), &all).unwrap();
        assert_eq!((fit.verdict.to_string().as_str(), fit.n), ("holds from n >= 2", 7));
    }

    #[test]
    fn failures_name_the_criterion_and_the_figure() {
        let constant = curve(1..=8, |_| 42.0);
        assert_eq!(verdict(&constant), "fails: the slope 0 µs is not above zero");
        assert_eq!(fit_law(law(), &constant).unwrap().r2, 0.0);
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
        let fit = fit_law(law(), &observations(&[(1.0, 32.0), (2.0, 55.0), (4.0, 101.0)])).unwrap();
        assert_eq!(fit.verdict.to_string(), "fails: only 3 distinct values of n, 4 are needed");
        near(fit.estimates[1].estimate, 23.0, 1e-12);
        let fit = fit_law(law(), &observations(&[(1.0, 32.0), (1.0, 32.0), (2.0, 55.0)])).unwrap();
        assert_eq!(fit.verdict.to_string(), "fails: only 2 distinct values of n, 4 are needed");
        assert_eq!(fit.error_pct, 0.0);
    }

    #[test]
    fn what_cannot_be_fitted_is_refused_in_the_laws_terms() {
        let reason = |rows: &[(f64, f64)]| fit_law(law(), &observations(rows)).unwrap_err().to_string();
        assert_eq!(reason(&[(1.0, 2.0)]), "law `branches` needs at least 3 times to fit, there are 1");
        assert_eq!(
            reason(&[(4.0, 2.0), (4.0, 2.0), (4.0, 3.0)]),
            "law `branches` cannot be fitted: n is 4 in all 3 observations"
        );
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
                    .map(|(x, noise)| Observation { x: f64::from(x), time_us: (9.0 + 23.0 * f64::from(x)) * noise })
                    .collect::<Vec<_>>()
            })
            .prop_filter("predictors that vary", |all| all.iter().any(|one| one.x.total_cmp(&all[0].x).is_ne()))
    }

    proptest! {
        #[test]
        fn the_order_of_observations_does_not_matter(
            (all, shuffled) in some_observations().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        ) {
            let (all, shuffled) = (fit_law(law(), &all).unwrap(), fit_law(law(), &shuffled).unwrap());
            prop_assert_eq!(format!("{all:?}"), format!("{shuffled:?}"));
        }

        #[test]
        fn the_unit_of_time_scales_the_estimates_alone(all in some_observations(), factor in 1e-6..1e6_f64) {
            let scaled: Vec<_> =
                all.iter().map(|one| Observation { x: one.x, time_us: one.time_us * factor }).collect();
            let (fit, scaled) = (fit_law(law(), &all).unwrap(), fit_law(law(), &scaled).unwrap());
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

        #[test]
        fn exact_lines_hold(intercept in 0.1..1e4_f64, slope in 0.1..1e4_f64, first in 0_u32..4, count in 4_u32..40) {
            let fit = fit_law(law(), &curve(first..first + count, |x| intercept + slope * x)).unwrap();
            prop_assert_eq!(&fit.verdict, &Verdict::Holds);
            prop_assert!(fit.error_pct < 1e-6 && fit.r2 > 1.0 - 1e-12);
            prop_assert!((fit.estimates[0].estimate - intercept).abs() <= 1e-9 * (intercept + slope));
            prop_assert!((fit.estimates[1].estimate - slope).abs() <= 1e-9 * (intercept + slope));
        }
    }
}
