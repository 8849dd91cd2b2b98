//! Paints: what a part of a chart is drawn with, and the colour that this is in each theme.

use plotters::style::{Color, RGBAColor, RGBColor};

use super::look::Theme;

/// What something is drawn with, whatever the theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// Behind everything.
    Ground,
    /// Titles, labels and values.
    Ink,
    /// Text of less weight.
    Grey,
    /// Axes and their ticks.
    Axis,
    /// Lines of the grid.
    Grid,
    /// Laws and marks that are of no series.
    Neutral,
    /// Of the kind of series with this number.
    Series(usize),
    /// The same in each theme.
    Exact(RGBColor),
}

/// Colours of series: told apart by the colour-blind, after Okabe and Ito, each with a contrast of 3 to 1 to its ground at least.
const LIGHT: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x8f, 0x68),
    RGBColor(0xb8, 0x5a, 0x94),
    RGBColor(0x6e, 0x4f, 0x00),
    RGBColor(0x3a, 0x97, 0xd6),
    RGBColor(0x1f, 0x23, 0x28),
];
const DARK: [RGBColor; 7] = [
    RGBColor(0x3f, 0x9d, 0xe6),
    RGBColor(0xf2, 0x7d, 0x33),
    RGBColor(0x1f, 0xb8, 0x8c),
    RGBColor(0xe3, 0x98, 0xc4),
    RGBColor(0xf0, 0xd9, 0x4b),
    RGBColor(0xa5, 0xdc, 0xff),
    RGBColor(0xe6, 0xe9, 0xec),
];

/// How many series have colours of their own.
pub(super) const COLORS: usize = LIGHT.len();

impl Paint {
    /// Its colour.
    pub(super) fn on(self, theme: Theme) -> RGBColor {
        let of = |light: RGBColor, dark: RGBColor| if theme == Theme::Light { light } else { dark };
        match self {
            Self::Ground => of(RGBColor(0xff, 0xff, 0xff), RGBColor(0x16, 0x1b, 0x22)),
            Self::Ink => of(RGBColor(0x1f, 0x23, 0x28), RGBColor(0xe6, 0xe9, 0xec)),
            Self::Grey => of(RGBColor(0x57, 0x60, 0x6a), RGBColor(0xa4, 0xae, 0xb9)),
            Self::Axis => of(RGBColor(0x8c, 0x95, 0x9f), RGBColor(0x76, 0x82, 0x8e)),
            Self::Grid => of(RGBColor(0xe4, 0xe7, 0xeb), RGBColor(0x2d, 0x34, 0x3d)),
            Self::Neutral => of(RGBColor(0x44, 0x44, 0x44), RGBColor(0xc3, 0xc9, 0xcf)),
            Self::Series(kind) => of(LIGHT[kind % COLORS], DARK[kind % COLORS]),
            Self::Exact(color) => color,
        }
    }

    /// It, translucent.
    pub(super) fn mix(self, opacity: f64) -> Tint {
        Tint { paint: self, opacity }
    }
}

/// A paint that lets something through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tint {
    paint: Paint,
    opacity: f64,
}

impl Tint {
    pub(super) fn on(self, theme: Theme) -> RGBAColor {
        self.paint.on(theme).mix(self.opacity)
    }
}

impl From<Paint> for Tint {
    fn from(paint: Paint) -> Self {
        Self { paint, opacity: 1.0 }
    }
}

/// The relative luminance of WCAG 2, from 0 for black to 1 for white.
pub(super) fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// The contrast of WCAG 2 between two colours, from 1 to 21.
pub(super) fn contrast(one: RGBColor, other: RGBColor) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_those_of_wcag() {
        assert!((contrast(RGBColor(0, 0, 0), RGBColor(255, 255, 255)) - 21.0).abs() < 1e-9);
        // #767676 on white is the lightest grey for text: 4.54 to 1.
        assert!((contrast(RGBColor(0x76, 0x76, 0x76), RGBColor(255, 255, 255)) - 4.54).abs() < 0.01);
    }

    #[test]
    fn everything_stands_out_from_its_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            let ground = Paint::Ground.on(theme);
            for text in [Paint::Ink, Paint::Grey] {
                assert!(contrast(text.on(theme), ground) >= 4.5, "{text:?} in {theme:?}");
            }
            for kind in 0..COLORS {
                let own = contrast(Paint::Series(kind).on(theme), ground);
                assert!(own >= 3.0, "series {kind} in {theme:?}: {own}");
            }
            assert!(contrast(Paint::Axis.on(theme), ground) >= 2.9);
        }
        assert!(Paint::Ground.on(Theme::Dark) != RGBColor(0, 0, 0));
    }

    /// What a colour is to those without the receptors for long or for medium waves (Viénot, Brettel and Mollon 1999).
    fn seen(RGBColor(red, green, blue): RGBColor, lacks_long: bool) -> [f64; 3] {
        let [red, green, blue] = [red, green, blue].map(|channel| (f64::from(channel) / 255.0).powf(2.2));
        let (yellow, own) = if lacks_long {
            (0.112_38 * red + 0.887_62 * green, 0.004_01 * red - 0.004_01 * green + blue)
        } else {
            (0.292_75 * red + 0.707_25 * green, -0.022_34 * red + 0.022_34 * green + blue)
        };
        [yellow, yellow, own.max(0.0)].map(|channel| channel.powf(1.0 / 2.2) * 255.0)
    }

    #[test]
    fn the_colour_blind_tell_colours_apart() {
        for theme in [Theme::Light, Theme::Dark] {
            for lacks_long in [false, true] {
                for one in 0..COLORS {
                    for other in 0..one {
                        let (a, b) = (
                            seen(Paint::Series(one).on(theme), lacks_long),
                            seen(Paint::Series(other).on(theme), lacks_long),
                        );
                        let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(apart > 24.0, "{one} and {other} in {theme:?}: {apart}");
                    }
                }
            }
        }
    }
}
