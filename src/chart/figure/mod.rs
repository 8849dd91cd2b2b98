//! From runs' points and fits to the charts that a request describes.

use std::collections::HashSet;

use super::Chart;
use crate::family::Family;
use crate::model::Model;
use crate::model::group::{GroupFit, fixed_parameters};
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::{ChartKind, ChartRequest};

mod bars;
mod colours;
mod crossing;
mod derived;
mod heat;
mod ladder;
mod laws;
mod lines;
mod mean;
mod residuals;
mod summary;
mod values;
mod view;

pub use colours::Colours;
pub use crossing::{ChartCrossovers, LineCrossover, crossovers};

/// A run on a chart.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// What its lines are called where there are several runs.
    pub label: &'a str,
    /// The run.
    pub run: &'a Run,
    /// What was fitted to it.
    pub fits: &'a [GroupFit],
}

impl Shown<'_> {
    /// A line of it, in words.
    fn labelled(&self, line: &str) -> String {
        match (line, self.label) {
            ("", run) => run.to_owned(),
            (line, "") => line.to_owned(),
            (line, run) => format!("{line} · {run}"),
        }
    }
}

/// The pictures of a run that `request` describes, each with the name of its files. `pattern` is the variant that the others are
/// remedies against.
pub fn charts(
    request: &ChartRequest,
    family: &Family,
    pattern: &str,
    run: &Run,
    fits: &[GroupFit],
) -> Vec<(String, Chart)> {
    overlay(request, family, pattern, &[Shown { label: "", run, fits }])
}

/// The pictures of several runs of one family, drawn over each other: the same lines have the same colour, and those of each run a
/// stroke of their own. Of a heat map there is one for each run.
pub fn overlay(request: &ChartRequest, family: &Family, pattern: &str, runs: &[Shown<'_>]) -> Vec<(String, Chart)> {
    if let Some(of) = &request.of {
        return derived::charts(request, of, family, pattern, runs);
    }
    let name = request.name.clone();
    match &request.kind {
        ChartKind::Lines => vec![(name, lines::chart(request, family, pattern, runs))],
        ChartKind::Bars => vec![(name, Chart::Bars(bars::bar_chart(request, family, runs)))],
        ChartKind::Ladder { is_speedup } => {
            vec![(name, Chart::Bars(ladder::ladder_chart(request, *is_speedup, family, runs)))]
        }
        ChartKind::Residuals { fit } => {
            vec![(name, Chart::Lines(residuals::residuals(request, fit.as_deref(), family, runs)))]
        }
        ChartKind::Heat { rows } => {
            let map = |(index, shown): (usize, &Shown<'_>)| {
                let name = if runs.len() == 1 { name.clone() } else { format!("{name}-{}", index + 1) };
                (name, Chart::Heat(heat::heat_map(request, rows, family, shown)))
            };
            runs.iter().enumerate().map(map).collect()
        }
    }
}

/// Every device, with the origin of its times.
fn subtitle(runs: &[Shown<'_>]) -> String {
    let mut devices: Vec<String> = Vec::new();
    for shown in runs {
        let device = shown.run.metadata.device.label();
        let words = match shown.label {
            "" => device,
            label if device.contains(label) => device,
            label => format!("{label}: {device}"),
        };
        if !devices.contains(&words) {
            devices.push(words);
        }
    }
    devices.join("; ")
}

/// What all points have in common, as notes: of all runs, or of each.
fn fixed_notes(family: &Family, runs: &[Shown<'_>], points: &[&[&PointRecord]]) -> Vec<String> {
    let fixed: Vec<String> = points.iter().map(|points| fixed_parameters(family, points)).collect();
    let distinct: HashSet<&String> = fixed.iter().collect();
    match (&fixed[..], distinct.len()) {
        ([first, ..], 1) if !first.is_empty() => vec![format!("Every point: {first}.")],
        _ => {
            let of_runs = runs.iter().zip(&fixed).filter(|(_, fixed)| !fixed.is_empty());
            of_runs.map(|(shown, fixed)| format!("Every point of {}: {fixed}.", shown.label)).collect()
        }
    }
}

/// What a parameter or predictor is, in words.
fn summary_of(name: &str, family: &Family) -> String {
    let parameter = family.parameter(name).map(|parameter| parameter.summary);
    parameter.or_else(|| family.predictor(name).map(|predictor| predictor.summary)).unwrap_or(name).to_owned()
}

/// What x is, with the symbol that the laws' equations have for it.
fn axis_label(name: &str, family: &Family, fits: &[&GroupFit], points: &[&PointRecord]) -> String {
    let mut predictors: Vec<(&str, &str)> = Vec::new();
    for fit in fits {
        if let Model::Law { law, predictor, .. } = fit.model
            && law.predictor.is_some()
            && !predictors.contains(&(predictor, law.symbol))
        {
            predictors.push((predictor, law.symbol));
        }
    }
    let stands_for = |predictor: &str| points.iter().all(|point| point.number(name) == point.number(predictor));
    let summary = summary_of(name, family);
    match predictors.into_iter().find(|(predictor, _)| stands_for(predictor)) {
        Some((_, symbol)) if !summary.split_whitespace().any(|word| word == symbol) => format!("{summary}, {symbol}"),
        _ => summary,
    }
}

/// Numbers in rising order; texts as they are.
fn in_order(values: &mut [String]) {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    if numbers.is_some() {
        values.sort_by(|one, other| {
            let number = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
            number(one).total_cmp(&number(other))
        });
    }
}

#[cfg(test)]
mod tests;
