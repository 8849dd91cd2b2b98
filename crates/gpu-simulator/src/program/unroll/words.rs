//! What instructions read, write and lead to, by their words.

use std::collections::HashMap;

use ptx_syntax::module::{Instruction, Operand, Statement};

/// Opcodes whose first operand is the result, and that may stand in an unrolled loop.
const WITH_RESULT: [&str; 52] = [
    "abs",
    "activemask",
    "add",
    "and",
    "atom",
    "bfe",
    "bfi",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "ld",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "match",
    "max",
    "min",
    "mov",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "tanh",
];
const MORE_WITH_RESULT: [&str; 5] = ["shfl", "testp", "vote", "xor", "bfind"];
/// Others that may.
const WITHOUT_RESULT: [&str; 5] = ["st", "red", "bar", "barrier", "bra"];

/// Whether it is known which operands it writes.
pub(super) fn is_known(instruction: &Instruction) -> bool {
    has_result(instruction) || WITHOUT_RESULT.contains(&instruction.opcode.as_str())
}

pub(super) fn has_result(instruction: &Instruction) -> bool {
    let opcode = instruction.opcode.as_str();
    WITH_RESULT.contains(&opcode) || MORE_WITH_RESULT.contains(&opcode)
}

/// Where a guarded branch to one label leads back to.
pub(super) fn branch_back(statement: &Statement, labels: &HashMap<&str, usize>) -> Option<usize> {
    match statement {
        Statement::Instruction(own) if own.opcode == "bra" && own.guard.is_some() => labels.get(target(own)?).copied(),
        _ => None,
    }
}

/// The label that a branch leads to.
pub(super) fn target(branch: &Instruction) -> Option<&str> {
    match branch.operands.as_slice() {
        [Operand::Name(name)] => Some(name),
        _ => None,
    }
}

/// Visits the names of an operand.
pub(super) fn visit_names(operand: &Operand, visit: &mut impl FnMut(&str)) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Sum { name, .. } | Operand::Element { name, .. } => {
            visit(name);
        }
        Operand::Address { base: Some(name), .. } => visit(name),
        Operand::Texel(inner) | Operand::Vector(inner) | Operand::List(inner) => {
            inner.iter().for_each(|own| visit_names(own, visit));
        }
        Operand::Pair(one, other) => {
            visit_names(one, visit);
            visit_names(other, visit);
        }
        Operand::Integer(_)
        | Operand::Float32(_)
        | Operand::Float64(_)
        | Operand::Address { .. }
        | Operand::Discard => {}
    }
}

/// Gives the names of an operand others.
pub(super) fn rename(operand: &mut Operand, names: &impl Fn(&str) -> Option<String>) {
    match operand {
        Operand::Name(name)
        | Operand::Not(name)
        | Operand::Sum { name, .. }
        | Operand::Element { name, .. }
        | Operand::Address { base: Some(name), .. } => {
            if let Some(other) = names(name) {
                *name = other;
            }
        }
        Operand::Texel(inner) | Operand::Vector(inner) | Operand::List(inner) => {
            inner.iter_mut().for_each(|own| rename(own, names));
        }
        Operand::Pair(one, other) => {
            rename(one, names);
            rename(other, names);
        }
        Operand::Integer(_)
        | Operand::Float32(_)
        | Operand::Float64(_)
        | Operand::Address { .. }
        | Operand::Discard => {}
    }
}

/// The names that an instruction reads, its guard among them.
pub(super) fn reads(instruction: &Instruction) -> Vec<String> {
    let mut all: Vec<String> = instruction.guard.iter().map(|guard| guard.register.clone()).collect();
    let first = usize::from(has_result(instruction));
    instruction.operands.iter().skip(first).for_each(|own| visit_names(own, &mut |name| all.push(name.to_owned())));
    all
}

/// The registers that it writes.
pub(super) fn writes(instruction: &Instruction) -> Vec<String> {
    let mut all = Vec::new();
    if has_result(instruction)
        && let Some(result) = instruction.operands.first()
    {
        visit_names(result, &mut |name| all.push(name.to_owned()));
    }
    all
}

/// `opcode.modifiers operands;`
pub(super) fn instruction(words: &str, operands: Vec<Operand>, line: u32) -> Instruction {
    let mut words = words.split('.').map(str::to_owned);
    let opcode = words.next().unwrap_or_default();
    Instruction { guard: None, opcode, modifiers: words.collect(), operands, line }
}
