//! Rows of f16 and bf16 arithmetic, alone and in pairs, and of conversions to and from bf16.

use super::{CONVERTED_BY_ADDERS, FLOAT, Row, SPECIAL, Semantics};
use crate::arithmetic::narrow;

const SECTION: &str = "Half Precision Floating Point Instructions";
const COMPARISON: &str = "Comparison and Selection Instructions";
const CONVERSION: &str = "Data Movement and Conversion Instructions";

const HALVES: &str = "half precision arithmetic";
const EXTREMA: &str = "a minimum or maximum in half precision";
const BRAIN: &str = "bf16 arithmetic";
const BRAIN_SUM: &str = "a bf16 addition or multiplication";

macro_rules! comparisons {
    () => {
        ".eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
    };
}

macro_rules! setp {
    ($form:expr) => {
        Row::new(concat!("setp", comparisons!(), $form), COMPARISON, FLOAT, Semantics::Compare(narrow::predicate))
    };
}

macro_rules! set {
    ($form:expr) => {
        Row::compute(concat!("set", comparisons!(), $form), COMPARISON, FLOAT, narrow::set)
    };
}

pub(super) static ROWS: &[Row] =
    &[
        Row::compute("add.rn?.ftz?.sat?.f16|f16x2", SECTION, FLOAT, narrow::add).needs(HALVES, 5, 3),
        Row::compute("sub.rn?.ftz?.sat?.f16|f16x2", SECTION, FLOAT, narrow::subtract).needs(HALVES, 5, 3),
        Row::compute("mul.rn?.ftz?.sat?.f16|f16x2", SECTION, FLOAT, narrow::multiply).needs(HALVES, 5, 3),
        Row::compute("fma.rn.ftz?.sat?.f16|f16x2", SECTION, FLOAT, narrow::fused).needs(HALVES, 5, 3),
        Row::compute("fma.rn.ftz?.relu.f16|f16x2", SECTION, FLOAT, narrow::fused_positive).needs(HALVES, 8, 0),
        Row::compute("neg.ftz?.f16|f16x2", SECTION, FLOAT, narrow::negate).needs(HALVES, 5, 3),
        Row::compute("abs.ftz?.f16|f16x2", SECTION, FLOAT, narrow::absolute).needs(HALVES, 5, 3),
        Row::compute("min.ftz?.f16|f16x2", SECTION, FLOAT, narrow::least).needs(EXTREMA, 8, 0),
        Row::compute("max.ftz?.f16|f16x2", SECTION, FLOAT, narrow::greatest).needs(EXTREMA, 8, 0),
        Row::compute("min.ftz?.NaN.f16|f16x2", SECTION, FLOAT, narrow::least_or_nan).needs(EXTREMA, 8, 0),
        Row::compute("max.ftz?.NaN.f16|f16x2", SECTION, FLOAT, narrow::greatest_or_nan).needs(EXTREMA, 8, 0),
        Row::compute("add.rn?.bf16|bf16x2", SECTION, FLOAT, narrow::add).needs(BRAIN_SUM, 9, 0),
        Row::compute("sub.rn?.bf16|bf16x2", SECTION, FLOAT, narrow::subtract).needs(BRAIN_SUM, 9, 0),
        Row::compute("mul.rn?.bf16|bf16x2", SECTION, FLOAT, narrow::multiply).needs(BRAIN_SUM, 9, 0),
        Row::compute("fma.rn.bf16|bf16x2", SECTION, FLOAT, narrow::fused).needs(BRAIN, 8, 0),
        Row::compute("fma.rn.relu.bf16|bf16x2", SECTION, FLOAT, narrow::fused_positive).needs(BRAIN, 8, 0),
        Row::compute("neg.bf16|bf16x2", SECTION, FLOAT, narrow::negate).needs(BRAIN, 8, 0),
        Row::compute("abs.bf16|bf16x2", SECTION, FLOAT, narrow::absolute).needs(BRAIN, 8, 0),
        Row::compute("min.bf16|bf16x2", SECTION, FLOAT, narrow::least).needs(BRAIN, 8, 0),
        Row::compute("max.bf16|bf16x2", SECTION, FLOAT, narrow::greatest).needs(BRAIN, 8, 0),
        Row::compute("min.NaN.bf16|bf16x2", SECTION, FLOAT, narrow::least_or_nan).needs(BRAIN, 8, 0),
        Row::compute("max.NaN.bf16|bf16x2", SECTION, FLOAT, narrow::greatest_or_nan).needs(BRAIN, 8, 0),
        setp!(".and|or|xor?.ftz?.f16").needs(HALVES, 5, 3),
        setp!(".and|or|xor?.bf16").needs(BRAIN_SUM, 9, 0),
        set!(".ftz?.f16|u16|s16|u32|s32.f16").needs(HALVES, 5, 3),
        set!(".ftz?.f16x2|u32|s32.f16x2").needs(HALVES, 5, 3),
        set!(".bf16|u16|s16|u32|s32.bf16").needs(BRAIN_SUM, 9, 0),
        set!(".bf16x2|u32|s32.bf16x2").needs(BRAIN_SUM, 9, 0),
        Row::compute("cvt.rn|rz.f16x2|bf16x2.f32", CONVERSION, CONVERTED_BY_ADDERS, narrow::from_f32).needs(
            "a conversion of two numbers",
            8,
            0,
        ),
        Row::compute(
            "cvt.rn|rz.relu.f16|bf16|f16x2|bf16x2.f32",
            CONVERSION,
            CONVERTED_BY_ADDERS,
            narrow::from_f32_positive,
        )
        .needs("a conversion with .relu", 8, 0),
        Row::compute("cvt.rn|rz.bf16.f32", CONVERSION, CONVERTED_BY_ADDERS, narrow::from_f32).needs(BRAIN, 8, 0),
        Row::compute("cvt.f32|f64.bf16", CONVERSION, SPECIAL, narrow::from_brain).needs(BRAIN_CONVERSION, 9, 0),
        Row::compute("cvt.rn|rz|rm|rp.f16.bf16", CONVERSION, SPECIAL, narrow::from_brain).needs(BRAIN_CONVERSION, 9, 0),
        Row::compute("cvt.rni|rzi|rmi|rpi.u16|u32|u64|s16|s32|s64.bf16", CONVERSION, SPECIAL, narrow::from_brain)
            .needs(BRAIN_CONVERSION, 9, 0),
        Row::compute("cvt.rn|rz|rm|rp.bf16.f16|f64|u16|u32|u64|s16|s32|s64", CONVERSION, SPECIAL, narrow::to_brain)
            .needs(BRAIN_CONVERSION, 9, 0),
        Row::compute("cvt.rna|rn|rz.tf32.f32", CONVERSION, SPECIAL, narrow::to_tensor_float).needs("tf32", 8, 0),
    ];

const BRAIN_CONVERSION: &str = "a conversion of bf16";
