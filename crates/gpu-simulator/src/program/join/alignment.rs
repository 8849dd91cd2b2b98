//! What is known of the lowest bits of registers: where accesses are aligned.

use std::collections::HashMap;

use crate::program::assembly::{Shape, Source, shape_of, sources_of};
use crate::program::decode::Constants;
use crate::program::operand::{Kind, Use};
use crate::program::{Instruction, Operation};

/// The most bits that are followed.
const BITS_MAX: u32 = 8;

/// The lowest bits of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lowest {
    /// How many are known.
    pub(super) bits: u32,
    /// What they are.
    pub(super) value: u64,
}

impl Lowest {
    pub(super) const UNKNOWN: Self = Self { bits: 0, value: 0 };

    fn new(bits: u32, value: u64) -> Self {
        let bits = bits.min(BITS_MAX);
        Self { bits, value: value & ((1 << bits) - 1) }
    }

    pub(super) fn of_constant(value: u64) -> Self {
        Self::new(BITS_MAX, value)
    }

    /// How many of the lowest are known to be zero.
    fn zeros(self) -> u32 {
        self.value.trailing_zeros().min(self.bits)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::new(self.bits.min(other.bits), self.value.wrapping_add(other.value))
    }

    fn minus(self, other: Self) -> Self {
        Self::new(self.bits.min(other.bits), self.value.wrapping_sub(other.value))
    }

    fn times(self, other: Self) -> Self {
        let bits = (self.zeros() + other.bits).min(other.zeros() + self.bits);
        Self::new(bits, self.value.wrapping_mul(other.value))
    }

    fn and(self, other: Self) -> Self {
        let zeros = self.zeros().max(other.zeros());
        let both = self.bits.min(other.bits);
        if zeros > both { Self::new(zeros, 0) } else { Self::new(both, self.value & other.value) }
    }

    /// What is known of a value that is one of the two.
    fn or_else(self, other: Self) -> Self {
        let alike = (self.value ^ other.value).trailing_zeros();
        Self::new(self.bits.min(other.bits).min(alike), self.value)
    }
}

/// What is known of each register wherever it is read.
pub(super) struct Alignments(HashMap<(Kind, u32), Lowest>);

impl Alignments {
    pub(super) fn of(code: &[Instruction], constants: &Constants) -> Self {
        let mut known = Self(HashMap::new());
        let all: Vec<_> = code.iter().flat_map(|own| written(own).map(move |register| (own, register))).collect();
        let all: Vec<_> = all
            .into_iter()
            .map(|(own, register)| (own, shape_of(own), sources_of(&own.operation, constants), register))
            .collect();
        loop {
            let mut changed = false;
            for (own, shape, sources, register) in &all {
                // What comes from a register of which nothing was found yet waits for that.
                let Some(new) = known.result(own, *shape, sources) else { continue };
                let new = known.0.get(register).map_or(new, |old| old.or_else(new));
                changed |= known.0.insert(*register, new) != Some(new);
            }
            if !changed {
                return known;
            }
        }
    }

    pub(super) fn get(&self, register: (Kind, u32)) -> Lowest {
        self.0.get(&register).copied().unwrap_or(Lowest::UNKNOWN)
    }

    fn result(&self, own: &Instruction, shape: Shape, sources: &[Source]) -> Option<Lowest> {
        let of = |place: usize| match sources.get(place) {
            Some(Source::Register(register)) => self.0.get(&(register.kind, register.slot)).copied(),
            Some(Source::Constant(value)) => Some(Lowest::of_constant(*value)),
            None => Some(Lowest::UNKNOWN),
        };
        let opcode = own.row.form.split(['.', '|']).next().unwrap_or_default();
        Some(match shape {
            // The place of a variable: what it is a multiple of is used, and no more.
            Shape::Copy if matches!(sources, [Source::Constant(_)]) => Lowest::new(of(0)?.zeros(), 0),
            Shape::Copy => of(0)?,
            Shape::Add { .. } => of(0)?.plus(of(1)?),
            Shape::Subtract { .. } => of(0)?.minus(of(1)?),
            Shape::Multiply { .. } | Shape::MultiplyWide => of(0)?.times(of(1)?),
            Shape::MultiplyAdd => of(0)?.times(of(1)?).plus(of(2)?),
            Shape::Other if own.row.form.starts_with("mad.wide") => of(0)?.times(of(1)?).plus(of(2)?),
            Shape::Shift { .. } => match sources.get(1) {
                Some(Source::Constant(by)) if *by < u64::from(BITS_MAX) => of(0)?.times(Lowest::of_constant(1 << by)),
                Some(Source::Constant(_)) => Lowest::of_constant(0),
                _ => Lowest::new(of(0)?.zeros(), 0),
            },
            Shape::Logic { .. } => {
                let (first, second) = (of(0)?, of(1)?);
                let both = first.bits.min(second.bits);
                match opcode {
                    "and" => first.and(second),
                    "or" => Lowest::new(both, first.value | second.value),
                    "xor" => Lowest::new(both, first.value ^ second.value),
                    _ => Lowest::UNKNOWN,
                }
            }
            Shape::Extremum | Shape::Select { .. } => of(0)?.or_else(of(1)?),
            _ => Lowest::UNKNOWN,
        })
    }
}

/// The registers that an instruction writes.
pub(super) fn written(own: &Instruction) -> impl Iterator<Item = (Kind, u32)> + use<> {
    used(&own.operation).into_iter().filter(|(_, _, r#use)| *r#use == Use::Write).map(|(kind, slot, _)| (kind, slot))
}

/// The registers of an operation.
pub(super) fn used(operation: &Operation) -> Vec<(Kind, u32, Use)> {
    let mut all = Vec::new();
    operation.clone().visit_registers(&mut |slot, kind, r#use| all.push((kind, *slot, r#use)));
    all
}

#[cfg(test)]
mod tests {
    use super::Lowest;
    use proptest::prelude::*;

    /// Numbers with what may be known of them.
    fn numbers() -> impl Strategy<Value = (u64, Lowest)> {
        (any::<u64>(), 0..=8_u32).prop_map(|(number, bits)| (number, Lowest::new(bits, number)))
    }

    fn holds(known: Lowest, number: u64) -> bool {
        number & ((1 << known.bits) - 1) == known.value
    }

    proptest! {
        #[test]
        fn what_is_known_of_results_is_so((a, first) in numbers(), (b, second) in numbers()) {
            prop_assert!(holds(first.plus(second), a.wrapping_add(b)));
            prop_assert!(holds(first.minus(second), a.wrapping_sub(b)));
            prop_assert!(holds(first.times(second), a.wrapping_mul(b)));
            prop_assert!(holds(first.and(second), a & b));
            prop_assert!(holds(first.or_else(second), a) && holds(first.or_else(second), b));
        }
    }

    #[test]
    fn a_multiple_of_16_is_known_as_one() {
        assert_eq!(Lowest::UNKNOWN.times(Lowest::of_constant(48)), Lowest::new(4, 0));
        assert_eq!(Lowest::UNKNOWN.and(Lowest::of_constant(!15)), Lowest::new(4, 0));
    }
}
