//! Rows of conversions between types.

use super::{CONVERTED_BY_ADDERS, DOUBLE, INTEGER, Row, SPECIAL};
use crate::arithmetic::convert::convert;
use crate::class::{Cost, Unit};

const SECTION: &str = "Data Movement and Conversion Instructions";

macro_rules! integers {
    () => {
        ".u8|u16|u32|u64|s8|s16|s32|s64"
    };
}

/// Integers of 32 bits and less, and of 64.
macro_rules! words {
    () => {
        ".u8|u16|u32|s8|s16|s32"
    };
}
macro_rules! longs {
    () => {
        ".u64|s64"
    };
}

/// To a float: how the result is rounded.
macro_rules! rounded {
    () => {
        ".rn|rz|rm|rp"
    };
}

/// To a whole number.
macro_rules! whole {
    () => {
        ".rni|rzi|rmi|rpi"
    };
}

/// What widens a half: the multipliers of floats. Source: results/nvidia-h200/constants/float_units.csv, where it takes nothing beside a conversion to halves.
const WIDENED_TODAY: Cost = SPECIAL.on(Unit::Float);
/// To and from doubles. Source: the same.
const DOUBLE_TODAY: Cost = DOUBLE.on(Unit::Special);

macro_rules! cvt {
    ($cost:expr, $($part:expr),*) => {
        Row::compute(concat!("cvt", $($part),*), SECTION, $cost, convert)
    };
}

pub(super) static ROWS: &[Row] = &[
    cvt!(INTEGER, ".sat?", integers!(), integers!()),
    cvt!(SPECIAL, rounded!(), ".sat?.f16", integers!()),
    cvt!(SPECIAL, rounded!(), ".ftz?.sat?.f32", words!()).since_capability_7(CONVERTED_BY_ADDERS),
    cvt!(SPECIAL, rounded!(), ".ftz?.sat?.f32", longs!()),
    cvt!(DOUBLE, rounded!(), ".sat?.f64", integers!()).needs_double().since_capability_7(DOUBLE_TODAY),
    cvt!(SPECIAL, whole!(), ".sat?", integers!(), ".f16"),
    cvt!(SPECIAL, whole!(), ".ftz?.sat?", integers!(), ".f32"),
    cvt!(DOUBLE, whole!(), ".sat?", integers!(), ".f64").needs_double().since_capability_7(DOUBLE_TODAY),
    // Between floats only a narrower result is rounded, and only one of the same type is made a whole number.
    cvt!(SPECIAL, whole!(), ".sat?.f16.f16"),
    cvt!(SPECIAL, ".sat?.f16.f16").since_capability_7(WIDENED_TODAY),
    cvt!(SPECIAL, whole!(), ".ftz?.sat?.f32.f32"),
    cvt!(SPECIAL, ".ftz?.sat?.f32.f32").since_capability_7(WIDENED_TODAY),
    cvt!(DOUBLE, whole!(), ".sat?.f64.f64").needs_double().since_capability_7(DOUBLE_TODAY),
    cvt!(DOUBLE, ".sat?.f64.f64").needs_double(),
    cvt!(SPECIAL, ".ftz?.sat?.f32.f16").since_capability_7(WIDENED_TODAY),
    cvt!(DOUBLE, ".sat?.f64.f16").needs_double().since_capability_7(DOUBLE_TODAY),
    cvt!(DOUBLE, ".ftz?.sat?.f64.f32").needs_double().since_capability_7(DOUBLE_TODAY),
    cvt!(SPECIAL, rounded!(), ".ftz?.sat?.f16.f32").since_capability_7(CONVERTED_BY_ADDERS),
    cvt!(DOUBLE, rounded!(), ".sat?.f16.f64").needs_double().since_capability_7(DOUBLE_TODAY),
    cvt!(DOUBLE, rounded!(), ".ftz?.sat?.f32.f64").needs_double().since_capability_7(DOUBLE_TODAY),
];
