//! The plot area: axes, grid, points with their intervals, and law lines.

use super::axis::Axis;
use super::crowd;
use super::data::{DrawnLaw, DrawnSeries, usable};
use super::notes::is_dashed;
use super::picture::Picture;
use super::style::{BAR_CAP, DOTTED, Drawn, LAW_WIDTH, LEVEL, LEVEL_WIDTH, Path, TICK, TICK_LABEL, dashes, stroke};
use super::theme::Paint;
use super::{ChartError, Guide, Scale};
use plotters::style::text_anchor::HPos;

pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// Whether the values of the vertical axis are written beside it.
    pub(super) labelled: bool,
}

/// Which marks could be seen, for the notes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// Bars of intervals.
    pub(super) bars: bool,
    /// Strips of intervals along a line of many points.
    pub(super) strips: bool,
    /// Strips around laws.
    pub(super) bands: bool,
}

/// A line of more points has a strip for their intervals and no bars.
const BARS_MAX: usize = 60;

/// Pixels that a strip must be high somewhere to be worth a word.
const STRIP_LEAST: f64 = 3.0;

impl Plot {
    pub(super) fn at(&self, x: f64, time: f64) -> (f64, f64) {
        let (x, y) = (self.x.fraction(x), self.y.fraction(time));
        (self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top))
    }

    pub(super) fn axes(&self, picture: &mut Picture) -> Drawn {
        picture.group("", None, |layer| {
            for tick in &self.y.ticks {
                let (_, y) = self.at(self.x.low, tick.at);
                layer.line((self.left, y), (self.right, y), Paint::Grid, 1.0)?;
                if self.labelled {
                    layer.text(&tick.label, TICK_LABEL, HPos::Right, self.left - 9.0, y + 0.36 * TICK_LABEL.size)?;
                }
            }
            for tick in &self.x.ticks {
                let (x, _) = self.at(tick.at, self.y.low);
                layer.line((x, self.top), (x, self.bottom), Paint::Grid, 0.6)?;
                layer.line((x, self.bottom), (x, self.bottom + TICK), Paint::Axis, 1.0)?;
                layer.text(&tick.label, TICK_LABEL, HPos::Center, x, self.bottom + TICK + 15.0)?;
            }
            layer.line((self.left, self.bottom), (self.right, self.bottom), Paint::Axis, 1.2)?;
            // Zero is inside only where times are negative.
            let (_, zero) = self.at(self.x.low, 0.0);
            if zero < self.bottom - 1.0 && self.y.scale == Scale::Linear {
                layer.line((self.left, zero), (self.right, zero), Paint::Axis, 1.0)?;
            }
            Ok(())
        })
    }

    /// Draws the strips and lines of reference values.
    pub(super) fn guides(&self, picture: &mut Picture, guides: &[Guide]) -> Drawn {
        for guide in guides.iter().filter(|guide| guide.low.is_finite() && guide.high.is_finite()) {
            let ((_, low), (_, high)) = (self.at(self.x.low, guide.low), self.at(self.x.low, guide.high));
            let (low, high) = (low.clamp(self.top, self.bottom), high.clamp(self.top, self.bottom));
            picture.group("", Some(&guide.label), |layer| {
                if low - high > 0.5 {
                    layer.rectangle((self.left, high), (self.right, low), Paint::Axis.mix(0.14))
                } else {
                    layer.line((self.left, low), (self.right, low), Paint::Axis, 1.2)
                }
            })?;
        }
        Ok(())
    }

    /// Draws a strip between two values along x; whether it could be seen.
    fn strip(
        &self,
        picture: &mut Picture,
        band: impl DoubleEndedIterator<Item = (f64, f64, f64)> + Clone,
        paint: Paint,
    ) -> Result<bool, ChartError> {
        let scale = self.y.scale;
        let band =
            band.filter(|(x, low, high)| usable(*x, self.x.scale) && usable(*low, scale) && usable(*high, scale));
        let place = |x: f64, value: f64| {
            let (x, y) = self.at(x, value);
            (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
        };
        let upper: Path = band.clone().map(|(x, _, high)| place(x, high)).collect();
        let lower: Path = band.rev().map(|(x, low, _)| place(x, low)).collect();
        let is_high = upper.iter().zip(lower.iter().rev()).any(|(upper, lower)| lower.1 - upper.1 >= STRIP_LEAST);
        if is_high && upper.len() > 1 {
            let outline: Path = upper.into_iter().chain(lower).collect();
            picture.group("", None, |layer| layer.area(&outline, paint.mix(0.2)))?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Draws the strip around a law; whether it could be seen.
    pub(super) fn law_band(&self, picture: &mut Picture, law: &DrawnLaw<'_>) -> Result<bool, ChartError> {
        self.strip(picture, law.law.band.iter().copied(), law.color)
    }

    pub(super) fn law(&self, picture: &mut Picture, law: &DrawnLaw<'_>) -> Drawn {
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
    pub(super) fn visible(&self, path: &[(f64, f64)]) -> Vec<Path> {
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
    pub(super) fn cut(&self, from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
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

    /// Draws the points of a series, and tells which marks could be seen.
    pub(super) fn series(&self, picture: &mut Picture, series: &DrawnSeries<'_>, seen: &mut Seen) -> Drawn {
        let color = series.marker.color;
        let whole = radius(series.points.len());
        let radius = |point: usize| whole * series.share_of(point);
        let dense = series.points.len() > 150;
        if series.series.is_level {
            return self.levels(picture, series);
        }
        self.strip(picture, series.series.range.iter().copied(), color)?;
        if series.crowded {
            return self.crowd(picture, series);
        }
        let with_strip = series.joined && series.points.len() > BARS_MAX;
        if with_strip {
            seen.strips |= self.strip(picture, series.points.iter().map(|dot| (dot.x, dot.low, dot.high)), color)?;
        }
        if series.joined && is_dashed(series) {
            let path: Vec<_> = series.points.iter().map(|dot| self.at(dot.x, dot.value)).collect();
            let dash = stroke(dashes(series.series.stroke));
            picture.group(&dash, None, |layer| layer.path(&path, color.mix(0.7), 1.4))?;
        }
        picture.group("", Some(&series.series.label), |layer| {
            if series.joined && !is_dashed(series) {
                let path: Vec<_> = series.points.iter().map(|dot| self.at(dot.x, dot.value)).collect();
                layer.path(&path, color.mix(0.6), 1.4)?;
            }
            if !dense {
                let mut places = series.points.iter().map(|dot| self.at(dot.x, dot.value)).enumerate();
                places.try_for_each(|(point, at)| layer.rim(series.marker, at, radius(point)))?;
            }
            for (point, dot) in series.points.iter().enumerate().filter(|_| !with_strip) {
                let radius = radius(point);
                let (x, y) = self.at(dot.x, dot.value);
                let ((_, low), (_, high)) = (self.at(dot.x, dot.low), self.at(dot.x, dot.high));
                if low <= y + radius + 1.5 && high >= y - radius - 1.5 {
                    continue;
                }
                seen.bars = true;
                layer.line((x, high), (x, low), color.mix(if dense { 0.35 } else { 1.0 }), 1.3)?;
                if !dense {
                    for end in [low, high] {
                        layer.line((x - BAR_CAP, end), (x + BAR_CAP, end), color, 1.3)?;
                    }
                }
            }
            series.points.iter().enumerate().try_for_each(|(point, dot)| {
                layer.marker(series.marker, dot.is_open, self.at(dot.x, dot.value), radius(point))
            })
        })
    }

    /// Draws a series of more points than pixels.
    fn crowd(&self, picture: &mut Picture, series: &DrawnSeries<'_>) -> Drawn {
        let columns = crowd::columns(series, self);
        let color = series.marker.color;
        let upper = columns.iter().map(|column| (column.x, column.high - 0.5));
        let lower = columns.iter().rev().map(|column| (column.x, column.low + 0.5));
        let outline: Path = upper.chain(lower).collect();
        let path: Path = columns.iter().map(|column| (column.x, column.median)).collect();
        picture.group("", Some(&series.series.label), |layer| layer.area(&outline, color.mix(0.25)))?;
        let dash = stroke(dashes(series.series.stroke));
        picture.group(&dash, Some(&series.series.label), |layer| layer.path(&path, color, 1.4))
    }

    /// Draws each value of a series as a line across the plot.
    fn levels(&self, picture: &mut Picture, series: &DrawnSeries<'_>) -> Drawn {
        // One that lies on another shows in its gaps.
        let shifted = if series.share < 1.0 { " stroke-dashoffset=\"45\"" } else { "" };
        picture.group(&format!("{}{shifted}", stroke(LEVEL)), Some(&series.series.label), |layer| {
            series.points.iter().try_for_each(|dot| {
                let (_, y) = self.at(self.x.low, dot.value);
                layer.line((self.left, y), (self.right, y), series.marker.color.mix(0.85), LEVEL_WIDTH)
            })
        })
    }
}

/// Many points get small markers.
pub(super) fn radius(points: usize) -> f64 {
    match points {
        0..=40 => 4.2,
        41..=80 => 3.4,
        81..=300 => 2.4,
        _ => 1.7,
    }
}

/// A path sorted by x cut in two at `until`: none, and all of it is right.
pub(super) fn split(path: &[(f64, f64)], until: Option<f64>) -> (Path, Path) {
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
