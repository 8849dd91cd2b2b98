//! Arithmetic of about 32 digits: a number as the unevaluated sum of two floating-point numbers.
//!
//! Error-free transformations after Dekker, A floating-point technique for extending the available precision,
//! Numerische Mathematik 18 (1971), and Knuth, The Art of Computer Programming 2, section 4.2.2. Products are split
//! rather than fused, since a fused multiply-add is a library call on processors of the baseline. Operands above 2^996
//! overflow in the split: callers scale first.

use std::ops::{Add, Div, Mul, Sub};

/// A number that a decomposition can be computed in.
pub(super) trait Number:
    Copy + From<f64> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The square root of a number that is not negative.
    fn sqrt(self) -> Self;
    /// The nearest floating-point number.
    fn rounded(self) -> f64;
}

impl Number for f64 {
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    fn rounded(self) -> f64 {
        self
    }
}

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Double {
    pub(super) high: f64,
    pub(super) low: f64,
}

impl Double {
    /// The exact sum.
    pub(super) fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let of_b = high - a;
        Self { high, low: (a - (high - of_b)) + (b - of_b) }
    }

    /// The exact product.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let ((a1, a2), (b1, b2)) = (split(a), split(b));
        Self { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
    }

    /// The exact sum where `a` is the larger.
    fn renormalised(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }
}

/// The upper 26 and the lower 27 bits of a significand.
fn split(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let part = Self::renormalised(high.high, high.low + low.high);
        Self::renormalised(part.high, part.low + low.low)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::renormalised(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        Self::renormalised(first, second) + Self::from(rest.high / other.high)
    }
}

impl Number for Double {
    fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::default();
        }
        let root = self.high.sqrt();
        let rest = self - Self::product(root, root);
        Self::renormalised(root, rest.high / (2.0 * root))
    }

    fn rounded(self) -> f64 {
        self.high
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "exact results are meant")]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_product_rounds_off_is_kept() {
        // (1 + 2^-52)² = 1 + 2^-51 + 2^-104
        let product = Double::product(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        assert_eq!(product, Double { high: 1.0 + 2.0 * f64::EPSILON, low: f64::EPSILON * f64::EPSILON });
    }

    // python: from decimal import *; getcontext().prec = 50; Decimal(2).sqrt(), Decimal(1) / 3
    #[test]
    fn roots_and_quotients_have_thirty_digits() {
        let root = Double::from(2.0).sqrt();
        // sqrt(2) = 1.41421356237309504880168872420969807856967187537694...
        assert_eq!(root.high, std::f64::consts::SQRT_2);
        assert!((root.low - -9.667_293_313_452_913e-17).abs() < 1e-31, "{}", root.low);
        let third = Double::from(1.0) / Double::from(3.0);
        assert!((third.low - 1.850_371_707_708_594e-17).abs() < 1e-31, "{}", third.low);
    }

    proptest! {
        #[test]
        fn sums_and_products_undo(a in -1e9..1e9_f64, b in prop::sample::select(vec![-3e7, -0.7, 1e-6, 0.1, 12345.678])) {
            let (a, b) = (Double::from(a), Double::from(b));
            prop_assert_eq!(((a + b) - b).high, a.high);
            let quotient = (a * b) / b;
            prop_assert_eq!(quotient.high, a.high);
            prop_assert!(quotient.low.abs() <= a.high.abs() * 1e-30);
        }
    }
}
