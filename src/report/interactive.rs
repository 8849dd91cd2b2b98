//! A line chart as the data that the page's scripts draw.

use serde::Serialize;

use crate::chart::{LawLine, LineChart, Quantity, Scale, Series, SeriesMark, Stroke, series_mark};

/// What `chart.js` draws.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Interactive {
    /// The element that it goes into.
    id: String,
    /// What it shows, for those who cannot see it.
    about: String,
    x_label: String,
    y_label: String,
    quantity: &'static str,
    /// The base of a logarithmic axis, or 0.
    x_log: u32,
    y_log: u32,
    series: Vec<Line>,
    laws: Vec<Law>,
    crossings: Vec<Mark>,
    /// Lower end, upper end and name of the reference values of a chart.
    guides: Vec<(f64, f64, String)>,
}

/// A series, one list for each property of its points.
#[derive(Debug, Serialize)]
struct Line {
    label: String,
    /// On white, and on a dark ground.
    colour: [String; 2],
    shape: &'static str,
    hollow: bool,
    /// The places of points whose law does not hold.
    open: Vec<usize>,
    dash: &'static [f64],
    level: bool,
    joined: bool,
    x: Vec<f64>,
    value: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    point: Vec<Option<usize>>,
    range: Vec<(f64, f64, f64)>,
}

#[derive(Debug, Serialize)]
struct Law {
    series: Option<usize>,
    label: String,
    path: Vec<(f64, f64)>,
    band: Vec<(f64, f64, f64)>,
    from: Option<f64>,
    holds: bool,
}

#[derive(Debug, Serialize)]
struct Mark {
    x: f64,
    series: Option<usize>,
    label: String,
}

impl Interactive {
    /// The chart, to be drawn into the element with this `id`.
    pub(super) fn new(id: String, chart: &LineChart) -> Self {
        let xs =
            || chart.series.iter().filter(|series| !series.is_level).flat_map(|series| &series.points).map(|dot| dot.x);
        let is_power_of_two = |x: f64| x >= 1.0 && x.log2().fract() == 0.0;
        let [low, high] = [xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max)];
        let base = if is_power_of_two(low) && is_power_of_two(high) { 2 } else { 10 };
        Self {
            id,
            about: about(chart),
            x_label: chart.x_label.clone(),
            y_label: chart.y_label.clone(),
            quantity: match chart.quantity {
                Quantity::Time => "time",
                Quantity::Throughput => "throughput",
                Quantity::Operations => "operations",
                Quantity::Energy => "energy",
                Quantity::Power => "power",
                Quantity::Percent => "percent",
                Quantity::Ratio => "ratio",
            },
            x_log: if chart.x_scale == Scale::Log { base } else { 0 },
            y_log: if chart.y_scale == Scale::Log { 10 } else { 0 },
            series: lines(chart),
            laws: laws(chart),
            crossings: chart
                .crossings
                .iter()
                .map(|crossing| Mark { x: crossing.x, series: crossing.series, label: crossing.label.clone() })
                .collect(),
            guides: chart.guides.iter().map(|guide| (guide.low, guide.high, guide.label.clone())).collect(),
        }
    }
}

fn lines(chart: &LineChart) -> Vec<Line> {
    let line = |(place, series): (usize, &Series)| {
        let mut dots = series.points.clone();
        dots.sort_by(|one, other| one.x.total_cmp(&other.x));
        let has_law = chart.laws.iter().any(|law| law.series.is_none_or(|own| own == place));
        let is_function = dots.len() > 1 && dots.windows(2).all(|pair| pair[0].x < pair[1].x);
        let SeriesMark { colors, shape, hollow } = series_mark(place, series);
        Line {
            label: series.label.clone(),
            colour: colors,
            shape,
            hollow,
            open: (0..dots.len()).filter(|place| dots[*place].is_open).collect(),
            dash: dash(series.stroke),
            level: series.is_level,
            joined: !series.is_level && !has_law && is_function,
            x: dots.iter().map(|dot| dot.x).collect(),
            value: dots.iter().map(|dot| dot.value).collect(),
            low: dots.iter().map(|dot| dot.low).collect(),
            high: dots.iter().map(|dot| dot.high).collect(),
            point: dots.iter().map(|dot| dot.point).collect(),
            range: series.range.clone(),
        }
    };
    chart.series.iter().enumerate().map(line).collect()
}

/// Lengths of dashes and gaps, in pixels.
fn dash(stroke: Stroke) -> &'static [f64] {
    match stroke {
        Stroke::Solid => &[],
        Stroke::Dashed => &[4.0, 4.0],
        Stroke::LongDashed => &[9.0, 5.0],
        Stroke::DashDotted => &[9.0, 4.0, 1.0, 4.0],
    }
}

fn laws(chart: &LineChart) -> Vec<Law> {
    let law = |law: &LawLine| Law {
        series: law.series,
        label: law.label.clone(),
        path: law.path.clone(),
        band: law.band.clone(),
        from: law.holds_from_x,
        holds: law.holds,
    };
    chart.laws.iter().map(law).collect()
}

/// What the chart shows, in words.
fn about(chart: &LineChart) -> String {
    let points: usize = chart.series.iter().map(|series| series.points.len()).sum();
    let names: Vec<&str> = chart.series.iter().map(|series| series.label.as_str()).collect();
    format!(
        "{}, {}: {} against {}, {points} points of {}. Arrow keys go from point to point and from series to series, Enter shows \
         all that is known of a point, Home the whole range.",
        chart.title,
        chart.subtitle,
        chart.y_label,
        chart.x_label,
        names.join(", "),
    )
}
