//! Sizes, colours, faces and dashes: the one style of all charts.

use super::ChartError;
use super::line_chart::Stroke;
use super::text::Face;
use super::theme::Paint;

// Everything in pixels.
pub(super) const MARGIN: f64 = 28.0;
pub(super) const PLOT_HEIGHT: f64 = 390.0;
/// The least that a plot can be high.
pub(super) const PLOT_LEAST: f64 = 120.0;
pub(super) const TICK: f64 = 5.0;
pub(super) const BAR_CAP: f64 = 3.5;
pub(super) const LAW_WIDTH: f64 = 1.8;
pub(super) const LEVEL_WIDTH: f64 = 1.5;
pub(super) const SWATCH: f64 = 28.0;
pub(super) const SWATCH_GAP: f64 = 9.0;
pub(super) const COLUMN_GAP: f64 = 20.0;

pub(super) const TITLE: Face = Face { size: 19.0, bold: true, color: Paint::Ink };
pub(super) const SUBTITLE: Face = Face { size: 13.0, bold: false, color: Paint::Grey };
pub(super) const AXIS_TITLE: Face = Face { size: 13.0, bold: false, color: Paint::Ink };
pub(super) const TICK_LABEL: Face = Face { size: 12.5, bold: false, color: Paint::Grey };
pub(super) const PANEL_TITLE: Face = Face { size: 13.0, bold: true, color: Paint::Ink };
pub(super) const LABEL: Face = Face { size: 13.0, bold: false, color: Paint::Ink };
pub(super) const LAW: Face = Face { size: 12.0, bold: false, color: Paint::Grey };
pub(super) const FLAG: Face = Face { size: 11.5, bold: false, color: Paint::Ink };
pub(super) const NOTE: Face = Face { size: 11.0, bold: false, color: Paint::Grey };

/// Dash patterns in units of the SVG, for lines with round ends.
pub(super) const DOTTED: &str = "1 45";
pub(super) const LEVEL: &str = "55 35";
pub(super) const DASHED: [&str; 3] = ["none", "90 50", "90 45 1 45"];

pub(super) type Drawn = Result<(), ChartError>;

/// A line, in values or in pixels.
pub(super) type Path = Vec<(f64, f64)>;

/// The dashes of a run's lines.
pub(super) fn dashes(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Solid => "none",
        Stroke::Dashed => "60 40",
        Stroke::LongDashed => "150 50",
        Stroke::DashDotted => "90 45 1 45",
    }
}

pub(super) fn stroke(dash: &str) -> String {
    let dash = if dash == "none" { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!(" stroke-linecap=\"round\" stroke-linejoin=\"round\"{dash}")
}
