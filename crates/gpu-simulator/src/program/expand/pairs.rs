//! Comparisons of two pairs of floats at once, which set two predicates.

use super::instruction;
use ptx_syntax::module::{Instruction, Operand, Statement, Type};

/// Whether it compares pairs.
pub(super) fn is_comparison(own: &Instruction) -> bool {
    own.opcode == "setp" && own.modifiers.last().is_some_and(|ty| ty == "f16x2" || ty == "bf16x2")
}

/// A comparison for each half.
pub(super) fn compared(own: &Instruction) -> Option<Statement> {
    let [Operand::Pair(first, second), left, right, rest @ ..] = &own.operands[..] else { return None };
    let (ty, words) = own.modifiers.split_last()?;
    let (guard, line) = (own.guard.as_ref(), own.line);
    let halves = ["lower left", "upper left", "lower right", "upper right"];
    let name = |place: usize| Operand::Name(halves[place].to_owned());
    let unpacked = |first: usize, from: &Operand| {
        instruction("mov.b32", vec![Operand::Vector(vec![name(first), name(first + 1)]), from.clone()], guard, line)
    };
    let words = format!("setp.{}.{}", words.join("."), ty.trim_end_matches("x2"));
    let half = |place: usize, target: &Operand| {
        let mut operands = vec![target.clone(), name(place), name(2 + place)];
        operands.extend(rest.iter().cloned());
        (*target != Operand::Discard).then(|| instruction(&words, operands, guard, line))
    };
    let mut comparisons = [half(0, first), half(1, second)];
    // A predicate that both are combined with is written last.
    if rest.first().is_some_and(|combined| **first == *combined) {
        comparisons.reverse();
    }
    let names = halves.map(|half| (half.to_owned(), None)).to_vec();
    let mut all = vec![Statement::Registers { vector: 1, ty: Type::Bits(16), names }];
    all.extend([unpacked(0, left), unpacked(2, right)]);
    all.extend(comparisons.into_iter().flatten());
    Some(Statement::Block(all))
}
