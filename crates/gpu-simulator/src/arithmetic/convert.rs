//! `cvt` (PTX ISA 9.7.9).

use super::super::class::Class;
use super::find::{Words, with_integer};
use super::half::Half;
use super::lift::{Pure, unary};
use super::rounding::{self, Rounding};
use super::value::{Integer, Value};
use super::{Function, Operation, double, float};
use ptx_syntax::module::Type;

/// An expression with `$letter` as the type that a [`Type`] of 8 to 64 bits names, or `None` for other types.
macro_rules! with_any_integer {
    ($ty:expr, $letter:ident => $function:expr) => {
        with_integer!($ty, $letter => $function; Unsigned(8) u8, Unsigned(16) u16, Unsigned(32) u32, Unsigned(64) u64,
            Signed(8) i8, Signed(16) i16, Signed(32) i32, Signed(64) i64)
    };
}

/// The conversion that `words` name, into a register of `destination_bits`.
pub(super) fn find(words: &mut Words, destination_bits: u8) -> Option<Operation> {
    let source = words.pop_type()?;
    let target = words.pop_type()?;
    let whole = words.take_one_of(&["rni", "rzi", "rmi", "rpi"]).map(|word| &word[..2]).and_then(Rounding::parse);
    let rounding = words.take_one_of(&["rn", "rz", "rm", "rp"]).and_then(Rounding::parse);
    let flushed = words.take("ftz");
    let saturated = words.take("sat");
    if target.bits() > destination_bits
        || (matches!(target, Type::Float(_)) && (target.bits() == 64) != (destination_bits == 64))
    {
        return None;
    }
    let function = match (target, source) {
        (Type::Float(_), Type::Float(_)) => between_floats(target, source, (whole, rounding), flushed, saturated),
        (Type::Float(bits), _) if whole.is_none() && (!flushed || bits == 32) => {
            with_any_integer!(source, S => from_integer::<S>(bits, rounding?, saturated))?
        }
        (_, Type::Float(_)) if rounding.is_none() => {
            with_any_integer!(target, D => to_integer::<D>(source, flushed, whole?, destination_bits))?
        }
        (Type::Unsigned(_) | Type::Signed(_), _) if rounding.is_none() && whole.is_none() && !flushed => {
            with_any_integer!(source, S => with_any_integer!(target, D => between::<S, D>(saturated, destination_bits)))??
        }
        _ => None,
    }?;
    let class = match (target, source) {
        (Type::Float(64), _) | (_, Type::Float(64)) => Class::Double,
        (Type::Float(_), _) | (_, Type::Float(_)) => Class::Special,
        _ => Class::Integer,
    };
    Some(Operation { function, class, weight: 1 })
}

/// A function whose result is extended to the destination register, by zeros or its sign, as its type says.
fn extended<S: Value, D: Integer>(destination_bits: u8, f: impl Fn(S) -> D + Pure) -> Option<Function> {
    match destination_bits {
        bits if u32::from(bits) == D::BITS => Some(unary(f)),
        16 => Some(unary(move |a| f(a).extend() as u16)),
        32 => Some(unary(move |a| f(a).extend() as u32)),
        64 => Some(unary(move |a| f(a).extend())),
        _ => None,
    }
}

/// From integer to integer: cut off, or clamped.
fn between<S: Integer, D: Integer>(saturated: bool, destination_bits: u8) -> Option<Function> {
    if saturated {
        extended(destination_bits, |a: S| D::nearest(a.to_i128()))
    } else {
        extended(destination_bits, |a: S| D::truncate(a.extend()))
    }
}

/// A float to convert from.
trait Real: Value {
    /// Whether it is an f64.
    const LONG: bool;
    /// Exactly, NaNs' payloads included.
    fn number(self) -> f64;
}

impl Real for Half {
    const LONG: bool = false;
    fn number(self) -> f64 {
        self.to_f64()
    }
}

