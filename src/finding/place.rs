//! Where a law holds, or fails, in words that a user reads at once: by the parameter that the user set, where a predictor follows from it.

use super::conclusion::one_of;
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
    by_parameters(&verdict, points, family, group, fit)
}

/// What was said of a law, with its places by parameters. What judges laws knows observations by their predictor alone, for which it has the law's
/// symbol: `at m = 5`, `from bytes_moved = 8192 on`.
pub fn by_parameters(told: &str, points: &[PointRecord], family: &Family, group: &GroupFit, fit: &LawFit) -> String {
    let symbol = format!("{} = ", fit.symbol());
    let mut rest = told;
    let mut own = String::new();
    while let Some((before, after)) = rest.split_once(&symbol) {
        let end = after.find(|next: char| !next.is_ascii_digit()).unwrap_or(after.len());
        let is_place = before.ends_with(" at ") || before.ends_with(" from ") && after[end..].starts_with(" on");
        own += before;
        match after[..end].parse::<f64>() {
            Ok(x) if is_place => own += &place_of(points, family, group, fit, x),
            _ => own.extend([symbol.as_str(), &after[..end]]),
        }
        rest = &after[end..];
    }
    own + rest
}

/// The place at which the predictor is `x`: by the parameter from which it follows, `width = 4096`, else by its own name.
pub(super) fn place_of(points: &[PointRecord], family: &Family, group: &GroupFit, fit: &LawFit, x: f64) -> String {
    let known = parameter_at(points, family, group, fit, x);
    known.map_or_else(|| format!("{} = {x}", fit.predictor), |(name, value)| format!("{name} = {value}"))
}

/// The parameter from which the predictor follows, with its value where that is `x`; `None` where no parameter alone tells it.
pub fn parameter_at(
    points: &[PointRecord],
    family: &Family,
    group: &GroupFit,
    fit: &LawFit,
    x: f64,
) -> Option<(&'static str, f64)> {
    if let Some(own) = family.parameter(fit.predictor) {
        return Some((own.name, x));
    }
    let points: Vec<&PointRecord> = points_of(points, group).collect();
    let of_parameter = |name: &'static str| {
        let is_it = |point: &PointRecord| Some(point.number(fit.predictor)?.total_cmp(&x).is_eq());
        let known = points.iter().map(|point| Some((point.number(name)?, is_it(point)?)));
        let known = known.collect::<Option<Vec<(f64, bool)>>>()?;
        let (value, _) = *known.iter().find(|(_, is_it)| *is_it)?;
        known.iter().all(|(own, is_it)| own.total_cmp(&value).is_eq() == *is_it).then_some((name, value))
    };
    family.parameters.iter().find_map(|parameter| of_parameter(parameter.name))
}

/// The points of a group that have a time.
pub(super) fn points_of<'a>(points: &'a [PointRecord], group: &'a GroupFit) -> impl Iterator<Item = &'a PointRecord> {
    points.iter().filter(|point| {
        point.status == Status::Ok
            && group.group.iter().all(|(name, value)| point.value(name).is_none_or(|own| own == one_of(name, value)))
    })
}
