//! Markers: colour and shape together tell the series apart, so that grey print still does.

use plotters::style::RGBColor;
use std::f64::consts::TAU;

/// Okabe and Ito's colours, safe for the colour-blind, without the yellow that vanishes on white.
const COLORS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x1f, 0x23, 0x28),
];

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
    pub(super) color: RGBColor,
    pub(super) hollow: bool,
    shape: Shape,
}

impl Marker {
    /// The marker of the series with this index: seven filled ones, seven hollow ones, then other pairings.
    pub(super) fn of(series: usize) -> Self {
        let round = series / COLORS.len();
        Self {
            color: COLORS[series % COLORS.len()],
            hollow: round % 2 == 1,
            shape: SHAPES[(series + round / 2) % SHAPES.len()],
        }
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

    #[test]
    fn markers_differ_in_colour_and_shape() {
        let markers: Vec<Marker> = (0..28).map(Marker::of).collect();
        for (index, marker) in markers.iter().enumerate() {
            assert!(!markers[..index].contains(marker), "{index}");
        }
        assert_eq!(markers[0].color, RGBColor(0, 0x72, 0xb2));
        assert!(markers[..7].iter().all(|marker| !marker.hollow));
    }
}
