//! Integer arithmetic.
//!
//! The manual leaves divisions by zero open. GPUs give all ones for quotient and remainder, and so does this; the
//! smallest number divided by -1 is itself, its remainder 0.

use super::lift::{Pure, binary, each_lane, ternary, unary, widen, widen_add};
use super::value::{Integer, Value, with_integer, with_width};
use super::{Function, Modifiers};
use ptx_syntax::module::Type;

pub(crate) fn add(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => binary(<T as Integer>::add))
}

pub(crate) fn subtract(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => binary(T::subtract))
}

/// `.sat`, of s32.
pub(crate) fn add_saturated(_: Modifiers) -> Option<Function> {
    Some(binary(i32::saturating_add))
}

/// `.sat`, of s32.
pub(crate) fn subtract_saturated(_: Modifiers) -> Option<Function> {
    Some(binary(i32::saturating_sub))
}

pub(crate) fn multiply_low(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => binary(T::multiply))
}

pub(crate) fn multiply_high(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => binary(T::multiply_high))
}

/// `mul.wide`
pub(crate) fn multiply_wide(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Unsigned(16) => widen(|a: u16, b: u16| u32::from(a) * u32::from(b)),
        Type::Signed(16) => widen(|a: i16, b: i16| i32::from(a) * i32::from(b)),
        Type::Unsigned(32) => widen(|a: u32, b: u32| u64::from(a) * u64::from(b)),
        Type::Signed(32) => widen(|a: i32, b: i32| i64::from(a) * i64::from(b)),
        _ => return None,
    })
}

pub(crate) fn multiply_add_low(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => ternary(|a: T, b, c| a.multiply(b).add(c)))
}

pub(crate) fn multiply_add_high(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => ternary(|a: T, b, c| a.multiply_high(b).add(c)))
}

/// `.sat`, of s32.
pub(crate) fn multiply_add_high_saturated(_: Modifiers) -> Option<Function> {
    Some(ternary(|a: i32, b, c| a.multiply_high(b).saturating_add(c)))
}

/// `mad.wide`
pub(crate) fn multiply_add_wide(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Unsigned(16) => widen_add(|a: u16, b, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
        Type::Signed(16) => widen_add(|a: i16, b, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
        Type::Unsigned(32) => widen_add(|a: u32, b, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
        Type::Signed(32) => widen_add(|a: i32, b, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
        _ => return None,
    })
}

/// `mul24.lo`: of the low 24 bits, extended, the low half of the product.
pub(crate) fn multiply_24(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Unsigned(32) => binary(|a: u32, b| low_24(a).multiply(low_24(b))),
        Type::Signed(32) => binary(|a: u32, b| extended_24(a).multiply(extended_24(b))),
        _ => return None,
    })
}

/// `mad24.lo`
pub(crate) fn multiply_add_24(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Unsigned(32) => ternary(|a: u32, b, c| low_24(a).multiply(low_24(b)).add(c)),
        Type::Signed(32) => ternary(|a: u32, b, c| extended_24(a).multiply(extended_24(b)).add(c)),
        _ => return None,
    })
}

fn low_24(a: u32) -> u32 {
    a & 0x00ff_ffff
}

fn extended_24(a: u32) -> u32 {
    ((i32::read(a) << 8) >> 8).write()
}

/// `sad`: `c + |a - b|`
pub(crate) fn sum_of_difference(own: Modifiers) -> Option<Function> {
    fn of<T: Integer>(a: T, b: T, c: T) -> T {
        c.add(if a < b { b.subtract(a) } else { a.subtract(b) })
    }
    with_integer!(own.target, T => ternary(of::<T>))
}

pub(crate) fn divide(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => binary(T::divide))
}

pub(crate) fn remainder(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => binary(T::remainder))
}

pub(crate) fn least(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => binary(<T as Ord>::min))
}

pub(crate) fn greatest(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => binary(<T as Ord>::max))
}

/// Of signed types. The smallest number is its own absolute value.
pub(crate) fn absolute(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Signed(16) => unary(i16::wrapping_abs),
        Type::Signed(32) => unary(i32::wrapping_abs),
        Type::Signed(64) => unary(i64::wrapping_abs),
        _ => return None,
    })
}

pub(crate) fn negate(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => unary(|a: T| T::default().subtract(a)))
}

/// `dp4a`: `c`, plus the products of the four bytes of `a` and `b`.
pub(crate) fn dot_of_bytes(own: Modifiers) -> Option<Function> {
    dot(own, |own, [a, b, c]| {
        let product = |at: u32| part(a >> at, 8, own.target).wrapping_mul(part(b >> at, 8, own.source));
        [0, 8, 16, 24].into_iter().fold(c, |sum, at| sum.wrapping_add(product(at)))
    })
}

/// `dp2a.lo`: `c`, plus the products of the two halves of `a` and the two lower bytes of `b`.
pub(crate) fn dot_of_low_halves(own: Modifiers) -> Option<Function> {
    dot(own, dot_of_halves)
}

/// `dp2a.hi`: the same with the two upper bytes.
pub(crate) fn dot_of_high_halves(own: Modifiers) -> Option<Function> {
    dot(own, |own, [a, b, c]| dot_of_halves(own, [a, b >> 16, c]))
}

fn dot(own: Modifiers, f: impl Fn(&Modifiers, [u64; 3]) -> u64 + Pure) -> Option<Function> {
    Some(each_lane("WWW", false, own, move |own, operands| f(own, operands) & u64::from(u32::MAX)))
}

fn dot_of_halves(own: &Modifiers, [a, b, c]: [u64; 3]) -> u64 {
    let product =
        |index: u32| part(a >> (16 * index), 16, own.target).wrapping_mul(part(b >> (8 * index), 8, own.source));
    c.wrapping_add(product(0)).wrapping_add(product(1))
}

/// The low `bits`, extended as type `ty` says.
fn part(value: u64, bits: u32, ty: Type) -> u64 {
    let high = value << (64 - bits);
    if matches!(ty, Type::Signed(_)) { ((high as i64) >> (64 - bits)) as u64 } else { high >> (64 - bits) }
}
