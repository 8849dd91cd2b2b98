//! Which form of law is best: Akaike's corrected criterion among those that predict times left out, and the simpler of two
//! that are as good.

use super::rule::{Candidate, judged, sorted};
use super::{FitError, LawFit, Observation, figure};
use crate::model::law::{Form, Law};
use crate::model::verdict::{Verdict, within};
use crate::unit;

/// Forms whose criteria differ by less are as good as each other (Burnham and Anderson, Model Selection and Multimodel
/// Inference, 2nd edition, section 2.6).
const AS_GOOD: f64 = 2.0;

/// A leave-one-out error of at most this factor times the best one is almost as good.
const ALMOST: f64 = 1.1;
/// Forms whose leave-one-out error is more than this times the least of all are not chosen, whatever their criterion.
const FAR_WORSE: f64 = 2.0;
/// Forms of more than two numbers take long without one smallest predictor after the other: beyond so many they are not tried.
const DISTINCT_MOST: usize = 64;
/// Errors below this, in percent, are rounding.
const EXACT_PCT: f64 = 1e-6;

/// A form that was not chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct RunnerUp {
    /// The form as a law.
    pub law: &'static Law,
    /// Its corrected Akaike criterion minus that of the best form.
    pub delta_aicc: f64,
    /// Its leave-one-out error, in percent of the times.
    pub error_pct: f64,
}

/// How `auto` chose a law among the forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The criterion of the chosen law minus that of the best form: above zero if a simpler form was preferred.
    pub delta_aicc: f64,
    /// The other forms that could be fitted, the best first.
    pub runners_up: Vec<RunnerUp>,
}

impl Selection {
    /// The cell of the `runners_up` column: name, difference of the criterion and leave-one-out error of each.
    pub fn cell(&self) -> String {
        let one = |other: &RunnerUp| {
            format!("{} {:+.1} {}%", other.law.name, other.delta_aicc, unit::error_pct(other.error_pct))
        };
        self.runners_up.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

/// The fits of all forms that apply and that have a criterion, by that.
fn ranked<'a>(
    predictor: &'static str,
    observations: &'a [Observation],
    is_robust: bool,
) -> Vec<(&'static Law, Candidate<'a>)> {
    let mut fits = fitted(predictor, observations, is_robust, applies);
    fits.retain(|(_, candidate)| candidate.fitted.aicc.is_finite());
    fits
}

/// The fits of all forms that apply, by their criterion, which is infinite where there are too few times for it.
fn fitted<'a>(
    predictor: &'static str,
    observations: &'a [Observation],
    is_robust: bool,
    applies: fn(&Law, &[Observation]) -> bool,
) -> Vec<(&'static Law, Candidate<'a>)> {
    let mut fits: Vec<(&'static Law, Candidate<'a>)> = Law::generic()
        .filter(|law| applies(law, observations))
        .filter_map(|law| Some((law, Candidate::fit(law, predictor, observations, is_robust).ok()?)))
        .filter(|(_, candidate)| candidate.is_sensible())
        .collect();
    fits.sort_by(|(_, one), (_, other)| one.fitted.aicc.total_cmp(&other.fitted.aicc));
    fits
}

/// Whether there are enough distinct predictors for a form, and none that it does not allow.
fn applies(law: &Law, observations: &[Observation]) -> bool {
    distinct(observations) >= law.form.fewest_for_choice() && is_allowed(law, observations)
}

/// The same where another form fails, so that noise is not what a form is taken for.
fn applies_beside_failure(law: &Law, observations: &[Observation]) -> bool {
    distinct(observations) >= law.form.fewest_beside_failure() && is_allowed(law, observations)
}

fn is_allowed(law: &Law, observations: &[Observation]) -> bool {
    !law.form.needs_positive() || observations.iter().all(|one| one.x > 0.0)
}

fn distinct(observations: &[Observation]) -> usize {
    observations.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()).count()
}

/// The form chosen among fits that are sorted by their criterion.
struct Choice {
    /// The place of the one chosen.
    chosen: usize,
    /// The place of the best by the criterion among those that predict times that are left out.
    best: usize,
}

