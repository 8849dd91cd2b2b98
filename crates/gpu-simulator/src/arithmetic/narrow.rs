//! Arithmetic of f16 and bf16, and of two of them in 32 bits. PTX ISA, "Half Precision Floating Point Instructions".
//!
//! An f64 holds what these compute exactly, or rounded to odd, so that each result is rounded once. Every NaN is the one that
//! GPUs give.

use super::convert::converted;
use super::half::Narrow;
use super::lift::{Pure, each_lane};
use super::rounding::{Rounding, odd_sum};
use super::value::Value;
use super::{Function, Modifiers, compare};
use ptx_syntax::module::Type;

pub(crate) fn add(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| odd_sum(a, b)))
}

pub(crate) fn subtract(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| odd_sum(a, -b)))
}

pub(crate) fn multiply(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| a * b))
}

pub(crate) fn fused(own: Modifiers) -> Option<Function> {
    Some(each_half("WWW", own, |[a, b, c]| odd_sum(a * b, c)))
}

/// `fma.relu`: what is negative becomes zero.
pub(crate) fn fused_positive(own: Modifiers) -> Option<Function> {
    Some(each_half("WWW", own, |[a, b, c]| positive(odd_sum(a * b, c))))
}

pub(crate) fn negate(own: Modifiers) -> Option<Function> {
    Some(each_half("W", own, |[a, ..]| -a))
}

pub(crate) fn absolute(own: Modifiers) -> Option<Function> {
    Some(each_half("W", own, |[a, ..]| a.abs()))
}

/// Of -0 and +0, -0 is the lesser. A NaN loses against a number.
pub(crate) fn least(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| lesser(a, b)))
}

/// As `least`.
pub(crate) fn greatest(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| -lesser(-a, -b)))
}

/// `min.NaN`: a NaN wins.
pub(crate) fn least_or_nan(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| if a.is_nan() || b.is_nan() { f64::NAN } else { lesser(a, b) }))
}

/// `max.NaN`
pub(crate) fn greatest_or_nan(own: Modifiers) -> Option<Function> {
    Some(each_half("WW", own, |[a, b, _]| if a.is_nan() || b.is_nan() { f64::NAN } else { -lesser(-a, -b) }))
}

#[allow(clippy::float_cmp)] // Zeros of two signs are meant.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b || b.is_nan() || (a == b && a.is_sign_negative()) { a } else { b }
}

