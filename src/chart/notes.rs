//! Small print: what the marks of a chart mean that are on it.

use std::collections::HashMap;

use super::Stroke;
use super::data::{Data, DrawnSeries};
use super::plot::{Plot, Seen};
use super::text::printable;
use crate::device::Origin;

/// What the marks mean that are on these plots of one picture.
pub(super) fn notes(panels: &[Data<'_>], seen: Seen) -> Option<String> {
    let series = || panels.iter().flat_map(|data| &data.series);
    let mut notes = Vec::new();
    let mut placed = series().filter(|own| !own.series.is_level && !own.crowded).flat_map(|own| &own.points);
    if seen.bars {
        notes.push("Bars: 95 % intervals, where they reach beyond the marker.".to_owned());
    } else if seen.strips {
        notes.push("Strips along lines: 95 % intervals.".to_owned());
    } else if placed.any(|dot| dot.low < dot.high) {
        notes.push("The 95 % intervals are smaller than the markers.".to_owned());
    }
    if seen.bands {
        notes.push("Strips around laws: their 95 % intervals.".to_owned());
    }
    if series().any(|own| own.crowded) {
        notes.push(
            "More points than pixels: a line through the medians of each column of pixels, and a strip from its smallest to its \
             largest value."
                .to_owned(),
        );
    }
    if series().any(|own| own.series.is_level && !own.points.is_empty()) {
        notes.push("Dashed across: the same for every x.".to_owned());
    }
    if panels.iter().flat_map(|data| &data.laws).any(|law| law.dotted_until().is_some()) {
        notes.push("Dotted: the law does not hold there.".to_owned());
    }
    let origins = || series().filter_map(|own| own.series.origin);
    let is_mixed =
        origins().any(|origin| origin == Origin::Measured) && origins().any(|origin| origin != Origin::Measured);
    if is_mixed {
        notes.push("Hollow markers: not measured but simulated.".to_owned());
    }
    match panels.iter().map(|data| data.left_out).sum() {
        0 => {}
        1 => notes.push("1 point cannot be drawn here and is left out.".to_owned()),
        count => notes.push(format!("{count} points cannot be drawn here and are left out.")),
    }
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Finds series whose points lie on those of an earlier one, makes their markers smaller, so that both are seen, and tells which
/// they are.
pub(super) fn coincidences(data: &mut Data<'_>, plot: &Plot) -> Vec<String> {
    let mut first: HashMap<Vec<(i64, i64)>, (usize, usize)> = HashMap::new();
    let mut told = Vec::new();
    for index in 0..data.series.len() {
        let own = &data.series[index];
        if own.points.is_empty() || own.crowded {
            continue;
        }
        let place = pixels(own, plot);
        let Some((earlier, count)) = first.get_mut(&place) else {
            first.insert(place, (index, 1));
            continue;
        };
        *count += 1;
        let share = 0.62f64.powi((*count - 1) as i32).max(0.25);
        let label = |index: usize| printable(&data.series[index].series.label);
        told.push(format!("{} lies on {}.", label(index), label(*earlier)));
        data.series[index].share = share;
    }
    told
}

/// Where the points of a series are drawn, to the pixel.
fn pixels(own: &DrawnSeries<'_>, plot: &Plot) -> Vec<(i64, i64)> {
    let place = |x: f64, value: f64| {
        let (x, y) = plot.at(x, value);
        (x.round() as i64, y.round() as i64)
    };
    if own.series.is_level {
        return own.points.iter().map(|dot| (-1, place(plot.x.low, dot.value).1)).collect();
    }
    own.points.iter().map(|dot| place(dot.x, dot.value)).collect()
}

/// Whether the lines of a series are drawn as those of its run and not without gaps.
pub(super) fn is_dashed(own: &DrawnSeries<'_>) -> bool {
    own.series.stroke != Stroke::Solid
}
