//! Products of matrices by four warps together.

use super::super::Operation;
use super::super::decode::Context;
use super::super::group::{Factor, GroupProduct};
use super::super::matrix::{Element, Part, Shape};
use super::super::operand::Kind;
use super::matrix::{needed, read, registers};
use super::{Parts, unsupported};
use ptx_syntax::module::Operand;

/// Warps of a group, each with its part of the rows.
const WARPS: usize = 4;

/// `wgmma.mma_async`
pub(in crate::program) fn product(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let shape = parts.modifiers.iter().find_map(|word| Shape::named(word)).ok_or_else(unsupported)?;
    if shape.columns == 0 || !shape.columns.is_multiple_of(8) || shape.columns > 256 || shape.rows != 64 {
        return Err(unsupported());
    }
    let shape = Shape { rows: shape.rows / WARPS, ..shape };
    let elements: Vec<Element> = parts.modifiers.iter().filter_map(|word| Element::named(word)).collect();
    let [result_type, first_type, second_type] = elements[..] else { return Err(unsupported()) };
    // What the factors share are 32 bytes.
    if !go_together(result_type, first_type, second_type) || shape.depth * first_type.bits() != 256 {
        return Err(unsupported());
    }
    let [result, first, second, adds, flags @ ..] = parts.operands else { return Err(unsupported()) };
    let flags: Vec<i64> = flags.iter().map(whole).collect::<Result<_, _>>()?;
    let in_registers = matches!(first, Operand::Vector(_));
    // Of f16 and bf16 it is said which way each factor in shared memory lies.
    let (signs, ways) = match flags[..] {
        [] => ([1, 1], [0, 0]),
        [first, second] => ([first, second], [0, 0]),
        [first, second, way] if in_registers => ([first, second], [0, way]),
        [first, second, first_way, second_way] if !in_registers => ([first, second], [first_way, second_way]),
        _ => return Err("this number of operands is not supported".to_owned()),
    };
    if signs.iter().any(|sign| sign.abs() != 1) {
        return Err("a factor is multiplied by 1 or -1".to_owned());
    }
    let mut shared = |operand: &Operand, way: i64| -> Result<Factor, String> {
        Ok(Factor::Shared { descriptor: context.long(operand, "b64")?, across: way != 0 })
    };
    let second = shared(second, ways[1])?;
    let first = if in_registers {
        Factor::Registers(read(context, first, first_type, needed(shape, Part::First, first_type)?)?)
    } else {
        shared(first, ways[0])?
    };
    let count = needed(shape, Part::Sum, result_type)?;
    let all = registers(result);
    if all.len() != count {
        return Err(format!("{count} registers are expected, not {}", all.len()));
    }
    Ok(Operation::GroupProduct(Box::new(GroupProduct {
        shape,
        elements: [first_type, second_type, result_type],
        factors: [first, second],
        negated: signs[0] != signs[1],
        saturates: parts.has("satfinite"),
        adds: context.predicate(adds)?,
        sum: read(context, result, result_type, count)?,
        destinations: all.iter().map(|own| context.destination(own, Kind::Word)).collect::<Result<_, _>>()?,
    })))
}

fn go_together(result: Element, first: Element, second: Element) -> bool {
    use Element::{Brain, FineByte, Half, SignedByte, Single, Tensor, UnsignedByte, Whole, WideByte};
    match result {
        Half => matches!((first, second), (Half, Half) | (FineByte | WideByte, FineByte | WideByte)),
        Single => {
            matches!((first, second), (Half, Half) | (Brain, Brain) | (Tensor, Tensor))
                || go_together(Half, first, second)
        }
        Whole => matches!((first, second), (SignedByte | UnsignedByte, SignedByte | UnsignedByte)),
        _ => false,
    }
}

fn whole(operand: &Operand) -> Result<i64, String> {
    match operand {
        Operand::Integer(number) => Ok(number.cast_signed()),
        _ => Err(format!("{operand} is not a number")),
    }
}

/// `wgmma.fence`, `wgmma.commit_group`, `wgmma.wait_group`: products are done at once.
pub(in crate::program) fn order(_: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(0..=1)?;
    Ok(Operation::Nothing)
}
