//! Numbers as PTX writes them. PTX ISA, 4.5 "Constants".

/// A number, without a sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Literal {
    /// Decimal, octal, hexadecimal or binary, with or without `U`.
    Integer(u64),
    /// `0f` and eight hexadecimal digits: bits of a float.
    Float32(u32),
    /// `0d` and sixteen hexadecimal digits: bits of a double.
    Float64(u64),
    /// `1.5`, `2e-3`: a double, PTX ISA 4.5.2.
    Decimal(f64),
}

/// The number that a token is.
///
/// # Errors
///
/// What is wrong with it.
pub(super) fn read(text: &str) -> Result<Literal, String> {
    let prefix = text.get(..2).unwrap_or_default();
    let rest = text.get(2..).unwrap_or_default();
    match prefix {
        "0x" | "0X" => integer(text, rest, 16),
        "0b" | "0B" => integer(text, rest, 2),
        "0f" | "0F" => {
            bits(rest, 8).map(|bits| Literal::Float32(bits as u32)).ok_or_else(|| wrong_float(text, "eight"))
        }
        "0d" | "0D" => bits(rest, 16).map(Literal::Float64).ok_or_else(|| wrong_float(text, "sixteen")),
        _ if text.contains(['.', 'e', 'E']) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Literal::Decimal(number)),
            Ok(_) => Err(format!("number `{text}` is too large for a double")),
            Err(_) => Err(format!("`{text}` is not a number")),
        },
        _ if text.starts_with('0') && prefix.ends_with(|c: char| c.is_ascii_digit()) => {
            integer(text, text.get(1..).unwrap_or_default(), 8)
        }
        _ => integer(text, text, 10),
    }
}

fn integer(text: &str, digits: &str, radix: u32) -> Result<Literal, String> {
    let digits = digits.strip_suffix('U').unwrap_or(digits);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(format!("`{text}` is not a number"));
    }
    let number = u64::from_str_radix(digits, radix);
    number.map(Literal::Integer).map_err(|_| format!("number `{text}` is too large for 64 bits"))
}

fn bits(digits: &str, count: usize) -> Option<u64> {
    let hexadecimal = digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hexadecimal { u64::from_str_radix(digits, 16).ok() } else { None }
}

fn wrong_float(text: &str, count: &str) -> String {
    format!("`{text}` is not a float: {count} hexadecimal digits follow its prefix")
}

impl Literal {
    /// The number with its sign turned; `None` for an integer below -2^63.
    pub(super) fn negated(self) -> Option<Self> {
        match self {
            Self::Integer(number) if number > 1 << 63 => None,
            Self::Integer(number) => Some(Self::Integer(number.wrapping_neg())),
            Self::Float32(bits) => Some(Self::Float32(bits ^ (1 << 31))),
            Self::Float64(bits) => Some(Self::Float64(bits ^ (1 << 63))),
            Self::Decimal(number) => Some(Self::Decimal(-number)),
        }
    }
}
