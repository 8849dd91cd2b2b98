//! Charts: runtime (or throughput, or slowdown) against a parameter, one line per series, with intervals and fitted laws, in one style.
//!
//! Plotters draws an SVG, the same bytes for the same chart on every machine; `png` draws the elements that such an SVG has
//! with tiny-skia and the embedded font. Nothing here touches a file.
//!
//! ```
//! use apbench::chart::{Chart, Dot, LineChart, Look, Series, svg};
//! let points = vec![Dot { x: 1.0, value: 34.5, low: 34.4, high: 34.6, point: None, is_open: false }];
//! let series = vec![Series { label: "compute".to_owned(), points, ..Series::default() }];
//! let chart = LineChart { title: "Divergent branches".to_owned(), series, ..LineChart::default() };
//! assert!(svg(&Chart::Lines(chart), &Look::default())?.starts_with("<svg"));
//! # Ok::<(), apbench::chart::ChartError>(())
//! ```

mod axis;
mod bar_chart;
mod bars;
mod crossing;
mod crowd;
mod data;
mod draw;
pub mod figure;
mod heat;
mod heat_map;
mod legend;
mod line_chart;
mod look;
mod marker;
mod notes;
mod panels;
mod picture;
mod plot;
mod png;
mod style;
mod text;
mod theme;

pub use crate::scenario::Scale;
pub use bar_chart::{Bar, BarChart, BarSeries};
pub use heat_map::{Cell, HeatMap};
pub use line_chart::{Crossing, Dot, Guide, LawLine, LineChart, Series, Stroke};
pub use look::{Look, Theme};
pub use marker::{SeriesMark, series_mark};
pub use png::png;

/// A chart of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Values against a parameter.
    Lines(LineChart),
    /// A value for each of several things.
    Bars(BarChart),
    /// A value for each combination of two parameters.
    Heat(HeatMap),
    /// Line charts side by side, one for each value of a parameter.
    Panels(Panels),
}

impl Chart {
    /// What it is about.
    pub fn title(&self) -> &str {
        match self {
            Self::Lines(LineChart { title, .. })
            | Self::Bars(BarChart { title, .. })
            | Self::Heat(HeatMap { title, .. })
            | Self::Panels(Panels { title, .. }) => title,
        }
    }

    /// The device and the origin of its values.
    pub fn subtitle(&self) -> &str {
        match self {
            Self::Lines(LineChart { subtitle, .. })
            | Self::Bars(BarChart { subtitle, .. })
            | Self::Heat(HeatMap { subtitle, .. })
            | Self::Panels(Panels { subtitle, .. }) => subtitle,
        }
    }
}

/// Line charts in one picture, with the same axes and one legend. Their own titles say what tells them apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panels {
    /// What all are about.
    pub title: String,
    /// The device and the origin of the values, in grey below.
    pub subtitle: String,
    /// The charts: their series are the same, in the same order, though one may have no points.
    pub panels: Vec<LineChart>,
    /// Small print under all of them.
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
    /// A rate in 10^9 operations a second.
    Operations,
    /// An energy in millijoules.
    Energy,
    /// A power in watts.
    Power,
    /// A number without a unit.
    Ratio,
    /// A deviation in percent.
    Percent,
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
pub fn svg(chart: &Chart, look: &Look) -> Result<String, ChartError> {
    draw::svg(chart, look)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the very digits are meant")]
mod tests;
