//! What of a chart can be drawn: usable points, pieces of law lines, and notes on the rest.

use super::axis::LARGEST;
use super::crowd::is_crowded;
use super::marker::Marker;
use super::style::{DASHED, Path, dashes};
use super::theme::Paint;
use super::{ChartError, Dot, LawLine, LineChart, Scale, Series, Stroke};

/// The drawable part of a chart.
pub(super) struct Data<'a> {
    pub(super) chart: &'a LineChart,
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
    /// Drawn as columns of pixels, not point by point.
    pub(super) crowded: bool,
    /// How large its markers are, where an earlier series has the same points: 1 where none has.
    pub(super) share: f64,
    /// The same of each point that lies on one of an earlier series, where the others do not; empty where none does.
    pub(super) shares: Vec<f64>,
}

pub(super) struct DrawnLaw<'a> {
    pub(super) law: &'a LawLine,
    pub(super) color: Paint,
    /// Pieces of the path without gaps, sorted by x.
    pub(super) pieces: Vec<Path>,
    pub(super) dash: &'static str,
}

impl<'a> Data<'a> {
    pub(super) fn new(chart: &'a LineChart) -> Result<Self, ChartError> {
        let (x, y) = (chart.x_scale, chart.y_scale);
        let mut left_out = 0;
        let all: usize = chart.series.iter().map(|series| series.points.len()).sum();
        let has_law = |index: usize| chart.laws.iter().any(|law| law.series.is_none_or(|own| own == index));
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
                && !has_law(index)
                && points.len() > 1
                && points.windows(2).all(|pair| pair[0].x < pair[1].x);
            let crowded = !given.is_level && is_crowded(points.len(), all);
            series.push(DrawnSeries {
                series: given,
                marker: Marker::of(index, given),
                points,
                joined,
                crowded,
                share: 1.0,
                shares: Vec::new(),
            });
        }
        let mut laws = Vec::new();
        let mut laws_of = vec![0; chart.series.len() + 1];
        for (index, law) in chart.laws.iter().enumerate() {
            if let Some(series) = law.series.filter(|series| *series >= chart.series.len()) {
                return Err(ChartError::UnknownSeries { law: index, series, count: chart.series.len() });
            }
            let earlier = &mut laws_of[law.series.unwrap_or(chart.series.len())];
            let own = law.series.map(|series| chart.series[series].stroke).unwrap_or_default();
            let dash = if own == Stroke::Solid { DASHED[*earlier % DASHED.len()] } else { dashes(own) };
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
            let color = law.series.map_or(Paint::Neutral, |series| Marker::of(series, &chart.series[series]).color);
            laws.push(DrawnLaw { law, color, pieces, dash });
        }
        Ok(Self { chart, series, laws, left_out })
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
            .flat_map(|series| {
                // Of crowds the intervals are not drawn.
                series
                    .points
                    .iter()
                    .flat_map(|dot| if series.crowded { [dot.value; 3] } else { [dot.low, dot.value, dot.high] })
            })
            .collect();
        let ranges = self.series.iter().flat_map(|series| &series.series.range);
        values
            .extend(ranges.flat_map(|(_, low, high)| [*low, *high]).filter(|value| usable(*value, self.chart.y_scale)));
        values.extend(self.chart.guides.iter().flat_map(|guide| [guide.low, guide.high]));
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let laws = self.laws.iter().flat_map(|law| law.pieces.iter().flatten().map(|(_, value)| *value));
        if values.is_empty() {
            return laws.collect();
        }
        values.extend(laws.map(|value| value.clamp(low.min(low * 0.8), high.max(high * 1.25))));
        values
    }
}

impl DrawnSeries<'_> {
    /// How large the marker of this point is, as a part of that of a point which lies on no other.
    pub(super) fn share_of(&self, point: usize) -> f64 {
        self.shares.get(point).copied().unwrap_or(1.0) * self.share
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

/// Whether a value has a place on such an axis.
pub(super) fn usable(value: f64, scale: Scale) -> bool {
    value.is_finite() && value.abs() <= LARGEST && (scale == Scale::Linear || value >= 1.0 / LARGEST)
}

/// The path with points in between, because a straight line is curved on a logarithmic axis.
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
