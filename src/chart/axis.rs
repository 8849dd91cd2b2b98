//! Axes: which range they show, where the ticks are, and what the ticks say.

use super::style::MARGIN;
use super::{ChartError, Quantity, Scale};
use label::{PLAIN_BELOW, binary_label, binary_labelled, labelled, log_label, number, time_labels, unit};

mod label;

/// What lies beyond is no time and no parameter; drawing it would only overflow.
pub(super) const LARGEST: f64 = 1e100;

/// One labelled position of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// A range of values, how it is scaled, and its ticks in rising order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<Tick>,
}

/// How wide a label would be, in pixels.
pub(super) type Measure<'a> = &'a dyn Fn(&str) -> Result<f64, ChartError>;

/// Pixels between two neighbouring labels of the horizontal axis.
const LABEL_GAP: f64 = 14.0;

/// Pixels between the last label of a panel and the first one of the panel beside it, at least.
const PANEL_LABEL_GAP: f64 = 8.0;

/// Pixels between two labels of a vertical axis, from middle to middle, at least.
const LEAST_APART: f64 = 13.0;

/// The part of a vertical axis that may have no label at either of its ends.
const BARE_END: f64 = 0.3;

/// How wide a horizontal axis is, and what lies beside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// Its width in pixels.
    pub(super) pixels: f64,
    /// How many pixels beyond its end the axis of the next panel begins, if there is one in the same row.
    pub(super) to_next: Option<f64>,
}

/// So many values may have a tick each on a logarithmic axis, where round numbers between them would say less.
const OWN_TICKS: usize = 10;

/// The shortest bar on a logarithmic axis is as many times its beginning, at least.
const LEAST_BAR: f64 = 1.5;

impl Axis {
    /// Where `value` lies: 0 at the low end, 1 at the high end.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// The horizontal axis: it reaches all values (finite, and positive on a logarithmic scale), and its
    /// ticks suit those of the points, if there are points.
    pub(super) fn horizontal(
        points: &[f64],
        lines: &[f64],
        scale: Scale,
        span: Span,
        measure: Measure<'_>,
    ) -> Result<Self, ChartError> {
        let all = points.iter().chain(lines).copied();
        let (Some(first), Some(last)) = (all.clone().reduce(f64::min), all.reduce(f64::max)) else {
            return Err(ChartError::NoPoints);
        };
        let mut values = if points.is_empty() { lines.to_vec() } else { points.to_vec() };
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (low, high) = match scale {
            Scale::Linear => linear_range(first, last),
            Scale::Log => log_range(first, last, 0.03),
        };
        let mut axis = Self { scale, low, high, ticks: Vec::new() };
        let integers = values.iter().all(|value| value.fract() == 0.0);
        let candidates = match scale {
            Scale::Linear => linear_candidates(&axis, &values, integers),
            Scale::Log => {
                let ends = [values.first(), values.last()];
                let binary = integers && ends.into_iter().flatten().all(|end| is_power_of_two(*end));
                let binary = binary && axis.high / axis.low >= 8.0;
                let few = integers && values.len() <= OWN_TICKS && (binary || axis.high < PLAIN_BELOW);
                let of_binary = || values.iter().map(|value| binary_tick(*value, axis.high)).collect();
                let own = few.then(|| if binary { of_binary() } else { labelled(&values, 1.0) });
                own.into_iter().chain(log_candidates(&axis, binary)).collect()
            }
        };
        for ticks in candidates {
            axis.ticks = ticks;
            if axis.fits(span, measure)? {
                break;
            }
        }
        Ok(axis)
    }

