//! Bar charts: the mean of each variant, or each value of a parameter, over everything else.

use std::collections::{HashMap, HashSet};

use super::Shown;
use super::mean::{mean, others};
use super::values::{Good, Valued, measure, valued};
use super::view::label;
use super::{fixed_notes, in_order, subtitle};
use crate::chart::{BarChart, BarSeries};
use crate::family::Family;
use crate::model::group::varying;
use crate::parameter::Kind;
use crate::properties::Origin;
use crate::record::PointRecord;
use crate::scenario::{ChartRequest, Vertical};

/// More bars than these cannot be read.
const GROUPS_MAX: usize = 40;
const SERIES_MAX: usize = 14;

/// The bar chart of these runs.
pub(super) fn bar_chart(request: &ChartRequest, family: &Family, runs: &[Shown<'_>]) -> BarChart {
    let points: Vec<Good<'_>> = runs.iter().map(|shown| Good::of(request, family, shown.run)).collect();
    let columns = series_columns(request, family, &points);
    let mut groups: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut series: Vec<(BarSeries, HashMap<String, Vec<Valued<'_>>>)> = Vec::new();
    let mut left_out = 0;
    for (shown, good) in runs.iter().zip(&points) {
        let mut places: HashMap<Vec<Option<String>>, usize> = HashMap::new();
        for own in valued(&request.y, request, family, good) {
            let Some(group) = own.text(family, &request.x) else {
                left_out += 1;
                continue;
            };
            let key: Vec<Option<String>> = columns.iter().map(|name| own.text(family, name)).collect();
            let place = *places.entry(key).or_insert_with_key(|key| {
                let known = key.iter().any(Option::is_some);
                let words = if known { label("", &columns, key) } else { String::new() };
                let origin = Some(shown.run.metadata.device.origin);
                let label = shown.labelled(&words);
                series.push((BarSeries { label, origin, bars: Vec::new() }, HashMap::new()));
                series.len() - 1
            });
            if !seen.contains(&group) {
                seen.insert(group.clone());
                groups.push(group.clone());
            }
            series[place].1.entry(group).or_default().push(own);
        }
    }
    in_order(&mut groups);
    let mut notes = Vec::new();
    let mut cut = |what: &str, count: usize, most: usize| {
        if count > most {
            notes.push(format!("The first {most} of {count} {what} are shown."));
        }
    };
    cut(&format!("values of {}", request.x), groups.len(), GROUPS_MAX);
    cut("kinds of bars", series.len(), SERIES_MAX);
    groups.truncate(GROUPS_MAX);
    series.truncate(SERIES_MAX);
    let mut most = 0;
    let series: Vec<BarSeries> = series
        .into_iter()
        .map(|(own, values)| {
            let bar = |group: &String| {
                let values = values.get(group)?;
                most = most.max(values.len());
                mean(values)
            };
            BarSeries { bars: groups.iter().map(bar).collect(), ..own }
        })
        .collect();
    if most > 1 {
        let shown: Vec<&PointRecord> = points.iter().flat_map(|good| good.shown.iter().copied()).collect();
        let taken: Vec<&str> = std::iter::once(request.x.as_str()).chain(columns.iter().map(String::as_str)).collect();
        let over = others(family, &shown, &taken).join(", ");
        let positive = series.iter().flat_map(|own| own.bars.iter().flatten()).all(|bar| bar.value > 0.0);
        let kind = if positive { "geometric means" } else { "means" };
        notes.push(format!("Bars are {kind} over {over}, of up to {most} values each."));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} points do not depend on {} and are left out.", request.x));
    }
    let reference = match &request.y {
        Vertical::Slowdown { reference } => Some((1.0, format!("as {reference}"))),
        _ => None,
    };
    let origins: HashSet<Origin> = runs.iter().map(|shown| shown.run.metadata.device.origin).collect();
    let (y_label, quantity) = measure(&request.y, family, &origins);
    let shown: Vec<&[&PointRecord]> = points.iter().map(|good| &good.shown[..]).collect();
    let mut all_notes = fixed_notes(family, runs, &shown);
    all_notes.append(&mut notes);
    BarChart {
        title: request.title.clone(),
        subtitle: subtitle(runs),
        x_label: super::summary_of(&request.x, family),
        y_label,
        quantity,
        y_scale: request.y_scale,
        groups,
        series,
        reference,
        notes: all_notes,
    }
}

/// What tells the bars of one group apart: what the scenario says, else the parameters that are text and vary.
fn series_columns(request: &ChartRequest, family: &Family, points: &[Good<'_>]) -> Vec<String> {
    if let Some(columns) = &request.series {
        return columns.clone();
    }
    let all: Vec<&PointRecord> = points.iter().flat_map(|good| good.shown.iter().copied()).collect();
    let texts = family.parameters.iter().filter(|parameter| !matches!(parameter.kind, Kind::Integer { .. }));
    let names = texts.map(|parameter| parameter.name).filter(|name| *name != request.x);
    varying(family, names, &all).into_iter().map(str::to_owned).collect()
}
