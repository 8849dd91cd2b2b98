//! Bar charts: a row for each group, since the names of variants are long, with the values printed beside the bars.

use std::fmt::Write as _;

use super::axis::Axis;
use super::data::usable;
use super::draw::Content;
use super::marker::Marker;
use super::panels::axis_title;
use super::picture::Picture;
use super::style::{AXIS_TITLE, BAR_CAP, COLUMN_GAP, LABEL, MARGIN, SWATCH_GAP, TICK, TICK_LABEL};
use super::text::printable;
use super::theme::Paint;
use super::{Bar, BarChart, BarSeries, ChartError, Quantity, Scale, Series};
use crate::properties::Origin;
use crate::unit;
use plotters::style::text_anchor::HPos;

/// Pixels of a bar, of the only one in its group and of one of several, and between groups.
const THICK: f64 = 24.0;
const THIN: f64 = 15.0;
const BETWEEN: f64 = 12.0;

/// The share of the width that names of groups may take.
const NAMES_SHARE: f64 = 0.36;

/// How dense a bar is that was not measured.
const HOLLOW: f64 = 0.22;

/// A bar's place, in pixels.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    axis: Axis,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        self.left + self.axis.fraction(value).clamp(0.0, 1.0) * (self.right - self.left)
    }
}

/// Draws the chart below `top`.
pub(super) fn draw(picture: &mut Picture, chart: &BarChart, top: f64, stretch: f64) -> Result<Content, ChartError> {
    let drawable = |bar: &&Bar| usable(bar.value, chart.y_scale);
    let bars = || chart.series.iter().flat_map(|own| own.bars.iter().flatten()).filter(drawable);
    let mut values: Vec<f64> = bars().flat_map(ends).filter(|value| usable(*value, chart.y_scale)).collect();
    if values.is_empty() {
        return Err(ChartError::NoPoints);
    }
    values.extend(chart.reference.iter().map(|(value, _)| *value).filter(|value| usable(*value, chart.y_scale)));
    let (axis, unit) = Axis::of_bars(&values, chart.y_scale, chart.quantity)?;

    let limit = picture.inner() * NAMES_SHARE;
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut widest: f64 = 0.0;
    for group in &chart.groups {
        let lines = wrapped(group, limit)?;
        for line in &lines {
            widest = widest.max(LABEL.width(line)?);
        }
        names.push(lines);
    }
    let mut beside: f64 = 0.0;
    for bar in bars() {
        beside = beside.max(TICK_LABEL.width(&beside_text(bar, chart.quantity))?);
    }
    let several = chart.series.len() > 1;
    let natural_bar = if several { THIN } else { THICK };
    let count = chart.series.len().max(1) as f64;
    let per_group = |bar: f64| count * bar + BETWEEN;
    let natural: f64 = per_group(natural_bar) * chart.groups.len() as f64;
    let least: f64 = per_group(6.0) * chart.groups.len() as f64;
    let height = (natural + stretch).max(least);
    let bar_height = ((height / chart.groups.len() as f64 - BETWEEN) / count).min(46.0);

    let y_label = axis_title(&chart.y_label, unit, chart.y_scale);
    // Without a zero to begin at, the length of a bar alone says nothing.
    let y_label = match chart.y_scale {
        Scale::Log => format!("{y_label}, bars begin at {}", begin(&axis, unit, chart.quantity)),
        Scale::Linear => y_label,
    };
    let head = reference_room(chart);
    // Bars are many, and whoever reads the first wants to know what they are.
    let top = if several { legend(picture, chart, top + 16.0)? } else { top };
    let top = picture.paragraph(&y_label, AXIS_TITLE, MARGIN, top + 16.0, picture.inner())? + 8.0 + head;
    let frame = Frame {
        left: (MARGIN + widest + 12.0).round(),
        right: picture.look.width - MARGIN - beside - 8.0,
        top,
        bottom: top + height,
        axis,
    };
    axes(picture, &frame)?;
    let row = height / chart.groups.len() as f64;
    for (index, lines) in names.iter().enumerate() {
        let middle = frame.top + row * (index as f64 + 0.5);
        let first = middle - LABEL.line_height() * (lines.len() as f64 - 1.0) / 2.0 + 0.36 * LABEL.size;
        picture.group("", None, |layer| {
            lines.iter().enumerate().try_for_each(|(number, line)| {
                let baseline = first + number as f64 * LABEL.line_height();
                layer.text(line, LABEL, HPos::Right, frame.left - 10.0, baseline)
            })
        })?;
        for (number, series) in chart.series.iter().enumerate() {
            let top = middle - count * bar_height / 2.0 + number as f64 * bar_height;
            if let Some(bar) = series.bars.get(index).and_then(Option::as_ref).filter(drawable) {
                draw_bar(
                    picture,
                    chart,
                    (number, series),
                    bar,
                    (top + 1.0, top + bar_height - 1.0),
                    &frame,
                    &chart.groups[index],
                )?;
            }
        }
    }
    reference(picture, chart, &frame)?;
    Ok(Content { bottom: frame.bottom + TICK + 20.0, about: about(chart, &y_label), notes: notes(chart) })
}

