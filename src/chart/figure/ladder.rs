//! The chart of a ladder: a bar for each rung in the family's order, each with its time and its speedup, up to the device's limit.

use std::collections::HashSet;

use super::Shown;
use super::{fixed_notes, subtitle};
use crate::chart::{Bar, BarChart, BarSeries, Quantity};
use crate::family::{Family, Variant};
use crate::ladder::{Ladder, LadderTable, PublishedLadder, Rung, ladder};
use crate::properties::Origin;
use crate::published::embedded;
use crate::record::PointRecord;
use crate::scenario::ChartRequest;
use crate::unit;

/// Series that can be told apart.
const SERIES_MAX: usize = 8;

/// The chart of the rungs of these runs: their times with the speedup since the first rung, or these speedups beside published ones.
pub(super) fn ladder_chart(request: &ChartRequest, is_speedup: bool, family: &Family, runs: &[Shown<'_>]) -> BarChart {
    let points: Vec<Vec<&PointRecord>> = runs
        .iter()
        .map(|shown| shown.run.points.iter().filter(|point| request.only.admits(family, point)).collect())
        .collect();
    let variants: Vec<&'static Variant> =
        family.variants.iter().filter(|own| points.iter().flatten().any(|point| point.variant == own.name)).collect();
    let figures = embedded();
    let ladders: Vec<Ladder> = runs
        .iter()
        .zip(&points)
        .filter_map(|(shown, points)| {
            let own: Vec<PointRecord> = points.iter().map(|point| (*point).clone()).collect();
            ladder(family, &variants, &shown.run.metadata.device, &own, &figures, &[])
        })
        .collect();
    let tables: Vec<(&Shown<'_>, &Ladder, &LadderTable)> = runs
        .iter()
        .zip(&ladders)
        .flat_map(|(shown, ladder)| ladder.tables.iter().map(move |table| (shown, ladder, table)))
        .collect();
    // Published speedups stand beside those of one table: the nearest in size.
    let tables = match (&ladders[..], is_speedup) {
        ([own], true) => {
            let nearest = own.published.first().and_then(|published| own.nearest(published));
            tables
                .into_iter()
                .filter(|(_, _, table)| nearest.is_none_or(|nearest| std::ptr::eq(*table, nearest)))
                .collect()
        }
        _ => tables,
    };
    let has_time = |variant: &Variant| {
        points.iter().flatten().any(|point| point.variant == variant.name && point.timing.is_some())
    };
    // References on the host have no place among speedups over the first rung.
    let (climbed, hosts): (Vec<&Variant>, Vec<&Variant>) = variants.iter().copied().partition(|own| !own.is_host);
    let groups: Vec<&Variant> =
        climbed.into_iter().chain(hosts.into_iter().filter(|own| !is_speedup && has_time(own))).collect();
    let mut notes = Vec::new();
    if tables.len() > SERIES_MAX {
        notes.push(format!("The first {SERIES_MAX} of {} kinds of bars are shown.", tables.len()));
    }
    let shown_tables = &tables[..tables.len().min(SERIES_MAX)];
    let mut series: Vec<BarSeries> =
        shown_tables.iter().map(|(shown, ladder, table)| of_table(shown, ladder, table, &groups, is_speedup)).collect();
    if let ([(_, ladder, table)], true) = (shown_tables, is_speedup) {
        if let Some(first) = series.first_mut() {
            let at = table.label();
            let at = if at.is_empty() { at } else { format!(", {at}") };
            first.label = format!("here, {}{at}", ladder.origin.name());
        }
        let own = ladder.published.iter().filter(|own| own.is_own_device || !ladder.published[0].is_own_device);
        series.extend(own.filter(|own| crate::ladder::beside(own, table).is_some()).map(|own| of_source(own, &groups)));
    }
    let reference = reference(shown_tables, is_speedup);
    if reference.is_none() && shown_tables.iter().any(|(_, _, table)| table.limit_us.is_some()) {
        notes.push("The tables of `apbench ladder` have the limit of each.".to_owned());
    }
    notes.extend(reasons(shown_tables));
    let origins: HashSet<Origin> = runs.iter().map(|shown| shown.run.metadata.device.origin).collect();
    let (time, _) = super::values::measure(&request.y, family, &origins);
    let (y_label, quantity) = if is_speedup {
        ("times as fast as the first rung".to_owned(), Quantity::Ratio)
    } else {
        (format!("{time}, and times as fast as the first rung"), Quantity::Time)
    };
    let all: Vec<&[&PointRecord]> = points.iter().map(Vec::as_slice).collect();
    let mut all_notes = fixed_notes(family, runs, &all);
    all_notes.append(&mut notes);
    BarChart {
        title: request.title.clone(),
        subtitle: subtitle(runs),
        x_label: "rung".to_owned(),
        y_label,
        quantity,
        y_scale: request.y_scale,
        groups: groups.iter().map(|own| named(own)).collect(),
        series,
        reference,
        notes: all_notes,
    }
}

fn named(variant: &Variant) -> String {
    if variant.is_host { format!("{} (host)", variant.name) } else { variant.name.to_owned() }
}

fn of_table(
    shown: &Shown<'_>,
    ladder: &Ladder,
    table: &LadderTable,
    groups: &[&Variant],
    is_speedup: bool,
) -> BarSeries {
    let bar = |variant: &&Variant| {
        let rung = table.rungs.iter().chain(&table.hosts).find(|rung| rung.variant == variant.name)?;
        if is_speedup { speedup_bar(rung) } else { time_bar(rung) }
    };
    BarSeries {
        label: shown.labelled(&table.label()),
        origin: Some(ladder.origin),
        bars: groups.iter().map(bar).collect(),
    }
}

fn time_bar(rung: &Rung) -> Option<Bar> {
    let value = rung.time_us?;
    let (low, high) = rung.interval_us.unwrap_or((value, value));
    let label = match rung.cumulative {
        Some(cumulative) => format!("{}, {}", unit::time_us(value), times(cumulative.ratio)),
        None => unit::time_us(value),
    };
    Some(Bar { value, low, high, range: None, points: rung.point.into_iter().collect(), label })
}

fn speedup_bar(rung: &Rung) -> Option<Bar> {
    rung.time_us?;
    let (value, interval) = rung.cumulative.map_or((1.0, None), |own| (own.ratio, own.interval));
    let (low, high) = interval.unwrap_or((value, value));
    Some(Bar { value, low, high, range: None, points: rung.point.into_iter().collect(), label: times(value) })
}

fn of_source(published: &PublishedLadder, groups: &[&Variant]) -> BarSeries {
    let bar = |variant: &&Variant| {
        let rung = published.rungs.iter().find(|rung| rung.variant == variant.name)?;
        let value = rung.cumulative;
        Some(Bar { value, low: value, high: value, label: times(value), ..Bar::default() })
    };
    BarSeries {
        label: format!("{}, published ({})", published.device, published.source),
        origin: None,
        bars: groups.iter().map(bar).collect(),
    }
}

/// The limit, where it is the same for all: of times with transfers there is none.
fn reference(tables: &[(&Shown<'_>, &Ladder, &LadderTable)], is_speedup: bool) -> Option<(f64, String)> {
    let [(_, ladder, table)] = tables else { return None };
    let name = format!("limit: {}", ladder.peak_name);
    let limit_us = table.limit_us.filter(|_| !table.has_phases())?;
    if !is_speedup {
        return Some((limit_us, name));
    }
    let first_us = table.rungs.iter().find_map(|rung| rung.time_us)?;
    Some((first_us / limit_us, name))
}

/// Why rungs have no bar, each once.
fn reasons(tables: &[(&Shown<'_>, &Ladder, &LadderTable)]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let rungs = tables.iter().flat_map(|(_, ladder, table)| {
        // Beside a simulated device the host has no times at all.
        let hosts = table.hosts.iter().filter(|_| ladder.origin != Origin::Simulated);
        table.rungs.iter().chain(hosts)
    });
    for rung in rungs {
        if rung.time_us.is_none() {
            let words = format!("{}: {}.", rung.variant, rung.reason);
            if !told.contains(&words) {
                told.push(words);
            }
        }
    }
    told
}

fn times(ratio: f64) -> String {
    format!("{}x", unit::significant(ratio, 3))
}

#[cfg(test)]
mod tests;
