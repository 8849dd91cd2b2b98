//! f16, to convert from and to.

use super::rounding::Rounding;

/// An f16: a sign, 5 bits of exponent, 10 of fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Half(pub(super) u16);

/// The exponent field of infinities.
const INFINITY: u16 = 0x7c00;
/// The NaN that GPUs give.
const NAN: u16 = 0x7fff;
/// 2 to the -24, the least f16.
const LEAST: f64 = 1.0 / 16_777_216.0;

impl Half {
    /// Exactly, NaNs' payloads included.
    pub(super) fn to_f64(self) -> f64 {
        let fraction = f64::from(self.0 & 0x3ff);
        let exponent = i32::from((self.0 & INFINITY) >> 10);
        let magnitude = match exponent {
            0 => fraction * LEAST,
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::from_bits(f64::INFINITY.to_bits() | u64::from(self.0 & 0x3ff) << 42),
            _ => (1024.0 + fraction) * LEAST * f64::from(1_u32 << (exponent - 1)),
        };
        if self.0 >> 15 == 0 { magnitude } else { -magnitude }
    }

    /// Rounded once.
    pub(super) fn from_f64(x: f64, rounding: Rounding) -> Self {
        if x.is_nan() {
            return Self(NAN);
        }
        let sign = u16::from(x.is_sign_negative()) << 15;
        let magnitude = x.abs();
        // The field of an f16's exponent, at least 1: with 0 the spacing of numbers is the same.
        let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023 + 15).max(1);
        if exponent > 30 {
            let outward = match rounding {
                Rounding::Nearest => true,
                Rounding::Zero => false,
                Rounding::Down => sign != 0,
                Rounding::Up => sign == 0,
            };
            return Self(sign | if outward || x.is_infinite() { INFINITY } else { INFINITY - 1 });
        }
        let spacing = LEAST * f64::from(1_u32 << (exponent - 1));
        // From 1024 on for normal numbers, whose leading 1 then counts the exponent up by one. So does a carry.
        let steps = rounding.whole(x / spacing).abs() as u16;
        Self(sign | (((exponent - 1) as u16) << 10).wrapping_add(steps))
    }
}
