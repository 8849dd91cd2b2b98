//! Where a law holds, or fails, in words that a user reads at once: by the parameter that the user set, where a predictor follows from it.

use crate::family::Family;
use crate::model::fit::LawFit;
use crate::model::group::GroupFit;
use crate::model::verdict::Verdict;
use crate::record::{PointRecord, Status};

/// From where on a law holds, by the parameter of which that is as true as of its predictor: `width = 4096 on`.
pub fn held_from(points: &[PointRecord], family: &Family, group: &GroupFit, fit: &LawFit) -> Option<String> {
    let Verdict::HoldsFrom { from, .. } = fit.verdict else { return None };
    let points: Vec<&PointRecord> = points_of(points, group).collect();
    family.parameters.iter().map(|parameter| parameter.name).find_map(|name| {
        let known = points.iter().map(|point| Some((point.number(name)?, point.number(fit.predictor)? >= from)));
        let known = known.collect::<Option<Vec<(f64, bool)>>>()?;
        let first = known.iter().filter(|(_, holds)| *holds).map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
        let agrees = known.iter().all(|(value, holds)| (*value >= first) == *holds);
        agrees.then(|| format!("{name} = {first} on"))
    })
}

/// The verdict on a law, with its places by parameters.
pub fn told_verdict(points: &[PointRecord], family: &Family, group: &GroupFit, fit: &LawFit) -> String {
    let place = held_from(points, family, group, fit);
    let verdict = fit.told_verdict_from(place.as_deref());
    let Verdict::Fails(_) = fit.verdict else { return verdict };
    // The rule knows observations by their predictor alone, for which it has the law's symbol.
    let (_, x) = fit.furthest;
    let of_rule = format!(" at {} = {x}", fit.symbol());
    match verdict.split_once(&of_rule) {
        Some((before, after)) if !after.starts_with(|next: char| next.is_ascii_digit()) => {
            format!("{before} at {}{after}", place_of(points, family, group, fit, x))
        }
        _ => verdict,
    }
}

/// The place at which the predictor is `x`: by the parameter from which it follows, `width = 4096`, else by its own name.
pub(super) fn place_of(points: &[PointRecord], family: &Family, group: &GroupFit, fit: &LawFit, x: f64) -> String {
    let points: Vec<&PointRecord> = points_of(points, group).collect();
    let own = || format!("{} = {x}", fit.predictor);
    if family.parameter(fit.predictor).is_some() {
        return own();
    }
    let of_parameter = |name: &str| {
        let known =
            points.iter().map(|point| Some((point.number(name)?, point.number(fit.predictor)?.total_cmp(&x).is_eq())));
        let known = known.collect::<Option<Vec<(f64, bool)>>>()?;
        let (value, _) = known.iter().find(|(_, is_it)| *is_it)?;
        known.iter().all(|(own, is_it)| own.total_cmp(value).is_eq() == *is_it).then(|| format!("{name} = {value}"))
    };
    family.parameters.iter().find_map(|parameter| of_parameter(parameter.name)).unwrap_or_else(own)
}

/// The points of a group that have a time.
pub(super) fn points_of<'a>(points: &'a [PointRecord], group: &'a GroupFit) -> impl Iterator<Item = &'a PointRecord> {
    points.iter().filter(|point| {
        point.status == Status::Ok
            && group.group.iter().all(|(name, value)| point.value(name).is_none_or(|own| own == value.as_str()))
    })
}
