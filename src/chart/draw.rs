//! A picture from its title down to its notes, whatever is between.

use super::look::Look;
use super::picture::Picture;
use super::style::{MARGIN, NOTE, SUBTITLE, TITLE};
use super::{Chart, ChartError, bars, heat, panels};

/// What lies between the title and the notes.
pub(super) struct Content {
    /// Where it ends.
    pub(super) bottom: f64,
    /// What it shows, for those who cannot see it.
    pub(super) about: String,
    /// Small print below it.
    pub(super) notes: Vec<String>,
}

/// The SVG of a chart.
pub(super) fn svg(chart: &Chart, look: &Look) -> Result<String, ChartError> {
    let (svg, height) = drawn(chart, look, 0.0)?;
    match look.height {
        // What the texts take is known once they are there.
        Some(wanted) if (wanted - height).abs() > 0.5 => Ok(drawn(chart, look, wanted - height)?.0),
        _ => Ok(svg),
    }
}

/// The picture with its plot higher by `stretch`, or lower, and how high the whole is.
fn drawn(chart: &Chart, look: &Look, stretch: f64) -> Result<(String, f64), ChartError> {
    let mut picture = Picture::new(*look);
    let inner = picture.inner();
    let mut y = MARGIN - 4.0;
    y = picture.paragraph(chart.title(), TITLE, MARGIN, y, inner)?;
    y = picture.paragraph(chart.subtitle(), SUBTITLE, MARGIN, y + 2.0, inner)?;
    let content = match chart {
        Chart::Lines(chart) => panels::draw(&mut picture, &[chart], y, stretch)?,
        Chart::Panels(several) => {
            let charts: Vec<_> = several.panels.iter().collect();
            let mut content = panels::draw(&mut picture, &charts, y, stretch)?;
            content.notes.splice(0..0, several.notes.iter().cloned());
            content
        }
        Chart::Bars(chart) => bars::draw(&mut picture, chart, y, stretch)?,
        Chart::Heat(chart) => heat::draw(&mut picture, chart, y, stretch)?,
    };
    y = content.bottom + 12.0;
    for note in &content.notes {
        y = picture.paragraph(note, NOTE, MARGIN, y, inner)?;
    }
    let height = (y + MARGIN - 10.0).ceil();
    Ok((picture.finish(chart.title(), chart.subtitle(), &content.about, height), height))
}