    /// A logarithmic axis between these ends.
    fn vertical_log(low: f64, high: f64, quantity: Quantity, pixels: f64) -> Self {
        let mut axis = Self { scale: Scale::Log, low, high, ticks: Vec::new() };
        let enough = |ticks: &Vec<Tick>| ticks.len() <= 9;
        let reaches_ends = |ticks: &Vec<Tick>| {
            let place = |tick: Option<&Tick>| tick.map_or(f64::NAN, |tick| axis.fraction(tick.at));
            place(ticks.first()) <= BARE_END && place(ticks.last()) >= 1.0 - BARE_END
        };
        let mut candidates: Vec<_> = log_candidates(&axis, false);
        // Between 1 and 2 there is nothing otherwise, which may be a third of the axis.
        candidates.extend(log_between(&axis));
        if quantity == Quantity::Time {
            candidates = candidates.into_iter().map(time_labels).collect();
        }
        let is_apart = |ticks: &Vec<Tick>| {
            let apart = |pair: &[Tick]| (axis.fraction(pair[1].at) - axis.fraction(pair[0].at)) * pixels;
            ticks.windows(2).all(|pair| apart(pair) >= LEAST_APART)
        };
        let best = candidates.iter().position(|ticks| enough(ticks) && is_apart(ticks) && reaches_ends(ticks));
        let best = best.or_else(|| candidates.iter().position(|ticks| enough(ticks) && reaches_ends(ticks)));
        let index = best.or_else(|| candidates.iter().position(enough)).unwrap_or(candidates.len() - 1);
        axis.ticks = candidates.swap_remove(index);
        axis
    }

    /// The same for bars, which begin where the axis does: at a power of ten below all of them.
    pub(super) fn of_bars(
        values: &[f64],
        scale: Scale,
        quantity: Quantity,
    ) -> Result<(Self, Option<&'static str>), ChartError> {
        let (axis, unit) = Self::vertical(values, scale, quantity)?;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let power = 10f64.powf(least.log10().floor());
        // A bar that only just begins could not be seen.
        let begin = if least < LEAST_BAR * power { power / 10.0 } else { power };
        if scale != Scale::Log || !(begin > 0.0 && begin.is_finite()) {
            return Ok((axis, unit));
        }
        Ok((Self::vertical_log(begin, axis.high, quantity, f64::INFINITY), unit))
    }

    /// The vertical axis for these values, and the unit that its title must carry (none: each tick has its own, or
    /// there is none).
    pub(super) fn vertical(
        values: &[f64],
        scale: Scale,
        quantity: Quantity,
    ) -> Result<(Self, Option<&'static str>), ChartError> {
        Self::vertical_within(values, scale, quantity, f64::INFINITY)
    }

    /// The same where it is so many pixels high: labels do not touch.
    pub(super) fn vertical_within(
        values: &[f64],
        scale: Scale,
        quantity: Quantity,
        pixels: f64,
    ) -> Result<(Self, Option<&'static str>), ChartError> {
        let low = values.iter().copied().reduce(f64::min).ok_or(ChartError::NoPoints)?;
        let high = values.iter().copied().fold(low, f64::max);
        let of_quantity = match quantity {
            Quantity::Throughput => Some("GB/s"),
            Quantity::Operations => Some("Gop/s"),
            Quantity::Percent => Some("%"),
            Quantity::Energy => Some("mJ"),
            Quantity::Power => Some("W"),
            Quantity::Time | Quantity::Ratio => None,
        };
        if scale == Scale::Log {
            let (low, high) = log_range(low, high, 0.06);
            return Ok((Self::vertical_log(low, high, quantity, pixels), of_quantity));
        }
        // 1800 µs stay µs: its law is written in them, and they need no decimals.
        let (size, unit) = match quantity {
            Quantity::Time => {
                let (size, unit) = unit(low.abs().max(high.abs()) / 2.0);
                (size, Some(unit))
            }
            _ => (1.0, of_quantity),
        };
        let (low, high) = (low.min(0.0) / size, high.max(0.0) / size);
        let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
        let step = steps(high - low, false).find(|step| (high - low) / step <= 7.0).unwrap_or(high - low);
        // End at a tick if it is near, else a little above the data.
        let end = |value: f64| {
            let tick = (value / step).abs().ceil() * step;
            value.signum() * if tick - value.abs() < 0.5 * step { tick } else { value.abs() + 0.03 * (high - low) }
        };
        let (low, high) = (if low < 0.0 { end(low) } else { 0.0 }, if high > 0.0 { end(high) } else { 0.0 });
        let mut ticks = linear_ticks(low, high, step);
        for tick in &mut ticks {
            tick.at *= size;
        }
        Ok((Self { scale, low: low * size, high: high * size, ticks }, unit))
    }

