//! The fits of a run as JSON.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::finding::of_group;
use crate::model::fit::{Estimate, LawFit};
use crate::model::group::{GroupFit, Key, Outcome};
use crate::model::slowdown::Slowdown;
use crate::model::speedup::Speedup;

/// The fit of a group: a law with its coefficients, ratios, or why there is none.
#[derive(Debug, Serialize)]
pub(super) struct FitDocument {
    fit: String,
    model: &'static str,
    group: Map<String, Json>,
    predictor: Option<&'static str>,
    verdict: &'static str,
    sentence: String,
    law: Option<LawDocument>,
    ratio: Option<RatioDocument>,
}

#[derive(Debug, Serialize)]
struct LawDocument {
    equation: String,
    coefficients: Vec<Coefficient>,
    interval_method: &'static str,
    r2: f64,
    error_pct: f64,
    points: usize,
    from: f64,
    to: f64,
    noise_pct: Option<f64>,
    lack_of_fit_p: Option<f64>,
    notes: Vec<String>,
    runners_up: Vec<Runner>,
}

#[derive(Debug, Serialize)]
struct Coefficient {
    name: &'static str,
    estimate: f64,
    low: f64,
    high: f64,
    unit: &'static str,
}

#[derive(Debug, Serialize)]
struct Runner {
    law: &'static str,
    delta_aicc: f64,
    error_pct: f64,
}

/// A slowdown or a speedup.
#[derive(Debug, Serialize)]
struct RatioDocument {
    mean: f64,
    low: Option<f64>,
    high: Option<f64>,
    smallest: Option<f64>,
    largest: Option<f64>,
    pairs: usize,
}

impl FitDocument {
    /// Of a group.
    pub(super) fn of(group: &GroupFit) -> Self {
        Self {
            fit: group.name.clone(),
            model: group.model_name(),
            group: group_document(&group.group),
            predictor: group.model.predictor(),
            verdict: of_group(group, LawFit::told_verdict).mark.word(),
            sentence: group.outcome.verdict(),
            law: group.outcome.law().map(LawDocument::of),
            ratio: RatioDocument::of(&group.outcome),
        }
    }
}

/// What the points of a group have in common, by name.
fn group_document(key: &Key) -> Map<String, Json> {
    key.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str()))).collect()
}

impl LawDocument {
    fn of(fit: &LawFit) -> Self {
        let coefficient = |own: &Estimate| {
            let Estimate { parameter: name, estimate, low, high, unit } = *own;
            Coefficient { name, estimate, low, high, unit }
        };
        let runners_up = fit.selection.iter().flat_map(|selection| &selection.runners_up);
        Self {
            equation: fit.equation(),
            coefficients: fit.estimates.iter().map(coefficient).collect(),
            interval_method: fit.interval.name(),
            r2: fit.r2,
            error_pct: fit.error_pct,
            points: fit.n,
            from: fit.from,
            to: fit.to,
            noise_pct: fit.replication.map(|known| known.noise_pct),
            lack_of_fit_p: fit.replication.map(|known| known.p),
            notes: fit.notes.clone(),
            runners_up: runners_up
                .map(|own| Runner { law: own.law.name, delta_aicc: own.delta_aicc, error_pct: own.error_pct })
                .collect(),
        }
    }
}

impl RatioDocument {
    fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Slowdown(Slowdown { ratio, interval, smallest, largest, n, .. }) => {
                let (low, high) = interval.unzip();
                Some(Self { mean: *ratio, low, high, smallest: Some(*smallest), largest: Some(*largest), pairs: *n })
            }
            Outcome::Speedup(Speedup { ratio, interval, n, .. }) => {
                let (low, high) = interval.unzip();
                Some(Self { mean: *ratio, low, high, smallest: None, largest: None, pairs: *n })
            }
            Outcome::Law(_) | Outcome::NotFitted(_) | Outcome::Fails(_) => None,
        }
    }
}
