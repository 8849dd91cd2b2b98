//! Markers: colour and shape together tell the series apart, so that grey print still does.

use super::line_chart::Series;
use super::look::Theme;
use super::theme::{COLORS, Paint};
use crate::properties::Origin;
use std::f64::consts::TAU;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    Wedge,
    Plus,
    Cross,
}

const SHAPES: [Shape; 7] =
    [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Wedge, Shape::Plus, Shape::Cross];

/// How the points of one series look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) color: Paint,
    pub(super) hollow: bool,
    shape: Shape,
}

/// The part of its radius that a hollow marker leaves free, and one whose rim is thinner still.
const HOLE: f64 = 0.55;
const WIDE_HOLE: f64 = 0.72;

impl Marker {
    /// The marker of the series with this index: every colour with every shape before one comes again. Shapes of other runs are others, and
    /// markers of what was not measured are hollow.
    pub(super) fn of(index: usize, series: &Series) -> Self {
        let kind = series.kind.unwrap_or(index);
        let round = kind / COLORS;
        Self {
            color: Paint::Series(kind),
            hollow: series.origin.is_some_and(|origin| origin != Origin::Measured),
            shape: SHAPES[(kind + round + 3 * series.run) % SHAPES.len()],
        }
    }

    /// The part of its radius that the marker of one point leaves free, if any: of an open one more than of those that are hollow anyway.
    pub(super) fn hole(self, is_open: bool) -> Option<f64> {
        if is_open { Some(WIDE_HOLE) } else { self.hollow.then_some(HOLE) }
    }

    /// The outline around the origin for this radius, y downwards; none for a circle. Shapes look equally large.
    pub(super) fn outline(self, radius: f64) -> Option<Vec<(f64, f64)>> {
        let regular = |corners: u32, turn: f64, size: f64| {
            let corner = |index| {
                let angle = TAU * (f64::from(index) / f64::from(corners) + turn);
                (size * radius * angle.cos(), size * radius * angle.sin())
            };
            (0..corners).map(corner).collect::<Vec<_>>()
        };
        let bars = |turn: f64| {
            let (long, thick) = (1.25 * radius, 0.42 * radius);
            let corners = [
                (thick, thick),
                (thick, long),
                (-thick, long),
                (-thick, thick),
                (-long, thick),
                (-long, -thick),
                (-thick, -thick),
                (-thick, -long),
                (thick, -long),
                (thick, -thick),
                (long, -thick),
                (long, thick),
            ];
            let (sin, cos) = (TAU * turn).sin_cos();
            corners.map(|(x, y)| (x * cos - y * sin, x * sin + y * cos)).to_vec()
        };
        Some(match self.shape {
            Shape::Circle => return None,
            Shape::Square => regular(4, 0.125, 1.26),
            Shape::Triangle => regular(3, -0.25, 1.4),
            Shape::Diamond => regular(4, 0.0, 1.32),
            Shape::Wedge => regular(3, 0.25, 1.4),
            Shape::Plus => bars(0.0),
            Shape::Cross => bars(0.125),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Theme;

    #[test]
    fn markers_differ_in_colour_and_shape() {
        let of = |kind, run, origin| Marker::of(kind, &Series { origin, run, ..Series::default() });
        let look = |marker: Marker| (marker.color.on(Theme::Light), marker.shape, marker.hollow);
        let looks: Vec<_> = (0..49).map(|kind| look(of(kind, 0, None))).collect();
        for (index, own) in looks.iter().enumerate() {
            assert!(!looks[..index].contains(own), "{index}");
        }
        let (first, second) = (of(0, 0, Some(Origin::Measured)), of(0, 1, Some(Origin::Simulated)));
        assert_eq!((first.color, first.hollow, second.hollow), (second.color, false, true));
        assert_ne!(first.shape, second.shape);
    }
}

/// What tells a series from others, for those who draw a chart themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesMark {
    /// Its colour on white and on a dark ground, as `#rrggbb`.
    pub colors: [String; 2],
    /// `circle`, `square`, `triangle`, `diamond`, `wedge`, `plus` or `cross`.
    pub shape: &'static str,
    /// Whether it is hollow.
    pub hollow: bool,
}

/// The mark of the series at this place of its chart.
pub fn series_mark(index: usize, series: &Series) -> SeriesMark {
    let Marker { color, hollow, shape } = Marker::of(index, series);
    let colors = [Theme::Light, Theme::Dark].map(|theme| {
        let color = color.on(theme);
        format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
    });
    let shape = match shape {
        Shape::Circle => "circle",
        Shape::Square => "square",
        Shape::Triangle => "triangle",
        Shape::Diamond => "diamond",
        Shape::Wedge => "wedge",
        Shape::Plus => "plus",
        Shape::Cross => "cross",
    };
    SeriesMark { colors, shape, hollow }
}