/// The choice. Forms whose leave-one-out error is more than twice the least of all are out first: the criterion judges only
/// the times that it has seen, and a form with a kink or steps may fit those and predict no other. Of the rest, the
/// simplest is chosen among those that are as good as the best by the criterion: within 2 units of it, or predicting
/// times that are left out with an error at most a tenth above its.
fn choose(fits: &[(&'static Law, Candidate<'_>)]) -> Option<Choice> {
    let least = fits.iter().map(|(_, candidate)| candidate.error_pct).fold(f64::INFINITY, f64::min);
    let most = (least * FAR_WORSE).max(EXACT_PCT);
    // Where no form predicts anything, as with too few times, the criterion alone is left.
    let predicts = |candidate: &Candidate<'_>| !least.is_finite() || candidate.error_pct <= most;
    let best_place = fits.iter().position(|(_, candidate)| predicts(candidate))?;
    let best = &fits[best_place].1;
    let is_as_good = |place: usize, candidate: &Candidate<'_>| {
        place == best_place
            || candidate.fitted.aicc - best.fitted.aicc <= AS_GOOD
            || (best.error_pct > EXACT_PCT && candidate.error_pct <= best.error_pct * ALMOST)
    };
    let as_good =
        fits.iter().enumerate().filter(|(place, (_, candidate))| predicts(candidate) && is_as_good(*place, candidate));
    let (chosen, _) = as_good.min_by_key(|(place, (law, _))| (law.form.complexity(), *place))?;
    Some(Choice { chosen, best: best_place })
}

/// Times beyond those that a form needs for the criterion at all, up to which the criterion is of no use to it: its correction for few times outweighs all.
const STARVED: usize = 3;

/// Two lines where there are too few times for the criterion to choose them: their break stands out from all that were tried, and times left
/// out are predicted at least twice as well as by the form chosen. Their place among the fits, to which they are added.
fn clear_break<'a>(
    predictor: &'static str,
    observations: &'a [Observation],
    is_robust: bool,
    fits: &mut Vec<(&'static Law, Candidate<'a>)>,
    chosen: usize,
) -> Option<usize> {
    let form = Form::TwoLines;
    let (distinct, needed) = (distinct(observations), form.weighed_parameters() + 3);
    if distinct < form.fewest_for_choice() || observations.len() > needed + STARVED || fits[chosen].0.form == form {
        return None;
    }
    let law = Law::of_form(form);
    let lines = Candidate::fit(law, predictor, observations, is_robust).ok()?;
    lines.cost(false).ok()?;
    if lines.error_pct > fits[chosen].1.error_pct / FAR_WORSE {
        return None;
    }
    fits.retain(|(other, _)| other.form != form);
    fits.push((law, lines));
    Some(fits.len() - 1)
}

/// Where the form chosen fails: one that holds and predicts times left out at least twice as well, but has too few times for the criterion.
/// Its place among the fits, to which it is added.
fn one_that_holds<'a>(
    predictor: &'static str,
    observations: &'a [Observation],
    is_robust: bool,
    fits: &mut Vec<(&'static Law, Candidate<'a>)>,
    (chosen, has_failed): (usize, bool),
) -> Option<usize> {
    let own = &fits[chosen].1;
    let mut others =
        fitted(predictor, observations, is_robust, if has_failed { applies_beside_failure } else { applies });
    others.retain(|(_, other)| other.error_pct <= own.error_pct / FAR_WORSE && other.check().is_ok());
    let (law, better) = others.swap_remove(choose(&others)?.chosen);
    fits.retain(|(other, _)| other.form != law.form);
    fits.push((law, better));
    Some(fits.len() - 1)
}

