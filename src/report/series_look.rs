//! How a series looks in an interactive chart: as in its static picture.

use crate::chart::{Series, Stroke};
use crate::device::Origin;

/// Colours on white and on a dark ground, in the order of the charts' own (Okabe and Ito 2008).
const COLOURS: [[&str; 2]; 7] = [
    ["#0072b2", "#56b4e9"],
    ["#d55e00", "#f0803c"],
    ["#009e73", "#2fc79c"],
    ["#cc79a7", "#dd93bd"],
    ["#e69f00", "#f0b73c"],
    ["#56b4e9", "#8fd0f5"],
    ["#1f2328", "#e6e9ec"],
];

const SHAPES: [&str; 7] = ["circle", "square", "triangle", "diamond", "wedge", "plus", "cross"];

/// Colours, marker and dashes of a series.
pub(super) struct SeriesLook {
    pub(super) colours: [&'static str; 2],
    pub(super) shape: &'static str,
    pub(super) hollow: bool,
    /// Lengths of dashes and gaps, in pixels.
    pub(super) dash: &'static [f64],
}

impl SeriesLook {
    /// Of the series at this place in its chart.
    pub(super) fn of(series: &Series, place: usize) -> Self {
        let kind = series.kind.unwrap_or(place);
        let round = kind / COLOURS.len();
        let is_unmeasured = series.origin.is_some_and(|origin| origin != Origin::Measured);
        Self {
            colours: COLOURS[kind % COLOURS.len()],
            shape: SHAPES[(kind + round / 2) % SHAPES.len()],
            hollow: is_unmeasured || round % 2 == 1,
            dash: match series.stroke {
                Stroke::Solid => &[],
                Stroke::Dashed => &[4.0, 4.0],
                Stroke::LongDashed => &[9.0, 5.0],
                Stroke::DashDotted => &[9.0, 4.0, 1.0, 4.0],
            },
        }
    }
}
