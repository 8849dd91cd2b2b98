//! What is said of a law beside its verdict.

use super::curve::most_steps;
use super::rule::{MOST_FLAT_PCT, level_pct};
use super::{LawFit, Observation, figure};
use crate::model::law::Form;
use crate::model::verdict::within;
use crate::unit::{of_predictor, significant};

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

/// Times this near to a plateau are on it, as a part of the rise between the two.
const ON_A_PLATEAU: f64 = 0.05;

/// Between which values of the predictor times rise from a plateau to the next: the law's form says where the step is within, and the times do not.
pub(super) fn rises(fit: &LawFit, groups: &[&[Observation]]) -> Option<String> {
    let Form::Plateaus { breaks } = fit.law.form else { return None };
    let levels: Vec<f64> = fit.estimates.get(..=breaks)?.iter().map(|own| own.estimate).collect();
    let symbol = fit.symbol();
    let mean = |group: &[Observation]| group.iter().map(|own| own.time_us).sum::<f64>() / group.len() as f64;
    let times: Vec<(f64, f64)> = groups.iter().filter_map(|group| Some((group.first()?.x, mean(group)))).collect();
    let place = |x: f64| of_predictor(symbol, x);
    let of_rise = |ends: &[f64]| {
        let [low, high] = [ends[0], ends[1]];
        let margin = ON_A_PLATEAU * (high - low);
        let (after, _) = times.iter().rev().find(|(_, time)| *time <= low + margin)?;
        let (before, _) = times.iter().find(|(_, time)| *time >= high - margin)?;
        Some(format!("{} and {}", place(*after), place(*before)))
    };
    let told: Vec<String> = levels.windows(2).filter_map(of_rise).collect();
    (!told.is_empty()).then(|| {
        format!("times rise between {symbol} = {}; where within, the form of the law decides", told.join(", "))
    })
}

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
