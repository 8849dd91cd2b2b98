//! Elements of matrices as numbers.

use super::float::canonical;
use super::half::Narrow;
use super::rounding::Rounding;

/// The number that an f16 is.
pub(crate) fn half(bits: u16) -> f64 {
    Narrow::Half.to_f64(bits)
}

/// The number that a bf16 is.
pub(crate) fn brain(bits: u16) -> f64 {
    Narrow::Brain.to_f64(bits)
}

/// The number that an e5m2 is: the upper half of an f16.
pub(crate) fn wide_byte(bits: u8) -> f64 {
    half(u16::from(bits) << 8)
}

/// The number that an e4m3 is, which has no infinities, and one NaN of each sign. PTX ISA, "Alternate Floating-Point Data Formats".
pub(crate) fn fine_byte(bits: u8) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
    let magnitude = match (exponent, bits & 7) {
        (15, 7) => f64::NAN,
        (0, _) => fraction / 512.0,
        _ => (1.0 + fraction / 8.0) * f64::from(exponent - 7).exp2(),
    };
    if bits >> 7 == 0 { magnitude } else { -magnitude }
}

/// The nearest f16.
pub(crate) fn to_half(x: f64) -> u16 {
    Narrow::Half.rounded(x, Rounding::Nearest)
}

/// The bits of the nearest f32.
pub(crate) fn to_single(x: f64) -> u32 {
    canonical(x as f32).to_bits()
}
