//! The figures of one fit as the points of another.

use ecow::EcoString;

use super::gather::varying;
use super::{GroupFit, Key};
use crate::family::Family;
use crate::model::OfFit;
use crate::record::{Median, PointRecord, Status};

/// A point for each group of a fit whose law holds: one of the group's points, with the parameter's estimate and interval in place of its time.
pub fn derived_points(of: &OfFit, fits: &[GroupFit], family: &Family, points: &[PointRecord]) -> Vec<PointRecord> {
    derived(of, fits, family, points).map(|(point, _)| point).collect()
}

/// The same without values of what the points of a group differ in: a figure of all of them has none.
pub fn derived_figures(of: &OfFit, fits: &[GroupFit], family: &Family, points: &[PointRecord]) -> Vec<PointRecord> {
    let without = |(mut point, group): (PointRecord, Vec<&PointRecord>)| {
        let swept = varying(family, family.parameters.iter().map(|parameter| parameter.name), &group);
        let value = |name: &str, own: &str| if swept.contains(&name) { EcoString::new() } else { own.into() };
        point.parameters =
            point.parameters.iter().map(|(name, own)| (EcoString::from(name), value(name, own))).collect();
        point
    };
    derived(of, fits, family, points).map(without).collect()
}

/// A point of each group of a fit that has no figure, since its law does not hold or could not be fitted.
pub fn without_figure<'a>(
    of: &OfFit,
    fits: &[GroupFit],
    family: &Family,
    points: &'a [PointRecord],
) -> Vec<&'a PointRecord> {
    let is_good = |point: &&PointRecord| point.status == Status::Ok && point.timing.is_some();
    let is_without = |group: &&GroupFit| group.outcome.law().is_none_or(|law| !law.verdict.is_success());
    let own = fits.iter().filter(|group| group.name == of.fit && group.of.is_none()).filter(is_without);
    own.filter_map(|group| points.iter().filter(is_good).find(|point| is_of(point, &group.group, family))).collect()
}

/// Each point with the points of its group.
fn derived<'a>(
    of: &'a OfFit,
    fits: &'a [GroupFit],
    family: &'a Family,
    points: &'a [PointRecord],
) -> impl Iterator<Item = (PointRecord, Vec<&'a PointRecord>)> {
    let is_good = |point: &&PointRecord| point.status == Status::Ok && point.timing.is_some();
    fits.iter().filter(|group| group.name == of.fit && group.of.is_none()).filter_map(move |group| {
        let law = group.outcome.law().filter(|law| law.verdict.is_success())?;
        let estimate = law.estimates.iter().find(|own| own.parameter == of.parameter)?;
        let own: Vec<&PointRecord> =
            points.iter().filter(is_good).filter(|point| is_of(point, &group.group, family)).collect();
        let mut point = (*own.first()?).clone();
        let timing = point.timing.as_mut()?;
        timing.median = Median {
            time_us: estimate.estimate,
            low_us: Some(estimate.low),
            high_us: Some(estimate.high),
            samples: law.n,
        };
        (timing.hot, timing.phases) = (None, None);
        timing.flags.clear();
        let is_told = estimate.estimate > 0.0 && estimate.low.is_finite() && estimate.high.is_finite();
        is_told.then_some((point, own))
    })
}

/// Whether a point has what all points of a group have in common.
fn is_of(point: &PointRecord, key: &Key, family: &Family) -> bool {
    key.iter().all(|(name, value)| {
        (name == "variant" || !family.ignores(&point.variant, name))
            && point.value(name).is_some_and(|own| own == value.as_str())
    })
}
