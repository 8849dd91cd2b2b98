//! More points than pixels: for each column of pixels what of them can be seen.

use super::data::DrawnSeries;
use super::plot::Plot;

/// So many points of all series can be drawn one by one.
const POINTS_MAX: usize = 5000;

/// A series has at least so many points before they are drawn together.
const SERIES_LEAST: usize = 200;

/// A series of more points than this is drawn together whatever the others have.
const SERIES_MAX: usize = 1500;

/// Pixels of a column.
const COLUMN: f64 = 2.0;

/// The points of one column of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Column {
    /// Where it is, in pixels.
    pub(super) x: f64,
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
}

/// Whether a series is drawn by columns, where all series together have `all` points.
pub(super) fn is_crowded(points: usize, all: usize) -> bool {
    points > SERIES_MAX || (all > POINTS_MAX && points > SERIES_LEAST)
}

/// The columns that a series has points in, from left to right.
pub(super) fn columns(series: &DrawnSeries<'_>, plot: &Plot) -> Vec<Column> {
    let place = |x: f64| (plot.at(x, series.points[0].value).0 / COLUMN).floor();
    let mut columns = Vec::new();
    for group in series.points.chunk_by(|one, other| place(one.x).total_cmp(&place(other.x)).is_eq()) {
        let mut values: Vec<f64> = group.iter().map(|dot| dot.value).collect();
        values.sort_by(f64::total_cmp);
        let y = |value: f64| plot.at(group[0].x, value).1;
        columns.push(Column {
            x: (place(group[0].x) + 0.5) * COLUMN,
            low: y(values[0]),
            median: y(values[values.len() / 2]),
            high: y(values[values.len() - 1]),
        });
    }
    columns
}
