//! The figures of one fit as the points of another.

use ecow::EcoString;

use super::gather::varying;
use super::{GroupFit, Key};
use crate::family::Family;
use crate::model::OfFit;
use crate::record::{Median, PointRecord, Status};

/// A point for each group of a fit whose law holds: one of the group's points, with the parameter's estimate and interval in place of its time.
pub fn derived_points(of: &OfFit, fits: &[GroupFit], family: &Family, points: &[PointRecord]) -> Vec<PointRecord> {
    derived(of, fits, family, points).filter(|own| own.holds).map(|own| own.point).collect()
}

/// The same without values of what the points of a group differ in: a figure of all of them has none.
pub fn derived_figures(of: &OfFit, fits: &[GroupFit], family: &Family, points: &[PointRecord]) -> Vec<PointRecord> {
    figures(derived(of, fits, family, points).filter(|own| own.holds), family)
}

/// Such points of the groups whose law was fitted and does not hold: their figures have no interval, as it would say nothing.
pub fn doubtful_figures(of: &OfFit, fits: &[GroupFit], family: &Family, points: &[PointRecord]) -> Vec<PointRecord> {
    figures(derived(of, fits, family, points).filter(|own| !own.holds), family)
}

fn figures<'a>(derived: impl Iterator<Item = Derived<'a>>, family: &Family) -> Vec<PointRecord> {
    let without = |Derived { mut point, group, .. }: Derived<'a>| {
        let swept = varying(family, family.parameters.iter().map(|parameter| parameter.name), &group);
        let value = |name: &str, own: &str| if swept.contains(&name) { EcoString::new() } else { own.into() };
        point.parameters =
            point.parameters.iter().map(|(name, own)| (EcoString::from(name), value(name, own))).collect();
        point
    };
    derived.map(without).collect()
}

/// A point of each group of a fit that has no figure, not even a doubtful one: no law could be fitted to it.
pub fn without_figure<'a>(
    of: &OfFit,
    fits: &[GroupFit],
    family: &Family,
    points: &'a [PointRecord],
) -> Vec<&'a PointRecord> {
    let figures = derived(of, fits, family, points);
    let with: Vec<&Key> = figures.map(|own| own.key).collect();
    let own = fits.iter().filter(|group| group.name == of.fit && group.of.is_none());
    let own = own.filter(|group| !with.contains(&&group.group));
    own.filter_map(|group| {
        points.iter().filter(|point| is_good(point)).find(|point| is_of(point, &group.group, family))
    })
    .collect()
}

/// The figure of a group as a point.
struct Derived<'a> {
    point: PointRecord,
    key: &'a Key,
    /// The points of its group.
    group: Vec<&'a PointRecord>,
    /// Whether its law holds.
    holds: bool,
}

fn derived<'a>(
    of: &'a OfFit,
    fits: &'a [GroupFit],
    family: &'a Family,
    points: &'a [PointRecord],
) -> impl Iterator<Item = Derived<'a>> {
    fits.iter().filter(|group| group.name == of.fit && group.of.is_none()).filter_map(move |group| {
        let law = group.outcome.law()?;
        let holds = law.verdict.is_success();
        let estimate = law.estimates.iter().find(|own| own.parameter == of.parameter)?;
        let own: Vec<&PointRecord> =
            points.iter().filter(|point| is_good(point)).filter(|point| is_of(point, &group.group, family)).collect();
        let mut point = (*own.first()?).clone();
        let timing = point.timing.as_mut()?;
        timing.median = Median {
            time_us: estimate.estimate,
            low_us: holds.then_some(estimate.low),
            high_us: holds.then_some(estimate.high),
            samples: law.n,
        };
        (timing.hot, timing.phases) = (None, None);
        timing.flags.clear();
        let is_told = estimate.estimate > 0.0
            && (!holds && estimate.estimate.is_finite() || estimate.low.is_finite() && estimate.high.is_finite());
        is_told.then_some(Derived { point, key: &group.group, group: own, holds })
    })
}

fn is_good(point: &PointRecord) -> bool {
    point.status == Status::Ok && point.timing.is_some()
}

/// Whether a point has what all points of a group have in common.
fn is_of(point: &PointRecord, key: &Key, family: &Family) -> bool {
    key.iter().all(|(name, value)| {
        (name == "variant" || !family.ignores(&point.variant, name))
            && point.value(name).is_some_and(|own| own == value.as_str())
    })
}
