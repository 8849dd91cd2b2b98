//! f64 arithmetic rounded to nearest (PTX ISA 9.7.3).

use super::super::class::Class;
use super::Operation;
use super::find::Words;
use super::lift::{Pure, binary, ternary, unary};
use super::{Function, approximate};

/// The NaN that GPUs give where no operand is one.
const NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);

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
        ("fma" | "mad", true) => (ternary(|a: f64, b, c| canonical(a.mul_add(b, c))), 1),
        ("div", true) => (two(|a, b| a / b), 20),
        ("rcp", true) => (unary(|a: f64| canonical(1.0 / a)), 16),
        ("sqrt", true) => (unary(|a: f64| canonical(a.sqrt())), 20),
        ("min", false) => (two(least), 2),
        ("max", false) => (two(|a, b| -least(-a, -b)), 2),
        ("neg", false) => (unary(|a: u64| a ^ (1 << 63)), 1),
        ("abs", false) => (unary(|a: u64| a & !(1 << 63)), 1),
        ("copysign", false) => (binary(|a: u64, b| (a & (1 << 63)) | (b & !(1 << 63))), 1),
        _ => return None,
    };
    Some(Operation { function, class: Class::Double, weight })
}

/// A function of two operands.
fn two(f: impl Fn(f64, f64) -> f64 + Pure) -> Function {
    binary(move |a, b| canonical(f(a, b)))
}

/// The lesser; of -0 and +0 that is -0. A NaN loses against a number.
fn least(a: f64, b: f64) -> f64 {
    if a < b || b.is_nan() || (a == b && a.is_sign_negative()) { a } else { b }
}

/// The number, or the NaN that GPUs give.
pub(super) fn canonical(x: f64) -> f64 {
    if x.is_nan() { NAN } else { x }
}
