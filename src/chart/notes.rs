//! Small print: what the marks of a chart mean that are on it.

use super::data::{Data, DrawnSeries};
use super::plot::{Plot, Seen};
use super::text::printable;
use super::{Dot, Stroke};
use crate::properties::Origin;

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
    if series().any(|own| !own.shares.is_empty()) {
        notes.push("Small markers lie on others.".to_owned());
    }
    if series().any(|own| own.crowded) {
        notes.push(
            "More points than pixels: a line through the medians of each column of pixels, and a strip from its smallest to its \
             largest value."
                .to_owned(),
        );
    }
    let mut levels = series().filter(|own| own.series.is_level && !own.points.is_empty());
    if levels.clone().any(|own| own.series.is_reference) {
        notes.push("Dashed across at 1: what the others are divided by.".to_owned());
    }
    if levels.any(|own| !own.series.is_reference) {
        notes.push(
            "Dashed across: measured once, because x has nothing to do with it; not a value of every x.".to_owned(),
        );
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

/// As far apart as two marks may be in pixels for one to hide the other.
const APART_MAX: f64 = 3.0;

/// Finds series whose points lie on those of an earlier one, makes their markers smaller, so that both are seen, and tells which
/// they are.
pub(super) fn coincidences(data: &mut Data<'_>, plot: &Plot) -> Vec<String> {
    let mut hidden = vec![0; data.series.len()];
    let mut told = Vec::new();
    for index in 0..data.series.len() {
        let own = &data.series[index];
        if own.points.is_empty() || own.crowded {
            continue;
        }
        // The first of those that lie on each other counts them.
        let earlier =
            (0..index).find(|earlier| data.series[*earlier].share >= 1.0 && lies_on(own, &data.series[*earlier], plot));
        let covered = || {
            let is_covered = |earlier: &usize| {
                let other = &data.series[*earlier];
                !other.points.is_empty() && !other.crowded && lies_on(other, own, plot)
            };
            (0..index).find(is_covered)
        };
        let (earlier, above, below) = match (earlier, earlier.is_none().then(covered).flatten()) {
            (Some(earlier), _) => (earlier, index, earlier),
            (None, Some(earlier)) => (earlier, earlier, index),
            (None, None) => continue,
        };
        hidden[earlier] += 1;
        let label = |index: usize| printable(&data.series[index].series.label);
        told.push(format!("{} lies on {}.", label(above), label(below)));
        data.series[index].share = SMALLER.powi(hidden[earlier]).max(SMALLEST);
    }
    shrink(data, plot);
    told
}

/// The part of its size that each further marker at one place has, and the least.
const SMALLER: f64 = 0.6;
const SMALLEST: f64 = 0.3;

/// Makes markers smaller that lie on single points of earlier series, so that both are seen.
fn shrink(data: &mut Data<'_>, plot: &Plot) {
    let is_drawn = |own: &DrawnSeries<'_>| !own.series.is_level && !own.crowded && own.share >= 1.0;
    let places: Vec<Vec<(f64, f64)>> =
        data.series.iter().map(|own| own.points.iter().map(|dot| plot.at(dot.x, dot.value)).collect()).collect();
    for index in 1..data.series.len() {
        if !is_drawn(&data.series[index]) {
            continue;
        }
        let is_hidden = |other: &&(f64, f64), own: (f64, f64)| (other.0 - own.0).hypot(other.1 - own.1) <= APART_MAX;
        let below = |own: &(f64, f64)| {
            let earlier = (0..index).filter(|earlier| is_drawn(&data.series[*earlier]));
            earlier.filter(|earlier| places[*earlier].iter().any(|other| is_hidden(&other, *own))).count()
        };
        let share = |own: &(f64, f64)| SMALLER.powi(below(own) as i32).max(SMALLEST);
        let shares: Vec<f64> = places[index].iter().map(share).collect();
        if shares.iter().any(|share| *share < 1.0) {
            data.series[index].shares = shares;
        }
    }
}

/// Whether every point of a series is where one of another is, to the eye: that may have more.
fn lies_on(own: &DrawnSeries<'_>, other: &DrawnSeries<'_>, plot: &Plot) -> bool {
    let is_level = own.series.is_level;
    if is_level != other.series.is_level || other.points.is_empty() {
        return false;
    }
    let place = |dot: &Dot| plot.at(if is_level { plot.x.low } else { dot.x }, dot.value);
    let others: Vec<(f64, f64)> = other.points.iter().map(place).collect();
    let mut first = 0;
    own.points.iter().map(place).all(|one| {
        // Both are in the order of x, at one of which a series may have several points.
        while others.get(first).is_some_and(|two| two.0 < one.0 - APART_MAX) {
            first += 1;
        }
        let near = others[first..].iter().take_while(|two| two.0 <= one.0 + APART_MAX);
        near.into_iter().any(|two| (one.1 - two.1).abs() <= APART_MAX)
    })
}

/// Whether the lines of a series are drawn as those of its run and not without gaps.
pub(super) fn is_dashed(own: &DrawnSeries<'_>) -> bool {
    own.series.stroke != Stroke::Solid
}
