//! Fits over a run: its points are grouped, and a law is fitted to each group, or its ratios are taken.

mod derived;
mod energies;
mod gather;

use rayon::prelude::*;

use super::fit::{LawFit, Observation, fit_best, fit_law, fit_plateaus};
use super::slowdown::{Pair, Slowdown, negligible, pairs};
use super::speedup::Speedup;
use super::{Among, FitRequest, Model, Of, counter, explained_by};
use crate::family::Family;
use crate::parameter::Kind;
use crate::record::{Column, Only, PointRecord, Status};

pub use derived::{derived_figures, derived_points, doubtful_figures, without_figure};
pub(crate) use gather::Numbers;
use gather::{Keys, gathered};
pub use gather::{fixed_parameters, varies, varying};

/// The variant and the parameters that all points of a group share and that tell it from other groups.
pub type Key = Vec<(String, String)>;

/// A key in words: `variant=divergent operation=compute`.
pub fn label(key: &[(String, String)]) -> String {
    key.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// Groups of one fit up to which other forms are tried where a law fails: trying takes some milliseconds each.
pub const MOST_THOROUGH: usize = 200;

/// The fit of a law to one group of a run's points, or the ratios of the group.
#[derive(Debug, Clone)]
pub struct GroupFit {
    /// The fit's name in the scenario.
    pub name: String,
    /// The law, or what the ratios are against.
    pub model: Model,
    /// What the group's points have in common. Parameters that their variant does not depend on are left out.
    pub group: Key,
    /// The result.
    pub outcome: Outcome,
    /// What it is of in place of times.
    pub of: Option<Of>,
    /// Which of the points it is of.
    pub only: Only,
}

/// The result of fitting a model to a group of points.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The law, of whatever form, with its figures and its verdict.
    Law(Box<LawFit>),
    /// The slowdown.
    Slowdown(Slowdown),
    /// The speedup.
    Speedup(Speedup),
    /// Nothing was fitted, for this reason: the group has too few points, or its points do not differ.
    NotFitted(String),
    /// The times cannot be fitted, for this reason.
    Fails(String),
}

impl Outcome {
    /// The cell of the `verdict` column.
    pub fn verdict(&self) -> String {
        match self {
            Self::Law(fit) => fit.finding(),
            Self::Slowdown(slowdown) => slowdown.to_string(),
            Self::Speedup(speedup) => speedup.to_string(),
            Self::NotFitted(reason) => format!("not fitted: {reason}"),
            Self::Fails(reason) => format!("fails: {reason}"),
        }
    }

    /// The law with its figures, where one was fitted.
    pub fn law(&self) -> Option<&LawFit> {
        match self {
            Self::Law(fit) => Some(fit),
            _ => None,
        }
    }
}

impl GroupFit {
    /// The group in words: `variant=divergent operation=compute`.
    pub fn label(&self) -> String {
        label(&self.group)
    }

    /// The name of the law that was fitted, also where it was chosen; otherwise the model's.
    pub fn model_name(&self) -> &'static str {
        self.outcome.law().map_or(self.model.name(), |fit| fit.law.name)
    }
}

/// Fits each model to each group of the points with status ok.
///
/// For a law, points are in one group when they have the same variant and agree in every parameter that the law's
/// predictor does not follow from. For a slowdown, when they have the same variant and agree in every parameter that is
/// text: numbers are what slowdowns are averaged over. For a speedup as for a law, each value of its predictor apart.
///
/// Fits of energies and of other fits' parameters come last.
pub fn fit_points(requests: &[FitRequest], family: &Family, points: &[PointRecord]) -> Vec<GroupFit> {
    let of_times: Vec<&FitRequest> = requests.iter().filter(|request| request.of.is_none()).collect();
    let mut fits = fitted(&of_times, family, points, LEAST_WIDTH_US);
    let of_fits: Vec<GroupFit> = requests
        .iter()
        .filter_map(|request| Some((request, request.of.as_ref()?)))
        .flat_map(|(request, of)| match of {
            Of::Energy => energies::fitted(request, family, points),
            // Ratios are taken between groups that differ in their variant alone, whatever points they are of.
            Of::Fit(of) if matches!(request.model, Model::Slowdown { .. }) => {
                fitted(&[request], family, &derived_figures(of, &fits, family, points), 0.0)
            }
            Of::Fit(of) => fitted(&[request], family, &derived_points(of, &fits, family, points), 0.0),
        })
        .collect();
    fits.extend(of_fits);
    fits
}

/// The file has times to a nanosecond; an interval that reads as nothing is at least that wide.
const LEAST_WIDTH_US: f64 = 1e-3;