fn positive(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

/// The place of a number in a register.
fn half_of(register: u64, place: u32) -> u16 {
    (register >> (16 * place)) as u16
}

/// A function of one number of each register, or of two.
fn each_half(sources: &'static str, own: Modifiers, f: impl Fn([f64; 3]) -> f64 + Pure) -> Function {
    each_lane(sources, false, own, move |own, registers| {
        let Some((format, count)) = own.narrow else { return 0 };
        let flush = |bits: u16| if own.flushed { format.flush(bits) } else { bits };
        (0..count).fold(0, |all, place| {
            let exact = f(registers.map(|register| format.to_f64(flush(half_of(register, place)))));
            let exact = if own.saturated { if exact > 0.0 { exact.min(1.0) } else { 0.0 } } else { exact };
            all | u64::from(flush(format.rounded(exact, Rounding::Nearest))) << (16 * place)
        })
    })
}

/// A number of 16 bits to be compared.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Compared<const BRAIN: bool>(f64);

impl<const BRAIN: bool> Value for Compared<BRAIN> {
    type Register = u32;
    fn read(register: u32) -> Self {
        let format = if BRAIN { Narrow::Brain } else { Narrow::Half };
        Self(format.to_f64(register as u16))
    }
    fn write(self) -> u32 {
        let format = if BRAIN { Narrow::Brain } else { Narrow::Half };
        format.rounded(self.0, Rounding::Nearest).into()
    }
}

/// The least normal f16.
const LEAST_NORMAL: f64 = 1.0 / 16384.0;

/// `setp` of one number.
pub(crate) fn predicate(own: Modifiers) -> Option<Function> {
    let comparison = own.comparison?;
    match own.narrow?.0 {
        Narrow::Brain => compare::of_floats(comparison, |a: Compared<true>| a.0.is_nan(), |a| a),
        Narrow::Half if own.flushed => compare::of_floats(
            comparison,
            |a: Compared<false>| a.0.is_nan(),
            |a| if a.0.abs() < LEAST_NORMAL { Compared(0.0) } else { a },
        ),
        Narrow::Half => compare::of_floats(comparison, |a: Compared<false>| a.0.is_nan(), |a| a),
    }
}

/// `set`: ones or 0, as a float 1 or 0, for one number or each of two.
pub(crate) fn set(own: Modifiers) -> Option<Function> {
    own.comparison?;
    Some(each_lane("WW", false, own, |own, [a, b, _]| {
        // The format is that of the result where it is a float, and then it is the operands' too.
        let Some((format, count)) = own.narrow else { return 0 };
        let number = |register: u64, place: u32| {
            let bits = half_of(register, place);
            format.to_f64(if own.flushed { format.flush(bits) } else { bits })
        };
        let truth = match (own.target, count) {
            (Type::Unsigned(32) | Type::Signed(32), 1) => u64::from(u32::MAX),
            (Type::Unsigned(_) | Type::Signed(_), _) => 0xffff,
            _ => format.rounded(1.0, Rounding::Nearest).into(),
        };
        (0..count).fold(0, |all, place| {
            let order = number(a, place).partial_cmp(&number(b, place));
            let holds = own.comparison.is_some_and(|comparison| comparison.of(order));
            all | if holds { truth << (16 * place) } else { 0 }
        })
    }))
}

/// `cvt` of one f32 to 16 bits, or of two, of which the first goes to the upper half.
pub(crate) fn from_f32(own: Modifiers) -> Option<Function> {
    Some(rounded(own, |x| x))
}

/// The same with `.relu`.
pub(crate) fn from_f32_positive(own: Modifiers) -> Option<Function> {
    Some(rounded(own, positive))
}

fn rounded(own: Modifiers, f: impl Fn(f64) -> f64 + Pure) -> Function {
    let sources = if own.narrow.is_some_and(|(_, count)| count == 2) { "WW" } else { "W" };
    each_lane(sources, false, own, move |own, [first, second, _]| {
        let Some((format, count)) = own.narrow else { return 0 };
        let narrow = |bits: u64| u64::from(format.rounded(f(f32::from_bits(bits as u32).into()), own.rounding()));
        if count == 1 { narrow(first) } else { narrow(first) << 16 | narrow(second) }
    })
}

/// `cvt` from bf16 to another float or an integer: as from the f32 of which it is the upper half.
pub(crate) fn from_brain(own: Modifiers) -> Option<Function> {
    let is_long = own.destination_bits == 64;
    let own = Modifiers { source: Type::Float(32), ..own };
    Some(each_lane("W", is_long, own, |own, [bits, ..]| converted(own, (bits & 0xffff) << 16)))
}

/// `cvt` from f16, f64 or an integer to bf16.
pub(crate) fn to_brain(own: Modifiers) -> Option<Function> {
    let sources = if own.source.bits() == 64 { "L" } else { "W" };
    Some(each_lane(sources, false, own, |own, [bits, ..]| {
        let to_double = Modifiers { destination_bits: 64, ..Modifiers::of_types(Type::Float(64), own.source) };
        let number = match own.source {
            Type::Signed(64) if bits >> 63 != 0 => -odd_integer(bits.wrapping_neg()),
            Type::Signed(64) | Type::Unsigned(64) => odd_integer(bits),
            _ => f64::from_bits(converted(&to_double, bits)),
        };
        Narrow::Brain.rounded(number, own.rounding()).into()
    }))
}

/// The f64 of a number, rounded to odd.
fn odd_integer(number: u64) -> f64 {
    const LOST_BITS: u32 = 11;
    if number >> f64::MANTISSA_DIGITS == 0 {
        return number as f64;
    }
    let is_inexact = number & ((1 << LOST_BITS) - 1) != 0;
    ((number >> LOST_BITS | u64::from(is_inexact)) << LOST_BITS) as f64
}

/// `cvt` to tf32, an f32 with 10 bits of fraction: `.rna` rounds ties away from zero.
pub(crate) fn to_tensor_float(own: Modifiers) -> Option<Function> {
    const LOST_BITS: u32 = 13;
    Some(each_lane("W", false, own, |own, [bits, ..]| {
        let bits = bits as u32;
        if f32::from_bits(bits).is_nan() {
            return 0x7fff_ffff;
        }
        if bits & 0x7f80_0000 == 0x7f80_0000 {
            return bits.into();
        }
        let half = 1 << (LOST_BITS - 1);
        let added = match own.rounding {
            None => half,
            Some(Rounding::Nearest) => half - 1 + (bits >> LOST_BITS & 1),
            Some(_) => 0,
        };
        u64::from((bits + added) >> LOST_BITS << LOST_BITS)
    }))
}
