//! Points at which a variant did not end: it is not run at larger ones, each of which would be waited for as long.

use crate::device::DeviceError;
use crate::parameter::Value;
use crate::scenario::Point;

/// The points at which variants did not end, in the order in which that was found.
#[derive(Debug, Default)]
pub(super) struct Endless(Vec<Point>);

impl Endless {
    /// Notes that the point's variant did not end there.
    pub(super) fn note(&mut self, point: &Point) {
        self.0.push(point.clone());
    }

    /// Why the point is not run; `None` where it is. Of several points the first in the order of the grid is told.
    pub(super) fn refusal(&self, point: &Point) -> Option<DeviceError> {
        let smaller = self.0.iter().filter(|known| is_smaller(known, point));
        let values = differing(smaller.min_by_key(|known| known.index)?, point);
        Some(DeviceError::NotRun(format!("the same variant did not end at the smaller {values}")))
    }
}

/// Whether a point comes before another of the same variant, and none of its numbers is larger.
fn is_smaller(one: &Point, other: &Point) -> bool {
    let is_no_larger = |(name, value): (&str, &Value)| match (value, other.parameters.get(name)) {
        (Value::Integer(one), Some(Value::Integer(other))) => one <= other,
        (one, other) => Some(one) == other,
    };
    one.index < other.index && one.variant.name == other.variant.name && one.parameters.iter().all(is_no_larger)
}

/// The values of `one` that are not those of `other`.
fn differing(one: &Point, other: &Point) -> String {
    let differs = |(name, value): &(&'static str, &Value)| other.parameters.get(name) != Some(*value);
    let values = one.parameters.iter().filter(differs).map(|(name, value)| format!("{name}={value}"));
    values.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};
    use crate::scenario::Scenario;

    #[test]
    fn larger_points_of_the_same_variant_are_not_run() {
        let text = "family = \"branching\"\nvariants = [\"divergent\", \"table_lookup\"]\n\
                    [grid]\nbranches = [2, 4, 8]\nwork = [10, 20]";
        let scenario = Scenario::parse("hang.toml", text, &[], 100).unwrap();
        let points = scenario.points(Mock::new(MockSettings::default()).properties()).unwrap();
        let find = |variant: &str, branches: i64, work: i64| {
            let is_it = |point: &&Point| {
                point.variant.name == variant
                    && point.parameters.get("branches") == Some(&branches.into())
                    && point.parameters.get("work") == Some(&work.into())
            };
            points.iter().find(is_it).unwrap()
        };
        let mut endless = Endless::default();
        endless.note(find("divergent", 4, 20));
        endless.note(find("divergent", 4, 10));
        let told = |point| match endless.refusal(point) {
            Some(DeviceError::NotRun(why)) => Some(why),
            other => other.map(|error| panic!("{error}")),
        };
        assert_eq!(
            told(find("divergent", 8, 10)).as_deref(),
            Some("the same variant did not end at the smaller branches=4")
        );
        assert_eq!(
            told(find("divergent", 8, 20)).as_deref(),
            Some("the same variant did not end at the smaller branches=4 work=10")
        );
        for other in [find("divergent", 2, 20), find("divergent", 4, 10), find("table_lookup", 8, 20)] {
            assert_eq!(told(other), None, "{other:?}");
        }
    }
}
