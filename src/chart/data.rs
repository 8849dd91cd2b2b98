//! What of a chart can be drawn: usable points, pieces of law lines, and notes on the rest.

use super::axis::LARGEST;
use super::marker::Marker;
use super::style::{DASHED, NEUTRAL, Path};
use super::{ChartError, Dot, LawLine, LineChart, Scale, Series};
use plotters::style::RGBColor;

/// The drawable part of a chart.
pub(super) struct Data<'a> {
    pub(super) series: Vec<DrawnSeries<'a>>,
    pub(super) laws: Vec<DrawnLaw<'a>>,
    pub(super) left_out: usize,
}

pub(super) struct DrawnSeries<'a> {
    pub(super) series: &'a Series,
    pub(super) marker: Marker,
    /// Sorted by x, values usable; an interval that is not usable has become the value itself.
    pub(super) points: Vec<Dot>,
    /// Joined by a line.
    pub(super) joined: bool,
}

pub(super) struct DrawnLaw<'a> {
    pub(super) law: &'a LawLine,
    pub(super) color: RGBColor,
    /// Pieces of the path without gaps, sorted by x.
    pub(super) pieces: Vec<Path>,
    pub(super) dash: &'static str,
}

impl<'a> Data<'a> {
    pub(super) fn new(chart: &'a LineChart) -> Result<Self, ChartError> {
        let (x, y) = (chart.x_scale, chart.y_scale);
        let usable = |value: f64, scale| {
            value.is_finite() && value.abs() <= LARGEST && (scale == Scale::Linear || value >= 1.0 / LARGEST)
        };
        let mut left_out = 0;
        let mut series = Vec::new();
        for (index, given) in chart.series.iter().enumerate() {
            let mut points: Vec<Dot> = given
                .points
                .iter()
                .copied()
                .filter(|dot| (given.is_level || usable(dot.x, x)) && usable(dot.value, y))
                .collect();
            left_out += given.points.len() - points.len();
            for dot in &mut points {
                let ends = [dot.low, dot.high].map(|end| if usable(end, y) { end } else { dot.value });
                (dot.low, dot.high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let joined = !given.is_level
                && !chart.laws.iter().any(|law| law.series.is_none_or(|own| own == index))
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
        if data.values().is_empty() { Err(ChartError::NoPoints) } else { Ok(data) }
    }

    /// The x of all points, and those of all lines.
    pub(super) fn xs(&self) -> (Vec<f64>, Vec<f64>) {
        let placed = self.series.iter().filter(|series| !series.series.is_level);
        let points = placed.flat_map(|series| series.points.iter().map(|dot| dot.x));
        let lines = self.laws.iter().flat_map(|law| law.pieces.iter().flatten().map(|(x, _)| *x));
        (points.collect(), lines.collect())
    }

    /// The values that the axis must reach. A law that runs away from the points does not squeeze them: it is cut.
    pub(super) fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().flat_map(|dot| [dot.low, dot.value, dot.high]))
            .collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let laws = self.laws.iter().flat_map(|law| law.pieces.iter().flatten().map(|(_, value)| *value));
        if values.is_empty() {
            return laws.collect();
        }
        values.extend(laws.map(|value| value.clamp(low.min(low * 0.8), high.max(high * 1.25))));
        values
    }

    /// What the marks mean that are on this chart.
    pub(super) fn notes(&self, bars: bool) -> Option<String> {
        let mut notes = Vec::new();
        let placed = self.series.iter().filter(|series| !series.series.is_level);
        if bars {
            notes.push("Bars: 95 % intervals, where they reach beyond the marker.".to_owned());
        } else if placed.flat_map(|series| &series.points).any(|dot| dot.low < dot.high) {
            notes.push("The 95 % intervals are smaller than the markers.".to_owned());
        }
        if self.series.iter().any(|series| series.series.is_level && !series.points.is_empty()) {
            notes.push("Dashed across: the same for every x.".to_owned());
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
    pub(super) fn dotted_until(&self) -> Option<f64> {
        let first = self.pieces.first()?.first()?.0;
        if !self.law.holds {
            return Some(f64::INFINITY);
        }
        self.law.holds_from_x.filter(|from| *from > first)
    }
}

/// The path with points between its points: a straight line is none on a logarithmic axis.
pub(super) fn dense(path: &[(f64, f64)]) -> Path {
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
