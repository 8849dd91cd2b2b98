//! Sizes, colours, faces and dashes: the one style of all charts.

use plotters::style::RGBColor;

use super::ChartError;
use super::text::Face;

// Everything in pixels.
pub(super) const WIDTH: f64 = 880.0;
pub(super) const MARGIN: f64 = 28.0;
pub(super) const PLOT_HEIGHT: f64 = 390.0;
pub(super) const TICK: f64 = 5.0;
pub(super) const BAR_CAP: f64 = 3.5;
pub(super) const LAW_WIDTH: f64 = 1.8;
pub(super) const LEVEL_WIDTH: f64 = 1.5;
pub(super) const SWATCH: f64 = 28.0;
pub(super) const SWATCH_GAP: f64 = 9.0;
pub(super) const COLUMN_GAP: f64 = 20.0;

pub(super) const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
pub(super) const GREY: RGBColor = RGBColor(0x57, 0x60, 0x6a);
pub(super) const AXIS: RGBColor = RGBColor(0x8c, 0x95, 0x9f);
pub(super) const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
pub(super) const WHITE: RGBColor = RGBColor(0xff, 0xff, 0xff);
pub(super) const NEUTRAL: RGBColor = RGBColor(0x44, 0x44, 0x44);

pub(super) const TITLE: Face = Face { size: 19.0, bold: true, color: INK };
pub(super) const SUBTITLE: Face = Face { size: 13.0, bold: false, color: GREY };
pub(super) const AXIS_TITLE: Face = Face { size: 13.0, bold: false, color: INK };
pub(super) const TICK_LABEL: Face = Face { size: 12.5, bold: false, color: GREY };
pub(super) const LABEL: Face = Face { size: 13.0, bold: false, color: INK };
pub(super) const LAW: Face = Face { size: 12.0, bold: false, color: GREY };
pub(super) const FLAG: Face = Face { size: 11.5, bold: false, color: INK };
pub(super) const NOTE: Face = Face { size: 11.0, bold: false, color: GREY };

/// Dash patterns in units of the SVG, for lines with round ends.
pub(super) const DOTTED: &str = "1 45";
pub(super) const LEVEL: &str = "55 35";
pub(super) const DASHED: [&str; 3] = ["none", "90 50", "90 45 1 45"];

pub(super) type Drawn = Result<(), ChartError>;

/// A line, in values or in pixels.
pub(super) type Path = Vec<(f64, f64)>;

pub(super) fn stroke(dash: &str) -> String {
    let dash = if dash == "none" { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!(" stroke-linecap=\"round\" stroke-linejoin=\"round\"{dash}")
}
