//! From a run's points and fits to the chart that its scenario asks for.

use super::{Dot, LawLine, LineChart, Series};
use crate::device::Origin;
use crate::family::Family;
use crate::model::group::{GroupFit, fixed_parameters, varies};
use crate::model::verdict::Verdict;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::ChartRequest;
use crate::unit;

/// The chart of a run that `request` describes: time against its x, a line of points for each combination of its
/// series, and every law that was fitted.
pub fn line_chart(request: &ChartRequest, family: &Family, run: &Run, fits: &[GroupFit]) -> LineChart {
    let points: Vec<&PointRecord> =
        run.points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    let columns = series_columns(request, family, &points);
    let mut series: Vec<Series> = Vec::new();
    for point in &points {
        let label = series_label(point, &columns);
        let (Some(x), Some(timing)) = (point.number(&request.x), &point.timing) else { continue };
        let dot = Dot {
            x,
            time_us: timing.median.time_us,
            low_us: timing.median.low_us.unwrap_or(timing.median.time_us),
            high_us: timing.median.high_us.unwrap_or(timing.median.time_us),
        };
        match series.iter_mut().find(|own| own.label == label) {
            Some(own) => own.points.push(dot),
            None => series.push(Series { label, points: vec![dot] }),
        }
    }
    for own in &mut series {
        own.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
    let laws = fits.iter().filter_map(|group| law_line(group, request, &points, &columns, &series)).collect();

    let device = &run.metadata.device;
    LineChart {
        title: request.title.clone(),
        subtitle: device.label(),
        x_label: axis_label(&request.x, family, fits),
        y_label: if device.origin == Origin::Simulated { "simulated time" } else { "median time" }.to_owned(),
        series,
        laws,
        notes: vec![format!("Every point: {}.", fixed_parameters(family, &points))],
    }
}

/// What tells one series from another: what the scenario says, else the variant and every parameter that varies
/// and that x does not follow from.
fn series_columns(request: &ChartRequest, family: &Family, points: &[&PointRecord]) -> Vec<String> {
    if let Some(columns) = &request.series {
        return columns.clone();
    }
    let explained = family.predictor(&request.x).map_or(&[][..], |predictor| predictor.parameters);
    let parameters = family.parameters.iter().map(|parameter| parameter.name);
    std::iter::once("variant")
        .chain(parameters.filter(|name| *name != request.x && !explained.contains(name)))
        .filter(|name| varies(name, points))
        .map(str::to_owned)
        .collect()
}

/// A series in words: the bare value where one column tells series apart, else `name=value` pairs.
fn series_label(point: &PointRecord, columns: &[String]) -> String {
    let value = |name: &String| point.value(name).unwrap_or_default();
    match columns {
        [] => point.variant.clone(),
        [name] if value(name).parse::<f64>().is_err() && !value(name).contains(':') => value(name),
        _ => columns.iter().map(|name| format!("{name} {}", value(name))).collect::<Vec<_>>().join(", "),
    }
}

fn law_line(
    group: &GroupFit,
    request: &ChartRequest,
    points: &[&PointRecord],
    columns: &[String],
    series: &[Series],
) -> Option<LawLine> {
    let fit = group.fit.as_ref().ok()?;
    let mut path: Vec<(f64, f64)> = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let mut holds_from_x: Option<f64> = None;
    for point in points.iter().filter(|point| group.has(point)) {
        let (Some(x), Some(predictor)) = (point.number(&request.x), point.number(group.law.predictor)) else {
            continue;
        };
        path.push((x, fit.time_us(predictor)));
        labels.push(series_label(point, columns));
        if matches!(fit.verdict, Verdict::HoldsFrom { from, .. } if predictor >= from) {
            holds_from_x = Some(holds_from_x.map_or(x, |known| known.min(x)));
        }
    }
    path.sort_by(|one, other| one.0.total_cmp(&other.0));
    path.dedup();
    // Where one x stands for several predictors, as when x is one parameter of many, a line would zigzag.
    if path.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        return None;
    }
    let own = labels.first().filter(|first| labels.iter().all(|label| label == *first));
    Some(LawLine {
        series: own.and_then(|label| series.iter().position(|series| series.label == *label)),
        label: format!("{}, R² = {}: {}", fit.equation(), unit::r2(fit.r2), fit.verdict),
        path,
        holds_from_x,
        holds: fit.verdict.is_success(),
    })
}

/// What x is, with the symbol that the laws' equations have for it.
fn axis_label(name: &str, family: &Family, fits: &[GroupFit]) -> String {
    let stands_for = |fit: &&GroupFit| {
        let predictor = fit.law.predictor;
        name == predictor || family.predictor(predictor).is_some_and(|predictor| predictor.parameters == [name])
    };
    let parameter = family.parameter(name).map(|parameter| parameter.summary);
    let summary = parameter.or_else(|| family.predictor(name).map(|predictor| predictor.summary)).unwrap_or(name);
    match fits.iter().find(stands_for).map(|fit| fit.law.symbol) {
        Some(symbol) if !summary.split_whitespace().any(|word| word == symbol) => format!("{summary}, {symbol}"),
        _ => summary.to_owned(),
    }
}
