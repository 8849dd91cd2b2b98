//! Where one series overtakes another: a pole at its x, and a flag above the plot, where no point is.

use super::axis::Axis;
use super::marker::Marker;
use super::picture::Picture;
use super::plot::Plot;
use super::style::{Drawn, FLAG};
use super::text::printable;
use super::theme::Paint;
use super::{ChartError, LineChart};
use plotters::style::text_anchor::HPos;

/// Pixels between a pole and its flag's text, and between flags.
const GAP: f64 = 5.0;
const POLE_WIDTH: f64 = 1.1;

/// A crossing in its place.
#[derive(Clone)]
struct Flag {
    label: String,
    color: Paint,
    /// Where its pole stands, in pixels.
    pole: f64,
    /// The ends of its text, in pixels.
    text: (f64, f64),
    /// Rows of flags below it.
    row: usize,
}

/// All flags of a chart, in rows above the plot.
pub(super) struct Flags {
    flags: Vec<Flag>,
}

impl Flags {
    /// Finds places for the crossings of a chart whose plot has these ends.
    pub(super) fn new(chart: &LineChart, x: &Axis, left: f64, right: f64) -> Result<Self, ChartError> {
        let mut wanted: Vec<Flag> = Vec::new();
        for crossing in &chart.crossings {
            let part = x.fraction(crossing.x);
            if !(0.0..=1.0).contains(&part) {
                continue;
            }
            let pole = left + part * (right - left);
            let label = printable(&crossing.label);
            let width = FLAG.width(&label)?;
            let color = crossing
                .series
                .and_then(|series| Some(Marker::of(series, chart.series.get(series)?).color))
                .unwrap_or(Paint::Neutral);
            wanted.push(Flag { label, color, pole, text: (pole + GAP, pole + GAP + width), row: 0 });
        }
        wanted.sort_by(|one, other| one.pole.total_cmp(&other.pole));
        // From the right, flags that fly to the right do so over the poles beyond them; from the left, those that fly to the left.
        let (from_right, crossed) = arrange(wanted.iter().rev(), left, right);
        let flags = match crossed {
            0 => from_right,
            crossed => Some(arrange(wanted.iter(), left, right))
                .filter(|(_, fewer)| *fewer < crossed)
                .map_or(from_right, |(from_left, _)| from_left),
        };
        Ok(Self { flags })
    }

    /// Pixels that they take above the plot.
    pub(super) fn height(&self) -> f64 {
        let rows = self.flags.iter().map(|flag| flag.row + 1).max();
        rows.map_or(0.0, |rows| rows as f64 * FLAG.line_height() + 2.0)
    }

    /// Poles without flags, where there is no place for these.
    pub(super) fn poles(&self, picture: &mut Picture, plot: &Plot) -> Drawn {
        for flag in &self.flags {
            picture.group("", Some(&flag.label), |layer| {
                layer.line((flag.pole, plot.top), (flag.pole, plot.bottom), flag.color.mix(0.7), POLE_WIDTH)
            })?;
        }
        Ok(())
    }

    pub(super) fn draw(&self, picture: &mut Picture, plot: &Plot) -> Drawn {
        for flag in &self.flags {
            picture.group("", Some(&flag.label), |layer| {
                let bottom = plot.top - 2.0 - flag.row as f64 * FLAG.line_height();
                let is_over = flag.text.0 < flag.pole && flag.pole < flag.text.1;
                let top = if is_over { bottom } else { bottom - FLAG.line_height() + 3.0 };
                layer.line((flag.pole, top), (flag.pole, plot.bottom), flag.color.mix(0.7), POLE_WIDTH)?;
                layer.text(&flag.label, FLAG, HPos::Left, flag.text.0, bottom - 4.0)
            })?;
        }
        Ok(())
    }
}

/// Places for flags one after the other, and how many of them are crossed by a pole.
fn arrange<'a>(wanted: impl Iterator<Item = &'a Flag>, left: f64, right: f64) -> (Vec<Flag>, usize) {
    let mut flags: Vec<Flag> = Vec::new();
    let mut crossed = 0;
    for flag in wanted {
        let width = flag.text.1 - flag.text.0;
        let to_right = flag.text;
        let to_left = (flag.pole - GAP - width, flag.pole - GAP);
        let sides = [to_right, to_left].into_iter().filter(|(from, to)| *from >= left && *to <= right);
        let mut sides: Vec<(f64, f64)> = sides.collect();
        if sides.is_empty() {
            // Too wide for either side of the pole.
            let from = (right - width).max(left).min(to_right.0);
            sides.push((from, from + width));
        }
        let rows = flags.iter().map(|own| own.row + 1).max().unwrap_or(0);
        let free = (0..=rows)
            .flat_map(|row| sides.iter().map(move |text| (row, *text)))
            .find(|(row, text)| flags.iter().all(|own| is_clear(own, flag.pole, *row, *text)));
        crossed += usize::from(free.is_none());
        let (row, text) = free.unwrap_or((rows, sides[0]));
        flags.push(Flag { text, row, ..flag.clone() });
    }
    (flags, crossed)
}

/// Whether neither the flag's text nor its pole meets `own`'s.
fn is_clear(own: &Flag, pole: f64, row: usize, text: (f64, f64)) -> bool {
    let covers = |text: (f64, f64), pole: f64| text.0 - GAP < pole && pole < text.1 + GAP;
    match own.row.cmp(&row) {
        std::cmp::Ordering::Equal => text.1 + GAP < own.text.0 || own.text.1 + GAP < text.0,
        std::cmp::Ordering::Greater => !covers(text, own.pole),
        std::cmp::Ordering::Less => !covers(own.text, pole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Crossing, Scale};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn flags_do_not_meet_and_stay_inside(crossings in prop::collection::vec((0f64..1.0, 1usize..60), 0..7)) {
            let crossing = |(x, length): &(f64, usize)| Crossing { x: *x, series: None, label: "x".repeat(*length) };
            let chart = LineChart { crossings: crossings.iter().map(crossing).collect(), ..LineChart::default() };
            let axis = Axis { scale: Scale::Linear, low: 0.0, high: 1.0, ticks: Vec::new() };
            let flags = Flags::new(&chart, &axis, 80.0, 850.0).unwrap().flags;
            prop_assert_eq!(flags.len(), crossings.len());
            for (index, flag) in flags.iter().enumerate() {
                prop_assert!(flag.text.0 >= 80.0 && flag.text.1 <= 850.0, "{:?}", flag.text);
                for other in &flags[..index] {
                    let apart = flag.text.1 < other.text.0 || other.text.1 < flag.text.0;
                    prop_assert!(flag.row != other.row || apart, "{:?} {:?}", flag.text, other.text);
                }
            }
        }
    }
}
