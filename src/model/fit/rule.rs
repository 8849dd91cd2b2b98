//! The rule by which a law holds.

use super::choice;
use super::curve::{Data, Fitted, intervals, refusal};
use super::notes::{below_zero, fades, levels_off, narrowest_steps, no_cost, rises};
use super::{Estimate, FitError, IntervalMethod, LawFit, Observation, Replication, Uncertainty, figure};
use crate::model::law::{Form, Law};
use crate::model::verdict::Verdict;
use least_squares::LackOfFit;

/// The least share of the variation of the times that a law must explain.
pub const LEAST_R2: f64 = 0.99;
/// The most that the leave-one-out errors may be in the root mean square, in percent of the times.
pub const MOST_ERROR_PCT: f64 = 3.0;
/// The most that any one leave-one-out error may be, in percent of its time.
pub const MOST_SINGLE_ERROR_PCT: f64 = 5.0;
/// The fewest distinct predictors that a verdict on a law of two parameters can rest on; each further one needs one more.
pub const FEWEST_PREDICTORS: usize = 4;
/// At most one in this many of the smallest predictors may be left out.
pub const LEFT_OUT_ONE_IN: usize = 4;
/// Times within this percentage of their middle count as independent of the predictor.
pub const MOST_FLAT_PCT: f64 = 1.0;
/// A misfit counts as noise if noise alone causes it with at least this probability.
const LEAST_P: f64 = 0.05;

/// Fits a law to times and says whether it holds.
///
/// The fit is relative least squares, each observation weighted by 1 / time²: times of one sweep span decades and
/// their errors are in proportion to them, so that unweighted the largest times alone would set the intercept.
///
/// **The rule.** Where no time is more than 1 % from the middle of all, there is no cost to see. Else a law holds when,
/// over the observations used,
///
/// 1. the 95 % interval of its cost (the slope of a line, what is shared, the step, the exponent) excludes zero, and lies
///    above it where the law names a cost,
/// 2. the leave-one-out errors (each time predicted by the fit to all the others, in percent of the time) are at most
///    3 % in the root mean square and
/// 3. at most 5 % each, and
/// 4. R² is at least 0.99 (of laws with more than one parameter).
///
/// If all observations do not satisfy this, the smallest predictors are left out, one distinct value at a time, at
/// most a quarter of the distinct values and never so many that fewer than 4 remain (one more for each parameter beyond
/// two); the first rest that satisfies it gives "holds from", and the estimates are then those of that rest. Otherwise the
/// law fails, with the estimates and the reason (the first of the four that is missed) from all observations; unless
/// the misfit is within what the times themselves are uncertain by, or the distinct predictors are too few: then it is undecided.
///
/// Sizes decide, and not significance: times of a GPU are known to a twentieth of a percent, and no law of a few
/// parameters is as exact as that, so that every one of them would be rejected. The errors say whether the law predicts, and
/// are the strictest criterion over a steep range. R² is where the times
/// rise by less than a factor of about 2.5: the flatter they are, the more curves predict them within 3 %, so that the
/// misfit must be small beside the rise and not only beside the time. It implies the slope's interval but for its
/// sign, which is asked first for the sake of a plain reason. No more than a quarter may go because over half of its
/// range any smooth curve is nearly a line: with half, `10 + n^1.5` and `10 + n log n` over 1 to 32 would hold.
///
/// Where `is_thorough`, the other forms are tried: where a law fails a note names the one that holds; where it holds and its misfit is more than
/// noise the verdict names the one whose leave-one-out error is at most half its own.
///
/// # Errors
/// [`FitError`] where not even the estimates can be had: too few observations, equal predictors, a time that is
/// not a positive number, a predictor that is not finite or not allowed, or figures too far apart.
pub fn fit_law(
    law: &'static Law,
    predictor: &'static str,
    observations: &[Observation],
    is_robust: bool,
    is_thorough: bool,
) -> Result<LawFit, FitError> {
    let sorted = sorted(law, law.symbol_of(predictor), observations)?;
    judged(law, predictor, &sorted, is_robust, is_thorough)
}

