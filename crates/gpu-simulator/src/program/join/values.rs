//! Registers of a block that hold the same value but for a number that was added.

use std::collections::HashMap;

use super::alignment::written;
use crate::program::assembly::{Shape, Source, shape_of, sources_of};
use crate::program::decode::Constants;
use crate::program::operand::Kind;
use crate::program::{Base, Guard, Instruction, LongSource, WordSource};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// Zero.
    Nothing,
    /// What a register holds where the block begins.
    Register(Kind, u32),
    /// What an instruction writes to a register.
    Written(usize, Kind, u32),
}

/// The register that an address begins with.
pub(super) fn register_of(base: Base) -> Option<(Kind, u32)> {
    match base {
        Base::Word(WordSource::Register(slot)) => Some((Kind::Word, slot)),
        Base::Long(LongSource::Register(slot)) => Some((Kind::Long, slot)),
        _ => None,
    }
}

/// The values of registers at a place in a block.
#[derive(Default)]
pub(super) struct Values(HashMap<(Kind, u32), (Origin, i64)>);

impl Values {
    pub(super) fn of(&self, kind: Kind, slot: u32) -> (Origin, i64) {
        self.0.get(&(kind, slot)).copied().unwrap_or((Origin::Register(kind, slot), 0))
    }

    /// The value of an address' base.
    pub(super) fn of_base(&self, base: Base) -> Option<(Origin, i64)> {
        match base {
            Base::Zero => Some((Origin::Nothing, 0)),
            _ => register_of(base).map(|(kind, slot)| self.of(kind, slot)),
        }
    }

    /// The value of a guard's predicate, and whether it must be false.
    pub(super) fn of_guard(&self, guard: Option<Guard>) -> Option<(Origin, bool)> {
        guard.map(|Guard { predicate, negated }| (self.of(Kind::Predicate, predicate).0, negated))
    }

    /// Follows the instruction at `place`.
    pub(super) fn follow(&mut self, place: usize, own: &Instruction, constants: &Constants) {
        let sum = if own.guard.is_none() { self.sum(own, constants) } else { None };
        for (kind, slot) in written(own) {
            let value = sum.unwrap_or((Origin::Written(place, kind, slot), 0));
            self.0.insert((kind, slot), value);
        }
    }

    /// What a move gives, or the addition or subtraction of a number.
    fn sum(&self, own: &Instruction, constants: &Constants) -> Option<(Origin, i64)> {
        let shape = shape_of(own);
        let long = match shape {
            Shape::Add { long } | Shape::Subtract { long } => long,
            Shape::Copy if own.row.form.starts_with("mov") => false,
            _ => return None,
        };
        let signed = |number: u64| if long { number as i64 } else { i64::from(number as u32 as i32) };
        let of = |register: crate::program::Register| self.of(register.kind, register.slot);
        match (shape, sources_of(&own.operation, constants).as_slice()) {
            (Shape::Copy, [Source::Register(from)]) => Some(of(*from)),
            (Shape::Add { .. }, [Source::Register(from), Source::Constant(number)])
            | (Shape::Add { .. }, [Source::Constant(number), Source::Register(from)]) => {
                let (origin, offset) = of(*from);
                Some((origin, offset.checked_add(signed(*number))?))
            }
            (Shape::Subtract { .. }, [Source::Register(from), Source::Constant(number)]) => {
                let (origin, offset) = of(*from);
                Some((origin, offset.checked_sub(signed(*number))?))
            }
            _ => None,
        }
    }
}
