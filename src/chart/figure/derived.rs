//! Charts of the figures of laws: each group of a fit is a point, and the laws that are fitted to those are its lines.

use super::{Shown, overlay};
use crate::chart::Chart;
use crate::family::Family;
use crate::model::group::{GroupFit, derived_figures};
use crate::model::{Of, OfFit};
use crate::run::reader::Run;
use crate::scenario::ChartRequest;

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
    let request = ChartRequest { of: None, ..request.clone() };
    let mut charts = overlay(&request, family, pattern, &of_runs.collect::<Vec<_>>());
    let label = |label: &mut String| *label = format!("{} of the law `{}`", of.parameter, of.fit);
    for (_, chart) in &mut charts {
        match chart {
            Chart::Lines(lines) => label(&mut lines.y_label),
            Chart::Panels(panels) => panels.panels.iter_mut().for_each(|panel| label(&mut panel.y_label)),
            Chart::Bars(_) | Chart::Heat(_) => {}
        }
    }
    charts
}
