//! What a line chart shows, before any decision about its looks.

use super::{Quantity, Scale};
use crate::properties::Origin;

/// Values against a parameter, a line for each series, with intervals and laws.
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
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
    /// Fitted lines, drawn behind the points.
    pub laws: Vec<LawLine>,
    /// Places where one series overtakes another.
    pub crossings: Vec<Crossing>,
    /// Reference values: lines or strips across the plot.
    pub guides: Vec<Guide>,
    /// Small print under the plot. The renderer adds what its own marks mean: interval bars, dotted lines, left out
    /// points.
    pub notes: Vec<String>,
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
    /// Whether it is what the others are divided by: a level at 1 by definition.
    pub is_reference: bool,
    /// Where its values come from. Markers of what was not measured are hollow. `None` where a series is of no run.
    pub origin: Option<Origin>,
    /// What its line is drawn with.
    pub stroke: Stroke,
    /// What it is of, as a number: series of the same kind have the same colour and marker, also in different runs. `None`: its place
    /// among the chart's series.
    pub kind: Option<usize>,
    /// Which of several runs it is of, from 0: markers of the same kind differ in shape then.
    pub run: usize,
    /// Between which values other lines lie that it stands for, as (x, low, high) in rising order of x: a translucent strip.
    pub range: Vec<(f64, f64, f64)>,
}

/// What a line is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Stroke {
    /// Without gaps: the first measured run.
    #[default]
    Solid,
    /// Short dashes: a simulated run.
    Dashed,
    /// Long dashes: a second measured run.
    LongDashed,
    /// Dashes and dots in turn: a third run.
    DashDotted,
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
    /// Whether the law that it is a figure of does not hold: its marker is hollow, also among markers that are.
    pub is_open: bool,
}

impl Dot {
    /// A point without an interval.
    pub fn exact(x: f64, value: f64) -> Self {
        Self { x, value, low: value, high: value, point: None, is_open: false }
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
    /// The same in few words, for a legend that would take too much of the picture; empty where there are none.
    pub short: String,
    /// The line as (x, value): straight from point to point, interrupted by values that are not finite.
    pub path: Vec<(f64, f64)>,
    /// The 95 % interval of the line itself as (x, low, high), in rising order of x; empty where there is none.
    pub band: Vec<(f64, f64, f64)>,
    /// The line is dotted to the left of this x; none: nowhere.
    pub holds_from_x: Option<f64>,
    /// Whether the law holds at all; if not, the line is dotted throughout.
    pub holds: bool,
}

/// A reference value, or a range of reference values: a line or a strip across the plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Guide {
    /// The lower end.
    pub low: f64,
    /// The upper end; the same for a line.
    pub high: f64,
    /// What it is, for the notes: `within 5 % of the law`; empty where the axis says it.
    pub label: String,
}
