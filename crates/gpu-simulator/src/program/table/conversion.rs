//! Rows of conversions between types.

use super::{DOUBLE, INTEGER, Row, SPECIAL};
use crate::arithmetic::convert::convert;
use crate::class::{Cost, Unit};

const SECTION: &str = "Data Movement and Conversion Instructions";

macro_rules! integers {
    () => {
        ".u8|u16|u32|u64|s8|s16|s32|s64"
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

/// Since compute capability 7 the adders convert, 64 lanes a cycle (CUDA C++ Programming Guide, throughput of native arithmetic
/// instructions; measured on an H200: results/nvidia-h200/constants/units.csv).
const TODAY: Cost = SPECIAL.on(Unit::Integer);

macro_rules! cvt {
    ($cost:expr, $($part:expr),*) => {
        Row::compute(concat!("cvt", $($part),*), SECTION, $cost, convert)
    };
}

pub(super) static ROWS: &[Row] = &[
    cvt!(INTEGER, ".sat?", integers!(), integers!()),
    cvt!(SPECIAL, rounded!(), ".sat?.f16", integers!()).since_capability_7(TODAY),
    cvt!(SPECIAL, rounded!(), ".ftz?.sat?.f32", integers!()).since_capability_7(TODAY),
    cvt!(DOUBLE, rounded!(), ".sat?.f64", integers!()).needs_double(),
    cvt!(SPECIAL, whole!(), ".sat?", integers!(), ".f16").since_capability_7(TODAY),
    cvt!(SPECIAL, whole!(), ".ftz?.sat?", integers!(), ".f32").since_capability_7(TODAY),
    cvt!(DOUBLE, whole!(), ".sat?", integers!(), ".f64").needs_double(),
    // Between floats only a narrower result is rounded, and only one of the same type is made a whole number.
    cvt!(SPECIAL, whole!(), "?.sat?.f16.f16").since_capability_7(TODAY),
    cvt!(SPECIAL, whole!(), "?.ftz?.sat?.f32.f32").since_capability_7(TODAY),
    cvt!(DOUBLE, whole!(), "?.sat?.f64.f64").needs_double(),
    cvt!(SPECIAL, ".ftz?.sat?.f32.f16").since_capability_7(TODAY),
    cvt!(DOUBLE, ".sat?.f64.f16").needs_double(),
    cvt!(DOUBLE, ".ftz?.sat?.f64.f32").needs_double(),
    cvt!(SPECIAL, rounded!(), ".ftz?.sat?.f16.f32").since_capability_7(TODAY),
    cvt!(DOUBLE, rounded!(), ".sat?.f16.f64").needs_double(),
    cvt!(DOUBLE, rounded!(), ".ftz?.sat?.f32.f64").needs_double(),
];
