//! Fits over a run: its points are grouped, and each group is held against the law, or compared with the reference.

use super::Model;
use super::fit::{FitError, LawFit, Observation, fit_law};
use super::law::Law;
use super::slowdown::{Pair, Slowdown, pairs};
use crate::family::Family;
use crate::parameter::Kind;
use crate::record::{PointRecord, Status};

/// What a group's points have in common, and other groups have otherwise: the variant, then parameters.
pub type Key = Vec<(String, String)>;

/// A law held against one group of a run's points, or one group's slowdown.
#[derive(Debug, Clone)]
pub struct GroupFit {
    /// The fit's name in the scenario.
    pub name: String,
    /// The law, or the slowdown with its reference.
    pub model: Model,
    /// What the group's points have in common. Parameters that their variant does not depend on are left out.
    pub group: Key,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of holding a model against a group of points.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The law with its figures and its verdict.
    Line(LawFit),
    /// The slowdown.
    Slowdown(Slowdown),
    /// There is nothing that could be fitted, for this reason: the group has too few points, or they do not differ.
    NotFitted(String),
    /// The times are none to fit, for this reason.
    Fails(String),
}

impl Outcome {
    /// The cell of the `verdict` column.
    pub fn verdict(&self) -> String {
        match self {
            Self::Line(fit) => fit.verdict.to_string(),
            Self::Slowdown(slowdown) => slowdown.to_string(),
            Self::NotFitted(reason) => format!("not fitted: {reason}"),
            Self::Fails(reason) => format!("fails: {reason}"),
        }
    }
}

impl GroupFit {
    /// Whether a point is of this group.
    pub fn has(&self, point: &PointRecord) -> bool {
        self.group.iter().all(|(name, value)| point.value(name).as_deref() == Some(value))
    }

    /// The group in words: `variant=divergent operation=compute`.
    pub fn label(&self) -> String {
        let parts: Vec<String> = self.group.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.join(" ")
    }
}

/// Holds each model against each group of the points that ended well.
///
/// For a law, points are in one group when they have the same variant and agree in every parameter that the law's
/// predictor does not follow from. For a slowdown, when they have the same variant and agree in every parameter that is
/// text: numbers are what slowdowns are averaged over.
pub fn fit_points(requests: &[(String, Model)], family: &Family, points: &[PointRecord]) -> Vec<GroupFit> {
    let good: Vec<&PointRecord> =
        points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    let fits = requests.iter().flat_map(|(name, model)| {
        let groups = match model {
            Model::Law(law) => fit_groups(law, family, &good),
            Model::Slowdown { reference } => slowdowns(reference, family, &good),
        };
        groups.into_iter().map(|(group, outcome)| GroupFit { name: name.clone(), model: model.clone(), group, outcome })
    });
    fits.collect()
}

fn fit_groups(law: &'static Law, family: &Family, points: &[&PointRecord]) -> Vec<(Key, Outcome)> {
    let explained = family.predictor(law.predictor).map_or(&[][..], |predictor| predictor.parameters);
    let grouping: Vec<&str> = family
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .filter(|parameter| !explained.contains(parameter) && varies(family, parameter, points))
        .collect();
    let observed = points.iter().filter_map(|point| {
        let (Some(x), Some(timing)) = (point.number(law.predictor), &point.timing) else { return None };
        let own = grouping.iter().filter(|name| !family.ignores(&point.variant, name));
        let key = own.map(|&name| (name.to_owned(), point.value(name).unwrap_or_default().into_owned()));
        let key: Key = std::iter::once(("variant".to_owned(), point.variant.to_string())).chain(key).collect();
        Some((key, Observation { x, time_us: timing.median.time_us }))
    });
    let fitted = |(key, observations): (Key, Vec<Observation>)| {
        let variant = key.first().map_or("", |(_, variant)| variant);
        let outcome = if !explained.is_empty() && explained.iter().all(|name| family.ignores(variant, name)) {
            Outcome::NotFitted(format!("{variant} does not depend on {}", law.predictor))
        } else {
            fitted(law, &observations)
        };
        (key, outcome)
    };
    gathered(observed).into_iter().map(fitted).collect()
}

fn fitted(law: &'static Law, observations: &[Observation]) -> Outcome {
    match fit_law(law, observations) {
        Ok(fit) => Outcome::Line(fit),
        // One or two points, or a predictor that stays the same: the law says nothing about them.
        Err(error @ (FitError::TooFew { .. } | FitError::SamePredictor { .. })) => {
            Outcome::NotFitted(error.to_string())
        }
        Err(error) => Outcome::Fails(error.to_string()),
    }
}

fn slowdowns(reference: &str, family: &Family, points: &[&PointRecord]) -> Vec<(Key, Outcome)> {
    let is_text = |kind| !matches!(kind, Kind::Integer { .. });
    let texts = family.parameters.iter().filter(|parameter| is_text(parameter.kind)).map(|parameter| parameter.name);
    let grouping: Vec<&str> = texts.filter(|name| varies(family, name, points)).collect();
    let paired = pairs(family, points, reference);
    let keyed = paired.iter().map(|pair| {
        let values = grouping.iter().filter_map(|&name| Some((name.to_owned(), pair.value(family, name)?)));
        let key: Key = std::iter::once(("variant".to_owned(), pair.point.variant.to_string())).chain(values).collect();
        (key, *pair)
    });
    let mut groups: Vec<(Key, Outcome)> = gathered(keyed)
        .into_iter()
        .map(|(key, pairs): (Key, Vec<Pair<'_>>)| {
            let outcome = match Slowdown::over(&pairs) {
                Some(slowdown) => Outcome::Slowdown(slowdown),
                None => Outcome::Fails("the times are not positive numbers".to_owned()),
            };
            (key, outcome)
        })
        .collect();
    for point in points.iter().filter(|point| point.variant != reference) {
        let variant = ("variant".to_owned(), point.variant.to_string());
        if !groups.iter().any(|(key, _)| key.first() == Some(&variant)) {
            let reason = format!("no point of {reference} with the same parameters ended well");
            groups.push((vec![variant], Outcome::NotFitted(reason)));
        }
    }
    groups
}

/// What belongs to each key, in the order in which the keys come first.
fn gathered<T>(items: impl Iterator<Item = (Key, T)>) -> Vec<(Key, Vec<T>)> {
    let mut groups: Vec<(Key, Vec<T>)> = Vec::new();
    for (key, item) in items {
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, items)) => items.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}

/// The parameters that are the same at all points that depend on them, as `name=value` pairs.
pub fn fixed_parameters(family: &Family, points: &[&PointRecord]) -> String {
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let pairs = names.filter(|name| !varies(family, name, points)).filter_map(|name| {
        let value = points.iter().find(|point| !family.ignores(&point.variant, name))?.value(name)?;
        Some(format!("{name}={value}"))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

/// Whether the points that depend on this parameter, or on the variant, differ in it.
pub fn varies(family: &Family, parameter: &str, points: &[&PointRecord]) -> bool {
    let mut depending = points.iter().filter(|point| !family.ignores(&point.variant, parameter));
    let first = depending.next().map(|point| point.value(parameter));
    depending.any(|point| Some(point.value(parameter)) != first)
}

#[cfg(test)]
mod tests;
