//! Rows of logic and shifts.

use super::{ADDITION, INTEGER, Row};
use crate::arithmetic::bit;
use crate::program::lower::data;

const SECTION: &str = "Logic and Shift Instructions";

pub(super) static ROWS: &[Row] = &[
    Row::compute("and.b16|b32", SECTION, INTEGER, bit::and),
    Row::compute("and.b64", SECTION, INTEGER.times(2), bit::and),
    Row::other("and.pred", SECTION, INTEGER, data::and_predicates),
    Row::compute("or.b16|b32", SECTION, INTEGER, bit::or),
    Row::compute("or.b64", SECTION, INTEGER.times(2), bit::or),
    Row::other("or.pred", SECTION, INTEGER, data::or_predicates),
    Row::compute("xor.b16|b32", SECTION, INTEGER, bit::xor),
    Row::compute("xor.b64", SECTION, INTEGER.times(2), bit::xor),
    Row::other("xor.pred", SECTION, INTEGER, data::xor_predicates),
    Row::compute("not.b16|b32", SECTION, INTEGER, bit::not),
    Row::compute("not.b64", SECTION, INTEGER.times(2), bit::not),
    Row::other("not.pred", SECTION, INTEGER, data::not_predicate),
    Row::compute("cnot.b16|b32", SECTION, INTEGER.times(2), bit::is_zero),
    Row::compute("cnot.b64", SECTION, INTEGER.times(2), bit::is_zero),
    Row::compute("lop3.b32", SECTION, INTEGER, bit::table_of_three),
    Row::compute("shf.l.wrap.b32", SECTION, INTEGER, bit::funnel_left_wrapped),
    Row::compute("shf.l.clamp.b32", SECTION, INTEGER, bit::funnel_left_clamped),
    Row::compute("shf.r.wrap.b32", SECTION, INTEGER, bit::funnel_right_wrapped),
    Row::compute("shf.r.clamp.b32", SECTION, INTEGER, bit::funnel_right_clamped),
    Row::compute("shl.b16|b32", SECTION, INTEGER, bit::shift_left).since_capability_7(ADDITION),
    // Of addresses, which have 32 bits there.
    Row::compute("shl.b64", SECTION, INTEGER.times(3), bit::shift_left).on_capability_1(INTEGER),
    Row::compute("shr.b16|u16|s16|b32|u32|s32", SECTION, INTEGER, bit::shift_right),
    Row::compute("shr.b64|u64|s64", SECTION, INTEGER.times(3), bit::shift_right),
];
