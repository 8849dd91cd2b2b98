//! Matrix instructions.

use super::super::decode::Context;
use super::super::matrix::{Element, Fragment, Part, Product, Register, Rows, Shape};
use super::super::operand::{Kind, WordSource};
use super::super::{Operation, Space};
use super::memory::space_of;
use super::{Parts, unsupported};
use ptx_syntax::module::Operand;

/// Registers of an operand that is a vector, or a register alone.
pub(super) fn registers(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        single => std::slice::from_ref(single),
    }
}

fn counted(operand: &Operand, count: usize) -> Result<&[Operand], String> {
    let all = registers(operand);
    if all.len() == count { Ok(all) } else { Err(format!("{count} registers are expected, not {}", all.len())) }
}

fn sources(context: &mut Context<'_, '_>, operand: &Operand, count: usize) -> Result<Box<[WordSource]>, String> {
    counted(operand, count)?.iter().map(|own| context.word(own, "b32")).collect()
}

fn destinations(context: &Context<'_, '_>, operand: &Operand, count: usize) -> Result<Box<[u32]>, String> {
    counted(operand, count)?.iter().map(|own| context.destination(own, Kind::Word)).collect()
}

/// Registers that a lane needs for its part of a matrix.
pub(super) fn needed(shape: Shape, part: Part, element: Element) -> Result<usize, String> {
    shape.registers(part, element).ok_or_else(unsupported)
}

/// Where elements are written to. A matrix of `wmma` may have more registers than it needs, which get the same again.
fn written(
    context: &Context<'_, '_>,
    operand: &Operand,
    element: Element,
    needed: usize,
) -> Result<Box<[u32]>, String> {
    let kind = if element == Element::Double { Kind::Long } else { Kind::Word };
    let all = registers(operand);
    if !all.len().is_multiple_of(needed) {
        return Err(format!("{needed} registers are expected, not {}", all.len()));
    }
    all.iter().map(|own| context.destination(own, kind)).collect()
}

pub(super) fn read(
    context: &mut Context<'_, '_>,
    operand: &Operand,
    element: Element,
    needed: usize,
) -> Result<Box<[Register]>, String> {
    let all = registers(operand);
    if !all.len().is_multiple_of(needed) {
        return Err(format!("{needed} registers are expected, not {}", all.len()));
    }
    all[..needed]
        .iter()
        .map(|own| {
            if element == Element::Double {
                context.long(own, "f64").map(Register::Long)
            } else {
                context.word(own, if element == Element::Single { "f32" } else { "b32" }).map(Register::Word)
            }
        })
        .collect()
}

/// `mma` and `wmma.mma`. Of `wmma` on f16 only the result's type and that of what is added are written.
pub(in crate::program) fn product(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let shape = parts.modifiers.iter().find_map(|word| Shape::named(word)).ok_or_else(unsupported)?;
    let elements: Vec<Element> = parts.modifiers.iter().filter_map(|word| Element::named(word)).collect();
    let [result_type, first_type, second_type, sum_type] = match elements[..] {
        [result, sum] => [result, Element::Half, Element::Half, sum],
        [result, first, second, sum] => [result, first, second, sum],
        _ => return Err(unsupported()),
    };
    let [result, first, second, sum] = parts.operands else { return Err(unsupported()) };
    let count = |part, element| needed(shape, part, element);
    Ok(Operation::Product(Box::new(Product {
        shape,
        elements: [first_type, second_type, sum_type, result_type],
        saturates: parts.has("satfinite"),
        destinations: written(context, result, result_type, count(Part::Sum, result_type)?)?,
        sources: [
            read(context, first, first_type, count(Part::First, first_type)?)?,
            read(context, second, second_type, count(Part::Second, second_type)?)?,
            read(context, sum, sum_type, count(Part::Sum, sum_type)?)?,
        ],
    })))
}

/// `wmma.load` and `wmma.store`
pub(in crate::program) fn fragment(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(2..=3)?;
    let shape = parts.modifiers.iter().find_map(|word| Shape::named(word)).ok_or_else(unsupported)?;
    let part = parts.one_of(&[("a", Part::First), ("b", Part::Second), ("c", Part::Sum), ("d", Part::Sum)])?;
    let element = Element::named(parts.ty()).filter(|element| element.bits() >= 8).ok_or_else(unsupported)?;
    let space = parts.modifiers.iter().find_map(|word| space_of(word)).unwrap_or(Space::Generic);
    let is_load = parts.has("load");
    let (values, place) = if is_load { (0, 1) } else { (1, 0) };
    let needed = needed(shape, part, element)?;
    let (address, space) = context.address(&parts.operands[place], space)?;
    let stride = parts.operands.get(2).map(|operand| context.word(operand, "u32")).transpose()?;
    let (mut loaded, mut stored) = (Box::default(), Box::default());
    if is_load {
        loaded = written(context, &parts.operands[values], element, needed)?;
    } else {
        stored = read(context, &parts.operands[values], element, needed)?;
    }
    Ok(Operation::Fragment(Box::new(Fragment {
        space,
        address,
        stride,
        by_columns: parts.has("col"),
        part,
        shape,
        element,
        destinations: loaded,
        sources: stored,
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
