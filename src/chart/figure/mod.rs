//! From a run's points and fits to the chart that its scenario asks for.

use super::{LawLine, LineChart, Quantity};
use crate::device::Origin;
use crate::family::Family;
use crate::model::Model;
use crate::model::group::{GroupFit, Outcome, fixed_parameters};
use crate::model::verdict::Verdict;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::{ChartRequest, Vertical};
use crate::unit;

mod crossing;
mod view;

pub use crossing::crossovers;
use view::View;

/// The chart of a run that `request` describes: what it asks for against its x, a line of points for each combination of
/// its series, every law that was fitted, and where remedies overtake the pattern, the variant of this name. Laws are of
/// times, so charts of anything else have none.
pub fn line_chart(request: &ChartRequest, family: &Family, pattern: &str, run: &Run, fits: &[GroupFit]) -> LineChart {
    let view = View::new(request, &request.y, family, run);
    let series = view.series();
    let is_time = request.y == Vertical::Time;
    let laws = fits.iter().filter(|_| is_time).filter_map(|group| law_line(group, request, &view)).collect();
    let crossings = crossing::crossings(request, family, pattern, run, &view.lines, &series);
    let device = &run.metadata.device;
    let is_simulated = device.origin == Origin::Simulated;
    let fixed = fixed_parameters(family, &view.points);
    LineChart {
        title: request.title.clone(),
        subtitle: device.label(),
        x_label: axis_label(&request.x, family, fits, &view.points),
        y_label: match &request.y {
            Vertical::Time if is_simulated => "simulated time".to_owned(),
            Vertical::Time => "median time".to_owned(),
            Vertical::Throughput if is_simulated => "simulated throughput".to_owned(),
            Vertical::Throughput => "throughput".to_owned(),
            Vertical::Slowdown { reference } if is_simulated => format!("simulated time, relative to {reference}"),
            Vertical::Slowdown { reference } => format!("median time, relative to {reference}"),
        },
        quantity: match request.y {
            Vertical::Time => Quantity::Time,
            Vertical::Throughput => Quantity::Throughput,
            Vertical::Slowdown { .. } => Quantity::Ratio,
        },
        x_scale: request.x_scale,
        y_scale: request.y_scale,
        series,
        laws,
        crossings,
        notes: if fixed.is_empty() { Vec::new() } else { vec![format!("Every point: {fixed}.")] },
    }
}

fn law_line(group: &GroupFit, request: &ChartRequest, view: &View<'_>) -> Option<LawLine> {
    let Outcome::Line(fit) = &group.outcome else { return None };
    let mut path: Vec<(f64, f64)> = Vec::new();
    let mut lines: Vec<Option<usize>> = Vec::new();
    let mut holds_from_x: Option<f64> = None;
    for point in view.points.iter().filter(|point| group.has(point)) {
        let (Some(x), Some(predictor)) = (point.number(&request.x), point.number(fit.predictor)) else {
            continue;
        };
        path.push((x, fit.time_us(predictor)));
        lines.push(view.line_of(point));
        if matches!(fit.verdict, Verdict::HoldsFrom { from, .. } if predictor >= from) {
            holds_from_x = Some(holds_from_x.map_or(x, |known| known.min(x)));
        }
    }
    path.sort_by(|one, other| one.0.total_cmp(&other.0));
    path.dedup();
    // Where one x stands for several predictors, as when x is one parameter of many, a line would zigzag; and so it would
    // where the predictor rises and falls along x.
    let is_function = path.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let is_monotone =
        path.windows(2).all(|pair| pair[0].1 <= pair[1].1) || path.windows(2).all(|pair| pair[0].1 >= pair[1].1);
    if path.len() < 2 || !is_function || !is_monotone {
        return None;
    }
    let own = lines.first().filter(|first| lines.iter().all(|line| line == *first));
    Some(LawLine {
        series: own.copied().flatten(),
        label: format!("{}, R² = {}: {}", fit.equation(), unit::r2(fit.r2), fit.verdict),
        path,
        holds_from_x,
        holds: fit.verdict.is_success(),
    })
}

/// What x is, with the symbol that the laws' equations have for it.
fn axis_label(name: &str, family: &Family, fits: &[GroupFit], points: &[&PointRecord]) -> String {
    let laws = fits.iter().filter_map(|fit| match fit.model {
        Model::Law { law, predictor, .. } if law.predictor.is_some() => Some((law, predictor)),
        _ => None,
    });
    let stands_for = |predictor: &str| points.iter().all(|point| point.number(name) == point.number(predictor));
    let parameter = family.parameter(name).map(|parameter| parameter.summary);
    let summary = parameter.or_else(|| family.predictor(name).map(|predictor| predictor.summary)).unwrap_or(name);
    match laws.filter(|(_, predictor)| stands_for(predictor)).map(|(law, _)| law.symbol).next() {
        Some(symbol) if !summary.split_whitespace().any(|word| word == symbol) => format!("{summary}, {symbol}"),
        _ => summary.to_owned(),
    }
}

#[cfg(test)]
mod tests;
