//! f32 arithmetic rounded as IEEE 754 says (PTX ISA 9.7.3).
//!
//! Every NaN that arithmetic gives, negation included, is the canonical one, whatever the operands' payloads are.

use super::super::class::Class;
use super::find::Words;
use super::lift::{Pure, binary, ternary, unary};
use super::rounding::{self, Rounding};
use super::{Function, Operation};

/// The NaN that GPUs give.
const NAN: f32 = f32::from_bits(0x7fff_ffff);

/// What modifiers do around a function.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    flushed: bool,
    /// `.sat`: results are clamped to 0 to 1, with 0 for NaN.
    saturated: bool,
}

impl Style {
    /// Of `.ftz` and, where the instruction has it, `.sat`.
    pub(super) fn take(words: &mut Words, may_saturate: bool) -> Self {
        Self { flushed: words.take("ftz"), saturated: may_saturate && words.take("sat") }
    }

    /// A function of one operand, with its NaNs made canonical.
    pub(super) fn one(self, f: impl Fn(f32) -> f32 + Pure) -> Function {
        if self.flushed { unary(move |a| flush(canonical(f(flush(a))))) } else { unary(move |a| canonical(f(a))) }
    }

    /// As `one`, of two.
    pub(super) fn two(self, f: impl Fn(f32, f32) -> f32 + Pure) -> Function {
        match (self.flushed, self.saturated) {
            (false, false) => binary(move |a, b| canonical(f(a, b))),
            (true, false) => binary(move |a, b| flush(canonical(f(flush(a), flush(b))))),
            (false, true) => binary(move |a, b| saturate(f(a, b))),
            (true, true) => binary(move |a, b| flush(saturate(f(flush(a), flush(b))))),
        }
    }

    /// As `one`, of three.
    fn three(self, f: impl Fn(f32, f32, f32) -> f32 + Pure) -> Function {
        match (self.flushed, self.saturated) {
            (false, false) => ternary(move |a, b, c| canonical(f(a, b, c))),
            (true, false) => ternary(move |a, b, c| flush(canonical(f(flush(a), flush(b), flush(c))))),
            (false, true) => ternary(move |a, b, c| saturate(f(a, b, c))),
            (true, true) => ternary(move |a, b, c| flush(saturate(f(flush(a), flush(b), flush(c))))),
        }
    }

    /// As `one`, of a function that the host rounds to nearest, and the same rounded in any direction.
    fn one_rounded(
        self,
        rounding: Rounding,
        nearest: impl Fn(f32) -> f32 + Pure,
        directed: impl Fn(f32, Rounding) -> f32 + Pure,
    ) -> Function {
        match rounding {
            Rounding::Nearest => self.one(nearest),
            Rounding::Zero => self.one(move |a| directed(a, Rounding::Zero)),
            Rounding::Down => self.one(move |a| directed(a, Rounding::Down)),
            Rounding::Up => self.one(move |a| directed(a, Rounding::Up)),
        }
    }

    /// As `one_rounded`, of two.
    fn two_rounded(
        self,
        rounding: Rounding,
        nearest: impl Fn(f32, f32) -> f32 + Pure,
        directed: impl Fn(f32, f32, Rounding) -> f32 + Pure,
    ) -> Function {
        match rounding {
            Rounding::Nearest => self.two(nearest),
            Rounding::Zero => self.two(move |a, b| directed(a, b, Rounding::Zero)),
            Rounding::Down => self.two(move |a, b| directed(a, b, Rounding::Down)),
            Rounding::Up => self.two(move |a, b| directed(a, b, Rounding::Up)),
        }
    }

    /// `a * b + c`, rounded once.
    fn fused(self, rounding: Rounding) -> Function {
        match rounding {
            Rounding::Nearest => self.three(f32::mul_add),
            Rounding::Zero => self.three(|a, b, c| rounding::fused(a, b, c, Rounding::Zero)),
            Rounding::Down => self.three(|a, b, c| rounding::fused(a, b, c, Rounding::Down)),
            Rounding::Up => self.three(|a, b, c| rounding::fused(a, b, c, Rounding::Up)),
        }
    }
}

/// The operation on f32; `words` are what is written between the opcode and `.f32`.
pub(super) fn find(opcode: &str, words: &mut Words) -> Option<Operation> {
    let written = words.take_one_of(&["rn", "rz", "rm", "rp"]).and_then(Rounding::parse);
    let default = written.unwrap_or(Rounding::Nearest);
    let style = Style::take(words, matches!(opcode, "add" | "sub" | "mul" | "fma" | "mad"));
    let (function, weight) = match opcode {
        "add" => (style.two_rounded(default, |a, b| a + b, rounding::sum), 1),
        "sub" => (style.two_rounded(default, |a, b| a - b, |a, b, r| rounding::sum(a, -b, r)), 1),
        "mul" => (style.two_rounded(default, |a, b| a * b, rounding::product), 1),
        "fma" | "mad" => (style.fused(written?), 1),
        "div" => (style.two_rounded(written?, |a, b| a / b, rounding::quotient), 10),
        "rcp" => (style.one_rounded(written?, |a| 1.0 / a, |a, r| rounding::quotient(1.0, a, r)), 8),
        "sqrt" => (style.one_rounded(written?, f32::sqrt, rounding::root), 9),
        _ if written.is_some() => return None,
        "min" | "max" => (extreme(style, opcode == "max", words.take("NaN")), 1),
        "neg" => (style.one(|a| -a), 1),
        "abs" => (style.one(f32::abs), 1),
        "copysign" if !style.flushed => (binary(|a: u32, b| (a & (1 << 31)) | (b & !(1 << 31))), 1),
        _ => return None,
    };
    Some(Operation { function, class: Class::Float, weight })
}

/// `min` and `max`: of -0 and +0, -0 is the lesser. Unless `.NaN` is written, a NaN loses against a number.
fn extreme(style: Style, greatest: bool, propagate: bool) -> Function {
    match (greatest, propagate) {
        (false, false) => style.two(least),
        (true, false) => style.two(|a, b| -least(-a, -b)),
        (false, true) => style.two(|a, b| if a.is_nan() || b.is_nan() { NAN } else { least(a, b) }),
        (true, true) => style.two(|a, b| if a.is_nan() || b.is_nan() { NAN } else { -least(-a, -b) }),
    }
}

/// The lesser.
#[allow(clippy::float_cmp)] // Zeros of two signs are meant.
fn least(a: f32, b: f32) -> f32 {
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
pub(super) fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}
