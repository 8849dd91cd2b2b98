//! Axes: which range they show, where the ticks are, and what the ticks say.

use super::{ChartError, Quantity, Scale};

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

const PREFIXES: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];

/// Pixels between two neighbouring labels of the horizontal axis.
const LABEL_GAP: f64 = 14.0;

/// So many values may have a tick each on a logarithmic axis, where round numbers between them would say less.
const OWN_TICKS: usize = 10;

/// Axes that end below this have plain numbers, not multiples of 1024.
const PLAIN_BELOW: f64 = 1e5;

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

    /// The horizontal axis, `pixels` wide: it reaches all values (finite, and positive on a logarithmic scale), and its
    /// ticks suit those of the points, if there are points.
    pub(super) fn horizontal(
        points: &[f64],
        lines: &[f64],
        scale: Scale,
        pixels: f64,
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
                let few = !binary && integers && values.len() <= OWN_TICKS && axis.high < PLAIN_BELOW;
                let own = few.then(|| labelled(&values, 1.0));
                own.into_iter().chain(log_candidates(&axis, binary)).collect()
            }
        };
        for ticks in candidates {
            axis.ticks = ticks;
            if axis.fits(pixels, measure)? {
                break;
            }
        }
        Ok(axis)
    }

    /// A logarithmic axis between these ends.
    fn vertical_log(low: f64, high: f64, quantity: Quantity) -> Self {
        let mut axis = Self { scale: Scale::Log, low, high, ticks: Vec::new() };
        let enough = |ticks: &Vec<Tick>| ticks.len() <= 9;
        let mut candidates: Vec<_> = log_candidates(&axis, false);
        if quantity == Quantity::Time {
            candidates = candidates.into_iter().map(time_labels).collect();
        }
        let index = candidates.iter().position(enough).unwrap_or(candidates.len() - 1);
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
        Ok((Self::vertical_log(begin, axis.high, quantity), unit))
    }

    /// The vertical axis for these values, and the unit that its title must carry (none: each tick has its own, or
    /// there is none).
    pub(super) fn vertical(
        values: &[f64],
        scale: Scale,
        quantity: Quantity,
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
            return Ok((Self::vertical_log(low, high, quantity), of_quantity));
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

    fn fits(&self, pixels: f64, measure: Measure<'_>) -> Result<bool, ChartError> {
        let mut end = f64::NEG_INFINITY;
        for tick in &self.ticks {
            let center = self.fraction(tick.at) * pixels;
            let half = measure(&tick.label)? / 2.0;
            if center - half < end + LABEL_GAP {
                return Ok(false);
            }
            end = center + half;
        }
        Ok(true)
    }
}

/// The unit for times up to `largest_us`, and its size in microseconds.
fn unit(largest_us: f64) -> (f64, &'static str) {
    match largest_us {
        size if size >= 1e6 => (1e6, "s"),
        size if size >= 1e3 => (1e3, "ms"),
        size if size >= 1.0 || size == 0.0 => (1.0, "µs"),
        _ => (1e-3, "ns"),
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
    let label = |at: f64| {
        let label = match binary {
            true if axis.high < PLAIN_BELOW => number(at, 1.0, axis.high),
            true => binary_label(at),
            false => log_label(at),
        };
        Tick { at, label }
    };
    let ticks: Vec<Vec<Tick>> = candidates.into_iter().map(|values| values.into_iter().map(label).collect()).collect();
    if ticks.is_empty() { vec![vec![label(axis.low), label(axis.high)]] } else { ticks }
}

fn time_labels(ticks: Vec<Tick>) -> Vec<Tick> {
    let relabel = |tick: Tick| {
        let (size, name) = unit(tick.at * (1.0 + 1e-9));
        let value = tick.at / size;
        let label = if (0.1..1e4).contains(&value) {
            let digits = format!("{value:.3}");
            format!("{}\u{202f}{name}", digits.trim_end_matches('0').trim_end_matches('.'))
        } else {
            format!("{}\u{202f}{name}", number(value, value, value))
        };
        Tick { label, ..tick }
    };
    ticks.into_iter().map(relabel).collect()
}

fn is_power_of_two(value: f64) -> bool {
    value > 0.0 && value.log2().fract() == 0.0
}

/// On a logarithmic axis every tick chooses its own prefix.
fn log_label(value: f64) -> String {
    let prefix = if value < 1e15 { PREFIXES.iter().find(|(size, _)| value >= *size) } else { None };
    prefix.map_or_else(
        || number(value, value, value),
        |(size, prefix)| format!("{}\u{202f}{prefix}", (value / size).round()),
    )
}

/// `64`, `1Ki`, `16Mi`; what is no whole power of two stays a number.
fn binary_label(value: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(1_099_511_627_776.0, "Ti"), (1_073_741_824.0, "Gi"), (1_048_576.0, "Mi"), (1024.0, "Ki")];
    UNITS
        .iter()
        .find(|(size, _)| value >= *size && value < size * 1024.0)
        .map_or_else(|| number(value, value, value), |(size, name)| format!("{}{name}", value / size))
}

fn labelled(values: &[f64], step: f64) -> Vec<Tick> {
    let largest = values.iter().fold(0f64, |largest, value| largest.max(value.abs()));
    values.iter().map(|&at| Tick { at, label: number(at, step, largest) }).collect()
}

/// A number as an axis says it: as many decimals as its step needs, thousands apart, millions as `M`, and powers of ten
/// where nothing else is readable.
fn number(value: f64, step: f64, largest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let size = value.abs();
    if largest >= 1e15 || step < 1e-6 {
        let power = size.log10().floor();
        let digits = (power - step.abs().log10().floor()).clamp(0.0, 6.0) as usize;
        let text = format!("{size:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{sign}{mantissa}×10{}", superscript(exponent));
    }
    if largest >= 1e7
        && let Some((unit, prefix)) = PREFIXES.iter().find(|(unit, _)| largest >= *unit)
    {
        return format!("{sign}{}\u{202f}{prefix}", plain(size / unit, step / unit, largest / unit));
    }
    format!("{sign}{}", plain(size, step, largest))
}

fn plain(size: f64, step: f64, largest: f64) -> String {
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{size:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 && largest >= 1e4 {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}

fn superscript(digits: &str) -> String {
    let raise = |digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' | '4'..='9' => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
        other => other,
    };
    digits.chars().map(raise).collect()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the very digits are meant")]
mod tests;
