//! Charts of the figures of laws: each group of a fit is a point, and the laws that are fitted to those are its lines.

use super::{Shown, overlay};
use crate::chart::Chart;
use crate::family::Family;
use crate::model::group::{GroupFit, derived_figures, without_figure};
use crate::model::{Of, OfFit};
use crate::run::reader::Run;
use crate::scenario::ChartRequest;
use located_toml::words::count;

/// The pictures that `request` describes, of this parameter in place of times.
pub(super) fn charts(
    request: &ChartRequest,
    of: &OfFit,
    family: &Family,
    pattern: &str,
    runs: &[Shown<'_>],
) -> Vec<(String, Chart)> {
    let derived = |shown: &Shown<'_>| -> (Run, Vec<GroupFit>) {
        let points = derived_figures(of, shown.fits, family, &shown.run.points);
        let own = shown.fits.iter().filter(|group| group.of.as_ref().and_then(Of::fit) == Some(of)).cloned();
        let run = Run {
            directory: shown.run.directory.clone(),
            metadata: shown.run.metadata.clone(),
            scenario: shown.run.scenario.clone(),
            points,
            notes: Vec::new(),
        };
        (run, own.map(|group| GroupFit { of: None, ..group }).collect())
    };
    let derived: Vec<(Run, Vec<GroupFit>)> = runs.iter().map(derived).collect();
    let of_runs = derived.iter().zip(runs).map(|((run, fits), shown)| Shown { label: shown.label, run, fits });
    let missing = missing(request, of, family, runs);
    let request = ChartRequest { of: None, ..request.clone() };
    let mut charts = overlay(&request, family, pattern, &of_runs.collect::<Vec<_>>());
    let label = |label: &mut String| *label = format!("{} of the law `{}`", of.parameter, of.fit);
    for (_, chart) in &mut charts {
        match chart {
            Chart::Lines(lines) => {
                label(&mut lines.y_label);
                lines.notes.extend(missing.clone());
            }
            Chart::Panels(panels) => {
                panels.panels.iter_mut().for_each(|panel| label(&mut panel.y_label));
                panels.notes.extend(missing.clone());
            }
            Chart::Bars(bars) => bars.notes.extend(missing.clone()),
            Chart::Heat(heat) => heat.notes.extend(missing.clone()),
        }
    }
    charts
}

/// How many points the chart would have beside those that it has, if their laws held, and of which variants.
fn missing(request: &ChartRequest, of: &OfFit, family: &Family, runs: &[Shown<'_>]) -> Option<String> {
    let of_run = |shown: &Shown<'_>| -> Vec<String> {
        let without = without_figure(of, shown.fits, family, &shown.run.points).into_iter();
        without.filter(|point| request.only.admits(family, point)).map(|point| point.variant.to_string()).collect()
    };
    let mut variants: Vec<String> = runs.iter().flat_map(of_run).collect();
    let all = variants.len();
    variants.sort();
    variants.dedup();
    (all > 0).then(|| {
        let is = if all == 1 { "is not drawn, since its law does" } else { "are not drawn, since their laws do" };
        format!("{} {is} not hold ({}).", count(all, "point"), variants.join(", "))
    })
}
