//! From an instruction as it is written to what it does.

pub(super) mod carry;
mod context;
pub(super) mod data;
pub(super) mod flow;
pub(super) mod group;
pub(super) mod matrix;
pub(super) mod memory;
pub(super) mod phase;
pub(super) mod warp;

use super::decode::Context;
use super::operand::result_kind;
use super::table::{self, Semantics};
use super::{Guard, LongSource, Operation, Row, WordSource};
use crate::arithmetic::{Function, Modifiers};
use ptx_syntax::module::{Instruction, Operand};

/// What an instruction becomes.
pub(super) struct Lowered {
    pub(super) operation: Operation,
    pub(super) row: &'static Row,
}

/// Decodes an instruction, its guard aside: by the row of its form whose case it is.
///
/// # Errors
/// What is not supported, or not right.
pub(super) fn lower(context: &mut Context<'_, '_>, instruction: &Instruction) -> Result<Lowered, String> {
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(String::as_str).collect();
    let parts = Parts { opcode: &instruction.opcode, modifiers: &modifiers, operands: &instruction.operands };
    for row in table::find(parts.opcode, parts.modifiers) {
        let operation = match row.semantics {
            Semantics::Compute(function) => compute(context, &parts, function),
            Semantics::Compare(function) => data::compare(context, &parts, function),
            Semantics::Other(lower) => lower(context, &parts),
        }?;
        if row.applies(&operation, parts.operands) {
            return Ok(Lowered { operation, row });
        }
    }
    Err(table::why_unsupported(parts.opcode, parts.modifiers))
}

/// An instruction's words.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    opcode: &'a str,
    modifiers: &'a [&'a str],
    operands: &'a [Operand],
}

impl Parts<'_> {
    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// What the one of these words that is among the modifiers stands for.
    fn one_of<T: Copy>(&self, meanings: &[(&str, T)]) -> Result<T, String> {
        let found = meanings.iter().find(|(word, _)| self.has(word));
        found.map(|(_, meaning)| *meaning).ok_or_else(unsupported)
    }

    /// The last modifier, which is the type of most instructions.
    fn ty(&self) -> &str {
        self.modifiers.last().copied().unwrap_or_default()
    }

    fn expect_operands(&self, counts: std::ops::RangeInclusive<usize>) -> Result<(), String> {
        if counts.contains(&self.operands.len()) {
            return Ok(());
        }
        let expected = if counts.start() == counts.end() {
            counts.start().to_string()
        } else {
            format!("{} to {}", counts.start(), counts.end())
        };
        Err(format!("{expected} operands are expected, not {}", self.operands.len()))
    }
}

fn unsupported() -> String {
    "this instruction is not supported".to_owned()
}

/// Width of a type's name, such as 32 of `u32`.
fn bits_of(ty: &str) -> Option<u8> {
    let digits = ty.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    digits.parse().ok()
}

/// Whatever computes registers from registers.
fn compute(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
    function: fn(Modifiers) -> Option<Function>,
) -> Result<Operation, String> {
    let destination = parts.operands.first().ok_or_else(unsupported)?;
    let Operand::Name(destination) = destination else { return Err(unsupported()) };
    let Some(destination) = context.register_of(destination) else { return Err(unsupported()) };
    let mut modifiers = Modifiers::read(parts.modifiers, destination.bits).ok_or_else(unsupported)?;
    if parts.opcode == "cvt" && parts.operands[1..].iter().any(|source| is_long(context, source)) {
        modifiers = modifiers.of_long_registers();
    }
    let function = function(modifiers).ok_or_else(unsupported)?;
    if result_kind(&function) != destination.kind {
        return Err("the destination is a register of another width".to_owned());
    }
    let (words, longs) = sources(context, &function, &parts.operands[1..], parts.ty())?;
    Ok(Operation::Compute { function, destination: destination.number, words, longs })
}

fn is_long(context: &Context<'_, '_>, operand: &Operand) -> bool {
    context.register(operand).is_ok_and(|register| register.kind == super::operand::Kind::Long)
}

/// A function's sources; places that it does not use hold a constant.
fn sources(
    context: &mut Context<'_, '_>,
    function: &Function,
    operands: &[Operand],
    ty: &str,
) -> Result<([WordSource; 4], [LongSource; 3]), String> {
    let shape = function.sources();
    if operands.len() != shape.len() {
        return Err(format!("{} sources are expected, not {}", shape.len(), operands.len()));
    }
    let (mut words, mut longs) = ([WordSource::Constant(0); 4], [LongSource::Constant(0); 3]);
    let (mut word, mut long) = (0, 0);
    for (operand, letter) in operands.iter().zip(shape.bytes()) {
        if letter == b'W' {
            words[word] = context.word(operand, ty)?;
            word += 1;
        } else {
            longs[long] = context.long(operand, ty)?;
            long += 1;
        }
    }
    Ok((words, longs))
}

impl Context<'_, '_> {
    /// `@%p` or `@!%p`
    pub(super) fn guard(&self, guard: &ptx_syntax::module::Guard) -> Result<Guard, String> {
        Ok(Guard { predicate: self.predicate_register(&guard.register)?, negated: guard.negated })
    }
}
