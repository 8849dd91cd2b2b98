//! The figures of one fit as the points of another.

use ecow::EcoString;

use super::gather::varying;
use super::{GroupFit, Key};
use crate::family::Family;
use crate::model::OfFit;
use crate::record::{Median, PointRecord, Status};

/// A point for each group of a fit whose law holds: one of the group's points, with the parameter's estimate and interval in place of its time.
pub fn derived_points(of: &OfFit, fits: &[GroupFit], family: &Family, points: &[PointRecord]) -> Vec<PointRecord> {
    let good = || points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some());
    let derived = fits.iter().filter(|group| group.name == of.fit && group.of.is_none()).filter_map(|group| {
        let law = group.outcome.law().filter(|law| law.verdict.is_success())?;
        let estimate = law.estimates.iter().find(|own| own.parameter == of.parameter)?;
        let own: Vec<&PointRecord> = good().filter(|point| is_of(point, &group.group, family)).collect();
        let mut point = (*own.first()?).clone();
        // A figure of many points has no value of what they differ in.
        let swept = varying(family, family.parameters.iter().map(|parameter| parameter.name), &own);
        let values = point.parameters.iter().map(|(name, value)| {
            (EcoString::from(name), if swept.contains(&name) { EcoString::new() } else { value.into() })
        });
        point.parameters = values.collect();
        let timing = point.timing.as_mut()?;
        timing.median = Median {
            time_us: estimate.estimate,
            low_us: Some(estimate.low),
            high_us: Some(estimate.high),
            samples: law.n,
        };
        (timing.hot, timing.phases) = (None, None);
        timing.flags.clear();
        (estimate.estimate > 0.0 && estimate.low.is_finite() && estimate.high.is_finite()).then_some(point)
    });
    derived.collect()
}

/// Whether a point has what all points of a group have in common.
fn is_of(point: &PointRecord, key: &Key, family: &Family) -> bool {
    key.iter().all(|(name, value)| {
        (name == "variant" || !family.ignores(&point.variant, name))
            && point.value(name).is_some_and(|own| own == value.as_str())
    })
}
