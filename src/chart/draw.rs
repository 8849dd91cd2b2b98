//! The layout of a chart and its strokes.

use super::axis::{Axis, LARGEST};
use super::marker::Marker;
use super::text::{Face, UNITS, escaped, printable};
use super::{ChartError, Dot, LawLine, LineChart, Scale, Series};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBAColor, RGBColor, ShapeStyle};
use std::fmt::{Display, Write as _};

// Everything in pixels.
const WIDTH: f64 = 880.0;
const MARGIN: f64 = 28.0;
const PLOT_HEIGHT: f64 = 390.0;
const TICK: f64 = 5.0;
const BAR_CAP: f64 = 3.5;
const LAW_WIDTH: f64 = 1.8;
const SWATCH: f64 = 28.0;
const SWATCH_GAP: f64 = 9.0;
const COLUMN_GAP: f64 = 20.0;

const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
const GREY: RGBColor = RGBColor(0x57, 0x60, 0x6a);
const AXIS: RGBColor = RGBColor(0x8c, 0x95, 0x9f);
const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
const WHITE: RGBColor = RGBColor(0xff, 0xff, 0xff);
const NEUTRAL: RGBColor = RGBColor(0x44, 0x44, 0x44);

const TITLE: Face = Face { size: 19.0, bold: true, color: INK };
const SUBTITLE: Face = Face { size: 13.0, bold: false, color: GREY };
const AXIS_TITLE: Face = Face { size: 13.0, bold: false, color: INK };
const TICK_LABEL: Face = Face { size: 12.5, bold: false, color: GREY };
const LABEL: Face = Face { size: 13.0, bold: false, color: INK };
const LAW: Face = Face { size: 12.0, bold: false, color: GREY };
const NOTE: Face = Face { size: 11.0, bold: false, color: GREY };

/// Dash patterns in units of the SVG, for lines with round ends.
const DOTTED: &str = "1 45";
const DASHED: [&str; 3] = ["none", "90 50", "90 45 1 45"];

type Drawn = Result<(), ChartError>;

/// A line, in values or in pixels.
type Path = Vec<(f64, f64)>;

/// The SVG of a chart.
pub(super) fn svg(chart: &LineChart, x_scale: Scale, y_scale: Scale) -> Result<String, ChartError> {
    let data = Data::new(chart, x_scale, y_scale)?;
    let mut picture = Picture::default();
    let mut y = MARGIN - 4.0;
    y = picture.paragraph(&chart.title, TITLE, MARGIN, y, WIDTH - 2.0 * MARGIN)?;
    y = picture.paragraph(&chart.subtitle, SUBTITLE, MARGIN, y + 2.0, WIDTH - 2.0 * MARGIN)?;

    let (y_axis, unit) = Axis::vertical(&data.times(), y_scale)?;
    let y_label = match (printable(&chart.y_label).trim(), unit) {
        ("", Some(unit)) => unit.to_owned(),
        (label, Some(unit)) => format!("{label} ({unit})"),
        (label, None) => label.to_owned(),
    };
    y = picture.paragraph(&y_label, AXIS_TITLE, MARGIN, y + 16.0, WIDTH - 2.0 * MARGIN)? + 10.0;

    let mut left: f64 = 0.0;
    for tick in &y_axis.ticks {
        left = left.max(TICK_LABEL.width(&tick.label)?);
    }
    let left = (MARGIN + left + 9.0).min(WIDTH / 2.0).round();
    let right = WIDTH - MARGIN;
    let (points, lines) = data.xs();
    let x_axis = Axis::horizontal(&points, &lines, x_scale, right - left, &|label| TICK_LABEL.width(label))?;
    let plot = Plot { left, right, top: y, bottom: y + PLOT_HEIGHT, x: x_axis, y: y_axis };
    plot.axes(&mut picture)?;
    y = picture.centered(&chart.x_label, AXIS_TITLE, f64::midpoint(left, right), plot.bottom + 26.0, right - left)?;

    for law in &data.laws {
        plot.law(&mut picture, law)?;
    }
    let mut bars = false;
    for series in &data.series {
        bars |= plot.series(&mut picture, series)?;
    }

    y = legend(&mut picture, &data, y + 16.0)?;
    y += 12.0;
    for note in chart.notes.iter().cloned().chain(data.notes(bars)) {
        y = picture.paragraph(&note, NOTE, MARGIN, y, WIDTH - 2.0 * MARGIN)?;
    }
    Ok(picture.finish(chart, &y_label, y + MARGIN - 10.0))
}

