//! Line charts of one run or of several, in one plot or in panels.

use std::collections::{HashMap, HashSet};

use super::Shown;
use super::laws::law_lines;
use super::summary;
use super::values::{Good, measure, text};
use super::view::{LineKey, View};
use super::{axis_label, crossing, fixed_notes, subtitle};
use crate::chart::{Chart, LineChart, Panels, Series, Stroke};
use crate::family::Family;
use crate::properties::Origin;
use crate::scenario::{ChartRequest, Vertical};
use crate::unit;
use located_toml::words::count;

/// More panels than these are too small to read.
const PANELS_MAX: usize = 16;

/// The lines of these runs; several panels of them where the request has facets.
pub(super) fn chart(request: &ChartRequest, family: &Family, pattern: &str, runs: &[Shown<'_>]) -> Chart {
    match &request.facets {
        None => Chart::Lines(line_chart(request, family, pattern, runs)),
        Some(facet) => Chart::Panels(panels(request, facet, family, pattern, runs)),
    }
}

/// The line chart of these runs, whatever facets are asked for.
pub(super) fn line_chart(request: &ChartRequest, family: &Family, pattern: &str, runs: &[Shown<'_>]) -> LineChart {
    let (mut chart, fixed) = lines(request, family, pattern, runs);
    chart.notes.splice(0..0, fixed);
    chart
}

/// The line chart without the notes of what all its points have in common, and those notes.
fn lines(request: &ChartRequest, family: &Family, pattern: &str, runs: &[Shown<'_>]) -> (LineChart, Vec<String>) {
    let views: Vec<View<'_>> = runs.iter().map(|shown| View::new(request, &request.y, family, shown.run)).collect();
    let strokes = strokes(runs);
    // What is drawn beside lines is left out where lines are summarised.
    let is_summary = views.iter().map(|view| view.lines.len()).sum::<usize>() > summary::LINES_MAX;
    // Lines of different runs that are of the same have the same colour.
    let mut kinds: HashMap<(&LineKey, bool), usize> = HashMap::new();
    let mut chart = LineChart::default();
    for ((index, shown), view) in runs.iter().enumerate().zip(&views) {
        let origin = shown.run.metadata.device.origin;
        let mut series: Vec<Series> = Vec::new();
        for line in &view.lines {
            let next = kinds.len();
            let kind = *kinds.entry((&line.key, line.is_level)).or_insert(next);
            series.push(Series {
                label: shown.labelled(&line.label),
                points: line.points.iter().map(|placed| placed.dot).collect(),
                is_level: line.is_level,
                is_reference: line.is_reference,
                origin: Some(origin),
                stroke: strokes[index],
                kind: Some(kind),
                run: index,
                range: Vec::new(),
            });
        }
        if runs.len() == 1 && !is_summary {
            match crossing::crossings(request, family, pattern, shown.run, &view.lines, &series) {
                Ok(marks) => chart.crossings = marks,
                Err(count) => {
                    chart.notes.push(format!("{count} places where one line overtakes another are not marked."));
                }
            }
        }
        if matches!(request.y, Vertical::Time | Vertical::Energy) && !is_summary {
            let offset = chart.series.len();
            let (laws, [failing, undecided]) = law_lines(shown.fits, request, view);
            let of_run = if shown.label.is_empty() { String::new() } else { format!(" of {}", shown.label) };
            for (laws, one, several) in [
                (failing, "does not hold, and is", "do not hold, and are"),
                (undecided, "is undecided, and", "are undecided, and"),
            ] {
                if laws > 0 {
                    let words = if laws == 1 { one } else { several };
                    chart.notes.push(format!("{}{of_run} {words} not drawn.", count(laws, "law")));
                }
            }
            chart.laws.extend(laws.into_iter().map(|mut law| {
                law.series = law.series.map(|own| own + offset);
                // Below its series it is plain whose it is.
                if law.series.is_none() {
                    law.label = shown.labelled(&law.label);
                }
                law
            }));
        }
        chart.series.extend(series);
    }
    let origins: HashSet<Origin> = runs.iter().map(|shown| shown.run.metadata.device.origin).collect();
    let (y_label, quantity) = measure(&request.y, family, &origins);
    let points: Vec<_> = views.iter().flat_map(|view| view.points.iter().copied()).collect();
    let fits: Vec<_> = runs.iter().flat_map(|shown| shown.fits).collect();
    chart.title.clone_from(&request.title);
    chart.subtitle = subtitle(runs);
    chart.x_label = axis_label(&request.x, family, &fits, &points);
    (chart.y_label, chart.quantity) = (y_label, quantity);
    (chart.x_scale, chart.y_scale) = (request.x_scale, request.y_scale);
    let shown_points: Vec<_> = views.iter().map(|view| &view.points[..]).collect();
    let fixed = fixed_notes(family, runs, &shown_points);
    summary::summarise(&mut chart, &views);
    (chart, fixed)
}

/// A stroke for each run: measured ones solid, others dashed, and others of the same kind otherwise.
fn strokes(runs: &[Shown<'_>]) -> Vec<Stroke> {
    let (mut measured, mut others) = (0, 0);
    let stroke = |shown: &Shown<'_>| {
        let (strokes, count) = if shown.run.metadata.device.origin == Origin::Measured {
            (&[Stroke::Solid, Stroke::LongDashed, Stroke::DashDotted][..], &mut measured)
        } else {
            (&[Stroke::Dashed, Stroke::DashDotted][..], &mut others)
        };
        *count += 1;
        strokes[(*count - 1) % strokes.len()]
    };
    runs.iter().map(stroke).collect()
}

/// `block 256`; of sizes in bytes with their unit, `set_bytes 16 MiB`.
fn panel_title(facet: &str, value: &str) -> String {
    // Only what the unit says exactly: others would look alike.
    let is_exact = |bytes: &u64| bytes.is_multiple_of(1 << 20) || bytes.is_multiple_of(1024) && *bytes < 1 << 20;
    let bytes = value.parse().ok().filter(|bytes| facet.ends_with("_bytes") && is_exact(bytes));
    format!("{facet} {}", bytes.map_or_else(|| value.to_owned(), unit::bytes))
}

fn panels(request: &ChartRequest, facet: &str, family: &Family, pattern: &str, runs: &[Shown<'_>]) -> Panels {
    let mut values: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for shown in runs {
        for point in Good::of(request, family, shown.run).shown {
            let value = (!family.ignores(&point.variant, facet)).then(|| text(point, facet)).flatten();
            if let Some(value) = value.filter(|value| seen.insert(value.clone())) {
                values.push(value);
            }
        }
    }
    super::in_order(&mut values);
    let count = values.len();
    values.truncate(PANELS_MAX);
    let mut notes = Vec::new();
    if count > PANELS_MAX {
        notes.push(format!("The first {PANELS_MAX} of {count} values of {facet} are shown."));
    }
    let panel = |value: &String| {
        let mut request = ChartRequest { facets: None, title: panel_title(facet, value), ..request.clone() };
        request.only.conditions.retain(|(name, _)| name != facet);
        request.only.conditions.push((facet.to_owned(), vec![value.clone()]));
        lines(&request, family, pattern, runs).0
    };
    let mut panels: Vec<LineChart> = values.iter().map(panel).collect();
    align(&mut panels);
    // What all points have in common is told of all, not panel by panel.
    let good: Vec<Good<'_>> = runs.iter().map(|shown| Good::of(request, family, shown.run)).collect();
    let points: Vec<_> = good.iter().map(|good| &good.shown[..]).collect();
    let fixed = fixed_notes(family, runs, &points);
    let shared = panels.first().map(|first| first.notes.clone()).unwrap_or_default();
    let is_shared = |note: &String| panels.iter().all(|panel| panel.notes.contains(note));
    let common: Vec<String> = shared.into_iter().filter(is_shared).collect();
    for panel in &mut panels {
        let (title, crossings) = (&panel.title, &panel.crossings);
        notes.extend(panel.notes.iter().filter(|note| !common.contains(note)).map(|note| format!("{title}: {note}")));
        let marks: Vec<&str> = crossings.iter().map(|mark| mark.label.as_str()).collect();
        if !marks.is_empty() {
            notes.push(format!("{title}: {}.", marks.join("; ")));
        }
        panel.notes.clear();
    }
    let notes = fixed.into_iter().chain(common).chain(notes).collect();
    Panels { title: request.title.clone(), subtitle: subtitle(runs), panels, notes }
}

/// Gives every panel the same series in the same order, so that one legend does for all.
fn align(panels: &mut [LineChart]) {
    let mut places: HashMap<(String, usize, bool), usize> = HashMap::new();
    let mut all: Vec<Series> = Vec::new();
    let key = |series: &Series| (series.label.clone(), series.run, series.is_level);
    for series in panels.iter().flat_map(|panel| &panel.series) {
        places.entry(key(series)).or_insert_with(|| {
            all.push(Series { points: Vec::new(), range: Vec::new(), ..series.clone() });
            all.len() - 1
        });
    }
    // The same of another run has the same label but for the run's.
    let mut kinds: HashMap<String, usize> = HashMap::new();
    for series in &mut all {
        let next = kinds.len();
        let bare = series.label.rsplit_once(" · ").map_or(series.label.as_str(), |(bare, _)| bare);
        series.kind = Some(*kinds.entry(bare.to_owned()).or_insert(next));
    }
    for panel in panels {
        let mut aligned = all.clone();
        let new: Vec<usize> = panel.series.iter().map(|series| places[&key(series)]).collect();
        for (series, place) in panel.series.drain(..).zip(&new) {
            (aligned[*place].points, aligned[*place].range) = (series.points, series.range);
        }
        panel.laws.iter_mut().for_each(|law| law.series = law.series.map(|own| new[own]));
        panel.crossings.iter_mut().for_each(|mark| mark.series = mark.series.map(|own| new[own]));
        panel.series = aligned;
    }
}

#[cfg(test)]
mod tests {
    use super::panel_title;

    #[test]
    fn panels_of_sizes_in_bytes_have_a_unit_where_it_says_them_exactly() {
        for (facet, value, title) in [
            ("set_bytes", "16777216", "set_bytes 16 MiB"),
            ("set_bytes", "4096", "set_bytes 4 KiB"),
            ("set_bytes", "16778240", "set_bytes 16778240"),
            ("row_bytes", "1000", "row_bytes 1000"),
            ("elements", "16777216", "elements 16777216"),
            ("operation", "compute", "operation compute"),
        ] {
            assert_eq!(panel_title(facet, value), title);
        }
    }
}
