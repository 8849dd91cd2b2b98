//! `cvt`. One function converts whatever is asked for; the conversions that programs do often are compiled on their own.

use super::half::Narrow;
use super::lift::{each_lane, unary};
use super::rounding::{self, Rounding};
use super::{Function, Modifiers, double, float};
use ptx_syntax::module::Type;

/// The conversion that the modifiers say; `None` where the destination register cannot hold the result.
pub(crate) fn convert(own: Modifiers) -> Option<Function> {
    let holds = match own.target {
        Type::Float(bits) => bits <= own.destination_bits && (bits == 64) == (own.destination_bits == 64),
        ty => ty.bits() <= own.destination_bits,
    };
    if !holds {
        return None;
    }
    let often = match (own.target, own.source) {
        _ if own.flushed || own.saturated || own.source_bits != own.source.bits() => None,
        (Type::Float(_), _) | (_, Type::Float(_)) => with_floats(own),
        _ => between_integers(own),
    };
    let sources = if own.source_bits == 64 { "L" } else { "W" };
    Some(
        often.unwrap_or_else(|| {
            each_lane(sources, own.destination_bits == 64, own, |own, [bits, ..]| converted(own, bits))
        }),
    )
}

/// From integer to integer, cut off. Cutting and extending at once leaves few different functions: the low bits of the
/// source, as many as both types have, extended by zeros or their sign.
fn between_integers(own: Modifiers) -> Option<Function> {
    let (target, source) = (own.target.bits(), own.source.bits());
    let kept = target.min(source);
    let narrows = if target <= source { own.target } else { own.source };
    // Of a signed source and an unsigned target that is wider, the sign ends at the target's width.
    let (signed, ends) = match narrows {
        Type::Signed(_) if matches!(own.target, Type::Signed(_)) => (true, own.destination_bits),
        Type::Signed(_) => (true, target),
        _ => (false, own.destination_bits),
    };
    let signed = signed && ends > kept;
    if signed && ends != own.destination_bits {
        return None;
    }
    let (from_long, to_long) = (source == 64, own.destination_bits == 64);
    Some(match (signed, kept, from_long, to_long) {
        (false, 8, false, false) => unary(|a: u8| a),
        (false, 16, false, false) => unary(|a: u16| a),
        (false, 32, false, false) => unary(|a: u32| a),
        (false, 8, false, true) => unary(|a: u8| u64::from(a)),
        (false, 16, false, true) => unary(|a: u16| u64::from(a)),
        (false, 32, false, true) => unary(|a: u32| u64::from(a)),
        (false, 8, true, false) => unary(|a: u64| a as u8),
        (false, 16, true, false) => unary(|a: u64| a as u16),
        (false, 32, true, false) => unary(|a: u64| a as u32),
        (false, 8, true, true) => unary(|a: u64| a & 0xff),
        (false, 16, true, true) => unary(|a: u64| a & 0xffff),
        (false, 32, true, true) => unary(|a: u64| a & 0xffff_ffff),
        (false, _, true, true) => unary(|a: u64| a),
        (true, 8, false, true) => unary(|a: i8| i64::from(a)),
        (true, 16, false, true) => unary(|a: i16| i64::from(a)),
        (true, 32, false, true) => unary(|a: i32| i64::from(a)),
        (true, 8, true, true) => unary(|a: u64| i64::from(a as i8)),
        (true, 16, true, true) => unary(|a: u64| i64::from(a as i16)),
        (true, 32, true, true) => unary(|a: u64| i64::from(a as i32)),
        (true, 8, false, false) if ends == 32 => unary(|a: i8| i32::from(a)),
        (true, 16, false, false) if ends == 32 => unary(|a: i16| i32::from(a)),
        (true, 8, true, false) if ends == 32 => unary(|a: u64| i32::from(a as i8)),
        (true, 16, true, false) if ends == 32 => unary(|a: u64| i32::from(a as i16)),
        _ => return None,
    })
}

/// A conversion compiled on its own: of constant modifiers nothing is left of [`converted`] but its arithmetic.
macro_rules! compiled {
    ($own:expr; $($target:ident($target_bits:literal) $source:ident($source_bits:literal) $rounding:ident $whole:literal:
        $from:ty => $to:ty;)*) => {
        match ($own.target, $own.source, $own.rounding(), $own.whole) {
            $((Type::$target($target_bits), Type::$source($source_bits), Rounding::$rounding, $whole)
                if $own.destination_bits == $target_bits =>
            {
                Some(unary(|a: $from| {
                    const OWN: Modifiers = Modifiers {
                        rounding: Some(Rounding::$rounding),
                        whole: $whole,
                        ..Modifiers::of_types(Type::$target($target_bits), Type::$source($source_bits))
                    };
                    converted(&OWN, u64::from(a)) as $to
                }))
            })*
            _ => None,
        }
    };
}

