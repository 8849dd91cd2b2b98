//! What the ticks of axes say.

use super::Tick;

const PREFIXES: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];

/// Axes that end below this have plain numbers, not multiples of 1024.
pub(super) const PLAIN_BELOW: f64 = 1e5;

/// The bytes of the longest label that is short: `1008Mi`.
const LONGEST_BINARY: usize = 6;

/// The unit for times up to `largest_us`, and its size in microseconds.
pub(super) fn unit(largest_us: f64) -> (f64, &'static str) {
    match largest_us {
        size if size >= 1e6 => (1e6, "s"),
        size if size >= 1e3 => (1e3, "ms"),
        size if size >= 1.0 || size == 0.0 => (1.0, "µs"),
        _ => (1e-3, "ns"),
    }
}

pub(super) fn time_labels(ticks: Vec<Tick>) -> Vec<Tick> {
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

/// On a logarithmic axis every tick chooses its own prefix.
pub(super) fn log_label(value: f64) -> String {
    let prefix = if value < 1e15 { PREFIXES.iter().find(|(size, _)| value >= *size) } else { None };
    prefix.map_or_else(
        || number(value, value, value),
        |(size, prefix)| format!("{}\u{202f}{prefix}", (value / size).round()),
    )
}

/// `64`, `1Ki`, `16Mi`; what is no whole power of two stays a number.
pub(super) fn binary_label(value: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(1_099_511_627_776.0, "Ti"), (1_073_741_824.0, "Gi"), (1_048_576.0, "Mi"), (1024.0, "Ki")];
    UNITS
        .iter()
        .find(|(size, _)| value >= *size && value < size * 1024.0)
        .map_or_else(|| number(value, value, value), |(size, name)| format!("{}{name}", value / size))
}

/// Values that are all short as multiples of 1024, `128Mi` where `134 217 728` would stand; `None` where one is not, or where they are
/// short as they are.
pub(super) fn binary_labelled(values: &[f64]) -> Option<Vec<Tick>> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    let is_short = |value: &f64| *value >= 0.0 && value % 1024.0 == 0.0 && binary_label(*value).len() <= LONGEST_BINARY;
    let tick = |at: &f64| Tick { at: *at, label: binary_label(*at) };
    (largest >= PLAIN_BELOW && values.iter().all(is_short)).then(|| values.iter().map(tick).collect())
}

pub(super) fn labelled(values: &[f64], step: f64) -> Vec<Tick> {
    let largest = values.iter().fold(0f64, |largest, value| largest.max(value.abs()));
    values.iter().map(|&at| Tick { at, label: number(at, step, largest) }).collect()
}

/// A number as an axis says it: as many decimals as its step needs, thousands apart, millions as `M`, and powers of ten
/// where nothing else is readable.
pub(super) fn number(value: f64, step: f64, largest: f64) -> String {
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
