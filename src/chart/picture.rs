//! The SVG as it grows: groups of strokes and text, and the root element around them.

use super::ChartError;
use super::look::{Look, Theme};
use super::marker::Marker;
use super::style::{Drawn, MARGIN};
use super::text::{Face, UNITS, escaped, printable};
use super::theme::{Paint, Tint};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBAColor, ShapeStyle};
use std::fmt::{Display, Write as _};

/// The SVG as it grows: groups of what plotters drew.
pub(super) struct Picture {
    pub(super) body: String,
    pub(super) look: Look,
}

impl Picture {
    pub(super) fn new(look: Look) -> Self {
        Self { body: String::new(), look }
    }

    /// Pixels between the margins.
    pub(super) fn inner(&self) -> f64 {
        self.look.width - 2.0 * MARGIN
    }

    /// Adds what `draw` draws as a group with these attributes (plotters knows no dashes) and this title (which
    /// browsers show under the pointer).
    pub(super) fn group(
        &mut self,
        attributes: &str,
        title: Option<&str>,
        draw: impl FnOnce(&mut Layer<'_>) -> Drawn,
    ) -> Drawn {
        let mut drawn = String::new();
        let mut layer = Layer { backend: SVGBackend::with_string(&mut drawn, (1, 1)), theme: self.look.theme };
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

    /// The whole picture: `about` is what it shows, for those who cannot see it.
    pub(super) fn finish(self, title: &str, subtitle: &str, about: &str, height: f64) -> String {
        let height = height.ceil();
        let (title, subtitle, about) = (escaped(title), escaped(subtitle), escaped(about));
        let (width, ground) = (self.look.width, Paint::Ground.on(self.look.theme));
        let (unit_width, unit_height) = (width * UNITS, height * UNITS);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {unit_width} {unit_height}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n<desc>{subtitle} {about}</desc>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#{:02X}{:02X}{:02X}\"/>\n{}</svg>\n",
            ground.0, ground.1, ground.2, self.body
        )
    }
}

/// Plotters' back end in pixels instead of its whole units.
pub(super) struct Layer<'a> {
    pub(super) backend: SVGBackend<'a>,
    theme: Theme,
}

impl Layer<'_> {
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), tint: impl Into<Tint>, width: f64) -> Drawn {
        let pen = pen(tint.into().on(self.theme), width);
        self.backend.draw_line(units(from), units(to), &pen).map_err(failed)
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], tint: impl Into<Tint>, width: f64) -> Drawn {
        let pen = pen(tint.into().on(self.theme), width);
        self.backend.draw_path(points.iter().map(|point| units(*point)), &pen).map_err(failed)
    }

    /// What these points go around.
    pub(super) fn area(&mut self, points: &[(f64, f64)], tint: impl Into<Tint>) -> Drawn {
        let fill = tint.into().on(self.theme).filled();
        self.backend.fill_polygon(points.iter().map(|point| units(*point)), &fill).map_err(failed)
    }

    pub(super) fn rectangle(&mut self, from: (f64, f64), to: (f64, f64), tint: impl Into<Tint>) -> Drawn {
        let fill = tint.into().on(self.theme).filled();
        self.backend.draw_rect(units(from), units(to), &fill, true).map_err(failed)
    }

    pub(super) fn text(&mut self, text: &str, face: Face, anchor: HPos, x: f64, baseline: f64) -> Drawn {
        let style = face.style(anchor, self.theme)?;
        self.backend.draw_text(text, &style, units((x, face.top(baseline)))).map_err(failed)
    }

    /// The ground under a marker and a little around it, so that it stands out from lines and from its neighbours.
    pub(super) fn rim(&mut self, marker: Marker, center: (f64, f64), radius: f64) -> Drawn {
        self.shape(marker, center, radius + 1.2, Paint::Ground)
    }

    pub(super) fn marker(&mut self, marker: Marker, is_open: bool, center: (f64, f64), radius: f64) -> Drawn {
        self.shape(marker, center, radius, marker.color)?;
        marker.hole(is_open).map_or(Ok(()), |hole| self.shape(marker, center, radius * hole, Paint::Ground))
    }

    pub(super) fn shape(&mut self, marker: Marker, center: (f64, f64), radius: f64, paint: Paint) -> Drawn {
        let fill = paint.on(self.theme).filled();
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