/// The observations by predictor, so that not even the last digit depends on their order. Adding 0 makes -0 a 0.
pub(super) fn sorted(
    law: &'static Law,
    symbol: &'static str,
    observations: &[Observation],
) -> Result<Vec<Observation>, FitError> {
    for &Observation { x, time_us, .. } in observations {
        if !x.is_finite() {
            return Err(FitError::BadPredictor { law: law.name, symbol, x });
        }
        if law.form.needs_positive() && x <= 0.0 {
            return Err(FitError::NotPositive { law: law.name, symbol, x });
        }
        if !(time_us.is_finite() && time_us > 0.0) {
            return Err(FitError::BadTime { law: law.name, symbol, x, time_us });
        }
    }
    let mut sorted: Vec<Observation> = observations.iter().map(|one| Observation { x: one.x + 0.0, ..*one }).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.time_us.total_cmp(&b.time_us)));
    if sorted.is_empty() {
        return Err(FitError::TooFew { law: law.name, least: law.form.parameters() + 1, count: 0 });
    }
    Ok(sorted)
}

pub(super) fn judged(
    law: &'static Law,
    predictor: &'static str,
    sorted: &[Observation],
    is_robust: bool,
    is_thorough: bool,
) -> Result<LawFit, FitError> {
    let symbol = law.symbol_of(predictor);
    let groups: Vec<&[Observation]> = sorted.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()).collect();
    let distinct = groups.len();
    let fewest = law.form.fewest_for_verdict();
    let all = Candidate::fit(law, predictor, sorted, is_robust)?;
    if distinct < fewest {
        let reason = format!("only {distinct} distinct values of {symbol}, {fewest} are needed");
        return Ok(all.with(Verdict::Undecided(reason)));
    }
    if law.form != Form::Constant
        && let Some(within_pct) = level_pct(sorted)
    {
        let is_clear = all.cost(false).is_ok();
        return Ok(all.with(Verdict::NoCost { symbol, range: (all.from(), all.to()), within_pct, is_clear }));
    }
    let Err(reason) = all.check() else {
        let mut fit = all.with(Verdict::Holds { within_pct: all.fitted.within_pct(sorted) });
        fit.notes.extend(fades(&fit).into_iter().chain(below_zero(&fit)).chain(rises(&fit, &groups)));
        fit.outdone = outdone(&all, &fit, is_thorough);
        return Ok(fit);
    };
    let mut rest = sorted;
    for dropped in groups.iter().take((distinct / LEFT_OUT_ONE_IN).min(distinct - fewest)) {
        rest = &rest[dropped.len()..];
        // What cannot be fitted to the rest says nothing of the fit to all.
        let Ok(candidate) = Candidate::fit(law, predictor, rest, is_robust) else { continue };
        if level_pct(rest).is_none() && candidate.check().is_ok() {
            let within_pct = candidate.fitted.within_pct(rest);
            let mut fit = candidate.with(Verdict::HoldsFrom { symbol, from: candidate.from(), within_pct });
            fit.notes.extend(below_zero(&fit));
            let of_all = || (is_thorough && is_clear(&fit)).then(|| choice::far_better_for_all(&candidate, sorted))?;
            fit.outdone = outdone(&candidate, &fit, is_thorough).or_else(of_all);
            return Ok(fit);
        }
    }
    let replication = all.replication();
    let verdict = match replication {
        Some(Replication { noise_pct, p }) if p >= LEAST_P => Verdict::Undecided(format!(
            "{reason}; noise may explain this: each time is uncertain by {} %",
            figure(noise_pct)
        )),
        _ => Verdict::Fails(reason),
    };
    let mut fit = all.with(verdict);
    fit.notes.extend(levels_off(&groups, symbol).into_iter().chain(narrowest_steps(law.form, &groups, symbol)));
    if is_thorough {
        fit.notes.extend(choice::better(law, predictor, sorted, is_robust));
    }
    Ok(fit)
}

/// The form that misses the times by much less than a law that holds, where its misfit is no noise.
fn outdone(candidate: &Candidate<'_>, fit: &LawFit, is_thorough: bool) -> Option<String> {
    if is_thorough && is_clear(fit) { choice::far_better(candidate) } else { None }
}

/// Whether the misfit is no noise.
fn is_clear(fit: &LawFit) -> bool {
    fit.replication.is_some_and(|known| known.p < LEAST_P)
}

