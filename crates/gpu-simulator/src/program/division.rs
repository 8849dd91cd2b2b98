//! Quotients and remainders of integers whose divisor no compiler knows: no GPU has an instruction for them.

use super::{Instruction, LongSource, MachineCost, Operation, Waits, WordSource};
use crate::class::{Class, Cost};

impl Instruction {
    /// Whether it divides integers by a number that is in a register: compilers make a product of a division by a constant.
    pub(crate) fn divides(&self) -> bool {
        let Operation::Compute { words, longs, .. } = &self.operation else { return false };
        match self.row.form {
            form if !form.starts_with("div.u") && !form.starts_with("rem.u") => false,
            form if form.contains("64") => matches!(longs[1], LongSource::Register(_)),
            _ => matches!(words[1], WordSource::Register(_)),
        }
    }

    /// What it would cost if a mask or a shift did what it does, with an instruction for each word.
    pub(crate) fn cost_of_mask(&self) -> MachineCost {
        let words = if self.row.form.contains("64") { 2.0 } else { 1.0 };
        let Cost { class, unit, .. } = Cost::of(Class::Integer);
        MachineCost { class, unit, weight: words, besides: 0.0, around: 0.0, waits: Waits::default() }
    }
}
