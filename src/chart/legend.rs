//! The legend: a strip below the plot with an entry for each series and its laws.

use super::ChartError;
use super::data::{Data, DrawnLaw, DrawnSeries};
use super::picture::Picture;
use super::style::{
    COLUMN_GAP, DOTTED, LABEL, LAW, LAW_WIDTH, LEVEL, LEVEL_WIDTH, MARGIN, SWATCH, SWATCH_GAP, WIDTH, stroke,
};
use super::text::printable;
use plotters::style::Color;

/// One series and its laws, or one law that belongs to none, ready to be placed.
pub(super) struct Entry<'a> {
    pub(super) series: Option<&'a DrawnSeries<'a>>,
    pub(super) label: String,
    pub(super) laws: Vec<&'a DrawnLaw<'a>>,
}

/// Draws the legend below `top` and returns where it ends.
pub(super) fn legend(picture: &mut Picture, data: &Data<'_>, top: f64) -> Result<f64, ChartError> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (index, series) in data.series.iter().enumerate() {
        let mut label = printable(&series.series.label);
        if series.points.is_empty() {
            label.push_str(" (no points)");
        }
        let laws = data.laws.iter().filter(|law| law.law.series == Some(index)).collect();
        entries.push(Entry { series: Some(series), label, laws });
    }
    for law in data.laws.iter().filter(|law| law.law.series.is_none()) {
        entries.push(Entry { series: None, label: String::new(), laws: vec![law] });
    }
    let mut widest: f64 = 0.0;
    for entry in &entries {
        widest = widest.max(LABEL.width(&entry.label)?);
        for law in &entry.laws {
            widest = widest.max(LAW.width(&printable(&law.law.label))?);
        }
    }
    let columns = columns(entries.len(), widest);
    let width = column_width(columns);
    let rows = entries.len().div_ceil(columns);
    let mut bottom = top;
    for (column, chunk) in entries.chunks(rows.max(1)).enumerate() {
        let left = MARGIN + column as f64 * (width + COLUMN_GAP);
        let mut y = top;
        for entry in chunk {
            y = legend_entry(picture, entry, left, y, width - SWATCH - SWATCH_GAP)? + 7.0;
        }
        bottom = bottom.max(y);
    }
    Ok(bottom)
}

pub(super) fn column_width(columns: usize) -> f64 {
    (WIDTH - 2.0 * MARGIN - (columns - 1) as f64 * COLUMN_GAP) / columns as f64
}

/// As many columns as the widest text allows; two even if texts must be broken, once there are many.
pub(super) fn columns(entries: usize, widest: f64) -> usize {
    let fits = |columns: &usize| widest + SWATCH + SWATCH_GAP <= column_width(*columns);
    let least = if entries > 4 { 2 } else { 1 };
    (least..=4.min(entries.max(least))).rev().find(fits).unwrap_or(least)
}

pub(super) fn legend_entry(
    picture: &mut Picture,
    entry: &Entry<'_>,
    left: f64,
    top: f64,
    width: f64,
) -> Result<f64, ChartError> {
    let text_left = left + SWATCH + SWATCH_GAP;
    let mut y = top;
    if let Some(series) = entry.series {
        let middle = y + LABEL.line_height() / 2.0;
        if series.series.is_level {
            picture.group(&stroke(LEVEL), None, |layer| {
                layer.line((left, middle), (left + SWATCH, middle), series.marker.color.mix(0.85), LEVEL_WIDTH)
            })?;
        }
        picture.group("", None, |layer| {
            if series.joined {
                layer.line((left, middle), (left + SWATCH, middle), series.marker.color.mix(0.6), 1.4)?;
            }
            layer.rim(series.marker, (left + SWATCH / 2.0, middle), 4.6)?;
            layer.marker(series.marker, (left + SWATCH / 2.0, middle), 4.6)
        })?;
        let end = picture.paragraph(&entry.label, LABEL, text_left, y, width)?;
        y = end.max(y + LABEL.line_height());
    }
    for law in &entry.laws {
        let middle = y + LAW.line_height() / 2.0;
        let color = law.color.mix(0.75);
        // As on the plot: dotted, solid, or first this and then that.
        let share = law.dotted_until().map_or(0.0, |until| if until.is_finite() { 0.45 } else { 1.0 });
        let bend = left + SWATCH * share;
        for (dash, from, to) in [(DOTTED, left, bend), (law.dash, bend, left + SWATCH)] {
            if from < to {
                picture
                    .group(&stroke(dash), None, |layer| layer.line((from, middle), (to, middle), color, LAW_WIDTH))?;
            }
        }
        let end = picture.paragraph(&law.law.label, LAW, text_left, y, width)?;
        y = end.max(y + LAW.line_height());
    }
    Ok(y)
}