/// How far the times are from the middle of the smallest and the largest, in percent, where that is so little that they
/// do not depend on the predictor.
pub(super) fn level_pct(observations: &[Observation]) -> Option<f64> {
    let times = observations.iter().map(|one| one.time_us);
    let (low, high) = times.fold((f64::INFINITY, 0.0_f64), |(low, high), time| (low.min(time), high.max(time)));
    let pct = (high - low) / (high + low) * 100.0;
    (pct <= MOST_FLAT_PCT).then_some(pct)
}

/// A fit that has yet to be judged, to observations sorted by predictor.
pub(super) struct Candidate<'a> {
    pub(super) law: &'static Law,
    pub(super) predictor: &'static str,
    pub(super) is_robust: bool,
    pub(super) data: Data<'a>,
    pub(super) fitted: Fitted,
    pub(super) error_pct: f64,
    /// The largest leave-one-out error without its sign, in percent, and which observation has it.
    largest: (f64, usize),
    r2: f64,
}

impl<'a> Candidate<'a> {
    pub(super) fn fit(
        law: &'static Law,
        predictor: &'static str,
        observations: &'a [Observation],
        is_robust: bool,
    ) -> Result<Self, FitError> {
        let data = Data::relative(observations);
        let symbol = law.symbol_of(predictor);
        let fitted =
            Fitted::new(law.form, &data, is_robust).map_err(|error| refusal(&error, law, symbol, observations))?;
        let (error_pct, largest) = fitted.errors(observations);
        let r2 = fitted.r2(&data);
        if !(error_pct.is_finite() && r2.is_finite() && fitted.coefficients().iter().all(|one| one.is_finite())) {
            return Err(FitError::OutOfRange { law: law.name });
        }
        Ok(Self { law, predictor, is_robust, data, fitted, error_pct, largest, r2 })
    }

