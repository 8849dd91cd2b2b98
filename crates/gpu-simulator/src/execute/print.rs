//! What kernels print: `vprintf` with the arguments packed as nvcc packs them.
//!
//! Source: PTX ISA, section on system calls; CUDA C++ Programming Guide, section on formatted output. Each argument is
//! aligned to its size in the buffer; floats come as f64, integers of less than 32 bits as 32.

use std::fmt::Write as _;

/// Bytes of text that a device keeps; the rest is counted.
const KEPT_BYTES: usize = 64 << 10;

/// The text that kernels have printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Printed {
    text: String,
    dropped_bytes: usize,
}

impl Printed {
    /// Adds a text.
    pub(super) fn add(&mut self, text: &str) {
        if self.text.len() + text.len() <= KEPT_BYTES {
            self.text += text;
        } else {
            self.dropped_bytes += text.len();
        }
    }

    /// What was printed, and how much of it is not here.
    pub(super) fn text(&self) -> String {
        match self.dropped_bytes {
            0 => self.text.clone(),
            dropped => format!("{}\n... and {dropped} bytes more\n", self.text.trim_end()),
        }
    }
}

/// Where the arguments of a call are read.
pub(super) trait Arguments {
    /// `bytes` bytes at an offset of the argument buffer.
    fn number(&mut self, offset: u64, bytes: u32) -> u64;
    /// The text at an address.
    fn text(&mut self, address: u64) -> String;
}

/// One conversion of a format: `%-8.3lld`.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of the format.
struct Conversion {
    left: bool,
    plus: bool,
    zeros: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
}

/// The text that `format` and the arguments come to. A conversion that is not known stays as it is written.
pub(super) fn formatted(format: &str, arguments: &mut impl Arguments) -> String {
    let mut text = String::new();
    let mut offset = 0;
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        text += &rest[..start];
        let spec = &rest[start + 1..];
        let end = spec.find(|letter: char| "diuoxXfFeEgGaAcsp%".contains(letter));
        let Some(end) = end else {
            rest = &rest[start..];
            break;
        };
        let conversion = Conversion::read(&spec[..end]);
        let letter = spec.as_bytes()[end];
        rest = &spec[end + 1..];
        if letter == b'%' {
            text.push('%');
            continue;
        }
        let bytes: u32 = if conversion.long || b"fFeEgGaAsp".contains(&letter) { 8 } else { 4 };
        offset = u64::next_multiple_of(offset, u64::from(bytes));
        let value = arguments.number(offset, bytes);
        offset += u64::from(bytes);
        let body = if letter == b's' { arguments.text(value) } else { conversion.number(letter, value) };
        conversion.pad(&body, letter, &mut text);
    }
    text + rest
}

impl Conversion {
    fn read(spec: &str) -> Self {
        let mut conversion = Self::default();
        let flags = spec.len() - spec.trim_start_matches(['-', '+', ' ', '#', '0']).len();
        for flag in spec[..flags].bytes() {
            match flag {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b'0' => conversion.zeros = true,
                b'#' => conversion.alternate = true,
                _ => {}
            }
        }
        let rest = &spec[flags..];
        let size = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let numbers = &rest[..rest.len() - size.len()];
        let (width, precision) = numbers.split_once('.').map_or((numbers, None), |(width, after)| (width, Some(after)));
        conversion.width = width.parse().unwrap_or(0).min(1024);
        conversion.precision = precision.map(|digits| digits.parse().unwrap_or(0).min(1024));
        conversion.long = size.contains(['l', 'j', 'z', 't']);
        conversion
    }

