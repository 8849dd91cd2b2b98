//! The legend: a strip below the plot with an entry for each series and its laws.

use super::ChartError;
use super::data::{Data, DrawnLaw, DrawnSeries};
use super::notes::is_dashed;
use super::picture::Picture;
use super::style::{
    COLUMN_GAP, DOTTED, LABEL, LAW, LAW_WIDTH, LEVEL, LEVEL_WIDTH, MARGIN, SWATCH, SWATCH_GAP, dashes, stroke,
};
use super::text::{Face, printable};

/// One series and its laws, or one law that belongs to none, ready to be placed.
pub(super) struct Entry<'a> {
    pub(super) series: Option<&'a DrawnSeries<'a>>,
    pub(super) label: String,
    pub(super) laws: Vec<(&'a DrawnLaw<'a>, String)>,
}

/// The share of a picture that a legend may take before it is made shorter.
const SHARE: f64 = 0.25;
/// Pixels that notes take below a legend, about.
const NOTES: f64 = 60.0;
/// Pixels between entries.
const BETWEEN: f64 = 7.0;
/// Columns that a legend has at most.
const MOST_COLUMNS: usize = 4;

/// A legend that was drawn.
pub(super) struct Legend {
    /// Where it ends.
    pub(super) bottom: f64,
    /// Whether something of laws was left out.
    pub(super) is_short: bool,
}

/// How much a legend tells of laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Laws {
    Whole,
    /// Without reasons, and how well they hold.
    Short,
    /// Nothing: they have the colours of their series.
    Nothing,
}

/// Draws the legend of these panels below `top`. All have the same series. One that would take more than a quarter of the picture tells less of the
/// laws, and breaks texts where more columns need less room.
pub(super) fn legend(picture: &mut Picture, panels: &[Data<'_>], top: f64) -> Result<Legend, ChartError> {
    let inner = picture.inner();
    let is_long = |height: f64| height > SHARE * (top + height + NOTES);
    let mut entries = entries(panels, Laws::Whole);
    let mut is_short = false;
    let mut columns = columns(entries.len(), widest(&entries)?, inner);
    let mut least = height(&entries, columns, inner)?;
    let has_laws = panels.iter().any(|data| data.laws.iter().any(|law| !law.law.short.is_empty()));
    for told in [Laws::Short, Laws::Nothing] {
        if !is_long(least) {
            break;
        }
        if has_laws {
            is_short = true;
            entries = self::entries(panels, told);
            columns = self::columns(entries.len(), widest(&entries)?, inner);
            least = height(&entries, columns, inner)?;
        }
        for more in columns + 1..=MOST_COLUMNS.min(entries.len()) {
            let own = height(&entries, more, inner)?;
            if is_long(least) && own < least {
                (least, columns) = (own, more);
            }
        }
    }
    let width = column_width(columns, inner);
    let mut bottom = top;
    for (column, chunk) in chunks(&entries, columns).enumerate() {
        let left = MARGIN + column as f64 * (width + COLUMN_GAP);
        let mut y = top;
        for entry in chunk {
            y = legend_entry(picture, entry, left, y, width - SWATCH - SWATCH_GAP)? + BETWEEN;
        }
        bottom = bottom.max(y);
    }
    Ok(Legend { bottom, is_short })
}

/// The entries of these panels, with so much of their laws. What belongs to no series is told in any case.
fn entries<'a>(panels: &'a [Data<'a>], told: Laws) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let named = |data: &Data<'_>, label: &str| {
        let label = printable(label);
        if panels.len() > 1 { format!("{}: {label}", printable(&data.chart.title)) } else { label }
    };
    let label = |law: &DrawnLaw<'a>| -> &'a str {
        if told == Laws::Whole || law.law.short.is_empty() { &law.law.label } else { &law.law.short }
    };
    let laws_of = |series: Option<usize>| {
        let laws = panels.iter().flat_map(|data| data.laws.iter().map(move |law| (data, law)));
        let laws = laws.filter(move |(_, law)| law.law.series == series);
        laws.map(|(data, law)| (law, named(data, label(law)))).collect::<Vec<_>>()
    };
    for (index, series) in panels.first().map_or(&[][..], |data| &data.series).iter().enumerate() {
        let mut label = printable(&series.series.label);
        if panels.iter().all(|data| data.series.get(index).is_none_or(|own| own.points.is_empty())) {
            label.push_str(" (no points)");
        }
        let laws = if told == Laws::Nothing { Vec::new() } else { laws_of(Some(index)) };
        entries.push(Entry { series: Some(series), label, laws });
    }
    entries.extend(laws_of(None).into_iter().map(|law| Entry { series: None, label: String::new(), laws: vec![law] }));
    entries
}

/// Pixels of the longest text.
fn widest(entries: &[Entry<'_>]) -> Result<f64, ChartError> {
    let mut widest: f64 = 0.0;
    for entry in entries {
        widest = widest.max(LABEL.width(&entry.label)?);
        for (_, label) in &entry.laws {
            widest = widest.max(LAW.width(label)?);
        }
    }
    Ok(widest)
}

/// The entries of each column.
fn chunks<'e, 'a>(entries: &'e [Entry<'a>], columns: usize) -> impl Iterator<Item = &'e [Entry<'a>]> {
    entries.chunks(entries.len().div_ceil(columns).max(1))
}

