//! A law held against times: its parameters with their intervals, how well it predicts, and a verdict.

use thiserror::Error;

use super::law::Law;
use super::linear::{Line, LineError, Point, Spread};
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
    /// Its parameters, in the law's order.
    pub estimates: Vec<Estimate>,
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
    uncertainty: Uncertainty,
}

/// How far times may be from a law.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Uncertainty {
    /// The quantile of Student's distribution.
    reach: f64,
    /// The standard deviation of one time, as a share of it.
    relative_error: f64,
    line: Spread,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// Two points leave no residual to estimate an error from.
    #[error("law `{law}` needs at least 3 times to fit, not {count}")]
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
        let [intercept, slope] = &self.estimates[..] else { return f64::NAN };
        intercept.estimate + slope.estimate * x
    }

    /// The ends of the 95 % interval of the law's own curve at `x`, in microseconds.
    pub fn band_us(&self, x: f64) -> Option<(f64, f64)> {
        self.interval_us(x, 0.0)
    }

    /// The ends of the 95 % interval that a new time at `x` would be in, in microseconds.
    pub fn prediction_us(&self, x: f64) -> Option<(f64, f64)> {
        self.interval_us(x, 1.0)
    }

    fn interval_us(&self, x: f64, of_one_time: f64) -> Option<(f64, f64)> {
        let time_us = self.time_us(x);
        let own = (of_one_time * self.uncertainty.relative_error * time_us).powi(2);
        let half = self.uncertainty.reach * (self.uncertainty.line.variance_at(x) + own).sqrt();
        half.is_finite().then_some((time_us - half, time_us + half))
    }

    /// The law with its figures, to three significant digits: `t = 9.12 µs + 23.3 µs · n`.
    pub fn equation(&self) -> String {
        let [intercept, slope] = &self.estimates[..] else { return String::new() };
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
    smallest_us: f64,
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
        Ok(Self { law, observations, line, smallest_us: smallest, error_pct: mean_square.sqrt(), largest })
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
            estimates: vec![
                estimate(self.law.intercept, self.line.intercept),
                estimate(self.law.slope, self.line.slope),
            ],
            r2: self.line.r2,
            error_pct: self.error_pct,
            n: self.observations.len(),
            from: self.from(),
            to: self.to(),
            verdict,
            uncertainty: Uncertainty {
                reach: self.line.reach,
                relative_error: self.line.residual_error / self.smallest_us,
                line: self.line.spread,
            },
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
mod tests;