    /// Whether no label hides another, also that of the panel beside it, and none reaches beyond the picture.
    fn fits(&self, span: Span, measure: Measure<'_>) -> Result<bool, ChartError> {
        let (mut begin, mut end) = (f64::INFINITY, f64::NEG_INFINITY);
        for tick in &self.ticks {
            let center = self.fraction(tick.at) * span.pixels;
            let half = measure(&tick.label)? / 2.0;
            if center - half < end + LABEL_GAP {
                return Ok(false);
            }
            (begin, end) = (begin.min(center - half), center + half);
        }
        let meets_next = span.to_next.is_some_and(|to_next| end + PANEL_LABEL_GAP > span.pixels + to_next + begin);
        Ok(!meets_next && end <= span.pixels + MARGIN)
    }
}

fn linear_range(first: f64, last: f64) -> (f64, f64) {
    let span = last - first;
    let size = first.abs().max(last.abs());
    if span <= size * 1e-9 {
        // One place only: in the middle.
        let around = if size <= 20.0 { 1.0 } else { size * 0.05 };
        return (first - around, last + around);
    }
    let pad = span * 0.02;
    // Zero is worth its place if it is near: the intercept of a law is read there.
    let low = if first >= 0.0 && first <= last * 0.2 { 0.0 } else { first - pad };
    let high = if last <= 0.0 && last >= first * 0.2 { 0.0 } else { last + pad };
    (low, high)
}

fn log_range(first: f64, last: f64, pad: f64) -> (f64, f64) {
    let span = (last / first).ln();
    if span < 1e-6 {
        return (first / 2.0, last * 2.0);
    }
    let factor = (span * pad).exp();
    (first / factor, last * factor)
}

/// Ticks to try, the best first, until the labels fit.
fn linear_candidates(axis: &Axis, values: &[f64], integers: bool) -> Vec<Vec<Tick>> {
    let span = axis.high - axis.low;
    let largest = axis.low.abs().max(axis.high.abs());
    let mut candidates = Vec::new();
    if values.len() <= 8 && integers && largest < 1e15 {
        let mut at = values.to_vec();
        if axis.low == 0.0 && values.first().is_some_and(|first| *first > 0.0) {
            at.insert(0, 0.0);
        }
        candidates.extend(binary_labelled(&at));
        // The first of one panel may meet the last of another.
        candidates.extend(at.get(1..).filter(|rest| rest.len() > 1).and_then(binary_labelled));
        candidates.push(labelled(&at, 1.0));
    }
    if values.len() == 1 {
        candidates.push(labelled(values, span * 0.05));
    }
    // Lanes, warps, blocks: 32 is reached in steps of 4, not of 5.
    let binary = integers
        && largest <= 4200.0
        && values
            .last()
            .is_some_and(|last| is_power_of_two(*last) || (last % 16.0 == 0.0 && last % 10.0 != 0.0 && *last <= 256.0));
    candidates.extend(
        steps(span, binary)
            .filter(|step| span / step <= 12.0 && (!integers || *step >= 1.0))
            .take(12)
            .map(|step| linear_ticks(axis.low, axis.high, step)),
    );
    candidates
}

/// Rising steps: 1, 2, 5 times powers of ten, or powers of two.
fn steps(span: f64, binary: bool) -> impl Iterator<Item = f64> {
    let start = (span / 50.0).log10().floor() as i32;
    let decimal = (start..).take(30).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| scaled(digit, power)));
    let two = (0..).take(40).map(|power| 2f64.powi(power));
    let (decimal, two) = if binary { (None, Some(two)) } else { (Some(decimal), None) };
    decimal.into_iter().flatten().chain(two.into_iter().flatten())
}