/// The form, but for one, that holds without some of the smallest predictors: of those that hold for most times the simplest, where no other
/// one's leave-one-out error is less than half of its.
fn holding_from(
    but: Form,
    predictor: &'static str,
    sorted: &[Observation],
    is_robust: bool,
) -> Option<(LawFit, f64, f64)> {
    let is_many = distinct(sorted) > DISTINCT_MOST;
    let is_tried = |law: &&'static Law| {
        law.form != but && law.form != Form::Constant && applies(law, sorted) && !(is_many && law.form.parameters() > 2)
    };
    let fit = |law: &'static Law| match judged(law, predictor, sorted, is_robust, false).ok()? {
        fit @ LawFit { verdict: Verdict::HoldsFrom { from, within_pct, .. }, .. } => Some((fit, from, within_pct)),
        _ => None,
    };
    let mut holding: Vec<(LawFit, f64, f64)> = Law::generic().filter(is_tried).filter_map(fit).collect();
    let first = holding.iter().map(|(_, from, _)| *from).fold(f64::INFINITY, f64::min);
    holding.retain(|(_, from, _)| *from <= first);
    let least = holding.iter().map(|(fit, ..)| fit.error_pct).fold(f64::INFINITY, f64::min);
    holding.retain(|(fit, ..)| fit.error_pct <= (least * FAR_WORSE).max(EXACT_PCT));
    holding.into_iter().min_by_key(|(fit, ..)| fit.law.form.complexity())
}

/// The place of a law among the fits, to which it is added where it has too few times for the criterion.
fn place_of<'a>(
    law: &'static Law,
    predictor: &'static str,
    observations: &'a [Observation],
    is_robust: bool,
    fits: &mut Vec<(&'static Law, Candidate<'a>)>,
) -> Option<usize> {
    if let Some(place) = fits.iter().position(|(other, _)| other.form == law.form) {
        return Some(place);
    }
    fits.push((law, Candidate::fit(law, predictor, observations, is_robust).ok()?));
    Some(fits.len() - 1)
}

/// Fits every form that applies and judges the best as a law of its own, with the others as its runners-up.
///
/// # Errors
/// As [`fit_law`](super::fit_law) for a line, where no form can be fitted.
pub fn fit_best(predictor: &'static str, observations: &[Observation], is_robust: bool) -> Result<LawFit, FitError> {
    let line = Law::of_form(Form::Affine);
    let sorted = sorted(line, predictor, observations)?;
    let mut fits = ranked(predictor, &sorted, is_robust);
    let Some(Choice { mut chosen, best: mut best_place }) = choose(&fits) else {
        return judged(line, predictor, &sorted, is_robust, false);
    };
    if let Some(place) = clear_break(predictor, &sorted, is_robust, &mut fits, chosen) {
        (chosen, best_place) = (place, place);
    }
    let mut fit = judged(fits[chosen].0, predictor, &sorted, is_robust, false)?;
    let has_failed = matches!(fit.verdict, Verdict::Fails(_));
    if has_failed || matches!(fit.verdict, Verdict::Undecided(_)) {
        if let Some(place) = one_that_holds(predictor, &sorted, is_robust, &mut fits, (chosen, has_failed)) {
            (chosen, best_place) = (place, place);
            fit = judged(fits[chosen].0, predictor, &sorted, is_robust, false)?;
        } else if let Some((better, ..)) = holding_from(fits[chosen].0.form, predictor, &sorted, is_robust)
            && better.error_pct <= fit.error_pct / FAR_WORSE
            && let Some(place) = place_of(better.law, predictor, &sorted, is_robust, &mut fits)
        {
            (chosen, best_place, fit) = (place, place, better);
        } else if has_failed {
            fit.notes.extend(better(fits[chosen].0, predictor, &sorted, is_robust));
        }
    }
    let best = fits[0].1.fitted.aicc;
    let others = fits.iter().enumerate().filter(|(place, _)| *place != chosen);
    let runners_up: Vec<RunnerUp> = others
        .map(|(_, (law, candidate))| RunnerUp {
            law,
            delta_aicc: candidate.fitted.aicc - best,
            error_pct: candidate.error_pct,
        })
        .collect();
    let delta_aicc = fits[chosen].1.fitted.aicc - best;
    if best_place > 0 {
        fit.notes.push(format!("preferred to {}, whose leave-one-out error is far larger", fits[0].0.name));
    }
    if chosen != best_place {
        fit.notes.push(format!("preferred to {}, which is more complex and fits no better", fits[best_place].0.name));
    }
    // The criterion judges the observations that it has seen; left-out ones may speak for another.
    let own = fit.error_pct;
    if let Some(other) = runners_up.iter().find(|other| other.delta_aicc < 10.0 && other.error_pct < own / 2.0) {
        fit.notes.push(format!("{} has a smaller leave-one-out error", other.law.name));
    }
    fit.selection = Some(Selection { delta_aicc, runners_up });
    Ok(fit)
}

