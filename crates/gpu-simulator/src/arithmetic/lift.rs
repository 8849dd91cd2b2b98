//! Lifts functions of numbers to functions of a warp's registers.

#![allow(clippy::type_complexity)] // The shapes of `Function`, spelled out.
#![cfg_attr(not(target_arch = "x86_64"), allow(unused_unsafe))] // `wide` is an ordinary function there.

use super::value::Value;
use super::{EachLane, Function, Modifiers};
use crate::hardware::lanes::{LANES, Longs, Mask, Words};

/// A register of every lane.
type Lanes<R> = [R; LANES];

/// What a lane has of a register: it chooses the letter of a [`Function`]'s shape.
pub(super) trait Register: Copy + 'static {
    fn unary<A: Register>(function: fn(&Lanes<A>, &mut Lanes<Self>)) -> Function;
    fn to_word(function: fn(&Lanes<Self>, &mut Words)) -> Function;
    fn to_long(function: fn(&Lanes<Self>, &mut Longs)) -> Function;
    fn binary(function: fn(&Lanes<Self>, &Lanes<Self>, &mut Lanes<Self>)) -> Function;
    fn shift(function: fn(&Lanes<Self>, &Words, &mut Lanes<Self>)) -> Function;
    fn widen(function: fn(&Words, &Words, &mut Lanes<Self>)) -> Function;
    fn ternary(function: fn(&Lanes<Self>, &Lanes<Self>, &Lanes<Self>, &mut Lanes<Self>)) -> Function;
    fn widen_add(function: fn(&Words, &Words, &Lanes<Self>, &mut Lanes<Self>)) -> Function;
    fn extract(function: fn(&Lanes<Self>, &Words, &Words, &mut Lanes<Self>)) -> Function;
    fn insert(function: fn(&Lanes<Self>, &Lanes<Self>, &Words, &Words, &mut Lanes<Self>)) -> Function;
    fn test(function: fn(&Lanes<Self>, &Lanes<Self>) -> Mask) -> Function;
}

macro_rules! register {
    ($ty:ty: $source:ident, $($method:ident => $shape:ident($($input:ty),*) -> $output:ty;)*) => {
        impl Register for $ty {
            fn unary<A: Register>(function: fn(&Lanes<A>, &mut Lanes<Self>)) -> Function {
                A::$source(function)
            }
            $(fn $method(function: fn($(&$input),*, &mut $output)) -> Function {
                Function::$shape(function)
            })*
            fn test(function: fn(&Lanes<Self>, &Lanes<Self>) -> Mask) -> Function {
                <Self as Test>::TEST(function)
            }
        }
    };
}

/// The shape of comparisons, which have no register for a result.
trait Test: Sized {
    const TEST: fn(fn(&Lanes<Self>, &Lanes<Self>) -> Mask) -> Function;
}

impl Test for u32 {
    const TEST: fn(fn(&Words, &Words) -> Mask) -> Function = Function::WWP;
}

impl Test for u64 {
    const TEST: fn(fn(&Longs, &Longs) -> Mask) -> Function = Function::LLP;
}

register! { u32: to_word,
    to_word => WW(Words) -> Words;
    to_long => WL(Words) -> Longs;
    binary => WWW(Words, Words) -> Words;
    shift => WWW(Words, Words) -> Words;
    widen => WWW(Words, Words) -> Words;
    ternary => WWWW(Words, Words, Words) -> Words;
    widen_add => WWWW(Words, Words, Words) -> Words;
    extract => WWWW(Words, Words, Words) -> Words;
    insert => WWWWW(Words, Words, Words, Words) -> Words;
}

register! { u64: to_long,
    to_word => LW(Longs) -> Words;
    to_long => LL(Longs) -> Longs;
    binary => LLL(Longs, Longs) -> Longs;
    shift => LWL(Longs, Words) -> Longs;
    widen => WWL(Words, Words) -> Longs;
    ternary => LLLL(Longs, Longs, Longs) -> Longs;
    widen_add => WWLL(Words, Words, Longs) -> Longs;
    extract => LWWL(Longs, Words, Words) -> Longs;
    insert => LLWWL(Longs, Longs, Words, Words) -> Longs;
}

/// A function without captures. Lifting one checks that it has no size.
pub(super) trait Pure: Copy + Send + 'static {}

impl<F: Copy + Send + 'static> Pure for F {}

/// The value of a type that has just one, so that a plain function can call a closure without holding it.
///
/// # Safety
/// `F` has no size, and a value of it has existed.
unsafe fn again<F: Pure>() -> F {
    // SAFETY: a dangling pointer is good for reading a type without size; that it is inhabited and may be copied is
    // the caller's promise and the bound.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// Whether [`wide`] may be called.
fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Runs `body`, compiled for wider vectors and fused multiply-adds than the crate's baseline has.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn wide<R>(body: impl FnOnce() -> R) -> R {
    body()
}

