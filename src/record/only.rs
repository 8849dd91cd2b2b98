//! Some of a run's points.

use super::PointRecord;
use crate::family::Family;

/// Which points a fit or a chart is of: those with one of these values of each of these parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Only {
    /// `variant` or a parameter, with the values that points may have, as `points.csv` has them.
    pub conditions: Vec<(String, Vec<String>)>,
}

impl Only {
    /// Whether a point is one of them. A parameter that the point's variant does not depend on excludes nothing.
    pub fn admits(&self, family: &Family, point: &PointRecord) -> bool {
        self.conditions.iter().all(|(name, allowed)| {
            family.ignores(&point.variant, name)
                || point.value(name).is_some_and(|value| allowed.iter().any(|allowed| *allowed == value))
        })
    }
}
