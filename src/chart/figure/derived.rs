//! Charts of the figures of laws: each group of a fit is a point, and the laws that are fitted to those are its lines.

use std::collections::HashSet;

use super::{Shown, overlay};
use crate::chart::{Chart, Dot, LineChart};
use crate::family::Family;
use crate::model::group::{GroupFit, derived_figures, doubtful_figures, without_figure};
use crate::model::verdict::Verdict;
use crate::model::{Of, OfFit};
use crate::properties::Origin;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::{ChartKind, ChartRequest};
use located_toml::words::count;

/// What a chart shows of a run: the figures of its laws as points.
struct Figures {
    run: Run,
    /// The laws that were fitted to the figures.
    fits: Vec<GroupFit>,
    /// The figures of laws that do not hold.
    doubtful: Vec<PointRecord>,
}

/// The pictures that `request` describes, of this parameter in place of times.
pub(super) fn charts(
    request: &ChartRequest,
    of: &OfFit,
    family: &Family,
    pattern: &str,
    runs: &[Shown<'_>],
) -> Vec<(String, Chart)> {
    // Bars and cells are not hollow.
    let has_markers = matches!(request.kind, ChartKind::Lines);
    let figures = |shown: &Shown<'_>| -> Figures {
        let mut points = derived_figures(of, shown.fits, family, &shown.run.points);
        let doubtful = doubtful_figures(of, shown.fits, family, &shown.run.points);
        if has_markers {
            points.extend(doubtful.iter().cloned());
            // Lines are in the order of the run.
            points.sort_by_key(|point| point.point);
        }
        let own = shown.fits.iter().filter(|group| group.of.as_ref().and_then(Of::fit) == Some(of)).cloned();
        let run = Run {
            directory: shown.run.directory.clone(),
            metadata: shown.run.metadata.clone(),
            scenario: shown.run.scenario.clone(),
            points,
            notes: Vec::new(),
        };
        Figures { run, fits: own.map(|group| GroupFit { of: None, ..group }).collect(), doubtful }
    };
    let figures: Vec<Figures> = runs.iter().map(figures).collect();
    let of_runs = figures.iter().zip(runs);
    let of_runs = of_runs.map(|(own, shown)| Shown { label: shown.label, run: &own.run, fits: &own.fits });
    let notes = notes(request, of, family, runs, &figures, has_markers);
    let request = ChartRequest { of: None, ..request.clone() };
    let mut charts = overlay(&request, family, pattern, &of_runs.collect::<Vec<_>>());
    let label = |label: &mut String| *label = format!("{} of the law `{}`", of.parameter, of.fit);
    let open: Vec<HashSet<usize>> =
        figures.iter().map(|own| own.doubtful.iter().map(|point| point.point).collect()).collect();
    let of_lines = |lines: &mut LineChart| {
        label(&mut lines.y_label);
        for series in &mut lines.series {
            let is_open = |dot: &Dot| dot.point.is_some_and(|point| open[series.run].contains(&point));
            series.points.iter_mut().for_each(|dot| dot.is_open = is_open(dot));
        }
    };
    for (_, chart) in &mut charts {
        match chart {
            Chart::Lines(lines) => {
                of_lines(lines);
                lines.notes.extend(notes.clone());
            }
            Chart::Panels(panels) => {
                panels.panels.iter_mut().for_each(of_lines);
                panels.notes.extend(notes.clone());
            }
            Chart::Bars(bars) => bars.notes.extend(notes.clone()),
            Chart::Heat(heat) => heat.notes.extend(notes.clone()),
        }
    }
    charts
}

/// Which points have laws that do not hold, and which would be there if a law could be fitted.
fn notes(
    request: &ChartRequest,
    of: &OfFit,
    family: &Family,
    runs: &[Shown<'_>],
    figures: &[Figures],
    has_markers: bool,
) -> Vec<String> {
    let told = |points: &mut dyn Iterator<Item = &PointRecord>| -> (usize, String) {
        let own = points.filter(|point| request.only.admits(family, point));
        let mut variants: Vec<String> = own.map(|point| point.variant.to_string()).collect();
        let all = variants.len();
        variants.sort();
        variants.dedup();
        (all, variants.join(", "))
    };
    let (doubtful, of_doubtful) = told(&mut figures.iter().flat_map(|own| &own.doubtful));
    let without = runs.iter().flat_map(|shown| without_figure(of, shown.fits, family, &shown.run.points));
    let (without, of_without) = told(&mut without.collect::<Vec<_>>().into_iter());
    let is_measured = runs.iter().all(|shown| shown.run.metadata.device.origin == Origin::Measured);
    // Beside markers that are hollow since nothing was measured.
    let hollow = if is_measured { "Hollow" } else { "Hollow with a thin rim" };
    let is = |points: usize| if points == 1 { "is" } else { "are" };
    let is_undecided =
        |group: &GroupFit| matches!(group.outcome.law().map(|law| &law.verdict), Some(Verdict::Undecided(_)));
    let mut groups =
        runs.iter().flat_map(|shown| shown.fits).filter(|group| group.name == of.fit && group.of.is_none());
    let undecided = if groups.any(is_undecided) { " or is undecided" } else { "" };
    let mut notes = Vec::new();
    if doubtful > 0 {
        let points = count(doubtful, "point");
        notes.push(if has_markers {
            format!("{hollow}: the law does not hold{undecided} ({points}, {of_doubtful}).")
        } else {
            let law = if doubtful == 1 { "its law does" } else { "their laws do" };
            format!("{points} {} not drawn, since {law} not hold{undecided} ({of_doubtful}).", is(doubtful))
        });
    }
    if without > 0 {
        let (points, is) = (count(without, "point"), is(without));
        notes.push(format!("{points} {is} not drawn, since no law could be fitted that gives a time ({of_without})."));
    }
    notes
}