macro_rules! lift {
    ($(#[$doc:meta])* $name:ident($($input:ident: $letter:ident),*)) => {
        $(#[$doc])*
        fn $name<$($letter: Copy,)* R, F>(_: F) -> fn($(&Lanes<$letter>),*, &mut Lanes<R>)
        where
            F: Fn($($letter),*) -> R + Pure,
        {
            #[inline(always)]
            #[allow(clippy::inline_always)] // To be compiled as its caller is.
            fn body<$($letter: Copy,)* R, F>($($input: &Lanes<$letter>),*, out: &mut Lanes<R>)
            where
                F: Fn($($letter),*) -> R + Pure,
            {
                // SAFETY: `lift` was given an `F`, and has checked its size.
                let function: F = unsafe { again() };
                for lane in 0..LANES {
                    out[lane] = function($($input[lane]),*);
                }
            }
            const { assert!(size_of::<F>() == 0, "a captured value") };
            if has_wide() {
                // SAFETY: this processor has what `wide` is compiled for.
                |$($input),*, out| unsafe { wide(|| body::<$($letter,)* R, F>($($input),*, out)) }
            } else {
                body::<$($letter,)* R, F>
            }
        }
    };
}

lift!(lift1(a: A));
lift!(lift2(a: A, b: B));
lift!(lift3(a: A, b: B, c: C));
lift!(lift4(a: A, b: B, c: C, d: D));

/// As the others, of comparisons.
fn lift_test<A: Copy, F: Fn(A, A) -> bool + Pure>(_: F) -> fn(&Lanes<A>, &Lanes<A>) -> Mask {
    #[inline(always)]
    #[allow(clippy::inline_always)] // To be compiled as its caller is.
    fn body<A: Copy, F: Fn(A, A) -> bool + Pure>(a: &Lanes<A>, b: &Lanes<A>) -> Mask {
        // SAFETY: `lift_test` was given an `F`, and has checked its size.
        let function: F = unsafe { again() };
        let mut mask = 0;
        for lane in 0..LANES {
            mask |= Mask::from(function(a[lane], b[lane])) << lane;
        }
        mask
    }
    const { assert!(size_of::<F>() == 0, "a captured value") };
    if has_wide() {
        // SAFETY: this processor has what `wide` is compiled for.
        |a, b| unsafe { wide(|| body::<A, F>(a, b)) }
    } else {
        body::<A, F>
    }
}

/// Of one operand, of any two types.
pub(super) fn unary<A: Value, R: Value>(f: impl Fn(A) -> R + Pure) -> Function {
    R::Register::unary::<A::Register>(lift1(move |a| f(A::read(a)).write()))
}

/// Of two operands, all of one type.
pub(super) fn binary<T: Value>(f: impl Fn(T, T) -> T + Pure) -> Function {
    T::Register::binary(lift2(move |a, b| f(T::read(a), T::read(b)).write()))
}

/// Of a value and an amount.
pub(super) fn shift<T: Value>(f: impl Fn(T, u32) -> T + Pure) -> Function {
    T::Register::shift(lift2(move |a, n| f(T::read(a), n).write()))
}

/// Of two values of up to 32 bits, with a result of twice their width.
pub(super) fn widen<T: Value<Register = u32>, R: Value>(f: impl Fn(T, T) -> R + Pure) -> Function {
    R::Register::widen(lift2(move |a, b| f(T::read(a), T::read(b)).write()))
}

/// Of three operands, all of one type.
pub(super) fn ternary<T: Value>(f: impl Fn(T, T, T) -> T + Pure) -> Function {
    T::Register::ternary(lift3(move |a, b, c| f(T::read(a), T::read(b), T::read(c)).write()))
}

/// Of two values of up to 32 bits and one of twice their width, as the result is.
pub(super) fn widen_add<T: Value<Register = u32>, R: Value>(f: impl Fn(T, T, R) -> R + Pure) -> Function {
    R::Register::widen_add(lift3(move |a, b, c| f(T::read(a), T::read(b), R::read(c)).write()))
}

/// Of a value, a position and a length.
pub(super) fn extract<T: Value>(f: impl Fn(T, u32, u32) -> T + Pure) -> Function {
    T::Register::extract(lift3(move |a, p, l| f(T::read(a), p, l).write()))
}

/// Of two values, a position and a length.
pub(super) fn insert<T: Value>(f: impl Fn(T, T, u32, u32) -> T + Pure) -> Function {
    T::Register::insert(lift4(move |a, b, p, l| f(T::read(a), T::read(b), p, l).write()))
}

/// A comparison.
pub(super) fn test<T: Value>(f: impl Fn(T, T) -> bool + Pure) -> Function {
    T::Register::test(lift_test(move |a, b| f(T::read(a), T::read(b))))
}

/// A function that is called for each lane, of the registers that the letters `sources` say and with a result of 64 bits
/// or of 32.
pub(super) fn each_lane<F>(sources: &'static str, is_long: bool, modifiers: Modifiers, _: F) -> Function
where
    F: Fn(&Modifiers, [u64; 3]) -> u64 + Pure,
{
    fn call<F: Fn(&Modifiers, [u64; 3]) -> u64 + Pure>(modifiers: &Modifiers, operands: [u64; 3]) -> u64 {
        // SAFETY: `each_lane` was given an `F`, and has checked its size.
        let function: F = unsafe { again() };
        function(modifiers, operands)
    }
    const { assert!(size_of::<F>() == 0, "a captured value") };
    Function::EachLane(EachLane { function: call::<F>, modifiers, sources, is_long })
}