/// The conversions from and to floats that are compiled on their own.
fn with_floats(own: Modifiers) -> Option<Function> {
    compiled! { own;
        Float(32) Signed(32) Nearest false: u32 => u32;
        Float(32) Unsigned(32) Nearest false: u32 => u32;
        Float(32) Signed(64) Nearest false: u64 => u32;
        Float(32) Unsigned(64) Nearest false: u64 => u32;
        Float(64) Signed(32) Nearest false: u32 => u64;
        Float(64) Unsigned(32) Nearest false: u32 => u64;
        Float(64) Signed(64) Nearest false: u64 => u64;
        Float(64) Unsigned(64) Nearest false: u64 => u64;
        Float(32) Float(64) Nearest false: u64 => u32;
        Float(64) Float(32) Nearest false: u32 => u64;
        Signed(32) Float(32) Zero true: u32 => u32;
        Unsigned(32) Float(32) Zero true: u32 => u32;
        Signed(64) Float(32) Zero true: u32 => u64;
        Unsigned(64) Float(32) Zero true: u32 => u64;
        Signed(32) Float(64) Zero true: u64 => u32;
        Unsigned(32) Float(64) Zero true: u64 => u32;
        Signed(64) Float(64) Zero true: u64 => u64;
        Unsigned(64) Float(64) Zero true: u64 => u64;
        Signed(32) Float(32) Nearest true: u32 => u32;
        Signed(32) Float(32) Down true: u32 => u32;
        Float(32) Float(32) Nearest true: u32 => u32;
        Float(32) Float(32) Zero true: u32 => u32;
        Float(32) Float(32) Down true: u32 => u32;
        Float(32) Float(32) Up true: u32 => u32;
    }
}

/// The bits of the destination register for those of a source.
#[inline(always)]
#[allow(clippy::inline_always)] // So that constant modifiers leave one conversion of it.
pub(super) fn converted(own: &Modifiers, bits: u64) -> u64 {
    match (own.target, own.source) {
        (Type::Float(_), Type::Float(_)) => between_floats(own, bits),
        (Type::Float(_), _) => from_integer(own, bits),
        (_, Type::Float(_)) => extended(own, to_integer(own, bits)),
        _ if own.saturated => {
            let (least, greatest) = range(own.target);
            extended(own, integer(own.source, bits).clamp(least, greatest) as u64)
        }
        _ => extended(own, integer(own.source, bits) as u64),
    }
}

/// An integer of the target type in the destination register, extended by zeros or its sign, as its type says.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn extended(own: &Modifiers, bits: u64) -> u64 {
    integer(own.target, bits) as u64 & (u64::MAX >> (64 - u32::from(own.destination_bits)))
}

/// The number that an integer type's bits stand for; those above its width are ignored.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn integer(ty: Type, bits: u64) -> i128 {
    match ty {
        Type::Signed(8) => (bits as i8).into(),
        Type::Signed(16) => (bits as i16).into(),
        Type::Signed(32) => (bits as i32).into(),
        Type::Signed(_) => (bits as i64).into(),
        _ => (bits & (u64::MAX >> (64 - u32::from(ty.bits())))).into(),
    }
}

/// The least and the greatest number of an integer type.
fn range(ty: Type) -> (i128, i128) {
    match ty {
        Type::Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        ty => (0, (1 << ty.bits()) - 1),
    }
}

/// The number that a float's bits stand for, exactly, NaNs' payloads included. A flushed f32 is zero where it is
/// subnormal, and its NaNs lose their payload.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn real(ty: Type, bits: u64, flushed: bool) -> f64 {
    match ty {
        Type::Float(16) => Narrow::Half.to_f64(bits as u16),
        Type::Float(32) => {
            let number = f32::from_bits(bits as u32);
            let number = if flushed { float::flush(float::canonical(number)) } else { number };
            if number.is_nan() {
                let bits = u64::from(number.to_bits());
                return f64::from_bits(((bits >> 31) << 63) | f64::INFINITY.to_bits() | ((bits & 0x007f_ffff) << 29));
            }
            number.into()
        }
        _ => f64::from_bits(bits),
    }
}

