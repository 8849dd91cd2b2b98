//! Which memory an access touches, as far as that is known before it runs: what two accesses may be exchanged.

use std::collections::HashMap;

use super::operand::{Base, Kind, LongSource, WordSource};
use super::{Access, Operation, Space};

/// The memory that an access may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Any.
    Anything,
    /// Bytes of one state space from `begin` to `end` behind a base, which is told by what it is and how often it was written before.
    Bytes { space: Space, base: (Base, usize), begin: i64, end: i64 },
}

impl Reach {
    /// That of a load or store. `written` says how often each register was written before it.
    pub(super) fn of(operation: &Operation, written: &HashMap<(Kind, u32), usize>) -> Self {
        let (access, elements) = match operation {
            Operation::Load { access, destinations } => (access, destinations.len()),
            Operation::Store { access, words, longs } => (access, words.len().max(longs.len())),
            _ => return Self::Anything,
        };
        let Access { space, address, element_bytes, .. } = access;
        if *space == Space::Generic {
            return Self::Anything;
        }
        let register = match address.base {
            Base::Word(WordSource::Register(slot)) => Some((Kind::Word, slot)),
            Base::Long(LongSource::Register(slot)) => Some((Kind::Long, slot)),
            _ => None,
        };
        let times = register.and_then(|register| written.get(&register).copied()).unwrap_or(0);
        let end = address.offset.saturating_add(i64::from(*element_bytes) * elements as i64);
        Self::Bytes { space: *space, base: (address.base, times), begin: address.offset, end }
    }

    /// Whether a byte may be touched by both.
    pub(super) fn may_meet(self, other: Self) -> bool {
        let (
            Self::Bytes { space, base, begin, end },
            Self::Bytes { space: other_space, base: other_base, begin: other_begin, end: other_end },
        ) = (self, other)
        else {
            return true;
        };
        space == other_space && (base != other_base || begin < other_end && other_begin < end)
    }
}