/// Where the bars begin, as the axis says it.
fn begin(axis: &Axis, unit: Option<&str>, quantity: Quantity) -> String {
    match axis.ticks.iter().find(|tick| tick.at.total_cmp(&axis.low).is_eq()) {
        Some(tick) => std::iter::once(tick.label.as_str()).chain(unit).collect::<Vec<_>>().join(" "),
        None => value_text(axis.low, quantity),
    }
}

fn ends(bar: &Bar) -> [f64; 5] {
    let (smallest, largest) = bar.range.unwrap_or((bar.value, bar.value));
    [bar.value, bar.low, bar.high, smallest, largest]
}

/// A name in lines: broken at blanks, and at underscores where it has no blanks.
fn wrapped(name: &str, limit: f64) -> Result<Vec<String>, ChartError> {
    let name = printable(name);
    if LABEL.width(&name)? <= limit || name.contains(' ') {
        return LABEL.wrap(&name, limit);
    }
    let spaced = LABEL.wrap(&name.replace('_', "_ "), limit)?;
    Ok(spaced.into_iter().map(|line| line.replace("_ ", "_")).collect())
}

fn axes(picture: &mut Picture, frame: &Frame) -> Result<(), ChartError> {
    let mut end = f64::NEG_INFINITY;
    let mut shown = Vec::new();
    for tick in &frame.axis.ticks {
        let half = TICK_LABEL.width(&tick.label)? / 2.0;
        let x = frame.x(tick.at);
        let fits = x - half > end + 10.0;
        if fits {
            end = x + half;
        }
        shown.push((x, tick, fits));
    }
    picture.group("", None, |layer| {
        for (x, tick, fits) in &shown {
            layer.line((*x, frame.top), (*x, frame.bottom), Paint::Grid, 1.0)?;
            if *fits {
                layer.text(&tick.label, TICK_LABEL, HPos::Center, *x, frame.bottom + TICK + 13.0)?;
            }
        }
        layer.line((frame.left, frame.top), (frame.left, frame.bottom), Paint::Axis, 1.2)
    })
}

fn draw_bar(
    picture: &mut Picture,
    chart: &BarChart,
    (number, series): (usize, &BarSeries),
    bar: &Bar,
    (top, bottom): (f64, f64),
    frame: &Frame,
    group: &str,
) -> Result<(), ChartError> {
    let paint = paint(number);
    let base = if chart.y_scale == Scale::Linear { 0.0 } else { frame.axis.low };
    let (from, to) = (frame.x(base), frame.x(bar.value));
    let (from, to) = (from.min(to), from.max(to));
    let middle = f64::midpoint(top, bottom);
    let text = beside_text(bar, chart.quantity);
    let title = format!("{group}{} {}: {text}", if series.label.is_empty() { "" } else { "," }, series.label);
    picture.group("", Some(&title), |layer| {
        if is_measured(series.origin) {
            layer.rectangle((from, top), (to, bottom), paint)?;
        } else {
            layer.rectangle((from, top), (to, bottom), paint.mix(HOLLOW))?;
            let corners = [(from, top), (to, top), (to, bottom), (from, bottom), (from, top)];
            layer.path(&corners, paint, 1.4)?;
        }
        let mut end = to;
        if let Some((smallest, largest)) = bar.range {
            let (smallest, largest) = (frame.x(smallest), frame.x(largest));
            // Where it is over the bar it must stand out from it, and where it is beyond from the ground.
            layer.line((smallest, middle), (largest, middle), Paint::Ground, 4.2)?;
            layer.line((smallest, middle), (largest, middle), Paint::Neutral, 1.8)?;
            end = end.max(largest);
        }
        let (low, high) = (frame.x(bar.low), frame.x(bar.high));
        if high - low > 3.0 {
            let half = BAR_CAP.max((bottom - top) / 4.0).min(6.0);
            if bar.range.is_none() {
                layer.line((low, middle), (high, middle), Paint::Ink, 1.4)?;
            }
            for x in [low, high] {
                layer.line((x, middle - half), (x, middle + half), Paint::Ink, 1.4)?;
            }
            end = end.max(high);
        }
        layer.text(&text, TICK_LABEL, HPos::Left, end + 6.0, middle + 0.36 * TICK_LABEL.size)
    })
}