/// The form whose leave-one-out error is at most half that of a law which holds: the one that `auto` would choose among those
/// that hold, or among all if none does. Few times keep none out: the errors are of times that the form has not seen,
/// whatever its criterion.
pub(super) fn far_better(own: &Candidate<'_>) -> Option<String> {
    let mut fits = fitted(own.predictor, own.data.observations, own.is_robust, applies);
    fits.retain(|(other, candidate)| other.form != own.law.form && candidate.error_pct <= own.error_pct / FAR_WORSE);
    if fits.iter().any(|(_, candidate)| candidate.check().is_ok()) {
        fits.retain(|(_, candidate)| candidate.check().is_ok());
    }
    let (other, candidate) = &fits[choose(&fits)?.chosen];
    let times = own.error_pct / candidate.error_pct.max(EXACT_PCT);
    let equation = other.form.equation(&other.form.read(candidate.fitted.coefficients()), own.symbol(), figure);
    let times = unit::significant(times, 2);
    Some(format!("with the law `{}` the error is {times} times smaller: {equation}", other.name))
}

/// The same of a law that holds without the smallest predictors alone: a form that holds for all `sorted` times.
pub(super) fn far_better_for_all(own: &Candidate<'_>, sorted: &[Observation]) -> Option<String> {
    let mut fits = fitted(own.predictor, sorted, own.is_robust, applies);
    fits.retain(|(other, candidate)| {
        other.form != own.law.form && candidate.error_pct <= own.error_pct / FAR_WORSE && candidate.check().is_ok()
    });
    let (other, candidate) = &fits[choose(&fits)?.chosen];
    let times = own.error_pct / candidate.error_pct.max(EXACT_PCT);
    let equation = other.form.equation(&other.form.read(candidate.fitted.coefficients()), own.symbol(), figure);
    let times = unit::significant(times, 2);
    Some(format!("the law `{}` holds for all times, and its error is {times} times smaller: {equation}", other.name))
}

/// A note on the form that holds where a law fails: of those that are better, the one that `auto` would choose; where none holds for all
/// times, one that does without the smallest predictors.
pub(super) fn better(
    law: &'static Law,
    predictor: &'static str,
    sorted: &[Observation],
    is_robust: bool,
) -> Option<String> {
    let own = Candidate::fit(law, predictor, sorted, is_robust).ok()?;
    let mut fits = fitted(predictor, sorted, is_robust, applies_beside_failure);
    fits.retain(|(other, candidate)| {
        let has_better_criterion = candidate.fitted.aicc < own.fitted.aicc - AS_GOOD;
        other.form != law.form && (has_better_criterion || candidate.error_pct <= own.error_pct / FAR_WORSE)
    });
    let symbol = law.symbol_of(predictor);
    fits.retain(|(_, candidate)| candidate.check().is_ok());
    if let Some(Choice { chosen, .. }) = choose(&fits) {
        let (other, candidate) = &fits[chosen];
        let equation = other.form.equation(&other.form.read(candidate.fitted.coefficients()), symbol, figure);
        return Some(format!(
            "{} fits better: {equation}, {}",
            other.name,
            within(candidate.fitted.within_pct(sorted))
        ));
    }
    let (fit, from, within_pct) = holding_from(law.form, predictor, sorted, is_robust)?;
    let parameters: Vec<f64> = fit.estimates.iter().map(|own| own.estimate).collect();
    let (name, equation) = (fit.law.name, fit.law.form.equation(&parameters, symbol, figure));
    Some(format!("{name} fits better from {symbol} = {from} on: {equation}, {}", within(within_pct)))
}
