//! What instructions read, write and lead to, by their words.

use std::collections::HashMap;

use ptx_syntax::module::{Instruction, Operand, Statement};

/// Whether its first operand is its result; `None` of an instruction that may not stand in an unrolled loop.
fn has_result(instruction: &Instruction) -> Option<bool> {
    match instruction.opcode.as_str() {
        "abs" | "activemask" | "add" | "and" | "atom" | "bfe" | "bfi" | "bfind" | "brev" | "clz" | "cnot"
        | "copysign" | "cos" | "cvt" | "cvta" | "div" | "dp2a" | "dp4a" | "ex2" | "fma" | "fns" | "ld" | "ldu"
        | "lg2" | "lop3" | "mad" | "mad24" | "match" | "max" | "min" | "mov" | "mul" | "mul24" | "neg" | "not"
        | "or" | "popc" | "prmt" | "rcp" | "rem" | "rsqrt" | "sad" | "selp" | "set" | "setp" | "shf" | "shfl"
        | "shl" | "shr" | "sin" | "slct" | "sqrt" | "sub" | "tanh" | "testp" | "vote" | "xor" => Some(true),
        "bar" | "barrier" => Some(instruction.modifiers.iter().any(|word| word == "red")),
        "st" | "red" | "bra" => Some(false),
        _ => None,
    }
}

/// Whether it is known which operands it writes.
pub(super) fn is_known(instruction: &Instruction) -> bool {
    has_result(instruction).is_some()
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
    let first = usize::from(has_result(instruction) == Some(true));
    instruction.operands.iter().skip(first).for_each(|own| visit_names(own, &mut |name| all.push(name.to_owned())));
    all
}

/// The registers that it writes.
pub(super) fn writes(instruction: &Instruction) -> Vec<String> {
    let mut all = Vec::new();
    if has_result(instruction) == Some(true)
        && let Some(result) = instruction.operands.first()
    {
        visit_names(result, &mut |name| all.push(name.to_owned()));
    }
    all
}