fn fitted(requests: &[&FitRequest], family: &Family, points: &[PointRecord], least_us: f64) -> Vec<GroupFit> {
    let good: Vec<&PointRecord> =
        points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    let fits = requests.par_iter().flat_map_iter(|request| {
        let own: Vec<&PointRecord> = if request.only.conditions.is_empty() {
            good.clone()
        } else {
            good.iter().filter(|point| request.only.admits(family, point)).copied().collect()
        };
        let groups = match &request.model {
            Model::Law { predictor, .. } | Model::Auto { predictor, .. } => {
                laws(&request.model, predictor, family, (&own, least_us))
            }
            Model::Slowdown { reference } => slowdowns(reference, family, &own),
            Model::Speedup { predictor } => speedups(predictor, family, &own),
        };
        let group_fit = |(group, outcome)| {
            let FitRequest { name, model, of, only } = request;
            let only = only.clone();
            GroupFit { name: name.clone(), model: model.clone(), group, outcome, of: of.clone(), only }
        };
        groups.into_iter().map(group_fit)
    });
    fits.collect()
}

/// A point as laws see it, at this x; `None` where it has no time. Its interval is at least so wide.
fn observed_at(point: &PointRecord, x: f64, least_us: f64) -> Option<Observation> {
    let timing = point.timing.as_ref()?;
    let median = timing.median;
    let error = median.low_us.zip(median.high_us).map(|(low, high)| (high - low).max(least_us) / 2.0 / 1.96);
    let error = error.map(|error_us| error_us / median.time_us);
    Some(Observation { x, time_us: median.time_us, error, is_flagged: !timing.flags.is_empty() })
}

/// The points that a fit is of, group by group, in the order of its results; none of a fit that is of no times.
pub fn members<'a>(
    request: &FitRequest,
    family: &Family,
    points: &'a [PointRecord],
) -> Vec<(Key, Vec<(&'a PointRecord, Observation)>)> {
    let Some(predictor) = request.model.predictor().filter(|_| request.of.is_none()) else { return Vec::new() };
    let good = points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some());
    let own: Vec<&PointRecord> = good.filter(|point| request.only.admits(family, point)).collect();
    law_groups(predictor, family, &own, LEAST_WIDTH_US)
}