/// Pixels that a legend of so many columns takes.
fn height(entries: &[Entry<'_>], columns: usize, inner: f64) -> Result<f64, ChartError> {
    let width = column_width(columns, inner) - SWATCH - SWATCH_GAP;
    let lines = |face: Face, text: &str| -> Result<f64, ChartError> {
        Ok(face.wrap(text, width)?.len().max(1) as f64 * face.line_height())
    };
    let mut highest: f64 = 0.0;
    for chunk in chunks(entries, columns) {
        let mut own = 0.0;
        for entry in chunk {
            own += if entry.series.is_some() { lines(LABEL, &entry.label)? } else { 0.0 } + BETWEEN;
            for (_, label) in &entry.laws {
                own += lines(LAW, label)?;
            }
        }
        highest = highest.max(own);
    }
    Ok(highest)
}

pub(super) fn column_width(columns: usize, inner: f64) -> f64 {
    (inner - (columns - 1) as f64 * COLUMN_GAP) / columns as f64
}

/// As many columns as the widest text allows; two even if texts must be broken, once there are many.
pub(super) fn columns(entries: usize, widest: f64, inner: f64) -> usize {
    let fits = |columns: &usize| widest + SWATCH + SWATCH_GAP <= column_width(*columns, inner);
    let least = if entries > 4 { 2 } else { 1 };
    (least..=MOST_COLUMNS.min(entries.max(least))).rev().find(fits).unwrap_or(least)
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
        let is_line = series.joined || series.crowded;
        if is_line && is_dashed(series) {
            picture.group(&stroke(dashes(series.series.stroke)), None, |layer| {
                layer.line((left, middle), (left + SWATCH, middle), series.marker.color.mix(0.7), 1.4)
            })?;
        }
        picture.group("", None, |layer| {
            if is_line && !is_dashed(series) {
                layer.line((left, middle), (left + SWATCH, middle), series.marker.color.mix(0.6), 1.4)?;
            }
            layer.rim(series.marker, (left + SWATCH / 2.0, middle), 4.6)?;
            layer.marker(series.marker, false, (left + SWATCH / 2.0, middle), 4.6)
        })?;
        let end = picture.paragraph(&entry.label, LABEL, text_left, y, width)?;
        y = end.max(y + LABEL.line_height());
    }
    for (law, label) in &entry.laws {
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
        let end = picture.paragraph(label, LAW, text_left, y, width)?;
        y = end.max(y + LAW.line_height());
    }
    Ok(y)
}
