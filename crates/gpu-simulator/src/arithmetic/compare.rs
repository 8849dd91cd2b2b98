//! Comparisons and selection by sign (PTX ISA 9.7.6).

use super::super::class::Class;
use super::find::{Words, with_integer};
use super::lift::{Pure, binary_to_word, ternary, test};
use super::value::Value;
use super::{Function, Operation, float};
use ptx_syntax::module::Type;

/// What becomes of a comparison's outcome.
trait Outcome {
    /// The function that compares.
    fn function<T: Value>(compare: impl Fn(T, T) -> bool + Pure) -> Function;
}

/// `setp`: a predicate.
struct Predicate;

impl Outcome for Predicate {
    fn function<T: Value>(compare: impl Fn(T, T) -> bool + Pure) -> Function {
        test(compare)
    }
}

/// `set`: a word, `TRUE` or 0.
struct Word<const TRUE: u32>;

impl<const TRUE: u32> Outcome for Word<TRUE> {
    fn function<T: Value>(compare: impl Fn(T, T) -> bool + Pure) -> Function {
        binary_to_word(move |a, b| if compare(a, b) { TRUE } else { 0 })
    }
}

/// `setp`, without a boolean operator.
pub(super) fn find_predicate(words: &mut Words) -> Option<Operation> {
    let ty = words.pop_type()?;
    compare::<Predicate>(words, ty)
}

/// `set`, without a boolean operator.
pub(super) fn find_set(words: &mut Words) -> Option<Operation> {
    let ty = words.pop_type()?;
    match words.pop_type()? {
        Type::Unsigned(32) | Type::Signed(32) => compare::<Word<{ u32::MAX }>>(words, ty),
        Type::Float(32) => compare::<Word<{ 1.0_f32.to_bits() }>>(words, ty),
        _ => None,
    }
}

/// The comparison of values of type `ty` that `words` name.
fn compare<O: Outcome>(words: &mut Words, ty: Type) -> Option<Operation> {
    let flushed = words.take("ftz");
    let operator = words.pop()?;
    let operation = |function, class, weight| Some(Operation { function, class, weight });
    match ty {
        Type::Float(32) if flushed => {
            let function = of_floats::<f32, O>(operator, f32::is_nan, float::flush)?;
            operation(function, Class::Float, 1)
        }
        _ if flushed => None,
        Type::Float(32) => operation(of_floats::<f32, O>(operator, f32::is_nan, |a| a)?, Class::Float, 1),
        Type::Float(64) => operation(of_floats::<f64, O>(operator, f64::is_nan, |a| a)?, Class::Double, 1),
        Type::Bits(bits) if matches!(operator, "eq" | "ne") => {
            let function = with_integer!(Type::Unsigned(bits), T => ordered::<T, O>(operator))??;
            operation(function, Class::Integer, bits.div_ceil(32))
        }
        Type::Unsigned(bits) | Type::Signed(bits) => {
            let operator = match (ty, operator) {
                (Type::Unsigned(_), "lo") => "lt",
                (Type::Unsigned(_), "ls") => "le",
                (Type::Unsigned(_), "hi") => "gt",
                (Type::Unsigned(_), "hs") => "ge",
                _ => operator,
            };
            let function = with_integer!(ty, T => ordered::<T, O>(operator))??;
            operation(function, Class::Integer, bits.div_ceil(32))
        }
        _ => None,
    }
}

/// The six comparisons that every integer type knows.
fn ordered<T: Value + PartialOrd, O: Outcome>(operator: &str) -> Option<Function> {
    Some(match operator {
        "eq" => O::function(|a: T, b: T| a == b),
        "ne" => O::function(|a: T, b: T| a != b),
        "lt" => O::function(|a: T, b: T| a < b),
        "le" => O::function(|a: T, b: T| a <= b),
        "gt" => O::function(|a: T, b: T| a > b),
        "ge" => O::function(|a: T, b: T| a >= b),
        _ => return None,
    })
}

/// The comparisons of floats: those that are false with a NaN, those that are true, and the two that ask for one.
fn of_floats<T: Value + PartialOrd, O: Outcome>(
    operator: &str,
    is_nan: impl Fn(T) -> bool + Pure,
    prepare: impl Fn(T) -> T + Pure,
) -> Option<Function> {
    Some(match operator {
        "eq" => O::function(move |a: T, b: T| prepare(a) == prepare(b)),
        "lt" => O::function(move |a: T, b: T| prepare(a) < prepare(b)),
        "le" => O::function(move |a: T, b: T| prepare(a) <= prepare(b)),
        "gt" => O::function(move |a: T, b: T| prepare(a) > prepare(b)),
        "ge" => O::function(move |a: T, b: T| prepare(a) >= prepare(b)),
        "ne" => O::function(move |a: T, b: T| prepare(a) < prepare(b) || prepare(a) > prepare(b)),
        "neu" => O::function(move |a: T, b: T| prepare(a) != prepare(b)),
        "equ" => O::function(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) == prepare(b)),
        "ltu" => O::function(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) < prepare(b)),
        "leu" => O::function(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) <= prepare(b)),
        "gtu" => O::function(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) > prepare(b)),
        "geu" => O::function(move |a: T, b: T| is_nan(a) || is_nan(b) || prepare(a) >= prepare(b)),
        "num" => O::function(move |a: T, b: T| !(is_nan(a) || is_nan(b))),
        "nan" => O::function(move |a: T, b: T| is_nan(a) || is_nan(b)),
        _ => return None,
    })
}

/// `slct`, of 16 and 32 bits: the first operand where the third is at least 0 (a -0 is), else the second.
pub(super) fn find_select(words: &mut Words) -> Option<Operation> {
    let (by, ty) = (words.pop_type()?, words.pop_type()?);
    let function = match (ty.bits(), by, words.take("ftz")) {
        (16 | 32, Type::Signed(32), false) => ternary(|a: u32, b, c| if c >> 31 == 0 { a } else { b }),
        (16 | 32, Type::Float(32), false) => ternary(|a: u32, b, c| if f32::read(c) >= 0.0 { a } else { b }),
        (16 | 32, Type::Float(32), true) => {
            ternary(|a: u32, b, c| if float::flush(f32::read(c)) >= 0.0 { a } else { b })
        }
        _ => return None,
    };
    Some(Operation { function, class: Class::Integer, weight: 1 })
}
