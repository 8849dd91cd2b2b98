//! Approximate functions (PTX ISA 9.7.3).
//!
//! The manual bounds their errors. Here each is computed in f64 and rounded once, so it is within the bounds, but not
//! bit by bit what a GPU gives.

use super::super::class::Class;
use super::find::Words;
use super::float::Style;
use super::lift::unary;
use super::{Function, Operation, double};

/// The operation on f32, if the opcode and `words` make it an approximate one; else no word is used up.
pub(super) fn find(opcode: &str, words: &mut Words) -> Option<Operation> {
    let function = match opcode {
        "div" | "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" => {
            let method = words.take_one_of(if opcode == "div" { &["approx", "full"] } else { &["approx"] })?;
            // tanh takes and gives subnormals always.
            let style = if opcode == "tanh" { Style::default() } else { Style::take(words, false) };
            function(opcode, method, style)
        }
        _ => return None,
    };
    let weight = if opcode == "div" { 2 } else { 1 };
    Some(Operation { function, class: Class::Special, weight })
}

/// The function of `opcode`.
fn function(opcode: &str, method: &str, style: Style) -> Function {
    match (opcode, method) {
        ("div", "full") => style.two(|a, b| a / b),
        ("div", _) => style.two(divide),
        ("rcp", _) => style.one(|a| 1.0 / a),
        ("sqrt", _) => style.one(f32::sqrt),
        ("rsqrt", _) => style.one(|a| reciprocal_root(a.into()) as f32),
        ("ex2", _) => style.one(|a| f64::from(a).exp2() as f32),
        ("lg2", _) => style.one(|a| f64::from(a).log2() as f32),
        ("sin", _) => style.one(|a| reduced(a).sin() as f32),
        ("cos", _) => style.one(|a| reduced(a).cos() as f32),
        (_, _) => style.one(|a| f64::from(a).tanh() as f32),
    }
}

/// `div.approx`: `a * (1 / b)`, where the reciprocal of a `b` above 2 to the 126 is taken for 0.
fn divide(a: f32, b: f32) -> f32 {
    const LIMIT: f32 = f32::from_bits(0x7e80_0000);
    if b.abs() > LIMIT && b.is_finite() { a * (0.0_f32).copysign(b) } else { a / b }
}

/// The angle within half a turn of 0. Like GPUs, this first counts turns in f32, so that of large angles little is left
/// of the angle: the manual bounds errors for the first hundred half turns alone.
fn reduced(angle: f32) -> f64 {
    let turns = f64::from(angle * (0.5 * std::f32::consts::FRAC_1_PI));
    let rest = turns - turns.round_ties_even();
    if rest == 0.0 { rest.copysign(turns) } else { rest * std::f64::consts::TAU }
}

/// `1 / sqrt(a)`; the sign of a zero is the result's.
fn reciprocal_root(a: f64) -> f64 {
    1.0 / a.sqrt()
}

/// The operation on f64. `rcp.approx.ftz.f64` and its like read and give the upper halves of numbers alone; here the
/// result is rounded to them.
pub(super) fn find_double(opcode: &str, words: &mut Words) -> Option<Operation> {
    let function = match (opcode, words.take("ftz")) {
        ("rcp", true) => unary(|a: f64| upper_half(1.0 / f64::from_bits(flush(a).to_bits() & UPPER_HALF))),
        ("rsqrt", true) => unary(|a: f64| upper_half(reciprocal_root(f64::from_bits(flush(a).to_bits() & UPPER_HALF)))),
        ("rsqrt", false) => unary(|a: f64| canonical(reciprocal_root(a))),
        _ => return None,
    };
    Some(Operation { function, class: Class::Special, weight: 1 })
}

/// The bits of an f64 that the gross approximations use.
const UPPER_HALF: u64 = !0 << 32;

/// The nearest number whose lower half is zero.
fn upper_half(x: f64) -> f64 {
    let x = canonical(flush(x));
    if x.is_finite() { f64::from_bits((x.to_bits() + (1 << 31)) & UPPER_HALF) } else { x }
}

/// The number, or the NaN that GPUs give.
fn canonical(x: f64) -> f64 {
    if x.is_nan() { double::NAN } else { x }
}

/// A zero of the same sign, if `x` is subnormal.
fn flush(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { 0.0_f64.copysign(x) } else { x }
}
