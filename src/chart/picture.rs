//! The SVG as it grows: groups of strokes and text, and the root element around them.

use super::marker::Marker;
use super::style::{Drawn, WHITE, WIDTH};
use super::text::{Face, UNITS, escaped, printable};
use super::{ChartError, LineChart};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBAColor, RGBColor, ShapeStyle};
use std::fmt::{Display, Write as _};

/// The SVG as it grows: groups of what plotters drew.
#[derive(Default)]
pub(super) struct Picture {
    pub(super) body: String,
}

impl Picture {
    /// Adds what `draw` draws as a group with these attributes (plotters knows no dashes) and this title (which
    /// browsers show under the pointer).
    pub(super) fn group(
        &mut self,
        attributes: &str,
        title: Option<&str>,
        draw: impl FnOnce(&mut Layer<'_>) -> Drawn,
    ) -> Drawn {
        let mut drawn = String::new();
        let mut layer = Layer { backend: SVGBackend::with_string(&mut drawn, (1, 1)) };
        draw(&mut layer)?;
        layer.backend.present().map_err(failed)?;
        drop(layer);
        // Without the root element that plotters puts around it.
        let content = drawn.split_once(">\n").map_or("", |(_, content)| content).trim_end_matches("</svg>\n");
        let _ = writeln!(self.body, "<g{attributes}>");
        if let Some(title) = title.map(escaped).filter(|title| !title.trim().is_empty()) {
            let _ = writeln!(self.body, "<title>{title}</title>");
        }
        for line in content.lines() {
            // Plotters puts text on a line of its own; renderers may take the line ends for spaces.
            let inside = line.starts_with("<text") || !line.starts_with('<');
            self.body.push_str(&line.replace(" opacity=\"1\"", ""));
            self.body.push_str(if inside { "" } else { "\n" });
        }
        self.body.push_str("</g>\n");
        Ok(())
    }

    /// Writes a text in lines of at most `width` below `top`, and returns where it ends.
    pub(super) fn paragraph(
        &mut self,
        text: &str,
        face: Face,
        left: f64,
        top: f64,
        width: f64,
    ) -> Result<f64, ChartError> {
        self.lines(text, face, HPos::Left, left, top, width)
    }

    pub(super) fn centered(
        &mut self,
        text: &str,
        face: Face,
        center: f64,
        top: f64,
        width: f64,
    ) -> Result<f64, ChartError> {
        self.lines(text, face, HPos::Center, center, top, width)
    }

    pub(super) fn lines(
        &mut self,
        text: &str,
        face: Face,
        anchor: HPos,
        x: f64,
        top: f64,
        width: f64,
    ) -> Result<f64, ChartError> {
        let lines = face.wrap(&printable(text), width)?;
        if lines.is_empty() {
            return Ok(top);
        }
        let height = face.line_height();
        let baseline = top + height / 2.0 + 0.36 * face.size;
        let mut y = top;
        self.group("", None, |layer| {
            for line in &lines {
                layer.text(line, face, anchor, x, baseline + y - top)?;
                y += height;
            }
            Ok(())
        })?;
        Ok(y)
    }

    pub(super) fn finish(self, chart: &LineChart, y_label: &str, height: f64) -> String {
        let height = height.ceil();
        let title = escaped(&chart.title);
        let mut about = format!("{y_label} against {}.", chart.x_label);
        for series in &chart.series {
            let _ = write!(about, " {}: {} points.", series.label, series.points.len());
        }
        for label in chart.laws.iter().map(|law| &law.label).chain(chart.crossings.iter().map(|own| &own.label)) {
            let _ = write!(about, " {label}.");
        }
        let (subtitle, about) = (escaped(&chart.subtitle), escaped(&about));
        let (unit_width, unit_height) = (WIDTH * UNITS, height * UNITS);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {unit_width} {unit_height}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n<desc>{subtitle} {about}</desc>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// Plotters' back end in pixels instead of its whole units.
pub(super) struct Layer<'a> {
    pub(super) backend: SVGBackend<'a>,
}

impl Layer<'_> {
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: impl Color, width: f64) -> Drawn {
        self.backend.draw_line(units(from), units(to), &pen(color.to_rgba(), width)).map_err(failed)
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], color: RGBAColor, width: f64) -> Drawn {
        self.backend.draw_path(points.iter().map(|point| units(*point)), &pen(color, width)).map_err(failed)
    }

    pub(super) fn text(&mut self, text: &str, face: Face, anchor: HPos, x: f64, baseline: f64) -> Drawn {
        self.backend.draw_text(text, &face.style(anchor)?, units((x, face.top(baseline)))).map_err(failed)
    }

    /// White under a marker and a little around it, so that it stands out from lines and from its neighbours.
    pub(super) fn rim(&mut self, marker: Marker, center: (f64, f64), radius: f64) -> Drawn {
        self.shape(marker, center, radius + 1.2, WHITE)
    }

    pub(super) fn marker(&mut self, marker: Marker, center: (f64, f64), radius: f64) -> Drawn {
        self.shape(marker, center, radius, marker.color)?;
        if marker.hollow {
            self.shape(marker, center, radius * 0.55, WHITE)?;
        }
        Ok(())
    }

    pub(super) fn shape(&mut self, marker: Marker, center: (f64, f64), radius: f64, color: RGBColor) -> Drawn {
        let fill = color.filled();
        match marker.outline(radius) {
            None => self.backend.draw_circle(units(center), (radius * UNITS).round() as u32, &fill, true),
            Some(outline) => {
                self.backend.fill_polygon(outline.iter().map(|(x, y)| units((center.0 + x, center.1 + y))), &fill)
            }
        }
        .map_err(failed)
    }
}

pub(super) fn pen(color: RGBAColor, width: f64) -> ShapeStyle {
    ShapeStyle { color, filled: false, stroke_width: (width * UNITS).round() as u32 }
}

pub(super) fn units((x, y): (f64, f64)) -> (i32, i32) {
    ((x * UNITS).round() as i32, (y * UNITS).round() as i32)
}

pub(super) fn failed(error: impl Display) -> ChartError {
    ChartError::Draw(error.to_string())
}
