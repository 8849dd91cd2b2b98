//! Fits a law to times: its parameters with their intervals, how well it predicts, and a verdict.

mod choice;
mod curve;
mod levels;
mod notes;
mod rule;

use thiserror::Error;

pub use choice::{RunnerUp, Selection, fit_best};
pub use levels::fit_plateaus;
pub use rule::{
    FEWEST_PREDICTORS, LEAST_R2, LEFT_OUT_ONE_IN, MOST_ERROR_PCT, MOST_FLAT_PCT, MOST_SINGLE_ERROR_PCT, fit_law,
};

use super::law::energy::{ENERGY_UNIT, in_words};
use super::law::{Form, Law};
use super::verdict::Verdict;
use crate::unit;
use least_squares::Regression;

/// One time to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The law's predictor: a count or a ratio, without a unit.
    pub x: f64,
    /// The time, in microseconds.
    pub time_us: f64,
    /// The standard error of the time, as a share of it; `None` where it is not known, as for times that repeat exactly.
    pub error: Option<f64>,
    /// Whether the run flags the time, for example because it is short.
    pub is_flagged: bool,
}

#[cfg(test)]
impl Observation {
    /// A time without an uncertainty.
    pub(crate) fn exact(x: f64, time_us: f64) -> Self {
        Self { x, time_us, error: None, is_flagged: false }
    }
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
    /// The unit of the estimate and its interval: `us`, `gb_per_s`, `1` for an exponent, or the name of the predictor
    /// for a value in the predictor's unit.
    pub unit: &'static str,
}

impl Estimate {
    /// A value of it in words: a time in the unit that suits it, others with theirs.
    pub fn told(&self, value: f64) -> String {
        unit::of_law(value, self.unit)
    }

    /// What is said of a cost below zero: nothing costs less than nothing.
    pub fn below_zero(&self) -> Option<&'static str> {
        let is_cost = self.unit == "us" || self.unit == ENERGY_UNIT;
        (is_cost && self.estimate < 0.0).then_some(if self.high >= 0.0 {
            "below zero within the noise, so no cost"
        } else {
            "below zero, so not a cost"
        })
    }
}

/// How the intervals of estimates were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalMethod {
    /// From the covariance of all parameters, by Student's distribution.
    Student,
    /// From the covariance of the parameters of a robust fit (Huber).
    Huber,
}

impl IntervalMethod {
    /// Its word in the `interval` column of `fits.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Student => "student",
            Self::Huber => "huber",
        }
    }
}

/// The misfit compared with the uncertainty of the times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replication {
    /// The typical standard error of a time (root mean square), in percent of it.
    pub noise_pct: f64,
    /// The probability of a misfit at least as large if the law were true. A small probability means a clear lack of fit.
    pub p: f64,
}

/// A law with figures.
#[derive(Debug, Clone)]
pub struct LawFit {
    /// The law.
    pub law: &'static Law,
    /// The predictor that it was fitted against.
    pub predictor: &'static str,
    /// Its parameters, in the law's order.
    pub estimates: Vec<Estimate>,
    /// How the intervals of the estimates were found.
    pub interval: IntervalMethod,
    /// The share of the weighted variation of the times that it explains, from 0 to 1; 0 where they do not vary.
    pub r2: f64,
    /// The root mean square of the leave-one-out errors, each in percent of its time. Observations that cannot be
    /// predicted from the others (the only one with another predictor than theirs) have no part in it.
    pub error_pct: f64,
    /// The largest leave-one-out error without its sign, in percent of its time, and the predictor that it is at.
    pub furthest: (f64, f64),
    /// The observations used.
    pub n: usize,
    /// The smallest predictor among them.
    pub from: f64,
    /// The largest predictor among them.
    pub to: f64,
    /// Whether the law holds.
    pub verdict: Verdict,
    /// Where the law holds and misses the times by more than they are uncertain: the form that misses them by at most half as much.
    pub outdone: Option<String>,
    /// Notes that follow the verdict, such as which form fits better.
    pub notes: Vec<String>,
    /// The forms that `auto` chose from; `None` if the law was given.
    pub selection: Option<Selection>,
    /// The misfit compared with the uncertainty of the times; `None` if that is not known, as for simulated times.
    pub replication: Option<Replication>,
    uncertainty: Uncertainty,
}

