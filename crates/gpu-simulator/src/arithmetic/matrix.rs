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

/// The nearest f16.
pub(crate) fn to_half(x: f64) -> u16 {
    Narrow::Half.rounded(x, Rounding::Nearest)
}

/// The bits of the nearest f32.
pub(crate) fn to_single(x: f64) -> u32 {
    canonical(x as f32).to_bits()
}