fn law_groups<'a>(
    predictor: &str,
    family: &Family,
    points: &[&'a PointRecord],
    least_us: f64,
) -> Vec<(Key, Vec<(&'a PointRecord, Observation)>)> {
    let keys = Keys::new(family, points, &explained_by(family, predictor));
    let mut column = Column::new(predictor);
    let observed =
        points.iter().filter_map(|point| Some((*point, observed_at(point, column.number(point)?, least_us)?)));
    let mut columns = keys.columns();
    gathered(observed, |(point, _)| columns.key(point), |(point, _)| keys.of(point))
}

fn laws(
    model: &Model,
    predictor: &'static str,
    family: &Family,
    (points, least_us): (&[&PointRecord], f64),
) -> Vec<(Key, Outcome)> {
    let explained = explained_by(family, predictor);
    let groups = law_groups(predictor, family, points, least_us);
    let is_counter = counter(family, predictor).is_some();
    if is_counter && groups.is_empty() {
        return uncounted(predictor, points);
    }
    let is_thorough = groups.len() <= MOST_THOROUGH;
    let fitted = |(key, members): (Key, Vec<(&PointRecord, Observation)>)| {
        let variant = key.first().map_or("", |(_, variant)| variant);
        let outcome =
            if !is_counter && !explained.is_empty() && explained.iter().all(|name| family.ignores(variant, name)) {
                Outcome::NotFitted(format!("{variant} does not depend on {predictor}"))
            } else {
                let observations: Vec<Observation> = members.iter().map(|(_, observation)| *observation).collect();
                fit_model(model, &observations, is_thorough)
            };
        (key, outcome)
    };
    groups.into_par_iter().map(fitted).collect()
}

/// What is told where no point has a counter: the device does not count.
fn uncounted(predictor: &str, points: &[&PointRecord]) -> Vec<(Key, Outcome)> {
    not_counted(&format!("this device does not count {predictor}; simulated devices do"), points)
}

/// Nothing fitted for any variant, for this reason.
fn not_counted(reason: &str, points: &[&PointRecord]) -> Vec<(Key, Outcome)> {
    let mut variants: Vec<&str> = Vec::new();
    for point in points {
        if !variants.contains(&point.variant.as_str()) {
            variants.push(&point.variant);
        }
    }
    let told =
        |variant: &str| (vec![("variant".to_owned(), variant.to_owned())], Outcome::NotFitted(reason.to_owned()));
    variants.into_iter().map(told).collect()
}

/// Fits a law, or the best form for `auto`, to observations.
pub fn fit_model(model: &Model, observations: &[Observation], is_thorough: bool) -> Outcome {
    let result = match model {
        Model::Law { law, predictor, robust } => fit_law(law, predictor, observations, *robust, is_thorough),
        Model::Auto { among: Among::Forms, predictor, robust } => fit_best(predictor, observations, *robust),
        Model::Auto { among: Among::Plateaus, predictor, robust } => {
            fit_plateaus(predictor, observations, *robust, is_thorough)
        }
        Model::Slowdown { .. } | Model::Speedup { .. } => {
            return Outcome::NotFitted("ratios are taken between points".to_owned());
        }
    };
    match result {
        Ok(fit) => Outcome::Law(Box::new(fit)),
        // One or two points, or a predictor that stays the same: the law says nothing about them.
        Err(error) if error.is_silence() => Outcome::NotFitted(error.to_string()),
        Err(error) => Outcome::Fails(error.to_string()),
    }
}

fn ratios(outcome: Option<Outcome>) -> Outcome {
    outcome.unwrap_or_else(|| Outcome::Fails("the times are not positive numbers".to_owned()))
}

fn slowdowns(reference: &str, family: &Family, points: &[&PointRecord]) -> Vec<(Key, Outcome)> {
    let is_text = |kind| !matches!(kind, Kind::Integer { .. });
    let texts = family.parameters.iter().filter(|parameter| is_text(parameter.kind)).map(|parameter| parameter.name);
    let grouping: Vec<&str> = varying(family, texts, points);
    let paired = pairs(family, points, reference);
    let key = |pair: &Pair<'_>| -> Key {
        let values = grouping.iter().filter_map(|&name| Some((name.to_owned(), pair.value(family, name)?)));
        std::iter::once(("variant".to_owned(), pair.point.variant.to_string())).chain(values).collect()
    };
    let names: Vec<&str> = std::iter::once("variant").chain(grouping.iter().copied()).collect();
    let mut columns: Vec<Column<'_>> = names.iter().map(|name| Column::new(name)).collect();
    let numbers = |pair: &Pair<'_>| {
        let cells = columns.iter_mut().zip(&names).enumerate();
        Numbers::of(cells.map(|(index, (column, name))| {
            if index == 0 { column.word(pair.point) } else { column.word(pair.depending(family, name)?) }
        }))
    };
    let found: Vec<(Key, Vec<Pair<'_>>)> = gathered(paired.into_iter(), numbers, key);
    let mut groups: Vec<(Key, Outcome)> = found
        .into_par_iter()
        .map(|(key, pairs)| {
            let slowdown = Slowdown::over(&pairs).map(|own| Slowdown { negligible: negligible(family, &pairs), ..own });
            (key, ratios(slowdown.map(Outcome::Slowdown)))
        })
        .collect();
    let mut told: std::collections::HashSet<String> =
        groups.iter().filter_map(|(key, _)| key.first().map(|(_, variant)| variant.clone())).collect();
    for point in points.iter().filter(|point| point.variant != reference) {
        if !told.contains(point.variant.as_str()) {
            told.insert(point.variant.to_string());
            let reason = format!("no point of {reference} with the same parameters succeeded");
            groups.push((vec![("variant".to_owned(), point.variant.to_string())], Outcome::NotFitted(reason)));
        }
    }
    groups
}

fn speedups(predictor: &'static str, family: &Family, points: &[&PointRecord]) -> Vec<(Key, Outcome)> {
    let groups = law_groups(predictor, family, points, LEAST_WIDTH_US);
    if groups.is_empty() && counter(family, predictor).is_some() {
        return uncounted(predictor, points);
    }
    let compared = |(key, members): (Key, Vec<(&PointRecord, Observation)>)| {
        let base = members.iter().map(|(_, one)| one.x).fold(f64::INFINITY, f64::min);
        let mut sorted: Vec<(f64, &PointRecord)> = members.iter().map(|(point, one)| (one.x, *point)).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut values = sorted.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq());
        let least: Vec<&PointRecord> = values.next().unwrap_or_default().iter().map(|(_, point)| *point).collect();
        let others: Vec<(Key, Outcome)> = values
            .map(|others| {
                let at = others[0].0;
                let pair = |point| others.iter().map(move |(_, reference)| Pair { point, reference });
                let pairs: Vec<Pair<'_>> = least.iter().flat_map(|point| pair(*point)).collect();
                let speedup = Speedup::over(predictor, base, at, &pairs);
                let mut key = key.clone();
                key.push((predictor.to_owned(), at.to_string()));
                (key, ratios(speedup.map(Outcome::Speedup)))
            })
            .collect();
        if others.is_empty() {
            let reason = format!("{predictor} is {base} at every point, so there is no ratio");
            return vec![(key, Outcome::NotFitted(reason))];
        }
        others
    };
    groups.into_par_iter().flat_map_iter(compared).collect()
}

#[cfg(test)]
mod tests;