    pub(super) fn symbol(&self) -> &'static str {
        self.law.symbol_of(self.predictor)
    }

    pub(super) fn from(&self) -> f64 {
        self.data.observations[0].x
    }

    pub(super) fn to(&self) -> f64 {
        self.data.observations[self.data.observations.len() - 1].x
    }

    /// Whether the interval of the law's cost excludes zero; the error says how it does not. Costs must be positive where
    /// `must_be_positive`.
    pub(super) fn cost(&self, must_be_positive: bool) -> Result<(), String> {
        let index = match self.law.form {
            Form::Constant | Form::Proportional => return Ok(()),
            Form::TwoLines => 2,
            _ => 1,
        };
        match self.law.form {
            Form::TwoLines => self.has_break()?,
            Form::Plateaus { breaks } => return self.has_plateaus(breaks),
            _ => {}
        }
        let name = match self.law.form {
            Form::Affine => "the slope",
            Form::Saturation => "the time for each byte",
            Form::TwoLines => "the change of the slope",
            _ => self.law.parameters[index].name,
        };
        let unit = if self.law.form == Form::Power { "" } else { " µs" };
        let (low, high) = self.fitted.regression.interval_among(index, self.fitted.places);
        let estimate = self.fitted.coefficients()[index];
        let told = figure(estimate);
        if !must_be_positive {
            return if low > 0.0 || high < 0.0 {
                Ok(())
            } else if high > low {
                let why = no_cost(self.data.observations);
                Err(format!("{name} {told}{unit}, 95 % interval {} to {}{unit}, {why}", figure(low), figure(high)))
            } else {
                Err(format!("{name} is zero"))
            };
        }
        if low > 0.0 {
            Ok(())
        } else if high > low {
            let [low, high] = [low, high].map(figure);
            Err(format!("{name} {told}{unit}, 95 % interval {low} to {high}{unit}, is not clearly above zero"))
        } else {
            Err(format!("{name} {told}{unit} is not above zero"))
        }
    }

    /// Whether two lines fit better than one by more than noise on a straight line would let the best of all breaks that were tried do (an F
    /// test with the break's place as a parameter, corrected for the places: Bonferroni).
    fn has_break(&self) -> Result<(), String> {
        if self.fitted.is_at_edge {
            let (at, symbol) = (figure(self.fitted.coefficients()[3]), self.symbol());
            return Err(format!(
                "the break may be beyond {at}: it is looked for where 3 values of {symbol} are on either side"
            ));
        }
        let Ok(line) = Fitted::new(Form::Affine, &self.data, self.is_robust) else { return Ok(()) };
        let degrees = self.data.observations.len().saturating_sub(Form::TwoLines.parameters()).max(1);
        let gained = (line.squares - self.fitted.squares).max(0.0) / 2.0;
        let p = least_squares::f_tail(gained / (self.fitted.squares / degrees as f64), 2, degrees);
        let p = (p * self.fitted.places as f64).min(1.0);
        if p < LEAST_P {
            return Ok(());
        }
        Err(format!("the break may be noise: {}", noise_alone(p)))
    }

    /// Whether the last break wins more than noise would let the best of all places do (an F test with place, rise and sharpness as parameters,
    /// corrected for the places: Bonferroni), and whether no simple curve does as well without any.
    fn has_plateaus(&self, breaks: usize) -> Result<(), String> {
        let squares = self.fitted.squares;
        for form in [Form::Affine, Form::Power] {
            if Fitted::new(form, &self.data, self.is_robust).is_ok_and(|other| other.squares <= squares) {
                let name = Law::of_form(form).name;
                return Err(format!("no plateaus: the law `{name}` is as near to the times without a break"));
            }
        }
        let form = if breaks > 1 { Form::Plateaus { breaks: breaks - 1 } } else { Form::Constant };
        let Ok(fewer) = Fitted::new(form, &self.data, self.is_robust) else { return Ok(()) };
        let degrees = self.data.observations.len().saturating_sub(self.law.form.parameters()).max(1);
        let gained = (fewer.squares - squares).max(0.0) / 3.0;
        let p = least_squares::f_tail(gained / (squares / degrees as f64), 3, degrees);
        let p = (p * self.fitted.places as f64).min(1.0);
        if p < LEAST_P {
            return Ok(());
        }
        let which = if breaks > 1 { "one of the breaks" } else { "the break" };
        Err(format!("{which} may be noise: {}", noise_alone(p)))
    }

    /// Applies the rule to all observations. The error is the reason why the law does not hold.
    pub(super) fn check(&self) -> Result<(), String> {
        let symbol = self.symbol();
        let (largest, index) = self.largest;
        let one = &self.data.observations[index];
        let at = one.x;
        let flagged = if one.is_flagged { ", a time that the run flags" } else { "" };
        self.cost(self.law.predictor.is_some())?;
        if self.error_pct > MOST_ERROR_PCT {
            return Err(format!(
                "leave-one-out error {} % is above {MOST_ERROR_PCT} %, largest error {} % at {symbol} = {at}{flagged}",
                apart(self.error_pct, MOST_ERROR_PCT, 1),
                apart(largest, MOST_ERROR_PCT, 1),
            ));
        }
        if largest > MOST_SINGLE_ERROR_PCT {
            return Err(format!(
                "leave-one-out error {} % at {symbol} = {at}{flagged} is above {MOST_SINGLE_ERROR_PCT} %",
                apart(largest, MOST_SINGLE_ERROR_PCT, 1),
            ));
        }
        if self.r2 < LEAST_R2 && self.law.form.parameters() > 1 {
            let (from, to) = (self.from(), self.to());
            let rise_pct = (self.fitted.time_us(to) / self.fitted.time_us(from) - 1.0) * 100.0;
            let way = if rise_pct < 0.0 { "fall" } else { "rise" };
            return Err(format!(
                "R2 {} is below {LEAST_R2}, with times that {way} by {} % from {symbol} = {from} to {to}",
                apart(self.r2, LEAST_R2, 3),
                figure(rise_pct.abs()),
            ));
        }
        Ok(())
    }

    /// Whether the figures can mean something: a curve of positive times, with more than one observation on each side of a kink,
    /// a break within them, and a smooth maximum that is no more than the sum.
    pub(super) fn is_sensible(&self) -> bool {
        let curve = self.data.observations.iter().map(|one| self.fitted.time_us(one.x));
        curve.clone().all(|time_us| time_us > 0.0)
            && match (self.law.form, self.fitted.coefficients()) {
                (Form::Overlap | Form::Hiding, [floor, _]) => {
                    let level = curve.filter(|time_us| time_us <= floor).count();
                    level >= 2 && self.data.observations.len() - level >= 2
                }
                (Form::TwoLines, _) => !self.fitted.is_at_edge,
                // Below 1 the times would be above the sum of both: nothing that overlaps.
                (Form::SmoothOverlap | Form::SmoothHiding, [.., sharpness]) => *sharpness >= 1.0,
                _ => true,
            }
    }

    /// The misfit against what the times are uncertain by, of a fit weighted by that. `None` where an uncertainty is not known.
    fn replication(&self) -> Option<Replication> {
        let observations = self.data.observations;
        let errors: Vec<f64> = observations.iter().map(|one| one.error).collect::<Option<_>>()?;
        let variances: Vec<f64> =
            observations.iter().zip(&errors).map(|(one, error)| (error * one.time_us).powi(2)).collect();
        let weights = variances.iter().map(|variance| self.data.smallest_us.powi(2) / variance).collect();
        let fitted = Fitted::new(self.law.form, &Data { weights, ..self.data.clone() }, false).ok()?;
        let mut regression = fitted.regression;
        regression.degrees = observations.len().saturating_sub(self.law.form.parameters()).max(1);
        let p = LackOfFit::from_variances(&regression, &variances).ok()?.p_value;
        let mean_square = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
        Some(Replication { noise_pct: mean_square.sqrt() * 100.0, p })
    }

    fn estimates(&self) -> (Vec<Estimate>, IntervalMethod) {
        let Fitted { form, regression, .. } = &self.fitted;
        let read = form.read(&regression.coefficients);
        let of_breaks = match form {
            Form::Plateaus { .. } => intervals(&self.data, &regression.coefficients),
            _ => Vec::new(),
        };
        let interval = |index: usize| match (form, index) {
            (Form::Saturation, 1) => {
                let (low, high) = self.fitted.regression.interval(1);
                (1e-3 / high, if low > 0.0 { 1e-3 / low } else { f64::INFINITY })
            }
            (Form::TwoLines, 2) => {
                let half = regression.reach() * regression.variance_of(&[0.0, 1.0, 1.0, 0.0]).sqrt();
                (read[2] - half, read[2] + half)
            }
            (Form::Plateaus { breaks }, index) if index > *breaks => of_breaks[index - breaks - 1],
            (Form::Plateaus { .. }, index) => {
                let upwards: Vec<f64> = (0..read.len()).map(|own| f64::from(u8::from(own <= index))).collect();
                let half = regression.reach() * regression.variance_of(&upwards).sqrt();
                (read[index] - half, read[index] + half)
            }
            (Form::Steps, 2) | (Form::TwoLines, 3) => self.fitted.place.unwrap_or((read[index], read[index])),
            _ => self.fitted.regression.interval(index),
        };
        let method = if self.is_robust { IntervalMethod::Huber } else { IntervalMethod::Student };
        let intervals: Vec<(f64, f64)> = (0..read.len()).map(interval).collect();
        let estimates =
            self.law.parameters.iter().zip(read).zip(intervals).map(|((parameter, estimate), (low, high))| {
                let unit = if parameter.unit == "x" { self.predictor } else { parameter.unit };
                Estimate { parameter: parameter.name, estimate, low, high, unit }
            });
        (estimates.collect(), method)
    }

    pub(super) fn with(&self, verdict: Verdict) -> LawFit {
        let (estimates, interval) = self.estimates();
        LawFit {
            law: self.law,
            predictor: self.predictor,
            estimates,
            interval,
            r2: self.r2,
            error_pct: self.error_pct,
            furthest: (self.largest.0, self.data.observations[self.largest.1].x),
            n: self.data.observations.len(),
            from: self.from(),
            to: self.to(),
            verdict,
            outdone: None,
            notes: Vec::new(),
            selection: None,
            replication: self.replication(),
            uncertainty: Uncertainty {
                regression: self.fitted.regression.clone(),
                relative_error: self.fitted.relative_error,
            },
        }
    }
}

/// `value` with at least `decimals` decimals, and as many more as it takes not to read like `limit`.
pub(super) fn apart(value: f64, limit: f64, decimals: usize) -> String {
    let limit_at = |decimals| format!("{limit:.decimals$}");
    let decimals = (decimals..12).find(|&count| format!("{value:.count$}") != limit_at(count)).unwrap_or(12);
    format!("{value:.decimals$}")
}

/// How often noise alone shows a break that is as clear: an upper bound of the probability, which tells nothing where it is all cases.
fn noise_alone(p: f64) -> String {
    if p < 1.0 {
        format!("noise alone makes one as clear in up to {} % of cases", figure(1e2 * p))
    } else {
        "at one of the places that were tried, noise alone is expected to make one as clear".to_owned()
    }
}