/// The drawable part of a chart.
struct Data<'a> {
    series: Vec<DrawnSeries<'a>>,
    laws: Vec<DrawnLaw<'a>>,
    left_out: usize,
}

struct DrawnSeries<'a> {
    series: &'a Series,
    marker: Marker,
    /// Sorted by x, values usable; an interval that is not usable has become the time itself.
    points: Vec<Dot>,
    /// Joined by a line.
    joined: bool,
}

struct DrawnLaw<'a> {
    law: &'a LawLine,
    color: RGBColor,
    /// Pieces of the path without gaps, sorted by x.
    pieces: Vec<Path>,
    dash: &'static str,
}

impl<'a> Data<'a> {
    fn new(chart: &'a LineChart, x: Scale, y: Scale) -> Result<Self, ChartError> {
        let usable = |value: f64, scale| {
            value.is_finite() && value.abs() <= LARGEST && (scale == Scale::Linear || value >= 1.0 / LARGEST)
        };
        let mut left_out = 0;
        let mut series = Vec::new();
        for (index, given) in chart.series.iter().enumerate() {
            let mut points: Vec<Dot> =
                given.points.iter().copied().filter(|dot| usable(dot.x, x) && usable(dot.time_us, y)).collect();
            left_out += given.points.len() - points.len();
            for dot in &mut points {
                let ends = [dot.low_us, dot.high_us].map(|end| if usable(end, y) { end } else { dot.time_us });
                (dot.low_us, dot.high_us) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let joined = !chart.laws.iter().any(|law| law.series == Some(index))
                && points.len() > 1
                && points.windows(2).all(|pair| pair[0].x < pair[1].x);
            series.push(DrawnSeries { series: given, marker: Marker::of(index), points, joined });
        }
        let mut laws = Vec::new();
        let mut laws_of = vec![0; chart.series.len() + 1];
        for (index, law) in chart.laws.iter().enumerate() {
            if let Some(series) = law.series.filter(|series| *series >= chart.series.len()) {
                return Err(ChartError::UnknownSeries { law: index, series, count: chart.series.len() });
            }
            let earlier = &mut laws_of[law.series.unwrap_or(chart.series.len())];
            let dash = DASHED[*earlier % DASHED.len()];
            *earlier += 1;
            let mut path = law.path.clone();
            path.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Before the split: a line that crosses zero has a visible part even if one of its ends has not.
            let path = if x == Scale::Log || y == Scale::Log { dense(&path) } else { path };
            let pieces = path
                .split(|(at, time)| !usable(*at, x) || !usable(*time, y))
                .filter(|piece| !piece.is_empty())
                .map(<[_]>::to_vec)
                .collect();
            let color = law.series.map_or(NEUTRAL, |series| Marker::of(series).color);
            laws.push(DrawnLaw { law, color, pieces, dash });
        }
        let data = Self { series, laws, left_out };
        if data.times().is_empty() { Err(ChartError::NoPoints) } else { Ok(data) }
    }

    /// The x of all points, and those of all lines.
    fn xs(&self) -> (Vec<f64>, Vec<f64>) {
        let points = self.series.iter().flat_map(|series| series.points.iter().map(|dot| dot.x));
        let lines = self.laws.iter().flat_map(|law| law.pieces.iter().flatten().map(|(x, _)| *x));
        (points.collect(), lines.collect())
    }

    /// The times that the axis must reach. A law that runs away from the points does not squeeze them: it is cut.
    fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().flat_map(|dot| [dot.low_us, dot.time_us, dot.high_us]))
            .collect();
        let low = times.iter().copied().fold(f64::INFINITY, f64::min);
        let high = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let laws = self.laws.iter().flat_map(|law| law.pieces.iter().flatten().map(|(_, time)| *time));
        if times.is_empty() {
            return laws.collect();
        }
        times.extend(laws.map(|time| time.clamp(low.min(low * 0.8), high.max(high * 1.25))));
        times
    }

    /// What the marks mean that are on this chart.
    fn notes(&self, bars: bool) -> Option<String> {
        let mut notes = Vec::new();
        if bars {
            notes.push("Bars: 95 % intervals, where they reach beyond the marker.".to_owned());
        } else if self.series.iter().flat_map(|series| &series.points).any(|dot| dot.low_us < dot.high_us) {
            notes.push("The 95 % intervals are smaller than the markers.".to_owned());
        }
        if self.laws.iter().any(|law| law.dotted_until().is_some()) {
            notes.push("Dotted: the law does not hold there.".to_owned());
        }
        match self.left_out {
            0 => {}
            1 => notes.push("1 point cannot be drawn here and is left out.".to_owned()),
            count => notes.push(format!("{count} points cannot be drawn here and are left out.")),
        }
        (!notes.is_empty()).then(|| notes.join(" "))
    }
}

