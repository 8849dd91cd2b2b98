//! f32 arithmetic rounded as IEEE 754 says.
//!
//! Every NaN that arithmetic gives, negation included, is the canonical one, whatever the operands' payloads are.

use super::lift::{Pure, binary, each_lane, ternary, unary};
use super::rounding::{self, Rounding};
use super::{Function, Modifiers};

/// The NaN that GPUs give.
const NAN: f32 = f32::from_bits(0x7fff_ffff);

pub(crate) fn add(own: Modifiers) -> Option<Function> {
    Some(two_rounded(own, |a, b| a + b, rounding::sum))
}

pub(crate) fn subtract(own: Modifiers) -> Option<Function> {
    Some(two_rounded(own, |a, b| a - b, |a, b, r| rounding::sum(a, -b, r)))
}

pub(crate) fn multiply(own: Modifiers) -> Option<Function> {
    Some(two_rounded(own, |a, b| a * b, rounding::product))
}

/// `a * b + c`, rounded once.
pub(crate) fn fused(own: Modifiers) -> Option<Function> {
    Some(match (own.rounding(), own.saturated, own.flushed) {
        (Rounding::Nearest, false, false) => ternary(|a: f32, b, c| canonical(a.mul_add(b, c))),
        (Rounding::Nearest, false, true) => {
            ternary(|a: f32, b, c| flush(canonical(flush(a).mul_add(flush(b), flush(c)))))
        }
        _ => each_lane("WWW", false, own, |own, operands| {
            let [a, b, c] = operands.map(|bits| operand(own, bits));
            result(
                own,
                match own.rounding() {
                    Rounding::Nearest => a.mul_add(b, c),
                    rounding => rounding::fused(a, b, c, rounding),
                },
            )
        }),
    })
}

pub(crate) fn divide(own: Modifiers) -> Option<Function> {
    Some(two_rounded(own, |a, b| a / b, rounding::quotient))
}

pub(crate) fn reciprocal(own: Modifiers) -> Option<Function> {
    Some(one_rounded(own, |a| 1.0 / a, |a, r| rounding::quotient(1.0, a, r)))
}

pub(crate) fn square_root(own: Modifiers) -> Option<Function> {
    Some(one_rounded(own, f32::sqrt, rounding::root))
}

/// Of -0 and +0, -0 is the lesser. A NaN loses against a number.
pub(crate) fn least(own: Modifiers) -> Option<Function> {
    Some(two(own, lesser))
}

/// As `least`.
pub(crate) fn greatest(own: Modifiers) -> Option<Function> {
    Some(two(own, |a, b| -lesser(-a, -b)))
}

/// `min.NaN`: a NaN wins.
pub(crate) fn least_or_nan(own: Modifiers) -> Option<Function> {
    Some(two(own, |a, b| if a.is_nan() || b.is_nan() { NAN } else { lesser(a, b) }))
}

/// `max.NaN`
pub(crate) fn greatest_or_nan(own: Modifiers) -> Option<Function> {
    Some(two(own, |a, b| if a.is_nan() || b.is_nan() { NAN } else { -lesser(-a, -b) }))
}

pub(crate) fn negate(own: Modifiers) -> Option<Function> {
    Some(one(own, |a| -a))
}

pub(crate) fn absolute(own: Modifiers) -> Option<Function> {
    Some(one(own, f32::abs))
}

/// `copysign`: the second operand with the sign of the first.
pub(crate) fn copy_sign(_: Modifiers) -> Option<Function> {
    Some(binary(|a: u32, b| (a & (1 << 31)) | (b & !(1 << 31))))
}

/// A function of one operand, with its NaNs made canonical.
pub(super) fn one(own: Modifiers, f: impl Fn(f32) -> f32 + Pure) -> Function {
    if own.flushed { unary(move |a| flush(canonical(f(flush(a))))) } else { unary(move |a| canonical(f(a))) }
}

/// As `one`, of two.
pub(super) fn two(own: Modifiers, f: impl Fn(f32, f32) -> f32 + Pure) -> Function {
    if own.flushed {
        binary(move |a, b| flush(canonical(f(flush(a), flush(b)))))
    } else {
        binary(move |a, b| canonical(f(a, b)))
    }
}

/// As `one`, of a function that the host rounds to nearest, and the same rounded in any direction.
fn one_rounded(
    own: Modifiers,
    nearest: impl Fn(f32) -> f32 + Pure,
    directed: impl Fn(f32, Rounding) -> f32 + Pure,
) -> Function {
    if own.rounding() == Rounding::Nearest {
        return one(own, nearest);
    }
    each_lane("W", false, own, move |own, [a, ..]| result(own, directed(operand(own, a), own.rounding())))
}

/// As `one_rounded`, of two, perhaps saturated.
fn two_rounded(
    own: Modifiers,
    nearest: impl Fn(f32, f32) -> f32 + Pure,
    directed: impl Fn(f32, f32, Rounding) -> f32 + Pure,
) -> Function {
    if own.rounding() == Rounding::Nearest && !own.saturated {
        return two(own, nearest);
    }
    each_lane("WW", false, own, move |own, [a, b, _]| {
        let (a, b) = (operand(own, a), operand(own, b));
        result(
            own,
            match own.rounding() {
                Rounding::Nearest => nearest(a, b),
                rounding => directed(a, b, rounding),
            },
        )
    })
}

/// What an operand's bits stand for.
pub(super) fn operand(own: &Modifiers, bits: u64) -> f32 {
    let number = f32::from_bits(bits as u32);
    if own.flushed { flush(number) } else { number }
}

/// The bits of a result.
pub(super) fn result(own: &Modifiers, number: f32) -> u64 {
    let number = if own.saturated { saturate(number) } else { canonical(number) };
    u64::from(if own.flushed { flush(number) } else { number }.to_bits())
}

/// The lesser.
#[allow(clippy::float_cmp)] // Zeros of two signs are meant.
fn lesser(a: f32, b: f32) -> f32 {
    if a < b || b.is_nan() || (a == b && a.is_sign_negative()) { a } else { b }
}

/// The number, or the NaN that GPUs give. It looks at bits: for a compiler, one NaN is as good as another.
pub(super) fn canonical(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > f32::INFINITY.to_bits() { NAN.to_bits() } else { bits })
}

/// A zero of the same sign, if `x` is subnormal.
pub(super) fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { f32::from_bits(x.to_bits() & (1 << 31)) } else { x }
}

/// 0 to 1; +0 for NaN and -0.
fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}
