//! Rows of comparisons and selections.

use super::{BY_ADDERS, DOUBLE, FLOAT, INTEGER, Row, Semantics};
use crate::arithmetic::compare;
use crate::program::lower::data;

const SECTION: &str = "Comparison and Selection Instructions";

macro_rules! of_floats {
    () => {
        ".eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
    };
}

macro_rules! setp {
    ($form:expr, $cost:expr) => {
        Row::new(concat!("setp", $form), SECTION, $cost, Semantics::Compare(compare::predicate))
    };
}

pub(super) static ROWS: &[Row] = &[
    setp!(".eq|ne.and|or|xor?.b16|b32", INTEGER),
    setp!(".eq|ne.and|or|xor?.b64", INTEGER.times(2)),
    setp!(".eq|ne|lt|le|gt|ge.and|or|xor?.s16|s32", INTEGER),
    setp!(".eq|ne|lt|le|gt|ge.and|or|xor?.s64", INTEGER.times(2)),
    setp!(".eq|ne|lt|le|gt|ge|lo|ls|hi|hs.and|or|xor?.u16|u32", INTEGER),
    setp!(".eq|ne|lt|le|gt|ge|lo|ls|hi|hs.and|or|xor?.u64", INTEGER.times(2)),
    setp!(concat!(of_floats!(), ".and|or|xor?.ftz?.f32"), FLOAT).since_capability_7(FLOAT.on(BY_ADDERS)),
    setp!(concat!(of_floats!(), ".and|or|xor?.f64"), DOUBLE).needs_double(),
    Row::compute("set.eq|ne.u32|s32|f32.b16|b32", SECTION, INTEGER, compare::set),
    Row::compute("set.eq|ne.u32|s32|f32.b64", SECTION, INTEGER.times(2), compare::set),
    Row::compute("set.eq|ne|lt|le|gt|ge.u32|s32|f32.s16|s32", SECTION, INTEGER, compare::set),
    Row::compute("set.eq|ne|lt|le|gt|ge.u32|s32|f32.s64", SECTION, INTEGER.times(2), compare::set),
    Row::compute("set.eq|ne|lt|le|gt|ge|lo|ls|hi|hs.u32|s32|f32.u16|u32", SECTION, INTEGER, compare::set),
    Row::compute("set.eq|ne|lt|le|gt|ge|lo|ls|hi|hs.u32|s32|f32.u64", SECTION, INTEGER.times(2), compare::set),
    Row::compute(concat!("set", of_floats!(), ".ftz?.u32|s32|f32.f32"), SECTION, FLOAT, compare::set)
        .since_capability_7(FLOAT.on(BY_ADDERS)),
    Row::compute(concat!("set", of_floats!(), ".u32|s32|f32.f64"), SECTION, DOUBLE, compare::set).needs_double(),
    Row::compute("slct.b16|u16|s16|b32|u32|s32|f32.s32", SECTION, INTEGER, compare::select),
    Row::compute("slct.ftz?.b16|u16|s16|b32|u32|s32|f32.f32", SECTION, INTEGER, compare::select),
    Row::other("selp.b16|u16|s16|b32|u32|s32|f32", SECTION, INTEGER, data::select),
    Row::other("selp.b64|u64|s64|f64", SECTION, INTEGER, data::select),
    Row::other("selp.pred", SECTION, INTEGER, data::select_predicate),
];
