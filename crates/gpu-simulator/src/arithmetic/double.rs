//! f64 arithmetic rounded to nearest.
//!
//! The manual leaves payloads of NaNs open. GPUs pass on an operand's, made quiet: the second's before the first's, of
//! a division the other way round, and of a fused multiply-add the factor `b`'s, the term `c`'s, the factor `a`'s.

use super::lift::{Pure, binary, ternary, unary};
use super::{Function, Modifiers};

/// The NaN that GPUs give where no operand is one.
pub(super) const NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);

pub(crate) fn add(_: Modifiers) -> Option<Function> {
    Some(two(|a, b| a + b))
}

pub(crate) fn subtract(_: Modifiers) -> Option<Function> {
    Some(two(|a, b| a - b))
}

pub(crate) fn multiply(_: Modifiers) -> Option<Function> {
    Some(two(|a, b| a * b))
}

/// `a * b + c`, rounded once.
pub(crate) fn fused(_: Modifiers) -> Option<Function> {
    Some(ternary(|a: f64, b, c| checked(a.mul_add(b, c), [b, c, a])))
}

pub(crate) fn divide(_: Modifiers) -> Option<Function> {
    Some(binary(|a: f64, b| checked(a / b, [a, b])))
}

pub(crate) fn reciprocal(_: Modifiers) -> Option<Function> {
    Some(unary(|a: f64| checked(1.0 / a, [a])))
}

pub(crate) fn square_root(_: Modifiers) -> Option<Function> {
    Some(unary(|a: f64| checked(a.sqrt(), [a])))
}

/// Of -0 and +0, -0 is the lesser. A NaN loses against a number.
pub(crate) fn least(_: Modifiers) -> Option<Function> {
    Some(two(lesser))
}

/// As `least`.
pub(crate) fn greatest(_: Modifiers) -> Option<Function> {
    Some(two(|a, b| -lesser(-a, -b)))
}

pub(crate) fn negate(_: Modifiers) -> Option<Function> {
    Some(unary(|a: f64| if a.is_nan() { quiet(a) } else { -a }))
}

pub(crate) fn absolute(_: Modifiers) -> Option<Function> {
    Some(unary(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }))
}

/// `copysign`: the second operand with the sign of the first.
pub(crate) fn copy_sign(_: Modifiers) -> Option<Function> {
    Some(binary(|a: u64, b| (a & (1 << 63)) | (b & !(1 << 63))))
}

/// A function of two operands.
fn two(f: impl Fn(f64, f64) -> f64 + Pure) -> Function {
    binary(move |a, b| checked(f(a, b), [b, a]))
}

/// The lesser.
#[allow(clippy::float_cmp)] // Zeros of two signs are meant.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b || b.is_nan() || (a == b && a.is_sign_negative()) { a } else { b }
}

/// `result` if it is a number, else the first NaN of `operands`, or one of our own. Without branches, to be vectorised.
fn checked<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    let nan = operands.iter().rev().fold(NAN, |nan, operand| if operand.is_nan() { quiet(*operand) } else { nan });
    // By its bits: for a compiler, one NaN is as good as another.
    let bits = result.to_bits();
    f64::from_bits(if bits & !(1 << 63) > f64::INFINITY.to_bits() { nan.to_bits() } else { bits })
}

/// The same NaN, quiet.
pub(super) fn quiet(nan: f64) -> f64 {
    f64::from_bits(nan.to_bits() | (1 << 51))
}
