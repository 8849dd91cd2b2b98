//! Fits over a run: its points are grouped, and each group is held against the law.

use super::fit::{LawFit, Observation, fit_law};
use super::law::Law;
use crate::family::Family;
use crate::record::{PointRecord, Status};

/// A law held against one group of a run's points.
#[derive(Debug, Clone)]
pub struct GroupFit {
    /// The fit's name in the scenario.
    pub name: String,
    /// The law.
    pub law: &'static Law,
    /// What the group's points have in common, and other groups have otherwise: the variant, then parameters.
    pub group: Vec<(String, String)>,
    /// The fit, or why there is none.
    pub fit: Result<LawFit, String>,
}

impl GroupFit {
    /// Whether a point is of this group.
    pub fn has(&self, point: &PointRecord) -> bool {
        self.group.iter().all(|(name, value)| point.value(name).as_ref() == Some(value))
    }

    /// The group in words: `variant=divergent operation=compute`.
    pub fn label(&self) -> String {
        let parts: Vec<String> = self.group.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.join(" ")
    }
}

/// Holds each law against each group of the points that ended well. Points are in one group when they have the
/// same variant and agree in every parameter that the law's predictor does not follow from.
pub fn fit_points(laws: &[(String, &'static Law)], family: &Family, points: &[PointRecord]) -> Vec<GroupFit> {
    let good: Vec<&PointRecord> =
        points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    laws.iter().flat_map(|(name, law)| fit_groups(name, law, family, &good)).collect()
}

fn fit_groups(name: &str, law: &'static Law, family: &Family, points: &[&PointRecord]) -> Vec<GroupFit> {
    let explained = family.predictor(law.predictor).map_or(&[][..], |predictor| predictor.parameters);
    let grouping: Vec<&str> = family
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .filter(|parameter| !explained.contains(parameter) && varies(parameter, points))
        .collect();
    let grouping: Vec<&str> = std::iter::once("variant").chain(grouping).collect();

    let mut groups: Vec<Group> = Vec::new();
    for point in points {
        let (Some(x), Some(timing)) = (point.number(law.predictor), &point.timing) else { continue };
        let key: Vec<(String, String)> =
            grouping.iter().map(|&name| (name.to_owned(), point.value(name).unwrap_or_default())).collect();
        let observation = Observation { x, time_us: timing.median.time_us };
        match groups.iter_mut().find(|group| group.key == key) {
            Some(group) => group.observations.push(observation),
            None => groups.push(Group { key, observations: vec![observation] }),
        }
    }
    groups
        .into_iter()
        .map(|group| GroupFit {
            name: name.to_owned(),
            law,
            fit: fit_law(law, &group.observations).map_err(|error| error.to_string()),
            group: group.key,
        })
        .collect()
}

/// Observations that one fit is made of.
struct Group {
    key: Vec<(String, String)>,
    observations: Vec<Observation>,
}

/// The parameters that are the same at all points, as `name=value` pairs.
pub fn fixed_parameters(family: &Family, points: &[&PointRecord]) -> String {
    let names = family.parameters.iter().map(|parameter| parameter.name).filter(|name| !varies(name, points));
    let pairs = names.filter_map(|name| Some(format!("{name}={}", points.first()?.value(name)?)));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Whether the points differ in this parameter.
pub fn varies(parameter: &str, points: &[&PointRecord]) -> bool {
    points.windows(2).any(|pair| pair[0].value(parameter) != pair[1].value(parameter))
}
