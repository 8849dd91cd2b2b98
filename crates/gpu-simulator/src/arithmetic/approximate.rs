//! Approximate functions.
//!
//! The manual bounds their errors. Here each is computed in f64 and rounded once, so it is within the bounds, but not
//! bit by bit what a GPU gives.

use super::lift::{Pure, each_lane};
use super::{Function, Modifiers, double, float};

/// `div.full`
pub(crate) fn divide_full(own: Modifiers) -> Option<Function> {
    Some(float::two(own, |a, b| a / b))
}

/// `div.approx`: `a * (1 / b)`, where the reciprocal of a `b` above 2 to the 126 is taken for 0.
pub(crate) fn divide(own: Modifiers) -> Option<Function> {
    const LIMIT: f32 = f32::from_bits(0x7e80_0000);
    Some(float::two(own, |a, b| if b.abs() > LIMIT && b.is_finite() { a * (0.0_f32).copysign(b) } else { a / b }))
}

pub(crate) fn reciprocal(own: Modifiers) -> Option<Function> {
    Some(float::one(own, |a| 1.0 / a))
}

pub(crate) fn square_root(own: Modifiers) -> Option<Function> {
    Some(float::one(own, f32::sqrt))
}

/// `1 / sqrt(a)`; the sign of a zero is the result's.
pub(crate) fn reciprocal_root(own: Modifiers) -> Option<Function> {
    in_double(own, |a| 1.0 / f64::from(a).sqrt())
}

/// `ex2`
pub(crate) fn power_of_two(own: Modifiers) -> Option<Function> {
    in_double(own, |a| f64::from(a).exp2())
}

/// `lg2`
pub(crate) fn logarithm(own: Modifiers) -> Option<Function> {
    in_double(own, |a| f64::from(a).log2())
}

pub(crate) fn sine(own: Modifiers) -> Option<Function> {
    in_double(own, |a| reduced(a).sin())
}

pub(crate) fn cosine(own: Modifiers) -> Option<Function> {
    in_double(own, |a| reduced(a).cos())
}

/// `tanh` takes and gives subnormals always.
pub(crate) fn hyperbolic_tangent(own: Modifiers) -> Option<Function> {
    in_double(own, |a| f64::from(a).tanh())
}

fn in_double(own: Modifiers, f: impl Fn(f32) -> f64 + Pure) -> Option<Function> {
    Some(each_lane("W", false, own, move |own, [a, ..]| float::result(own, f(float::operand(own, a)) as f32)))
}

/// The angle within half a turn of 0. Like GPUs, this first counts turns in f32, so that of large angles little is left
/// of the angle: the manual bounds errors for the first hundred half turns alone.
fn reduced(angle: f32) -> f64 {
    let turns = f64::from(angle * (0.5 * std::f32::consts::FRAC_1_PI));
    let rest = turns - turns.round_ties_even();
    if rest == 0.0 { rest.copysign(turns) } else { rest * std::f64::consts::TAU }
}

/// `rcp.approx.ftz.f64`. It and its like read and give the upper halves of numbers alone; here the result is rounded to
/// them.
pub(crate) fn gross_reciprocal(own: Modifiers) -> Option<Function> {
    of_double(own, |a| upper_half(1.0 / f64::from_bits(flush(a).to_bits() & UPPER_HALF)))
}

/// `rsqrt.approx.ftz.f64`
pub(crate) fn gross_reciprocal_root(own: Modifiers) -> Option<Function> {
    of_double(own, |a| upper_half(1.0 / f64::from_bits(flush(a).to_bits() & UPPER_HALF).sqrt()))
}

/// `rsqrt.approx.f64`
pub(crate) fn double_reciprocal_root(own: Modifiers) -> Option<Function> {
    of_double(own, |a| canonical(1.0 / a.sqrt()))
}

fn of_double(own: Modifiers, f: impl Fn(f64) -> f64 + Pure) -> Option<Function> {
    Some(each_lane("L", true, own, move |_, [a, ..]| f(f64::from_bits(a)).to_bits()))
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
