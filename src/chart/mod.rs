//! Charts: runtime (or throughput, or slowdown) against a parameter, one line per series, with intervals and fitted laws, in one style.
//!
//! Plotters draws an SVG, the same bytes for the same chart on every machine; resvg makes a PNG of it with the embedded
//! font. Nothing here touches a file.
//!
//! ```
//! use apbench::chart::{Dot, LineChart, Series, svg};
//! let points = vec![Dot { x: 1.0, value: 34.5, low: 34.4, high: 34.6, point: None }];
//! let series = vec![Series { label: "compute".to_owned(), points, is_level: false }];
//! let chart = LineChart { title: "Divergent branches".to_owned(), series, ..LineChart::default() };
//! assert!(svg(&chart)?.starts_with("<svg"));
//! # Ok::<(), apbench::chart::ChartError>(())
//! ```

mod axis;
mod crossing;
mod data;
mod draw;
pub mod figure;
mod legend;
mod marker;
mod picture;
mod plot;
mod png;
mod style;
mod text;

pub use crate::scenario::Scale;
pub use png::png;

/// What a chart shows, before any decision about its looks.
///
/// Times are in microseconds; the renderer chooses the unit that suits the largest. Other quantities are as they are. Labels may hold any text: what the
/// embedded font lacks is blank in a PNG, and control characters are spaces. A value that is not finite (or beyond 1e100, or not
/// positive on a logarithmic axis) is left out, and a note under the plot says how many points are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineChart {
    /// What the chart is about, in bold at its top left.
    pub title: String,
    /// The device and the origin of the times, in grey below: `NVIDIA H200 (cuda:0), measured`.
    pub subtitle: String,
    /// The parameter, with its unit if it has one: `branches per warp`.
    pub x_label: String,
    /// What the values are, without a unit: `time per launch` becomes `time per launch (µs)`.
    pub y_label: String,
    /// What kind of number the values are.
    pub quantity: Quantity,
    /// How the horizontal axis is scaled.
    pub x_scale: Scale,
    /// How the vertical axis is scaled.
    pub y_scale: Scale,
    /// The series, in the order of the legend, which also gives each its colour and marker.
    pub series: Vec<Series>,
    /// Fitted lines, drawn behind the points.
    pub laws: Vec<LawLine>,
    /// Places where one series overtakes another.
    pub crossings: Vec<Crossing>,
    /// Small print under the plot. The renderer adds what its own marks mean: interval bars, dotted lines, left out
    /// points.
    pub notes: Vec<String>,
}

/// What a value is, which decides its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// A time in microseconds.
    #[default]
    Time,
    /// A rate in 10^9 bytes a second.
    Throughput,
    /// A number without a unit.
    Ratio,
}

/// Measured (or simulated) points of one kind.
///
/// They are joined by a thin line only if no law belongs to the series, and every x occurs once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The name in the legend.
    pub label: String,
    /// The points, in any order.
    pub points: Vec<Dot>,
    /// Whether its values hold for every x: they are dashed lines across the plot then, and their x means nothing.
    pub is_level: bool,
}

/// A point with the 95 % interval of its value. An interval that is not finite is not drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dot {
    /// The parameter.
    pub x: f64,
    /// The value, in the unit of the chart's quantity.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// The number of the run's point that it is of.
    pub point: Option<usize>,
}

impl Dot {
    /// A point without an interval.
    pub fn exact(x: f64, value: f64) -> Self {
        Self { x, value, low: value, high: value, point: None }
    }
}

/// A place where one series overtakes another: a thin vertical line with a flag above the plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Crossing {
    /// Where.
    pub x: f64,
    /// The series whose colour it takes; none: dark grey.
    pub series: Option<usize>,
    /// What the flag says: `dynamic_reordering faster from branches >= 3`.
    pub label: String,
}

/// A fitted law as a line, with its equation for the legend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LawLine {
    /// The series it was fitted to, whose colour it takes and under which the legend puts it; none: dark grey, alone.
    pub series: Option<usize>,
    /// The equation and how well it fits: `t = 9.12 µs + 23.3 µs · n, R² = 0.99998 — holds from n ≥ 2`.
    pub label: String,
    /// The line as (x, value): straight from point to point, interrupted by values that are not finite.
    pub path: Vec<(f64, f64)>,
    /// The line is dotted to the left of this x; none: nowhere.
    pub holds_from_x: Option<f64>,
    /// Whether the law holds at all; if not, the line is dotted throughout.
    pub holds: bool,
}

/// Why there is no chart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// Neither a series nor a law has a point with finite values.
    #[error("the chart has no point to draw")]
    NoPoints,
    /// A law belongs to a series that is not there.
    #[error("law {law} belongs to series {series}, but the chart has {count}")]
    UnknownSeries {
        /// The law's index.
        law: usize,
        /// The series it names.
        series: usize,
        /// How many series there are.
        count: usize,
    },
    /// The embedded font was refused.
    #[error("the embedded font cannot be used")]
    Font,
    /// The drawing library failed.
    #[error("the chart cannot be drawn: {0}")]
    Draw(String),
    /// The text is no SVG.
    #[error("the SVG cannot be read: {0}")]
    Svg(String),
    /// The picture would not fit into memory.
    #[error("a picture of {width} × {height} pixels is too large")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The PNG could not be written.
    #[error("the PNG cannot be encoded: {0}")]
    Png(String),
}

/// The chart as an SVG. On a logarithmic axis only positive values count as points.
///
/// # Errors
/// No point to draw, or a law of a series that is not there.
pub fn svg(chart: &LineChart) -> Result<String, ChartError> {
    draw::svg(chart)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the very digits are meant")]
mod tests;