    fn number(&self, letter: u8, value: u64) -> String {
        let signed = if self.long { value as i64 } else { i64::from(value as u32 as i32) };
        let plus = |negative: bool| if self.plus && !negative { "+" } else { "" };
        let float = f64::from_bits(value);
        let digits = self.precision.unwrap_or(6);
        match letter {
            b'd' | b'i' => format!("{}{signed}", plus(signed < 0)),
            b'u' => value.to_string(),
            b'o' => format!("{value:o}"),
            b'x' if self.alternate => format!("{value:#x}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            b'p' => format!("{value:#x}"),
            b'c' => char::from(value as u8).to_string(),
            b'f' | b'F' => format!("{}{float:.digits$}", plus(float.is_sign_negative())),
            b'e' | b'E' => format!("{}{}", plus(float.is_sign_negative()), exponent(float, digits)),
            // The shortest text that reads back as the same number, for %g and %a.
            _ => format!("{}{float}", plus(float.is_sign_negative())),
        }
    }

    fn pad(&self, body: &str, letter: u8, text: &mut String) {
        let missing = self.width.saturating_sub(body.chars().count());
        let zeros = self.zeros && !self.left && !b"sc".contains(&letter);
        let sign = usize::from(zeros && body.starts_with(['-', '+']));
        *text += &body[..sign];
        if !self.left {
            *text += &if zeros { "0" } else { " " }.repeat(missing);
        }
        *text += &body[sign..];
        if self.left {
            *text += &" ".repeat(missing);
        }
    }
}

/// A number as C writes it: at least two digits of the exponent, with its sign.
fn exponent(value: f64, digits: usize) -> String {
    let rust = format!("{value:.digits$e}");
    let Some((mantissa, power)) = rust.split_once('e') else { return rust };
    let power: i32 = power.parse().unwrap_or(0);
    let mut text = mantissa.to_owned();
    let _ = write!(text, "e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Packed(Vec<u8>);

    impl Packed {
        fn with(mut self, value: u64, bytes: usize) -> Self {
            self.0.resize(self.0.len().next_multiple_of(bytes), 0);
            self.0.extend(&value.to_le_bytes()[..bytes]);
            self
        }
    }

    impl Arguments for Packed {
        fn number(&mut self, offset: u64, bytes: u32) -> u64 {
            let mut number = [0; 8];
            let start = offset as usize;
            number[..bytes as usize].copy_from_slice(&self.0[start..start + bytes as usize]);
            u64::from_le_bytes(number)
        }

        fn text(&mut self, address: u64) -> String {
            format!("text {address}")
        }
    }

    /// What C's printf gives for the same.
    #[test]
    fn conversions_are_those_of_c() {
        let integer =
            |format: &str, value: i32| formatted(format, &mut Packed(Vec::new()).with(u64::from(value as u32), 4));
        assert_eq!(integer("[%d]", -5), "[-5]");
        assert_eq!(integer("[%u]", -1), "[4294967295]");
        assert_eq!(integer("[%5d|", 42), "[   42|");
        assert_eq!(integer("[%-5d|", 42), "[42   |");
        assert_eq!(integer("[%05d]", -42), "[-0042]");
        assert_eq!(integer("[%+d]", 7), "[+7]");
        assert_eq!(integer("[%#x]", 255), "[0xff]");
        assert_eq!(integer("%c", 65), "A");
        assert_eq!(integer("100%% of %d", 3), "100% of 3");
        assert_eq!(integer("%d %", 3), "3 %");
        let float = |format: &str, value: f64| formatted(format, &mut Packed(Vec::new()).with(value.to_bits(), 8));
        assert_eq!(float("%f", 1.5), "1.500000");
        assert_eq!(float("%.2f", -2.345), "-2.35");
        assert_eq!(float("%8.1f|", 2.25), "     2.2|");
        assert_eq!(float("%e", 12345.678), "1.234568e+04");
        assert_eq!(float("%.1e", 0.00012), "1.2e-04");
    }

    #[test]
    fn arguments_are_aligned_to_their_sizes() {
        let mut packed =
            Packed(Vec::new()).with(1, 4).with(2.5_f64.to_bits(), 8).with(3, 4).with(u64::MAX, 8).with(9, 8);
        assert_eq!(formatted("%d %f %d %lld %s", &mut packed), "1 2.500000 3 -1 text 9");
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut printed = Printed::default();
        (0..KEPT_BYTES / 8 + 2).for_each(|_| printed.add("1234567\n"));
        assert!(printed.text().ends_with("1234567\n... and 16 bytes more\n"));
    }
}
