//! Rows of integer arithmetic.

use super::{ADDITION, DIVIDE_ON_CAPABILITY_1, INTEGER, MULTIPLY, MULTIPLY_24, Row, WIDE_MULTIPLY};
use crate::arithmetic::{bit, integer};
use crate::class::{Cost, Unit};
use crate::program::Operation;
use crate::program::lower::carry::carry;
use ptx_syntax::module::Operand;

const SECTION: &str = "Integer Arithmetic Instructions";
const CARRIES: &str = "Extended-Precision Integer Arithmetic Instructions";

/// A 64-bit integer on compute capability 1 is taken for an address, which has 32 bits there: nobody asks for the upper
/// half, so the compiler leaves it out. That all of them are addresses is an estimate.
const ADDRESS: Cost = INTEGER;

/// Counting and reversing bits: 16 lanes a cycle (CUDA C++ Programming Guide, throughput of native arithmetic instructions; measured on an
/// H200: results/nvidia-h200/constants/units.csv).
const COUNTS: Cost = INTEGER.on(Unit::Special);

pub(super) static ROWS: &[Row] = &[
    Row::compute("add.u16|s16|u32|s32", SECTION, INTEGER, integer::add).since_capability_7(ADDITION),
    Row::compute("add.u64|s64", SECTION, INTEGER.times(2), integer::add)
        .on_capability_1(ADDRESS)
        .since_capability_7(ADDITION.times(2)),
    Row::compute("add.sat.s32", SECTION, INTEGER, integer::add_saturated),
    Row::compute("sub.u16|s16|u32|s32", SECTION, INTEGER, integer::subtract).since_capability_7(ADDITION),
    Row::compute("sub.u64|s64", SECTION, INTEGER.times(2), integer::subtract)
        .on_capability_1(ADDRESS)
        .since_capability_7(ADDITION.times(2)),
    Row::compute("sub.sat.s32", SECTION, INTEGER, integer::subtract_saturated),
    Row::compute("mul.lo.u16|s16|u32|s32", SECTION, MULTIPLY, integer::multiply_low),
    Row::compute("mul.lo.u64|s64", SECTION, MULTIPLY.times(4), integer::multiply_low),
    Row::compute("mul.hi.u16|s16|u32|s32", SECTION, MULTIPLY, integer::multiply_high).since_capability_7(WIDE_MULTIPLY),
    Row::compute("mul.hi.u64|s64", SECTION, MULTIPLY.times(8), integer::multiply_high),
    Row::compute("mul.wide.u16|s16", SECTION, MULTIPLY, integer::multiply_wide),
    // What is left of a product of 32 bits with a power of two is a shift, and with `mad` an addition.
    Row::compute("mul.wide.u32|s32", SECTION, MULTIPLY, integer::multiply_wide)
        .when("by a power of two", by_power_of_two)
        .on_capability_1(ADDRESS)
        .since_capability_7(WIDE_MULTIPLY),
    Row::compute("mul.wide.u32|s32", SECTION, MULTIPLY, integer::multiply_wide)
        .when("by another number", by_another_number)
        .since_capability_7(WIDE_MULTIPLY),
    Row::compute("mad.lo.u16|s16|u32|s32", SECTION, MULTIPLY, integer::multiply_add_low),
    Row::compute("mad.lo.u64|s64", SECTION, MULTIPLY.times(4), integer::multiply_add_low),
    Row::compute("mad.hi.u16|s16|u32|s32", SECTION, MULTIPLY, integer::multiply_add_high)
        .since_capability_7(WIDE_MULTIPLY),
    Row::compute("mad.hi.u64|s64", SECTION, MULTIPLY.times(8), integer::multiply_add_high),
    Row::compute("mad.hi.sat.s32", SECTION, MULTIPLY, integer::multiply_add_high_saturated),
    Row::compute("mad.wide.u16|s16", SECTION, MULTIPLY, integer::multiply_add_wide),
    Row::compute("mad.wide.u32|s32", SECTION, MULTIPLY, integer::multiply_add_wide)
        .when("by a power of two", by_power_of_two)
        .on_capability_1(ADDRESS.times(2))
        .since_capability_7(WIDE_MULTIPLY),
    Row::compute("mad.wide.u32|s32", SECTION, MULTIPLY, integer::multiply_add_wide)
        .when("by another number", by_another_number)
        .since_capability_7(WIDE_MULTIPLY),
    Row::other("add|sub.cc.u32|s32", CARRIES, INTEGER, carry),
    Row::other("add|sub.cc.u64|s64", CARRIES, INTEGER.times(2), carry),
    Row::other("addc|subc.cc?.u32|s32", CARRIES, INTEGER, carry),
    Row::other("addc|subc.cc?.u64|s64", CARRIES, INTEGER.times(2), carry),
    Row::other("mad.lo|hi.cc.u32|s32", CARRIES, MULTIPLY, carry),
    Row::other("mad.lo|hi.cc.u64|s64", CARRIES, MULTIPLY.times(8), carry),
    Row::other("madc.lo|hi.cc?.u32|s32", CARRIES, MULTIPLY, carry),
    Row::other("madc.lo|hi.cc?.u64|s64", CARRIES, MULTIPLY.times(8), carry),
    Row::compute("mul24.lo.u32|s32", SECTION, MULTIPLY.times(3), integer::multiply_24).on_capability_1(MULTIPLY_24),
    Row::compute("mad24.lo.u32|s32", SECTION, MULTIPLY.times(3), integer::multiply_add_24).on_capability_1(MULTIPLY_24),
    Row::compute("sad.u16|s16|u32|s32", SECTION, INTEGER.times(2), integer::sum_of_difference),
    Row::compute("sad.u64|s64", SECTION, INTEGER.times(6), integer::sum_of_difference),
    Row::compute("div.u16|s16|u32|s32", SECTION, MULTIPLY.times(20), integer::divide)
        .on_capability_1(DIVIDE_ON_CAPABILITY_1),
    Row::compute("div.u64|s64", SECTION, MULTIPLY.times(80), integer::divide)
        .on_capability_1(DIVIDE_ON_CAPABILITY_1.times(128)),
    Row::compute("rem.u16|s16|u32|s32", SECTION, MULTIPLY.times(20), integer::remainder)
        .on_capability_1(DIVIDE_ON_CAPABILITY_1),
    Row::compute("rem.u64|s64", SECTION, MULTIPLY.times(80), integer::remainder)
        .on_capability_1(DIVIDE_ON_CAPABILITY_1.times(128)),
    Row::compute("abs.s16|s32", SECTION, INTEGER, integer::absolute),
    Row::compute("abs.s64", SECTION, INTEGER.times(3), integer::absolute),
    Row::compute("neg.s16|s32", SECTION, INTEGER, integer::negate),
    Row::compute("neg.s64", SECTION, INTEGER.times(2), integer::negate),
    Row::compute("min.u16|s16|u32|s32", SECTION, INTEGER, integer::least),
    Row::compute("min.u64|s64", SECTION, INTEGER.times(4), integer::least),
    Row::compute("max.u16|s16|u32|s32", SECTION, INTEGER, integer::greatest),
    Row::compute("max.u64|s64", SECTION, INTEGER.times(4), integer::greatest),
    Row::compute("popc.b32", SECTION, COUNTS, bit::count_ones),
    Row::compute("popc.b64", SECTION, COUNTS.times(3), bit::count_ones),
    Row::compute("clz.b32", SECTION, COUNTS, bit::count_leading_zeros),
    Row::compute("clz.b64", SECTION, COUNTS.times(3), bit::count_leading_zeros),
    Row::compute("bfind.u32|s32", SECTION, COUNTS, bit::leading),
    Row::compute("bfind.u64|s64", SECTION, COUNTS.times(3), bit::leading),
    Row::compute("bfind.shiftamt.u32|s32", SECTION, COUNTS, bit::leading_distance),
    Row::compute("bfind.shiftamt.u64|s64", SECTION, COUNTS.times(3), bit::leading_distance),
    Row::compute("brev.b32", SECTION, COUNTS, bit::reverse),
    Row::compute("brev.b64", SECTION, COUNTS.times(2), bit::reverse),
    Row::compute("bmsk.clamp.b32", SECTION, INTEGER, bit::mask_clamped).needs("bmsk", 7, 0),
    Row::compute("bmsk.wrap.b32", SECTION, INTEGER, bit::mask_wrapped).needs("bmsk", 7, 0),
    Row::compute("szext.clamp.u32|s32", SECTION, INTEGER, bit::extend_clamped).needs("szext", 7, 0),
    Row::compute("szext.wrap.u32|s32", SECTION, INTEGER, bit::extend_wrapped).needs("szext", 7, 0),
    // Bit fields have no machine instruction of their own.
    Row::compute("bfe.u32|s32", SECTION, INTEGER.times(3), bit::extract_field),
    Row::compute("bfe.u64|s64", SECTION, INTEGER.times(8), bit::extract_field),
    Row::compute("bfi.b32", SECTION, INTEGER.times(3), bit::insert_field),
    Row::compute("bfi.b64", SECTION, INTEGER.times(8), bit::insert_field),
    Row::compute("dp4a.u32|s32.u32|s32", SECTION, MULTIPLY, integer::dot_of_bytes),
    Row::compute("dp2a.lo.u32|s32.u32|s32", SECTION, MULTIPLY, integer::dot_of_low_halves),
    Row::compute("dp2a.hi.u32|s32.u32|s32", SECTION, MULTIPLY, integer::dot_of_high_halves),
];

fn by_power_of_two(_: &Operation, operands: &[Operand]) -> bool {
    matches!(operands.get(2), Some(Operand::Integer(by)) if by.is_power_of_two())
}

fn by_another_number(operation: &Operation, operands: &[Operand]) -> bool {
    !by_power_of_two(operation, operands)
}
