//! Floats of 16 bits: f16 and bf16.

use super::rounding::{Rounding, odd_sum};

/// A format of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    /// f16: a sign, 5 bits of exponent, 10 of fraction.
    Half,
    /// bf16: the upper half of an f32, so 8 bits of exponent, 7 of fraction.
    Brain,
}

/// The NaN that GPUs give, of both formats.
const NAN: u16 = 0x7fff;

/// 2 to the `exponent`, which is that of a normal f64.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Narrow {
    fn fraction_bits(self) -> i32 {
        if self == Self::Half { 10 } else { 7 }
    }

    /// What is added to an exponent.
    fn bias(self) -> i32 {
        if self == Self::Half { 15 } else { 127 }
    }

    fn infinity(self) -> u16 {
        if self == Self::Half { 0x7c00 } else { 0x7f80 }
    }

    /// The spacing of numbers with this exponent field, at least 1.
    fn spacing(self, exponent: i32) -> f64 {
        power_of_two(exponent - self.bias() - self.fraction_bits())
    }

    /// The sum of two numbers, rounded to nearest once.
    pub(crate) fn sum(self, a: u16, b: u16) -> u16 {
        self.rounded(odd_sum(self.to_f64(a), self.to_f64(b)), Rounding::Nearest)
    }

    /// Exactly, NaNs' payloads included.
    pub(super) fn to_f64(self, bits: u16) -> f64 {
        let fraction = bits & ((1 << self.fraction_bits()) - 1);
        let exponent = i32::from((bits & self.infinity()) >> self.fraction_bits());
        let magnitude = if bits & self.infinity() == self.infinity() {
            f64::from_bits(f64::INFINITY.to_bits() | u64::from(fraction) << (52 - self.fraction_bits()))
        } else {
            let leading = if exponent == 0 { 0 } else { 1 << self.fraction_bits() };
            f64::from(leading | fraction) * self.spacing(exponent.max(1))
        };
        if bits >> 15 == 0 { magnitude } else { -magnitude }
    }

    /// Rounded once.
    pub(super) fn rounded(self, x: f64, rounding: Rounding) -> u16 {
        if x.is_nan() {
            return NAN;
        }
        let sign = u16::from(x.is_sign_negative()) << 15;
        let magnitude = x.abs();
        // The exponent field, at least 1: with 0 the spacing of numbers is the same.
        let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023 + self.bias()).max(1);
        if exponent > 2 * self.bias() {
            let outward = match rounding {
                Rounding::Nearest => true,
                Rounding::Zero => false,
                Rounding::Down => sign != 0,
                Rounding::Up => sign == 0,
            };
            return sign | if outward || x.is_infinite() { self.infinity() } else { self.infinity() - 1 };
        }
        // With the leading 1 for normal numbers, which then counts the exponent up by one. So does a carry.
        let steps = rounding.whole(x / self.spacing(exponent)).abs() as u16;
        sign | (((exponent - 1) as u16) << self.fraction_bits()).wrapping_add(steps)
    }

    /// A zero of the same sign, if the number is subnormal.
    pub(super) fn flush(self, bits: u16) -> u16 {
        if bits & self.infinity() == 0 { bits & 0x8000 } else { bits }
    }
}
