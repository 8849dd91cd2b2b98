//! Numbers with units, as people read them.

/// A size in binary multiples: `192 MiB`, `4.5 GiB`, `17 bytes`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} byte{}", if count == 1 { "" } else { "s" });
    }
    let mut size = count as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    if size.fract() == 0.0 { format!("{size:.0} {}", UNITS[unit]) } else { format!("{size:.1} {}", UNITS[unit]) }
}

/// A time in the unit that suits its size, with three significant digits or all whole ones: `754 µs`, `3.09 ms`.
pub fn time_us(time: f64) -> String {
    time_us_to(time, 3)
}

/// A time in the unit that suits its size, with this many significant digits or all whole ones.
pub fn time_us_to(time: f64, digits: usize) -> String {
    let (value, unit) = match time.abs() {
        size if size >= 1e6 => (time / 1e6, "s"),
        size if size >= 1e3 => (time / 1e3, "ms"),
        size if size >= 1.0 || size == 0.0 => (time, "µs"),
        _ => (time * 1e3, "ns"),
    };
    format!("{} {unit}", significant(value, digits))
}

/// An energy in the unit that suits its size, with four significant digits: `1.234 µJ`.
pub fn energy_mj(energy: f64) -> String {
    energy_mj_to(energy, 4)
}

/// An energy in the unit that suits its size, with this many significant digits or all whole ones.
pub fn energy_mj_to(energy: f64, digits: usize) -> String {
    let (value, unit) = match energy.abs() {
        size if size >= 1e3 => (energy / 1e3, "J"),
        size if size >= 1.0 || size == 0.0 => (energy, "mJ"),
        size if size >= 1e-3 => (energy * 1e3, "µJ"),
        size if size >= 1e-6 => (energy * 1e6, "nJ"),
        _ => (energy * 1e9, "pJ"),
    };
    format!("{} {unit}", significant(value, digits))
}

/// A parameter of a law with its unit: a time in the unit that suits it, a rate, an exponent, or a value of a predictor.
pub fn of_law(value: f64, unit: &str) -> String {
    match unit {
        "us" => time_us_to(value, 4),
        "mj" => energy_mj(value),
        "gb_per_s" => format!("{} GB/s", significant(value, 4)),
        "1" | "" => significant(value, 4),
        predictor => format!("{} {predictor}", significant(value, 4)),
    }
}

/// A value of a predictor or parameter: a size in binary multiples where its name says that it is in bytes, else three significant digits.
pub fn of_predictor(name: &str, value: f64) -> String {
    if name.ends_with("_bytes") { bytes(value.round() as u64) } else { significant(value, 3) }
}

/// A number as it reads best in a sentence: with a power of ten where it would have many zeros.
pub fn plain(value: f64) -> String {
    let has_many_zeros = value != 0.0 && !(1e-9..1e15).contains(&value.abs());
    if has_many_zeros { format!("{value:e}") } else { value.to_string() }
}

/// A number with at most this many decimals, without trailing zeros.
pub fn decimals(value: f64, count: usize) -> String {
    let text = format!("{value:.count$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// R², rounded down to five decimals so that only an exact fit reads 1.
pub fn r2(value: f64) -> String {
    if value >= 1.0 { "1".to_owned() } else { format!("{:.5}", (value * 1e5).floor() / 1e5) }
}

/// Errors above this, in percent, are told as such: the law predicts nothing.
const MOST_TOLD_PCT: f64 = 1000.0;

/// An error in percent, without its unit: two significant digits, or `>1000` where it is more or not finite.
pub fn error_pct(value: f64) -> String {
    if value <= MOST_TOLD_PCT { significant(value, 2) } else { format!(">{MOST_TOLD_PCT}") }
}

/// The significant digits of a ratio and of its interval: four, or five where four would leave the interval no width.
pub fn ratio_digits(interval: Option<(f64, f64)>) -> usize {
    match interval {
        Some((low, high)) if low < high && significant(low, 4) == significant(high, 4) => 5,
        _ => 4,
    }
}

/// A long time in hours, minutes and seconds: `2 min 8 s`.
pub fn duration_us(time: f64) -> String {
    let seconds = (time / 1e6).ceil() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let parts = [(hours, "h"), (minutes, "min"), (seconds, "s")];
    let named: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}")).collect();
    if named.is_empty() { "0 s".to_owned() } else { named.join(" ") }
}

/// A number with `digits` significant digits, never dropping whole ones.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let decimals_of = |magnitude: f64| (digits as i64 - 1 - magnitude.log10().floor() as i64).max(0) as usize;
    let decimals = decimals_of(value.abs());
    let text = format!("{value:.decimals$}");
    // Rounding may have made one whole digit more: 9.9996 is 10.00 with four digits, not 10.000.
    let rounded = text.parse::<f64>().map_or(value, f64::abs);
    format!("{value:.*}", decimals.min(decimals_of(rounded)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_sentences_have_no_hundred_zeros() {
        assert_eq!([plain(16.736), plain(0.0), plain(1e300), plain(1e-320)], ["16.736", "0", "1e300", "1e-320"]);
    }

    #[test]
    fn sizes_are_binary() {
        assert_eq!((bytes(1).as_str(), bytes(17).as_str()), ("1 byte", "17 bytes"));
        assert_eq!(bytes(192 << 20), "192 MiB");
        assert_eq!(bytes((4 << 30) + (1 << 29)), "4.5 GiB");
    }

    #[test]
    fn long_times_are_in_hours_minutes_and_seconds() {
        assert_eq!(duration_us(128e6), "2 min 8 s");
        assert_eq!(duration_us(3_600e6), "1 h");
        assert_eq!(duration_us(0.0), "0 s");
    }

    #[test]
    fn only_an_exact_fit_has_an_r2_of_1() {
        assert_eq!(r2(1.0), "1");
        assert_eq!(r2(0.999_999_9), "0.99999");
        assert_eq!(r2(0.985_86), "0.98586");
    }

    #[test]
    fn errors_that_say_nothing_have_no_figures() {
        assert_eq!(error_pct(0.334), "0.33");
        assert_eq!(error_pct(1000.0), "1000");
        assert_eq!([error_pct(1e13), error_pct(f64::INFINITY), error_pct(f64::NAN)], [">1000", ">1000", ">1000"]);
    }

    #[test]
    fn ratios_have_digits_enough_to_tell_the_ends_of_their_interval_apart() {
        assert_eq!(ratio_digits(Some((1.10, 1.12))), 4);
        assert_eq!(ratio_digits(Some((1.105_91, 1.106_08))), 5);
        assert_eq!((ratio_digits(Some((1.1, 1.1))), ratio_digits(None)), (4, 4));
    }

    #[test]
    fn energies_choose_their_unit() {
        let told = [2500.0, 12.0, 0.0, -0.001_234, 4.2e-5, 1e-8].map(energy_mj);
        assert_eq!(told, ["2.500 J", "12.00 mJ", "0 mJ", "-1.234 µJ", "42.00 nJ", "10.00 pJ"]);
    }

    #[test]
    fn times_choose_their_unit() {
        assert_eq!(time_us(0.0123), "12.3 ns");
        assert_eq!(time_us(7.5), "7.50 µs");
        assert_eq!(time_us(754.2), "754 µs");
        assert_eq!(time_us(3086.0), "3.09 ms");
        assert_eq!(time_us(-12.34), "-12.3 µs");
        assert_eq!(time_us(2.5e6), "2.50 s");
        assert_eq!(time_us_to(262.71, 4), "262.7 µs");
        assert_eq!(time_us_to(9.999_99, 4), "10.00 µs");
    }
}