/// From float to integer: rounded to a whole number, then clamped. A NaN gives 0, or the top bit alone if either type
/// has 64 bits.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn to_integer(own: &Modifiers, bits: u64) -> u64 {
    let number = real(own.source, bits, own.flushed);
    if number.is_nan() && (own.source.bits() == 64 || own.target.bits() == 64) {
        return 1 << (own.target.bits() - 1);
    }
    let whole = own.rounding().whole(number);
    match own.target {
        Type::Signed(8) => whole as i8 as u64,
        Type::Signed(16) => whole as i16 as u64,
        Type::Signed(32) => whole as i32 as u64,
        Type::Signed(_) => whole as i64 as u64,
        Type::Unsigned(8) => (whole as u8).into(),
        Type::Unsigned(16) => (whole as u16).into(),
        Type::Unsigned(32) => (whole as u32).into(),
        _ => whole as u64,
    }
}

/// From integer to float.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn from_integer(own: &Modifiers, bits: u64) -> u64 {
    let rounding = own.rounding();
    if own.saturated {
        // Nothing is left to be rounded.
        let number = saturate(integer(own.source, bits) as f64);
        return match own.target {
            Type::Float(16) => Narrow::Half.rounded(number, Rounding::Nearest).into(),
            Type::Float(32) => (number as f32).to_bits().into(),
            _ => number.to_bits(),
        };
    }
    match own.target {
        Type::Float(16) => Narrow::Half.rounded(integer(own.source, bits) as f64, rounding).into(),
        Type::Float(32) => {
            let nearest = match own.source {
                Type::Signed(32) => bits as i32 as f32,
                Type::Unsigned(32) => bits as u32 as f32,
                Type::Signed(64) => bits as i64 as f32,
                Type::Unsigned(64) => bits as f32,
                ty => integer(ty, bits) as f32,
            };
            if rounding == Rounding::Nearest {
                return nearest.to_bits().into();
            }
            let order = (nearest as i128).cmp(&integer(own.source, bits));
            rounding.correct(order, nearest < 0.0).apply(nearest).to_bits().into()
        }
        _ => {
            let nearest = match own.source {
                Type::Signed(32) => (bits as i32).into(),
                Type::Unsigned(32) => (bits as u32).into(),
                Type::Signed(64) => bits as i64 as f64,
                Type::Unsigned(64) => bits as f64,
                ty => integer(ty, bits) as f64,
            };
            if rounding == Rounding::Nearest {
                return nearest.to_bits();
            }
            let order = (nearest as i128).cmp(&integer(own.source, bits));
            rounding.correct(order, nearest < 0.0).apply_to_f64(nearest).to_bits()
        }
    }
}

/// 0 to 1; +0 for NaN and -0.
fn saturate(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// From float to float.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn between_floats(own: &Modifiers, bits: u64) -> u64 {
    let is_plain = !own.whole && !own.flushed && !own.saturated;
    if own.target == own.source && own.target != Type::Float(16) && is_plain {
        return bits;
    }
    let rounding = own.rounding();
    // To f16, GPUs do not flush: a subnormal f32 still counts when rounding up or down.
    let number = real(own.source, bits, own.flushed && own.target != Type::Float(16));
    let number = if own.whole { rounding.whole(number) } else { number };
    let number = if own.saturated { saturate(number) } else { number };
    let from_double = own.source == Type::Float(64);
    match own.target {
        Type::Float(16) => to_half(number, rounding, from_double).into(),
        Type::Float(32) => {
            let result = to_f32(number, rounding, from_double);
            if own.flushed && from_double { float::flush(result) } else { result }.to_bits().into()
        }
        _ => if number.is_nan() { double::quiet(number) } else { number }.to_bits(),
    }
}

/// The f16. Of an f64's NaN it keeps the sign and the upper bits of the payload.
fn to_half(x: f64, rounding: Rounding, from_double: bool) -> u16 {
    if from_double && x.is_nan() {
        let bits = double::quiet(x).to_bits();
        return ((bits >> 63) as u16) << 15 | 0x7c00 | ((bits >> 42) & 0x3ff) as u16;
    }
    Narrow::Half.rounded(x, rounding)
}

/// As `to_half`, an f32.
#[inline(always)]
#[allow(clippy::inline_always)] // As `converted`.
fn to_f32(x: f64, rounding: Rounding, from_double: bool) -> f32 {
    if from_double && x.is_nan() {
        let bits = double::quiet(x).to_bits();
        return f32::from_bits(((bits >> 63) as u32) << 31 | 0x7f80_0000 | ((bits >> 29) & 0x007f_ffff) as u32);
    }
    float::canonical(rounding::to_f32(x, rounding))
}