/// The standard deviation of the times around the law.
#[derive(Debug, Clone, PartialEq)]
struct Uncertainty {
    regression: Regression,
    /// The standard deviation of one time, as a share of it.
    relative_error: f64,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// There are too few observations to estimate an error.
    #[error("law `{law}` needs at least {least} times to fit, not {count}")]
    TooFew {
        /// The law's name.
        law: &'static str,
        /// The observations that it needs.
        least: usize,
        /// The observations there are.
        count: usize,
    },
    /// All observations have the same predictor, so there is no slope.
    #[error("{symbol} is {x} at all {count} points, so nothing can grow with it")]
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
    /// There are fewer distinct predictors than parameters.
    #[error(
        "law `{law}` cannot be fitted: its {parameters} parameters do not follow from {distinct} distinct values of {symbol}"
    )]
    TooFewPredictors {
        /// The law's name.
        law: &'static str,
        /// Its symbol for the predictor.
        symbol: &'static str,
        /// How many parameters it has.
        parameters: usize,
        /// The distinct predictors there are.
        distinct: usize,
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
    /// A predictor is zero or negative, which the form of the law does not allow.
    #[error("law `{law}` cannot be fitted: it needs predictors above zero, and {symbol} is {x}")]
    NotPositive {
        /// The law's name.
        law: &'static str,
        /// Its symbol for the predictor.
        symbol: &'static str,
        /// The predictor.
        x: f64,
    },
    /// The observations do not determine the law's parameters, as where all are on one side of a kink.
    #[error("law `{law}` cannot be fitted: the times do not determine its parameters")]
    Undetermined {
        /// The law's name.
        law: &'static str,
    },
    /// The times are above the sum of what may overlap.
    #[error(
        "law `{law}` cannot be fitted: the times lie above the sum of its two parts (sharpness below 1), and overlap never makes them longer"
    )]
    AboveSum {
        /// The law's name.
        law: &'static str,
    },
    /// The times do not say how smooth the bend of a smooth maximum is.
    #[error(
        "law `{law}` cannot be fitted: the times do not determine the sharpness of its bend; `{sharp}` has the same two parts and no sharpness"
    )]
    NoBend {
        /// The law's name.
        law: &'static str,
        /// The law of the maximum itself.
        sharp: &'static str,
    },
    /// There are no plateaus, each higher than the one before.
    #[error(
        "law `{law}` cannot be fitted: the times do not rise from plateau to plateau, {on_plateau} values of {symbol} or more on each"
    )]
    NoPlateaus {
        /// The law's name.
        law: &'static str,
        /// Its symbol for the predictor.
        symbol: &'static str,
        /// Distinct predictors that each of them needs.
        on_plateau: usize,
    },
    /// The figures span more than floating point can square.
    #[error("law `{law}` cannot be fitted: its predictors or times are too large or too far apart")]
    OutOfRange {
        /// The law's name.
        law: &'static str,
    },
}

impl FitError {
    /// Whether the law cannot be tested with these observations, because they are too few or do not vary.
    pub fn is_silence(&self) -> bool {
        matches!(self, Self::TooFew { .. } | Self::SamePredictor { .. } | Self::TooFewPredictors { .. })
    }
}

impl LawFit {
    /// The time in microseconds that the law gives at a predictor of `x`.
    pub fn time_us(&self, x: f64) -> f64 {
        self.law.form.time_us(&self.uncertainty.regression.coefficients, x)
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
        let half = self.uncertainty.regression.reach() * (self.variance_at(x) + own).sqrt();
        let (low_us, high_us) = self.range_us(x);
        half.is_finite().then_some((low_us - half, high_us + half))
    }

