//! Integer arithmetic with a carry.

use super::super::Operation;
use super::super::carry::{CarryFunction, Carrying};
use super::super::decode::Context;
use super::super::operand::{Kind, LongSource, WordSource};
use super::super::scope::{CARRY, Entity};
use super::{Parts, bits_of, unsupported};

pub(in crate::program) fn carry(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let function = match parts.opcode {
        "add" | "addc" => CarryFunction::Add,
        "sub" | "subc" => CarryFunction::Subtract,
        _ if parts.has("lo") => CarryFunction::MultiplyAddLow,
        _ => CarryFunction::MultiplyAddHigh { signed: parts.ty().starts_with('s') },
    };
    let Some(Entity::Register(register)) = context.scope.find(CARRY) else { return Err(unsupported()) };
    let takes = matches!(parts.opcode, "addc" | "subc" | "madc");
    let long = bits_of(parts.ty()) == Some(64);
    let count = if matches!(function, CarryFunction::Add | CarryFunction::Subtract) { 2 } else { 3 };
    parts.expect_operands(count + 1..=count + 1)?;
    let destination = context.destination(&parts.operands[0], if long { Kind::Long } else { Kind::Word })?;
    let (mut words, mut longs) = ([WordSource::Constant(0); 3], [LongSource::Constant(0); 3]);
    for (place, operand) in parts.operands[1..].iter().enumerate() {
        if long {
            longs[place + 3 - count] = context.long(operand, parts.ty())?;
        } else {
            words[place + 3 - count] = context.word(operand, parts.ty())?;
        }
    }
    Ok(Operation::Carrying(Box::new(Carrying {
        function,
        destination,
        long,
        words,
        longs,
        carry_in: takes.then_some(register.number),
        carry_out: parts.has("cc").then_some(register.number),
    })))
}