impl DrawnLaw<'_> {
    /// The x up to which the line is dotted, if any of it is.
    fn dotted_until(&self) -> Option<f64> {
        let first = self.pieces.first()?.first()?.0;
        if !self.law.holds {
            return Some(f64::INFINITY);
        }
        self.law.holds_from_x.filter(|from| *from > first)
    }
}

/// The path with points between its points: a straight line is none on a logarithmic axis.
fn dense(path: &[(f64, f64)]) -> Path {
    const PIECES: u32 = 128;
    let mut dense: Path = path.first().copied().into_iter().collect();
    for pair in path.windows(2) {
        let ((x0, t0), (x1, t1)) = (pair[0], pair[1]);
        let geometric = x0 > 0.0 && x1 > x0;
        let pieces = if path.len() > PIECES as usize { 1 } else { PIECES };
        for index in 1..pieces {
            let part = f64::from(index) / f64::from(pieces);
            let x = if geometric { x0 * (x1 / x0).powf(part) } else { x0 + (x1 - x0) * part };
            let along = if x1 > x0 { (x - x0) / (x1 - x0) } else { part };
            dense.push((x, t0 + (t1 - t0) * along));
        }
        dense.push((x1, t1));
    }
    dense
}

struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Plot {
    fn at(&self, x: f64, time: f64) -> (f64, f64) {
        let (x, y) = (self.x.fraction(x), self.y.fraction(time));
        (self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top))
    }

    fn axes(&self, picture: &mut Picture) -> Drawn {
        picture.group("", None, |layer| {
            for tick in &self.y.ticks {
                let (_, y) = self.at(self.x.low, tick.at);
                layer.line((self.left, y), (self.right, y), GRID, 1.0)?;
                layer.text(&tick.label, TICK_LABEL, HPos::Right, self.left - 9.0, y + 0.36 * TICK_LABEL.size)?;
            }
            for tick in &self.x.ticks {
                let (x, _) = self.at(tick.at, self.y.low);
                layer.line((x, self.top), (x, self.bottom), GRID, 0.6)?;
                layer.line((x, self.bottom), (x, self.bottom + TICK), AXIS, 1.0)?;
                layer.text(&tick.label, TICK_LABEL, HPos::Center, x, self.bottom + TICK + 15.0)?;
            }
            layer.line((self.left, self.bottom), (self.right, self.bottom), AXIS, 1.2)?;
            // Zero is inside only where times are negative.
            let (_, zero) = self.at(self.x.low, 0.0);
            if zero < self.bottom - 1.0 && self.y.scale == Scale::Linear {
                layer.line((self.left, zero), (self.right, zero), AXIS, 1.0)?;
            }
            Ok(())
        })
    }

    fn law(&self, picture: &mut Picture, law: &DrawnLaw<'_>) -> Drawn {
        let until = law.dotted_until();
        let mut dotted = Vec::new();
        let mut solid = Vec::new();
        for piece in &law.pieces {
            let (left, right) = split(piece, until);
            dotted.extend(self.visible(&left));
            solid.extend(self.visible(&right));
        }
        let style = law.color.mix(0.75);
        for (dash, runs) in [(DOTTED, dotted), (law.dash, solid)] {
            if !runs.is_empty() {
                picture.group(&stroke(dash), Some(&law.law.label), |layer| {
                    runs.iter().try_for_each(|run| layer.path(run, style, LAW_WIDTH))
                })?;
            }
        }
        Ok(())
    }

    /// The runs of a path inside the plot, as pixels.
    fn visible(&self, path: &[(f64, f64)]) -> Vec<Path> {
        let pixels: Path = path.iter().map(|(x, time)| self.at(*x, *time)).collect();
        let mut runs: Vec<Path> = Vec::new();
        for pair in pixels.windows(2) {
            let Some((from, to)) = self.cut(pair[0], pair[1]) else { continue };
            match runs.last_mut() {
                Some(run) if run.last() == Some(&from) => run.push(to),
                _ => runs.push(vec![from, to]),
            }
        }
        runs
    }

    /// The part of a line inside the plot (Liang and Barsky).
    fn cut(&self, from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut start, mut end) = (0f64, 1f64);
        let edges = [
            (-dx, from.0 - self.left),
            (dx, self.right - from.0),
            (-dy, from.1 - self.top),
            (dy, self.bottom - from.1),
        ];
        for (direction, distance) in edges {
            if direction == 0.0 {
                if distance < 0.0 {
                    return None;
                }
            } else if direction < 0.0 {
                start = start.max(distance / direction);
            } else {
                end = end.min(distance / direction);
            }
        }
        let at = |part: f64| (from.0 + part * dx, from.1 + part * dy);
        let first = if start > 0.0 { at(start) } else { from };
        let last = if end < 1.0 { at(end) } else { to };
        (start <= end).then_some((first, last))
    }

    /// Draws the points of a series; whether any of its bars could be seen.
    fn series(&self, picture: &mut Picture, series: &DrawnSeries<'_>) -> Result<bool, ChartError> {
        let color = series.marker.color;
        let radius = radius(series.points.len());
        let dense = series.points.len() > 150;
        let mut bars = false;
        picture.group("", Some(&series.series.label), |layer| {
            if series.joined {
                let path: Vec<_> = series.points.iter().map(|dot| self.at(dot.x, dot.time_us)).collect();
                layer.path(&path, color.mix(0.6), 1.4)?;
            }
            if !dense {
                series
                    .points
                    .iter()
                    .try_for_each(|dot| layer.rim(series.marker, self.at(dot.x, dot.time_us), radius))?;
            }
            for dot in &series.points {
                let (x, y) = self.at(dot.x, dot.time_us);
                let ((_, low), (_, high)) = (self.at(dot.x, dot.low_us), self.at(dot.x, dot.high_us));
                if low <= y + radius + 1.5 && high >= y - radius - 1.5 {
                    continue;
                }
                bars = true;
                layer.line((x, high), (x, low), color.mix(if dense { 0.35 } else { 1.0 }), 1.3)?;
                if !dense {
                    for end in [low, high] {
                        layer.line((x - BAR_CAP, end), (x + BAR_CAP, end), color, 1.3)?;
                    }
                }
            }
            series.points.iter().try_for_each(|dot| layer.marker(series.marker, self.at(dot.x, dot.time_us), radius))
        })?;
        Ok(bars)
    }
}

