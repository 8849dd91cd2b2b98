//! Rounding of f32 results in a given direction.
//!
//! An f64 holds the product of two f32 exactly. What an f64 does not hold exactly is rounded to odd in it: cut off,
//! with the last bit set. It has more than two bits more than an f32, so that rounding it again, in any direction,
//! gives what rounding the exact value would.

/// `.rn`, `.rz`, `.rm`, `.rp` and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
}

impl Rounding {
    /// Of its two letters.
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "rn" => Self::Nearest,
            "rz" => Self::Zero,
            "rm" => Self::Down,
            "rp" => Self::Up,
            _ => return None,
        })
    }

    /// To a whole number. A NaN stays what it is.
    pub(super) fn whole(self, x: f64) -> f64 {
        match self {
            _ if x.is_nan() => x,
            Self::Nearest => x.round_ties_even(),
            Self::Zero => x.trunc(),
            Self::Down => x.floor(),
            Self::Up => x.ceil(),
        }
    }

    /// Whether a result must become the next lower or the next higher number, given how it compares with the exact
    /// value. Of a positive value that is at least the exact one, say, rounding towards zero needs the next lower.
    pub(super) fn correct(self, result_to_exact: std::cmp::Ordering, negative: bool) -> Correction {
        use std::cmp::Ordering::{Greater, Less};
        match (self, result_to_exact) {
            (Self::Down, Greater) => Correction::Lower,
            (Self::Up, Less) => Correction::Higher,
            (Self::Zero, Greater) if !negative => Correction::Lower,
            (Self::Zero, Less) if negative => Correction::Higher,
            _ => Correction::None,
        }
    }
}

/// What is wrong with a result that was rounded to nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Correction {
    /// Nothing.
    None,
    /// It ought to be the next lower number.
    Lower,
    /// It ought to be the next higher number.
    Higher,
}

impl Correction {
    /// The corrected result.
    pub(super) fn apply(self, result: f32) -> f32 {
        match self {
            Self::None => result,
            Self::Lower => result.next_down(),
            Self::Higher => result.next_up(),
        }
    }

    /// As `apply`.
    pub(super) fn apply_to_f64(self, result: f64) -> f64 {
        match self {
            Self::None => result,
            Self::Lower => result.next_down(),
            Self::Higher => result.next_up(),
        }
    }
}

/// An f64 as an f32.
pub(super) fn to_f32(x: f64, rounding: Rounding) -> f32 {
    let nearest = x as f32;
    match f64::from(nearest).partial_cmp(&x) {
        Some(order) => rounding.correct(order, x < 0.0).apply(nearest),
        None => nearest,
    }
}

/// `a + b`
pub(super) fn sum(a: f32, b: f32, rounding: Rounding) -> f32 {
    sum_of_f64(a.into(), b.into(), rounding)
}

/// `a * b`
pub(super) fn product(a: f32, b: f32, rounding: Rounding) -> f32 {
    to_f32(f64::from(a) * f64::from(b), rounding)
}

/// `a * b + c`
pub(super) fn fused(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    sum_of_f64(f64::from(a) * f64::from(b), c.into(), rounding)
}

/// `a / b`. A quotient of two f32 that is no f32 differs from the nearest one by more than an f64's rounding.
pub(super) fn quotient(a: f32, b: f32, rounding: Rounding) -> f32 {
    to_f32(f64::from(a) / f64::from(b), rounding)
}

/// The square root, of which holds what holds of quotients.
pub(super) fn root(a: f32, rounding: Rounding) -> f32 {
    to_f32(f64::from(a).sqrt(), rounding)
}

/// The f32 of the exact sum of two numbers that are sums and products of f32.
fn sum_of_f64(a: f64, b: f64, rounding: Rounding) -> f32 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum as f32;
    }
    if sum == 0.0 {
        // An exact zero of opposite terms is positive, but negative when rounding down.
        let negative = rounding == Rounding::Down && !(a.is_sign_positive() && b.is_sign_positive());
        return if negative { -0.0 } else { sum as f32 };
    }
    to_f32(odd_sum(a, b), rounding)
}

/// The sum of two numbers rounded to odd, if it is neither zero nor infinite: then what it is to nearest.
pub(super) fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() || sum == 0.0 {
        return sum;
    }
    // Knuth's TwoSum: the error of `sum`, exactly.
    let from_b = sum - a;
    let error = (a - (sum - from_b)) + (b - from_b);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        sum
    } else if (error > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    }
}
