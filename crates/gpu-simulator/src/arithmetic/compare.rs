//! Comparisons and selection by sign.

use super::lift::{Pure, each_lane, ternary, test};
use super::modifiers::Comparison;
use super::value::{Value, with_integer, with_width};
use super::{Function, Modifiers, float};
use crate::windows::{WINDOW_BYTES, WINDOWS_BYTES};
use ptx_syntax::module::Type;

/// `setp`, without a boolean operator.
pub(crate) fn predicate(own: Modifiers) -> Option<Function> {
    let comparison = own.comparison?;
    match own.target {
        Type::Float(32) if own.flushed => of_floats(comparison, f32::is_nan, float::flush),
        Type::Float(32) => of_floats(comparison, f32::is_nan, |a| a),
        Type::Float(64) => of_floats(comparison, f64::is_nan, |a| a),
        // Equal numbers are equal whatever their signs mean.
        ty if matches!(comparison, Comparison::Equal | Comparison::NotEqual) => {
            with_width!(ty, T => ordered::<T>(comparison))?
        }
        ty => with_integer!(ty, T => ordered::<T>(comparison))?,
    }
}

/// The six comparisons that every integer type knows.
fn ordered<T: Value + PartialOrd>(comparison: Comparison) -> Option<Function> {
    Some(match comparison {
        Comparison::Equal => test(|a: T, b: T| a == b),
        Comparison::NotEqual => test(|a: T, b: T| a != b),
        Comparison::Less => test(|a: T, b: T| a < b),
        Comparison::LessEqual => test(|a: T, b: T| a <= b),
        Comparison::Greater => test(|a: T, b: T| a > b),
        Comparison::GreaterEqual => test(|a: T, b: T| a >= b),
        _ => return None,
    })
}

/// The comparisons of floats: those that are false with a NaN, those that are true, and the two that ask for one.
pub(super) fn of_floats<T: Value + PartialOrd>(
    comparison: Comparison,
    is_nan: impl Fn(T) -> bool + Pure,
    prepare: impl Fn(T) -> T + Pure,
) -> Option<Function> {
    Some(match comparison {
        Comparison::Equal => test(move |a: T, b: T| prepare(a) == prepare(b)),
        Comparison::Less => test(move |a: T, b: T| prepare(a) < prepare(b)),
        Comparison::LessEqual => test(move |a: T, b: T| prepare(a) <= prepare(b)),
        Comparison::Greater => test(move |a: T, b: T| prepare(a) > prepare(b)),
        Comparison::GreaterEqual => test(move |a: T, b: T| prepare(a) >= prepare(b)),
        Comparison::NotEqual => test(move |a: T, b: T| prepare(a) < prepare(b) || prepare(a) > prepare(b)),
        Comparison::NotEqualOrNan => test(move |a: T, b: T| prepare(a) != prepare(b)),
        Comparison::EqualOrNan => test(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) == prepare(b)),
        Comparison::LessOrNan => test(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) < prepare(b)),
        Comparison::LessEqualOrNan => test(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) <= prepare(b)),
        Comparison::GreaterOrNan => test(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) > prepare(b)),
        Comparison::GreaterEqualOrNan => test(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) >= prepare(b)),
        Comparison::Numbers => test(move |a: T, b: T| !(is_nan(a) || is_nan(b))),
        Comparison::Nan => test(move |a: T, b: T| is_nan(a) || is_nan(b)),
    })
}

/// Whether an address is in the window that begins at another.
pub(crate) fn is_in_window() -> Function {
    test(|address: u64, base: u64| address.wrapping_sub(base) < WINDOW_BYTES)
}

/// Whether an address is in none of the windows, the first of which begins at another.
pub(crate) fn is_in_no_window() -> Function {
    test(|address: u64, first: u64| address.wrapping_sub(first) >= WINDOWS_BYTES)
}

/// `set`, without a boolean operator: all ones or 0, as f32 1 or 0.
pub(crate) fn set(own: Modifiers) -> Option<Function> {
    own.comparison?;
    let sources = if own.source.bits() == 64 { "LL" } else { "WW" };
    Some(each_lane(sources, false, own, |own, [a, b, _]| {
        let truth = if own.target == Type::Float(32) { 1.0_f32.to_bits() } else { u32::MAX };
        if holds(own, a, b) { u64::from(truth) } else { 0 }
    }))
}

/// Whether the comparison holds of two values of the source type.
fn holds(own: &Modifiers, a: u64, b: u64) -> bool {
    let order = match own.source {
        Type::Float(32) => {
            let number =
                |bits: u64| if own.flushed { float::flush(f32::read(bits as u32)) } else { f32::read(bits as u32) };
            number(a).partial_cmp(&number(b))
        }
        Type::Float(_) => f64::read(a).partial_cmp(&f64::read(b)),
        Type::Signed(bits) => Some((a << (64 - bits)).cast_signed().cmp(&(b << (64 - bits)).cast_signed())),
        ty => Some((a << (64 - ty.bits())).cmp(&(b << (64 - ty.bits())))),
    };
    own.comparison.is_some_and(|comparison| comparison.of(order))
}

impl Comparison {
    /// Whether it holds of two values that compare so; `None` where one is a NaN.
    pub(super) fn of(self, order: Option<std::cmp::Ordering>) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self {
            Self::Equal => order == Some(Equal),
            Self::NotEqual => matches!(order, Some(Less | Greater)),
            Self::Less => order == Some(Less),
            Self::LessEqual => matches!(order, Some(Less | Equal)),
            Self::Greater => order == Some(Greater),
            Self::GreaterEqual => matches!(order, Some(Greater | Equal)),
            Self::Numbers => order.is_some(),
            Self::EqualOrNan => matches!(order, None | Some(Equal)),
            Self::NotEqualOrNan => order != Some(Equal),
            Self::LessOrNan => matches!(order, None | Some(Less)),
            Self::LessEqualOrNan => order != Some(Greater),
            Self::GreaterOrNan => matches!(order, None | Some(Greater)),
            Self::GreaterEqualOrNan => order != Some(Less),
            Self::Nan => order.is_none(),
        }
    }
}

/// `slct`, of 16 and 32 bits: the first operand where the third is at least 0 (a -0 is), else the second.
pub(crate) fn select(own: Modifiers) -> Option<Function> {
    Some(match (own.source, own.flushed) {
        (Type::Signed(_), _) => ternary(|a: u32, b, c| if c >> 31 == 0 { a } else { b }),
        (_, false) => ternary(|a: u32, b, c| if f32::read(c) >= 0.0 { a } else { b }),
        (_, true) => ternary(|a: u32, b, c| if float::flush(f32::read(c)) >= 0.0 { a } else { b }),
    })
}
