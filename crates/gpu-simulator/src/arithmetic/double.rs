//! f64 arithmetic rounded to nearest (PTX ISA 9.7.3).
//!
//! The manual leaves payloads of NaNs open. GPUs pass on an operand's, made quiet: the second's before the first's, of
//! a division the other way round, and of a fused multiply-add the factor `b`'s, the term `c`'s, the factor `a`'s.

use super::super::class::Class;
use super::Operation;
use super::find::Words;
use super::lift::{Pure, binary, ternary, unary};
use super::{Function, approximate};

/// The NaN that GPUs give where no operand is one.
pub(super) const NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// The operation on f64; `words` are what is written between the opcode and `.f64`.
pub(super) fn find(opcode: &str, words: &mut Words) -> Option<Operation> {
    if words.take("approx") {
        return approximate::find_double(opcode, words);
    }
    let rounded = words.take("rn");
    let (function, weight) = match (opcode, rounded) {
        ("add", _) => (two(|a, b| a + b), 1),
        ("sub", _) => (two(|a, b| a - b), 1),
        ("mul", _) => (two(|a, b| a * b), 1),
        ("fma" | "mad", true) => (ternary(|a: f64, b, c| checked(a.mul_add(b, c), [b, c, a])), 1),
        ("div", true) => (binary(|a: f64, b| checked(a / b, [a, b])), 20),
        ("rcp", true) => (unary(|a: f64| checked(1.0 / a, [a])), 16),
        ("sqrt", true) => (unary(|a: f64| checked(a.sqrt(), [a])), 20),
        ("min", false) => (two(least), 2),
        ("max", false) => (two(|a, b| -least(-a, -b)), 2),
        ("neg", false) => (unary(|a: f64| if a.is_nan() { quiet(a) } else { -a }), 1),
        ("abs", false) => (unary(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }), 1),
        ("copysign", false) => (binary(|a: u64, b| (a & (1 << 63)) | (b & !(1 << 63))), 1),
        _ => return None,
    };
    Some(Operation { function, class: Class::Double, weight })
}

/// A function of two operands.
fn two(f: impl Fn(f64, f64) -> f64 + Pure) -> Function {
    binary(move |a, b| checked(f(a, b), [b, a]))
}

/// The lesser; of -0 and +0 that is -0. A NaN loses against a number.
#[allow(clippy::float_cmp)] // Zeros of two signs are meant.
fn least(a: f64, b: f64) -> f64 {
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
