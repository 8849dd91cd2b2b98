//! Integer arithmetic (PTX ISA 9.7.1).
//!
//! The manual leaves divisions by zero open. GPUs give all ones for quotient and remainder, and so does this; the
//! smallest number divided by -1 is itself, its remainder 0.

use super::super::class::Class;
use super::Operation;
use super::find::{Words, with_integer};
use super::lift::{binary, ternary, unary, widen, widen_add};
use super::value::{Integer, Value};
use ptx_syntax::module::Type;

/// The operation on integers of type `ty`; `words` are what is written between the opcode and it.
pub(super) fn find(opcode: &str, words: &mut Words, ty: Type) -> Option<Operation> {
    let saturated = words.take("sat");
    let part = words.take_one_of(&["lo", "hi", "wide"]).unwrap_or_default();
    let (class, function) = match (opcode, part, saturated) {
        ("add", "", true) if ty == Type::Signed(32) => (Class::Integer, Some(binary(i32::saturating_add))),
        ("sub", "", true) if ty == Type::Signed(32) => (Class::Integer, Some(binary(i32::saturating_sub))),
        ("mad", "hi", true) if ty == Type::Signed(32) => {
            (Class::Multiply, Some(ternary(|a: i32, b, c| a.multiply_high(b).saturating_add(c))))
        }
        (_, _, true) => return None,
        ("add", "", _) => (Class::Integer, with_integer!(ty, T => binary(<T as Integer>::add))),
        ("sub", "", _) => (Class::Integer, with_integer!(ty, T => binary(T::subtract))),
        ("sad", "", _) => (Class::Integer, with_integer!(ty, T => ternary(sum_of_difference::<T>))),
        ("min", "", _) => (Class::Integer, with_integer!(ty, T => binary(<T as Ord>::min))),
        ("max", "", _) => (Class::Integer, with_integer!(ty, T => binary(<T as Ord>::max))),
        ("abs", "", _) => (Class::Integer, with_integer!(signed(ty)?, T => unary(absolute::<T>))),
        ("neg", "", _) => (Class::Integer, with_integer!(signed(ty)?, T => unary(|a: T| T::default().subtract(a)))),
        ("mul", "lo", _) => (Class::Multiply, with_integer!(ty, T => binary(T::multiply))),
        ("mul", "hi", _) => (Class::Multiply, with_integer!(ty, T => binary(T::multiply_high))),
        ("mul", "wide", _) => (Class::Multiply, wide_product(ty)),
        ("mad", "lo", _) => (Class::Multiply, with_integer!(ty, T => ternary(|a: T, b, c| a.multiply(b).add(c)))),
        ("mad", "hi", _) => (Class::Multiply, with_integer!(ty, T => ternary(|a: T, b, c| a.multiply_high(b).add(c)))),
        ("mad", "wide", _) => (Class::Multiply, wide_product_and_sum(ty)),
        ("mul24" | "mad24", "lo", _) => (Class::Multiply, product_of_24_bits(opcode, ty)),
        ("div", "", _) => (Class::Multiply, with_integer!(ty, T => binary(T::divide))),
        ("rem", "", _) => (Class::Multiply, with_integer!(ty, T => binary(T::remainder))),
        _ => return None,
    };
    Some(Operation { function: function?, class, weight: weight(opcode, part, ty.bits() == 64) })
}

/// Estimates: 64-bit integers are pairs of 32-bit registers.
fn weight(opcode: &str, part: &str, long: bool) -> u8 {
    match (opcode, part, long) {
        ("div" | "rem", _, false) => 20,
        ("div" | "rem", _, true) => 80,
        ("mul" | "mad", "hi", true) => 8,
        ("mul" | "mad", "lo", true) | ("min" | "max", _, true) => 4,
        ("mul24" | "mad24", ..) | ("abs", _, true) => 3,
        ("sad", _, true) => 6,
        ("sad", _, false) | ("add" | "sub" | "neg", _, true) => 2,
        _ => 1,
    }
}

/// `ty`, if it is signed.
fn signed(ty: Type) -> Option<Type> {
    matches!(ty, Type::Signed(_)).then_some(ty)
}

/// `c + |a - b|`
fn sum_of_difference<T: Integer>(a: T, b: T, c: T) -> T {
    c.add(if a < b { b.subtract(a) } else { a.subtract(b) })
}

/// The smallest number is its own absolute value.
fn absolute<T: Integer>(a: T) -> T {
    if a < T::default() { T::default().subtract(a) } else { a }
}

/// `mul.wide`
fn wide_product(ty: Type) -> Option<super::Function> {
    Some(match ty {
        Type::Unsigned(16) => widen(|a: u16, b: u16| u32::from(a) * u32::from(b)),
        Type::Signed(16) => widen(|a: i16, b: i16| i32::from(a) * i32::from(b)),
        Type::Unsigned(32) => widen(|a: u32, b: u32| u64::from(a) * u64::from(b)),
        Type::Signed(32) => widen(|a: i32, b: i32| i64::from(a) * i64::from(b)),
        _ => return None,
    })
}

/// `mad.wide`
fn wide_product_and_sum(ty: Type) -> Option<super::Function> {
    Some(match ty {
        Type::Unsigned(16) => widen_add(|a: u16, b, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
        Type::Signed(16) => widen_add(|a: i16, b, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
        Type::Unsigned(32) => widen_add(|a: u32, b, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
        Type::Signed(32) => widen_add(|a: i32, b, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
        _ => return None,
    })
}

/// `mul24.lo` and `mad24.lo`: of the low 24 bits, extended, the low half of the product.
fn product_of_24_bits(opcode: &str, ty: Type) -> Option<super::Function> {
    fn unsigned(a: u32) -> u32 {
        a & 0x00ff_ffff
    }
    fn extended(a: u32) -> u32 {
        ((i32::read(a) << 8) >> 8).write()
    }
    Some(match (opcode, ty) {
        ("mul24", Type::Unsigned(32)) => binary(|a: u32, b| unsigned(a).multiply(unsigned(b))),
        ("mul24", Type::Signed(32)) => binary(|a: u32, b| extended(a).multiply(extended(b))),
        ("mad24", Type::Unsigned(32)) => ternary(|a: u32, b, c| unsigned(a).multiply(unsigned(b)).add(c)),
        ("mad24", Type::Signed(32)) => ternary(|a: u32, b, c| extended(a).multiply(extended(b)).add(c)),
        _ => return None,
    })
}