impl Real for f32 {
    const LONG: bool = false;
    fn number(self) -> f64 {
        if self.is_nan() {
            let bits = u64::from(self.to_bits());
            f64::from_bits(((bits >> 31) << 63) | f64::INFINITY.to_bits() | ((bits & 0x007f_ffff) << 29))
        } else {
            self.into()
        }
    }
}

impl Real for f64 {
    const LONG: bool = true;
    fn number(self) -> f64 {
        self
    }
}

/// An f32 of which subnormals are taken for zeros, and whose NaNs lose their payload.
#[derive(Clone, Copy)]
struct Flushed(f32);

impl Value for Flushed {
    type Register = u32;
    fn read(register: u32) -> Self {
        Self(float::flush(float::canonical(f32::read(register))))
    }
    fn write(self) -> u32 {
        self.0.write()
    }
}

impl Real for Flushed {
    const LONG: bool = false;
    fn number(self) -> f64 {
        self.0.number()
    }
}

/// From float to integer: rounded to a whole number, then clamped. A NaN gives 0, or the top bit alone if either type
/// has 64 bits.
fn to_integer<D: Integer>(source: Type, flushed: bool, rounding: Rounding, destination_bits: u8) -> Option<Function> {
    fn convert<S: Real, D: Integer>(a: S, rounding: Rounding) -> D {
        let number = a.number();
        if number.is_nan() && (S::LONG || D::BITS == 64) {
            return D::truncate(1 << (D::BITS - 1));
        }
        D::from_f64(rounding.whole(number))
    }
    fn of<S: Real, D: Integer>(rounding: Rounding, bits: u8) -> Option<Function> {
        match rounding {
            Rounding::Nearest => extended(bits, |a: S| convert::<S, D>(a, Rounding::Nearest)),
            Rounding::Zero => extended(bits, |a: S| convert::<S, D>(a, Rounding::Zero)),
            Rounding::Down => extended(bits, |a: S| convert::<S, D>(a, Rounding::Down)),
            Rounding::Up => extended(bits, |a: S| convert::<S, D>(a, Rounding::Up)),
        }
    }
    match (source, flushed) {
        (Type::Float(16), false) => of::<Half, D>(rounding, destination_bits),
        (Type::Float(32), false) => of::<f32, D>(rounding, destination_bits),
        (Type::Float(32), true) => of::<Flushed, D>(rounding, destination_bits),
        (Type::Float(64), false) => of::<f64, D>(rounding, destination_bits),
        _ => None,
    }
}

/// From integer to float.
fn from_integer<S: Integer>(bits: u8, rounding: Rounding, saturated: bool) -> Option<Function> {
    Some(match (bits, saturated) {
        (16, false) => directed(rounding, |a: S, r| Half::from_f64(a.to_f64(), r)),
        (32, false) => directed(rounding, |a: S, r| {
            let nearest = a.to_f32();
            r.correct((nearest as i128).cmp(&a.to_i128()), nearest < 0.0).apply(nearest)
        }),
        (64, false) => directed(rounding, |a: S, r| {
            let nearest = a.to_f64();
            r.correct((nearest as i128).cmp(&a.to_i128()), nearest < 0.0).apply_to_f64(nearest)
        }),
        // Nothing is left to be rounded.
        (16, true) => unary(|a: S| Half::from_f64(saturate(a.to_f64()), Rounding::Nearest)),
        (32, true) => unary(|a: S| saturate(a.to_f64()) as f32),
        (64, true) => unary(|a: S| saturate(a.to_f64())),
        _ => return None,
    })
}

/// A function that rounds in the given direction.
fn directed<S: Value, D: Value>(rounding: Rounding, f: impl Fn(S, Rounding) -> D + Pure) -> Function {
    match rounding {
        Rounding::Nearest => unary(move |a| f(a, Rounding::Nearest)),
        Rounding::Zero => unary(move |a| f(a, Rounding::Zero)),
        Rounding::Down => unary(move |a| f(a, Rounding::Down)),
        Rounding::Up => unary(move |a| f(a, Rounding::Up)),
    }
}

