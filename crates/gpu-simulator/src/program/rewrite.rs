//! Operands that stand for others: elements of arrays, and special registers where they are not moved.

use std::collections::HashMap;

use super::layout::variables_in;
use super::lower::data::is_special;
use super::scope::Scope;
use ptx_syntax::module::{Instruction, Item, Module, Operand, Type, Variable};

/// Bytes of an element of each variable of a module and its functions; `None` where variables of that name differ.
pub(super) struct ElementBytes<'module>(HashMap<&'module str, Option<u32>>);

impl<'module> ElementBytes<'module> {
    pub(super) fn of(module: &'module Module) -> Self {
        let mut all = HashMap::new();
        let mut note = |variable: &'module Variable| {
            let bytes = variable.ty.bytes() * u32::from(variable.vector);
            let known = all.entry(variable.name.as_str()).or_insert(Some(bytes));
            *known = known.filter(|known| *known == bytes);
        };
        for item in &module.items {
            match item {
                Item::Variable(variable) => note(variable),
                Item::Function(function) => {
                    function.parameters.iter().for_each(&mut note);
                    variables_in(function.body.as_deref().unwrap_or_default()).into_iter().for_each(&mut note);
                }
            }
        }
        Self(all)
    }

    /// Where an element is, in bytes from the variable's beginning. PTX ISA, "Arrays as Operands".
    fn offset(&self, name: &str, index: u64) -> Result<i64, String> {
        let bytes = match self.0.get(name) {
            None => return Err(format!("{name} is not a variable")),
            Some(None) => return Err(format!("{name} is the name of variables of several types")),
            Some(Some(bytes)) => u64::from(*bytes),
        };
        index
            .checked_mul(bytes)
            .and_then(|offset| i64::try_from(offset).ok())
            .ok_or("the offset is too large".to_owned())
    }
}

/// The instruction with plain operands, behind the moves of special registers that it needs; `None` where it has them already.
/// `place` tells instructions of a function apart.
pub(super) fn rewritten(
    instruction: &Instruction,
    elements: &ElementBytes<'_>,
    scope: &mut Scope,
    place: usize,
) -> Result<Option<(Vec<Instruction>, Instruction)>, String> {
    // Of special registers ptxas takes those of 32 bits as sources of `cvt`, and of no other instruction but `mov`.
    let is_converted = |operand: &Operand, scope: &Scope| {
        matches!(operand, Operand::Name(name) if scope.find(name).is_none() && is_special(name))
            && instruction.opcode == "cvt"
    };
    let is_plain = |operand: &Operand| !matches!(operand, Operand::Element { .. }) && !is_converted(operand, scope);
    if instruction.operands.iter().all(is_plain) {
        return Ok(None);
    }
    let (mut moves, mut own) = (Vec::new(), instruction.clone());
    for operand in &mut own.operands {
        if let Operand::Element { name, index } = operand {
            let (name, offset) = (name.clone(), elements.offset(name, *index)?);
            let is_address_itself = matches!(instruction.opcode.as_str(), "mov" | "cvta");
            *operand = if is_address_itself {
                Operand::Sum { name, offset }
            } else {
                Operand::Address { base: Some(name), offset }
            };
        } else if is_converted(operand, scope) {
            // No register of a text has a blank in its name.
            let name = format!("special {place}");
            scope.declare_registers(Type::Unsigned(32), &name, None)?;
            let source = std::mem::replace(operand, Operand::Name(name.clone()));
            moves.push(Instruction {
                opcode: "mov".to_owned(),
                modifiers: vec!["u32".to_owned()],
                operands: vec![Operand::Name(name), source],
                ..instruction.clone()
            });
        }
    }
    Ok(Some((moves, own)))
}
