//! Rows of moves and addresses.

use super::{FREE, INTEGER, OTHER, Row};
use crate::arithmetic::bit;
use crate::program::lower::data;
use crate::program::{Operation, Special};
use ptx_syntax::module::Operand;

const SECTION: &str = "Data Movement and Conversion Instructions";

const MOV: &str = "mov.b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64";

pub(super) static ROWS: &[Row] = &[
    Row::other(MOV, SECTION, FREE, data::mov)
        .when("of registers, constants and addresses", |own, _| special(own).is_none()),
    Row::other(MOV, SECTION, OTHER, data::mov).when("of the clock", |own, _| special(own) == Some(Special::Clock)),
    // There these are in shared memory, and like all that is there they are operands of what uses them.
    Row::other(MOV, SECTION, INTEGER, data::mov)
        .when("of the numbers and extents of blocks", is_about_blocks)
        .on_capability_1(FREE),
    Row::other(MOV, SECTION, INTEGER, data::mov).when("of another special register", is_another),
    Row::other("mov.pred", SECTION, FREE, data::move_predicate),
    Row::other(
        "cvta.to?.global|shared|shared::cta|shared::cluster|local|const|param.u32|u64",
        SECTION,
        FREE,
        data::cvta,
    ),
    Row::other(
        "isspacep.const|global|local|shared|shared::cta|shared::cluster|param|param::entry",
        SECTION,
        INTEGER,
        data::is_in_space,
    )
    .needs("a generic address", 2, 0),
    Row::other("mapa.shared::cluster?.u32|u64", SECTION, INTEGER, data::map_address).needs("a cluster", 9, 0),
    Row::other("getctarank.shared::cluster?.u32|u64", SECTION, INTEGER, data::rank_of_address).needs("a cluster", 9, 0),
    Row::compute("prmt.b32", SECTION, INTEGER, bit::permute_any),
    Row::compute("prmt.b32.f4e", SECTION, INTEGER, bit::permute_forward),
    Row::compute("prmt.b32.b4e", SECTION, INTEGER, bit::permute_backward),
    Row::compute("prmt.b32.rc8", SECTION, INTEGER, bit::permute_byte),
    Row::compute("prmt.b32.ecl", SECTION, INTEGER, bit::permute_clamped_left),
    Row::compute("prmt.b32.ecr", SECTION, INTEGER, bit::permute_clamped_right),
    Row::compute("prmt.b32.rc16", SECTION, INTEGER, bit::permute_half),
];

fn special(operation: &Operation) -> Option<Special> {
    if let Operation::ReadSpecial { special, .. } = operation { Some(*special) } else { None }
}

fn is_about_blocks(operation: &Operation, _: &[Operand]) -> bool {
    matches!(special(operation), Some(Special::BlockIndex(_) | Special::BlockExtent(_) | Special::GridExtent(_)))
}

fn is_another(operation: &Operation, operands: &[Operand]) -> bool {
    special(operation).is_some_and(|own| own != Special::Clock) && !is_about_blocks(operation, operands)
}
