//! Where a law holds, in words that a user reads at once.

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

/// The points of a group that have a time.
pub(super) fn points_of<'a>(points: &'a [PointRecord], group: &'a GroupFit) -> impl Iterator<Item = &'a PointRecord> {
    points.iter().filter(|point| {
        point.status == Status::Ok
            && group.group.iter().all(|(name, value)| point.value(name).is_none_or(|own| own == value.as_str()))
    })
}