    /// The times at `x` by all widths that steps may have; of other forms the one time.
    fn range_us(&self, x: f64) -> (f64, f64) {
        let (time_us, coefficients) = (self.time_us(x), &self.uncertainty.regression.coefficients);
        let (Form::Steps, [a, b, _], [.., width]) = (self.law.form, &coefficients[..], &self.estimates[..]) else {
            return (time_us, time_us);
        };
        let of_widths = [width.low, width.high].map(|width| Form::Steps.time_us(&[*a, *b, width], x));
        of_widths.iter().fold((time_us, time_us), |(low, high), own| (low.min(*own), high.max(*own)))
    }

    /// The variance of the law's own curve at `x`, in microseconds squared.
    fn variance_at(&self, x: f64) -> f64 {
        let regression = &self.uncertainty.regression;
        regression.variance_of(&self.law.form.gradient(&regression.coefficients, x))
    }

    /// How the curve changes with x at `x`, in microseconds for each unit of the predictor.
    pub fn slope_us(&self, x: f64) -> f64 {
        let step = x.abs().max(1e-3) * 1e-4;
        (self.time_us(x + step) - self.time_us(x - step)) / (2.0 * step)
    }

    /// A fixed cost that came out below zero, which no time can be.
    pub fn fixed_below_zero(&self) -> Option<&Estimate> {
        self.estimates.first().filter(|first| {
            ["us", ENERGY_UNIT].contains(&first.unit) && first.estimate < 0.0 && self.time_us(0.0) < 0.0
        })
    }

    /// The law's short word for its predictor.
    pub fn symbol(&self) -> &'static str {
        self.law.symbol_of(self.predictor)
    }

    /// The law with its estimates, to three significant digits: `t = 9.12 µs + 23.3 µs · n`.
    pub fn equation(&self) -> String {
        let parameters: Vec<f64> = self.estimates.iter().map(|estimate| estimate.estimate).collect();
        self.in_words(self.law.form.equation(&parameters, self.symbol(), figure))
    }

    /// The verdict, with the better form where there is one: `holds to within 1.2 %, but with the law `power` the error is 15 times smaller: ...`.
    pub fn told_verdict(&self) -> String {
        self.told_verdict_from(None)
    }

    /// The same, with the place from which the law holds in other words than its predictor's.
    pub fn told_verdict_from(&self, place: Option<&str>) -> String {
        let but = self.outdone.as_ref().map(|better| format!(", but {better}")).unwrap_or_default();
        self.in_words(format!("{}{but}", self.verdict.told_from(place)))
    }

    /// The same fit of energies, where it was made as if they were times; `None` where energies have no such law.
    pub(super) fn of_energies(mut self) -> Option<Self> {
        self.law = self.law.of_energy()?;
        for (estimate, parameter) in self.estimates.iter_mut().zip(self.law.parameters) {
            estimate.parameter = parameter.name;
            if estimate.unit == "us" {
                estimate.unit = ENERGY_UNIT;
            }
        }
        self.notes.iter_mut().for_each(|note| *note = in_words(note));
        self.outdone = self.outdone.as_deref().map(in_words);
        if let Verdict::Undecided(reason) | Verdict::Fails(reason) = &mut self.verdict {
            *reason = in_words(reason);
        }
        Some(self)
    }

    /// What is said of times, as it is said of what the law is of.
    fn in_words(&self, text: String) -> String {
        if self.law.is_of_energy() { in_words(&text) } else { text }
    }

    /// The verdict with its notes, as in the column `verdict`.
    pub fn finding(&self) -> String {
        std::iter::once(self.told_verdict()).chain(self.notes.iter().cloned()).collect::<Vec<_>>().join("; ")
    }
}

/// Three significant digits, with a minus sign that is not a hyphen.
fn figure(value: f64) -> String {
    unit::significant(value, 3).replace('-', "−")
}

#[cfg(test)]
mod tests;
