//! Matrix instructions.

use super::super::decode::Context;
use super::super::matrix::{Element, Product, Rows};
use super::super::operand::{Kind, WordSource};
use super::super::{Operation, Space};
use super::{Parts, unsupported};
use ptx_syntax::module::Operand;

/// Registers of an operand that is a vector, or a register alone.
fn registers(operand: &Operand, count: usize) -> Result<&[Operand], String> {
    let all = match operand {
        Operand::Vector(all) => all,
        single => std::slice::from_ref(single),
    };
    if all.len() == count { Ok(all) } else { Err(format!("{count} registers are expected, not {}", all.len())) }
}

fn sources(context: &mut Context<'_, '_>, operand: &Operand, count: usize) -> Result<Box<[WordSource]>, String> {
    registers(operand, count)?.iter().map(|own| context.word(own, "b32")).collect()
}

fn destinations(context: &Context<'_, '_>, operand: &Operand, count: usize) -> Result<Box<[u32]>, String> {
    registers(operand, count)?.iter().map(|own| context.destination(own, Kind::Word)).collect()
}

/// `mma`
pub(in crate::program) fn product(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [.., element, _, sum_type] = parts.modifiers else { return Err(unsupported()) };
    let element = match *element {
        "f16" => Element::Half,
        "bf16" => Element::Brain,
        _ => Element::Tensor,
    };
    let depth = parts.one_of(&[("m16n8k4", 4), ("m16n8k8", 8), ("m16n8k16", 16)])?;
    let half_sum = *sum_type == "f16";
    let [result, first, second, sum] = parts.operands else { return Err(unsupported()) };
    let in_second = depth * 8 / 32 / element.per_register();
    let in_sum = if half_sum { 2 } else { 4 };
    Ok(Operation::Product(Box::new(Product {
        element,
        depth,
        half_sum,
        destinations: destinations(context, result, in_sum)?,
        first: sources(context, first, 2 * in_second)?,
        second: sources(context, second, in_second)?,
        sum: sources(context, sum, in_sum)?,
    })))
}

/// `ldmatrix` and `stmatrix`
pub(in crate::program) fn rows(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(2..=2)?;
    let count = parts.one_of(&[("x1", 1), ("x2", 2), ("x4", 4)])?;
    let is_load = parts.opcode == "ldmatrix";
    let (place, values) = if is_load { (1, 0) } else { (0, 1) };
    let (address, _) = context.address(&parts.operands[place], Space::Shared)?;
    let (mut loaded, mut stored) = (Box::default(), Box::default());
    if is_load {
        loaded = destinations(context, &parts.operands[values], count)?;
    } else {
        stored = sources(context, &parts.operands[values], count)?;
    }
    Ok(Operation::Rows(Box::new(Rows {
        address,
        transposed: parts.has("trans"),
        destinations: loaded,
        sources: stored,
    })))
}
