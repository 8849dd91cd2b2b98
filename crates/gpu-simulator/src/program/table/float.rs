//! Rows of f32 and f64 arithmetic.

use super::{DOUBLE, FLOAT, Row, SPECIAL};
use crate::arithmetic::{approximate, double, float};

const SECTION: &str = "Floating Point Instructions";

pub(super) static ROWS: &[Row] = &[
    Row::compute("add.rn|rz|rm|rp?.ftz?.sat?.f32", SECTION, FLOAT, float::add),
    Row::compute("sub.rn|rz|rm|rp?.ftz?.sat?.f32", SECTION, FLOAT, float::subtract),
    Row::compute("mul.rn|rz|rm|rp?.ftz?.sat?.f32", SECTION, FLOAT, float::multiply),
    Row::compute("fma|mad.rn|rz|rm|rp.ftz?.sat?.f32", SECTION, FLOAT, float::fused),
    // Without a rounding, as PTX before 3.1 may write it, it is to nearest.
    Row::compute("mad.ftz?.sat?.f32", SECTION, FLOAT, float::fused),
    Row::compute("mad.f64", SECTION, DOUBLE, double::fused).needs_double(),
    Row::compute("div.rn|rz|rm|rp.ftz?.f32", SECTION, FLOAT.times(10), float::divide),
    Row::compute("rcp.rn|rz|rm|rp.ftz?.f32", SECTION, FLOAT.times(8), float::reciprocal),
    Row::compute("sqrt.rn|rz|rm|rp.ftz?.f32", SECTION, FLOAT.times(9), float::square_root),
    Row::compute("min.ftz?.f32", SECTION, FLOAT, float::least),
    Row::compute("min.ftz?.NaN.f32", SECTION, FLOAT, float::least_or_nan),
    Row::compute("max.ftz?.f32", SECTION, FLOAT, float::greatest),
    Row::compute("max.ftz?.NaN.f32", SECTION, FLOAT, float::greatest_or_nan),
    Row::compute("neg.ftz?.f32", SECTION, FLOAT, float::negate),
    Row::compute("abs.ftz?.f32", SECTION, FLOAT, float::absolute),
    Row::compute("copysign.f32", SECTION, FLOAT, float::copy_sign),
    Row::compute("div.full.ftz?.f32", SECTION, SPECIAL.times(2), approximate::divide_full),
    Row::compute("div.approx.ftz?.f32", SECTION, SPECIAL.times(2), approximate::divide),
    Row::compute("rcp.approx.ftz?.f32", SECTION, SPECIAL, approximate::reciprocal),
    Row::compute("sqrt.approx.ftz?.f32", SECTION, SPECIAL, approximate::square_root),
    Row::compute("rsqrt.approx.ftz?.f32", SECTION, SPECIAL, approximate::reciprocal_root),
    Row::compute("ex2.approx.ftz?.f32", SECTION, SPECIAL, approximate::power_of_two),
    Row::compute("lg2.approx.ftz?.f32", SECTION, SPECIAL, approximate::logarithm),
    Row::compute("sin.approx.ftz?.f32", SECTION, SPECIAL, approximate::sine),
    Row::compute("cos.approx.ftz?.f32", SECTION, SPECIAL, approximate::cosine),
    Row::compute("tanh.approx.f32", SECTION, SPECIAL, approximate::hyperbolic_tangent),
    Row::compute("add.rn?.f64", SECTION, DOUBLE, double::add).needs_double(),
    Row::compute("sub.rn?.f64", SECTION, DOUBLE, double::subtract).needs_double(),
    Row::compute("mul.rn?.f64", SECTION, DOUBLE, double::multiply).needs_double(),
    Row::compute("fma|mad.rn.f64", SECTION, DOUBLE, double::fused).needs_double(),
    Row::compute("div.rn.f64", SECTION, DOUBLE.times(20), double::divide).needs_double(),
    Row::compute("rcp.rn.f64", SECTION, DOUBLE.times(16), double::reciprocal).needs_double(),
    Row::compute("sqrt.rn.f64", SECTION, DOUBLE.times(20), double::square_root).needs_double(),
    Row::compute("min.f64", SECTION, DOUBLE.times(2), double::least).needs_double(),
    Row::compute("max.f64", SECTION, DOUBLE.times(2), double::greatest).needs_double(),
    Row::compute("neg.f64", SECTION, DOUBLE, double::negate).needs_double(),
    Row::compute("abs.f64", SECTION, DOUBLE, double::absolute).needs_double(),
    Row::compute("copysign.f64", SECTION, DOUBLE, double::copy_sign).needs_double(),
    Row::compute("rcp.approx.ftz.f64", SECTION, SPECIAL, approximate::gross_reciprocal),
    Row::compute("rsqrt.approx.ftz.f64", SECTION, SPECIAL, approximate::gross_reciprocal_root),
    Row::compute("rsqrt.approx.f64", SECTION, SPECIAL, approximate::double_reciprocal_root),
];