/// `digit` times ten to the `power`, exact where a decimal literal would be.
fn scaled(digit: f64, power: i32) -> f64 {
    format!("{digit}e{power}").parse().unwrap_or(digit * 10f64.powi(power))
}

fn linear_ticks(low: f64, high: f64, step: f64) -> Vec<Tick> {
    let slack = 1e-9;
    let (from, to) = ((low / step - slack).ceil(), (high / step + slack).floor());
    let count = (to - from).clamp(0.0, 60.0) as usize;
    // Multiplying by a step below one would show 0.30000000000000004.
    let at = |index: usize| {
        let multiple = from + index as f64;
        if step < 1.0 { multiple / (1.0 / step).round() } else { multiple * step }
    };
    let at = if step < 1e-9 {
        (0..=count).map(|i| (from + i as f64) * step).collect()
    } else {
        (0..=count).map(at).collect::<Vec<_>>()
    };
    labelled(&at, step)
}

/// Powers of two or ten with what lies between, then only every second, third, ... power.
fn log_candidates(axis: &Axis, binary: bool) -> Vec<Vec<Tick>> {
    let base = if binary { 2f64 } else { 10f64 };
    let from = (axis.low.ln() / base.ln() - 1e-9).ceil() as i32;
    let to = (axis.high.ln() / base.ln() + 1e-9).floor() as i32;
    let inside = |value: &f64| *value >= axis.low * (1.0 - 1e-9) && *value <= axis.high * (1.0 + 1e-9);
    let mut candidates: Vec<Vec<f64>> = Vec::new();
    if !binary {
        for digits in [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0]] {
            if to - from <= 4 {
                let values = (from - 1..=to).flat_map(|power| digits.iter().map(move |digit| scaled(*digit, power)));
                candidates.push(values.filter(inside).collect());
            }
        }
        // Less than an octave: no power of ten may be inside at all.
        if axis.high / axis.low < 3.0 {
            let span = axis.high - axis.low;
            let step = steps(span, false).find(|step| span / step <= 6.0).unwrap_or(span);
            return vec![linear_ticks(axis.low, axis.high, step)];
        }
    }
    for every in [1, 2, 3, 4, 5, 10, 20, 50] {
        let powers = (from..=to).filter(|power| power.rem_euclid(every) == 0);
        let values = powers.map(|power| if binary { 2f64.powi(power) } else { scaled(1.0, power) });
        candidates.push(values.filter(inside).collect());
    }
    candidates.retain(|values| values.len() > 1);
    let label = |at: f64| if binary { binary_tick(at, axis.high) } else { Tick { at, label: log_label(at) } };
    let ticks: Vec<Vec<Tick>> = candidates.into_iter().map(|values| values.into_iter().map(label).collect()).collect();
    if ticks.is_empty() { vec![vec![label(axis.low), label(axis.high)]] } else { ticks }
}

/// A tick of an axis that begins and ends with powers of two.
fn binary_tick(at: f64, high: f64) -> Tick {
    Tick { at, label: if high < PLAIN_BELOW { number(at, 1.0, high) } else { binary_label(at) } }
}

/// Ticks of an axis of little more than a decade, or less.
fn log_between(axis: &Axis) -> Option<Vec<Tick>> {
    const DIGITS: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0];
    let (from, to) = (axis.low.log10().floor() as i32, axis.high.log10().floor() as i32);
    let label = |digit: f64, at: f64| if digit.fract() == 0.0 { log_label(at) } else { number(at, at / 10.0, at) };
    let tick = |(digit, power): (f64, i32)| {
        let at = scaled(digit, power);
        (axis.low..=axis.high).contains(&at).then(|| Tick { at, label: label(digit, at) })
    };
    let ticks = (from..=to).flat_map(|power| DIGITS.map(|digit| (digit, power))).filter_map(tick);
    (to - from <= 2).then(|| ticks.collect())
}

fn is_power_of_two(value: f64) -> bool {
    value > 0.0 && value.log2().fract() == 0.0
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the very digits are meant")]
mod tests;
