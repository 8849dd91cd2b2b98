//! What is said of a law beside its verdict.

use super::curve::most_steps;
use super::rule::{MOST_FLAT_PCT, level_pct};
use super::{LawFit, Observation, figure};
use crate::model::law::Form;
use crate::model::verdict::within;
use crate::unit::significant;

/// The fewest distinct predictors at which times must agree before a note says so for a part of the range.
const FEWEST_LEVEL: usize = 3;

/// From where on, or up to where, the times no longer depend on the predictor: at the end where they are smaller.
pub(super) fn levels_off(groups: &[&[Observation]], symbol: &str) -> Option<String> {
    let (first, last) = (groups.first()?, groups.last()?);
    let is_falling = first[0].time_us > last[0].time_us;
    let part = |count: usize| -> Vec<Observation> {
        let groups = if is_falling { &groups[groups.len() - count..] } else { &groups[..count] };
        groups.concat()
    };
    let longest = (FEWEST_LEVEL..groups.len()).take_while(|count| level_pct(&part(*count)).is_some()).last()?;
    let level = part(longest);
    let pct = within(level_pct(&level)?);
    let edge = if is_falling { level.first()?.x } else { level.last()?.x };
    let part = if is_falling { format!("from {symbol} = {edge} on") } else { format!("up to {symbol} = {edge}") };
    Some(format!("no measurable cost {part} (times agree {pct})"))
}

/// The narrowest steps that these predictors can show, of a law of steps that failed.
pub(super) fn narrowest_steps(form: Form, groups: &[&[Observation]], symbol: &str) -> Option<String> {
    let largest = groups.last()?.first()?.x;
    let narrowest = largest / most_steps(groups.len()) as f64;
    (form == Form::Steps).then(|| {
        format!(
            "steps narrower than {} are not tried: they need more values of {symbol} (two on each step)",
            figure(narrowest)
        )
    })
}

/// The predictor from which on a shared or hidden cost is less than a hundredth of the time; `None` if the range does not reach it.
pub(super) fn fades(fit: &LawFit) -> Option<String> {
    let (Form::Reciprocal, [fixed, shared]) = (fit.law.form, &fit.estimates[..]) else { return None };
    let from = (shared.estimate * (100.0 / MOST_FLAT_PCT - 1.0) / fixed.estimate).ceil();
    let (name, symbol) = (shared.parameter, fit.symbol());
    (from > fit.from && from <= fit.to)
        .then(|| format!("from {symbol} = {from} on {name} is less than {MOST_FLAT_PCT} % of the time"))
}

/// From how many times as long the last time is as the first one on times are said to grow: our choice.
const GROWTH_TOLD: f64 = 2.0;

/// What it says of a cost that its interval has zero in it, at times in the order of their predictor.
pub(super) fn no_cost(observations: &[Observation]) -> String {
    let growth = match observations {
        [first, .., last] if first.time_us > 0.0 => last.time_us / first.time_us,
        _ => 1.0,
    };
    if growth < GROWTH_TOLD {
        return "may be zero".to_owned();
    }
    format!("has both signs, though times grow {} times: they are not along the law", significant(growth, 2))
}

/// That a fixed cost below zero is none: the times bend below the line where it was not fitted.
pub(super) fn below_zero(fit: &LawFit) -> Option<String> {
    fit.fixed_below_zero().map(|first| {
        let what = if first.high < 0.0 { "which no time can be" } else { "though not clearly, and no time can be" };
        format!("{} is below zero, {what}: do not read it as a cost", first.parameter)
    })
}