/// Many points get small markers.
fn radius(points: usize) -> f64 {
    match points {
        0..=40 => 4.2,
        41..=80 => 3.4,
        81..=300 => 2.4,
        _ => 1.7,
    }
}

fn stroke(dash: &str) -> String {
    let dash = if dash == "none" { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!(" stroke-linecap=\"round\" stroke-linejoin=\"round\"{dash}")
}

/// A path sorted by x cut in two at `until`: none, and all of it is right.
fn split(path: &[(f64, f64)], until: Option<f64>) -> (Path, Path) {
    let Some(until) = until else { return (Vec::new(), path.to_vec()) };
    let index = path.partition_point(|(x, _)| *x < until);
    let (mut left, mut right) = (path[..index].to_vec(), path[index..].to_vec());
    if let (Some(&(x0, t0)), Some(&(x1, t1))) = (left.last(), right.first()) {
        let middle = (until, t0 + (t1 - t0) * (until - x0) / (x1 - x0));
        left.push(middle);
        right.insert(0, middle);
    }
    (left, right)
}

/// One series and its laws, or one law that belongs to none, ready to be placed.
struct Entry<'a> {
    series: Option<&'a DrawnSeries<'a>>,
    label: String,
    laws: Vec<&'a DrawnLaw<'a>>,
}