/// Pixels above the bars for what the reference is called.
fn reference_room(chart: &BarChart) -> f64 {
    if chart.reference.as_ref().is_some_and(|(_, label)| !label.is_empty()) { 18.0 } else { 0.0 }
}

fn reference(picture: &mut Picture, chart: &BarChart, frame: &Frame) -> Result<(), ChartError> {
    let Some((value, label)) = &chart.reference else { return Ok(()) };
    if !usable(*value, chart.y_scale) {
        return Ok(());
    }
    let x = frame.x(*value);
    let label = printable(label);
    let half = TICK_LABEL.width(&label)? / 2.0;
    let center = x.clamp(frame.left + half, (frame.right - half).max(frame.left + half));
    picture.group("", Some(&label), |layer| {
        layer.line((x, frame.top - 4.0), (x, frame.bottom), Paint::Ink, 1.3)?;
        layer.text(&label, TICK_LABEL, HPos::Center, center, frame.top - 8.0)
    })
}

fn legend(picture: &mut Picture, chart: &BarChart, top: f64) -> Result<f64, ChartError> {
    const SIDE: f64 = 12.0;
    let right = picture.look.width - MARGIN;
    let (mut x, mut y) = (MARGIN, top);
    for (number, series) in chart.series.iter().enumerate() {
        let label = printable(&series.label);
        let width = SIDE + SWATCH_GAP + LABEL.width(&label)?;
        if x + width > right && x > MARGIN {
            x = MARGIN;
            y += LABEL.line_height() + 4.0;
        }
        let middle = y + LABEL.line_height() / 2.0;
        let (from, to) = ((x, middle - SIDE / 2.0), (x + SIDE, middle + SIDE / 2.0));
        let paint = paint(number);
        picture.group("", None, |layer| {
            if is_measured(series.origin) {
                return layer.rectangle(from, to, paint);
            }
            layer.rectangle(from, to, paint.mix(HOLLOW))?;
            layer.path(&[from, (to.0, from.1), to, (from.0, to.1), from], paint, 1.4)
        })?;
        picture.paragraph(&label, LABEL, x + SIDE + SWATCH_GAP, y, (right - x - SIDE - SWATCH_GAP).max(SIDE))?;
        x += width + COLUMN_GAP;
    }
    Ok(y + LABEL.line_height())
}

fn is_measured(origin: Option<Origin>) -> bool {
    origin.is_none_or(|origin| origin == Origin::Measured)
}

fn paint(number: usize) -> Paint {
    Marker::of(number, &Series::default()).color
}

/// What is printed beside a bar.
fn beside_text(bar: &Bar, quantity: Quantity) -> String {
    if bar.label.is_empty() { value_text(bar.value, quantity) } else { printable(&bar.label) }
}

/// A value as it is printed beside its bar.
pub(super) fn value_text(value: f64, quantity: Quantity) -> String {
    match quantity {
        Quantity::Time => unit::time_us(value),
        Quantity::Energy => unit::energy_mj(value),
        Quantity::Percent => format!("{} %", unit::significant(value, 3)),
        Quantity::Ratio if value.fract() == 0.0 && value.abs() < 1e9 => value.to_string(),
        _ => unit::significant(value, 3),
    }
}

fn notes(chart: &BarChart) -> Vec<String> {
    let bars = || chart.series.iter().flat_map(|own| own.bars.iter().flatten());
    let mut notes = chart.notes.clone();
    if bars().any(|bar| bar.range.is_some()) {
        notes.push("Lines: from the smallest to the largest value. Cross strokes: 95 % intervals of the means, where they can be seen.".to_owned());
    } else if bars().any(|bar| bar.low < bar.high) {
        notes.push("Cross strokes: 95 % intervals, where they can be seen.".to_owned());
    }
    let measured = |wanted| chart.series.iter().any(|own| is_measured(own.origin) == wanted);
    if measured(true) && measured(false) {
        notes.push("Outlined: not measured but simulated.".to_owned());
    }
    let left_out = bars().filter(|bar| !usable(bar.value, chart.y_scale)).count();
    if left_out > 0 {
        notes.push(format!("{left_out} values cannot be drawn here and are left out."));
    }
    notes
}

fn about(chart: &BarChart, y_label: &str) -> String {
    let mut about = format!("{y_label}, for each {}.", chart.x_label);
    for (index, group) in chart.groups.iter().enumerate() {
        for series in &chart.series {
            if let Some(bar) = series.bars.get(index).and_then(Option::as_ref) {
                let label = if series.label.is_empty() { String::new() } else { format!(" ({})", series.label) };
                let _ = write!(about, " {group}{label}: {}.", beside_text(bar, chart.quantity));
            }
        }
    }
    about
}
