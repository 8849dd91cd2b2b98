//! The points whose times are furthest off.

use crate::compare::accuracy::{Accuracy, ComparedPoint, OfPeak};
use crate::unit;

/// Points that are shown.
const SHOWN: usize = 10;

/// A point in words.
pub(super) struct Furthest<'a> {
    pub(super) scenario: &'a str,
    /// Its variant and parameters.
    pub(super) point: String,
    pub(super) error: String,
    pub(super) measured: String,
    pub(super) simulated: String,
    /// What bounds it on the GPU, as far as it is known.
    pub(super) measured_bound: String,
    /// What bounds it on the simulated GPU.
    pub(super) simulated_bound: &'a str,
}

impl<'a> Furthest<'a> {
    fn of(scenario: &'a str, own: &'a ComparedPoint) -> Self {
        let parameters = own.parameters.iter().map(|(name, value)| format!(" {name}={value}"));
        Self {
            scenario,
            point: format!("{}{}", own.variant, parameters.collect::<String>()),
            error: format!("{:+.0} %", 100.0 * own.time_us.error()),
            measured: unit::time_us(own.time_us.measured),
            simulated: unit::time_us(own.time_us.simulated),
            measured_bound: OfPeak::told(own.measured_of_peak),
            simulated_bound: if own.bound.is_empty() { "unknown" } else { &own.bound },
        }
    }
}

/// The points whose times are furthest off, the furthest first: by how many times, either way.
pub(super) fn furthest(all: &[Accuracy]) -> Vec<Furthest<'_>> {
    let points = all.iter().flat_map(|own| own.points.iter().map(|point| (own.scenario.as_str(), point)));
    let mut points: Vec<_> = points.collect();
    let times = |point: &ComparedPoint| (point.time_us.simulated / point.time_us.measured).ln().abs();
    points.sort_by(|one, other| times(other.1).total_cmp(&times(one.1)));
    points.truncate(SHOWN);
    points.into_iter().map(|(scenario, point)| Furthest::of(scenario, point)).collect()
}