/// Draws the legend below `top` and returns where it ends.
fn legend(picture: &mut Picture, data: &Data<'_>, top: f64) -> Result<f64, ChartError> {
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

fn column_width(columns: usize) -> f64 {
    (WIDTH - 2.0 * MARGIN - (columns - 1) as f64 * COLUMN_GAP) / columns as f64
}

/// As many columns as the widest text allows; two even if texts must be broken, once there are many.
fn columns(entries: usize, widest: f64) -> usize {
    let fits = |columns: &usize| widest + SWATCH + SWATCH_GAP <= column_width(*columns);
    let least = if entries > 4 { 2 } else { 1 };
    (least..=4.min(entries.max(least))).rev().find(fits).unwrap_or(least)
}

fn legend_entry(picture: &mut Picture, entry: &Entry<'_>, left: f64, top: f64, width: f64) -> Result<f64, ChartError> {
    let text_left = left + SWATCH + SWATCH_GAP;
    let mut y = top;
    if let Some(series) = entry.series {
        let middle = y + LABEL.line_height() / 2.0;
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

/// The SVG as it grows: groups of what plotters drew.
#[derive(Default)]
struct Picture {
    body: String,
}

impl Picture {
    /// Adds what `draw` draws as a group with these attributes (plotters knows no dashes) and this title (which
    /// browsers show under the pointer).
    fn group(&mut self, attributes: &str, title: Option<&str>, draw: impl FnOnce(&mut Layer<'_>) -> Drawn) -> Drawn {
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
    fn paragraph(&mut self, text: &str, face: Face, left: f64, top: f64, width: f64) -> Result<f64, ChartError> {
        self.lines(text, face, HPos::Left, left, top, width)
    }

    fn centered(&mut self, text: &str, face: Face, center: f64, top: f64, width: f64) -> Result<f64, ChartError> {
        self.lines(text, face, HPos::Center, center, top, width)
    }

    fn lines(&mut self, text: &str, face: Face, anchor: HPos, x: f64, top: f64, width: f64) -> Result<f64, ChartError> {
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

    fn finish(self, chart: &LineChart, y_label: &str, height: f64) -> String {
        let height = height.ceil();
        let title = escaped(&chart.title);
        let mut about = format!("{y_label} against {}.", chart.x_label);
        for series in &chart.series {
            let _ = write!(about, " {}: {} points.", series.label, series.points.len());
        }
        for law in &chart.laws {
            let _ = write!(about, " {}.", law.label);
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
struct Layer<'a> {
    backend: SVGBackend<'a>,
}

impl Layer<'_> {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: impl Color, width: f64) -> Drawn {
        self.backend.draw_line(units(from), units(to), &pen(color.to_rgba(), width)).map_err(failed)
    }

    fn path(&mut self, points: &[(f64, f64)], color: RGBAColor, width: f64) -> Drawn {
        self.backend.draw_path(points.iter().map(|point| units(*point)), &pen(color, width)).map_err(failed)
    }

    fn text(&mut self, text: &str, face: Face, anchor: HPos, x: f64, baseline: f64) -> Drawn {
        self.backend.draw_text(text, &face.style(anchor)?, units((x, face.top(baseline)))).map_err(failed)
    }

    /// White under a marker and a little around it, so that it stands out from lines and from its neighbours.
    fn rim(&mut self, marker: Marker, center: (f64, f64), radius: f64) -> Drawn {
        self.shape(marker, center, radius + 1.2, WHITE)
    }

    fn marker(&mut self, marker: Marker, center: (f64, f64), radius: f64) -> Drawn {
        self.shape(marker, center, radius, marker.color)?;
        if marker.hollow {
            self.shape(marker, center, radius * 0.55, WHITE)?;
        }
        Ok(())
    }

    fn shape(&mut self, marker: Marker, center: (f64, f64), radius: f64, color: RGBColor) -> Drawn {
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

fn pen(color: RGBAColor, width: f64) -> ShapeStyle {
    ShapeStyle { color, filled: false, stroke_width: (width * UNITS).round() as u32 }
}

fn units((x, y): (f64, f64)) -> (i32, i32) {
    ((x * UNITS).round() as i32, (y * UNITS).round() as i32)
}

fn failed(error: impl Display) -> ChartError {
    ChartError::Draw(error.to_string())
}