/// 0 to 1; +0 for NaN and -0.
fn saturate(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// From float to float. `rounding` is to a whole number, or of the result. Only a narrower result needs the latter, and
/// only one of the same type may have the former.
fn between_floats(
    target: Type,
    source: Type,
    rounding: (Option<Rounding>, Option<Rounding>),
    flushed: bool,
    saturated: bool,
) -> Option<Function> {
    if flushed && target != Type::Float(32) && source != Type::Float(32) {
        return None;
    }
    let whole = match (target.bits().cmp(&source.bits()), rounding) {
        (std::cmp::Ordering::Equal, (Some(_), None)) => true,
        (std::cmp::Ordering::Equal | std::cmp::Ordering::Greater, (None, None))
        | (std::cmp::Ordering::Less, (None, Some(_))) => false,
        _ => return None,
    };
    if target == source && target != Type::Float(16) && !whole && !flushed && !saturated {
        return Some(if target.bits() == 64 { unary(|a: u64| a) } else { unary(|a: u32| a) });
    }
    let rounding = rounding.0.or(rounding.1).unwrap_or(Rounding::Nearest);
    // To f16, GPUs do not flush: a subnormal f32 still counts when rounding up or down.
    Some(match (source.bits(), flushed && target != Type::Float(16)) {
        (16, _) => to_float::<Half>(target, whole, rounding, false, saturated),
        (32, false) => to_float::<f32>(target, whole, rounding, false, saturated),
        (32, true) => to_float::<Flushed>(target, whole, rounding, false, saturated),
        (_, _) => to_float::<f64>(target, whole, rounding, flushed, saturated),
    })
}

/// From a float to the float type `target`.
fn to_float<S: Real>(target: Type, whole: bool, rounding: Rounding, flushed: bool, saturated: bool) -> Function {
    fn prepared<S: Real, D: Value>(
        whole: bool,
        r: Rounding,
        sat: bool,
        f: impl Fn(f64, Rounding) -> D + Pure,
    ) -> Function {
        match (whole, sat) {
            (false, false) => directed(r, move |a: S, r| f(a.number(), r)),
            (false, true) => directed(r, move |a: S, r| f(saturate(a.number()), r)),
            (true, false) => directed(r, move |a: S, r| f(r.whole(a.number()), r)),
            (true, true) => directed(r, move |a: S, r| f(saturate(r.whole(a.number())), r)),
        }
    }
    match (target.bits(), flushed) {
        (16, _) => prepared::<S, _>(whole, rounding, saturated, to_half::<S>),
        (32, false) => prepared::<S, _>(whole, rounding, saturated, to_f32::<S>),
        (32, true) => prepared::<S, _>(whole, rounding, saturated, |x, r| float::flush(to_f32::<S>(x, r))),
        (_, _) => prepared::<S, _>(whole, rounding, saturated, |x, _| if x.is_nan() { double::quiet(x) } else { x }),
    }
}

/// An f16 of what was an `S`. Of an f64's NaN it keeps the sign and the upper bits of the payload.
fn to_half<S: Real>(x: f64, rounding: Rounding) -> Half {
    if S::LONG && x.is_nan() {
        let bits = double::quiet(x).to_bits();
        return Half(((bits >> 63) as u16) << 15 | 0x7c00 | ((bits >> 42) & 0x3ff) as u16);
    }
    Half::from_f64(x, rounding)
}

/// As `to_half`, an f32.
fn to_f32<S: Real>(x: f64, rounding: Rounding) -> f32 {
    if S::LONG && x.is_nan() {
        let bits = double::quiet(x).to_bits();
        return f32::from_bits(((bits >> 63) as u32) << 31 | 0x7f80_0000 | ((bits >> 29) & 0x007f_ffff) as u32);
    }
    float::canonical(rounding::to_f32(x, rounding))
}
