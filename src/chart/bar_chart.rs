//! What a bar chart shows, before any decision about its looks.

use super::{Quantity, Scale};
use crate::properties::Origin;

/// A value for each of several things (variants, as in tables 4.1 and 4.2 of the thesis), or several values for each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BarChart {
    /// What the chart is about, in bold at its top left.
    pub title: String,
    /// The device and the origin of the values, in grey below.
    pub subtitle: String,
    /// What the groups are: `variant`.
    pub x_label: String,
    /// What the values are, without a unit.
    pub y_label: String,
    /// What kind of number the values are.
    pub quantity: Quantity,
    /// How the axis of the values is scaled.
    pub y_scale: Scale,
    /// The groups, in their order.
    pub groups: Vec<String>,
    /// The series, each with a bar in every group that it has a value for.
    pub series: Vec<BarSeries>,
    /// A reference value, such as 1, and its label.
    pub reference: Option<(f64, String)>,
    /// Small print under the plot. The renderer adds what its own marks mean.
    pub notes: Vec<String>,
}

/// Bars of one kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BarSeries {
    /// The name in the legend.
    pub label: String,
    /// Where its values come from. Bars of what was not measured are hatched.
    pub origin: Option<Origin>,
    /// Its bar in each group, in the groups' order.
    pub bars: Vec<Option<Bar>>,
}

/// A value with its interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    /// The value, in the unit of the chart's quantity: a geometric mean where it stands for several points.
    pub value: f64,
    /// Lower end of its 95 % interval; the value where there is none.
    pub low: f64,
    /// Upper end of its 95 % interval; the value where there is none.
    pub high: f64,
    /// The smallest and the largest value that it stands for, where there are several.
    pub range: Option<(f64, f64)>,
    /// The numbers of the run's points that it is of.
    pub points: Vec<usize>,
    /// What is printed beside it; its value where that is empty.
    pub label: String,
}
