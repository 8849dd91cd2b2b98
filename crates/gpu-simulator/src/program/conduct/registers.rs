//! What registers may hold at a place of a kernel.

use super::super::operand::{Base, Kind, LongSource, PredicateSource, WordSource};
use super::super::{Access, Function, Instruction, Logic, Operation, Program, Space, Special};
use super::{Given, tells_time};
use crate::arithmetic::Function as Arithmetic;
use crate::hardware::lanes::LANES;

/// What a register may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing was written to it yet.
    Unset,
    /// This, in all threads.
    Known(u64),
    /// What does not depend on memory.
    Own,
    /// What may depend on what memory holds.
    Loaded,
}

impl Value {
    /// What it may hold if it holds one or the other.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unset, Self::Unset) => Self::Unset,
            (Self::Loaded, _) | (_, Self::Loaded) => Self::Loaded,
            (Self::Known(one), Self::Known(other)) if one == other => self,
            _ => Self::Own,
        }
    }

    /// The opposite of a predicate.
    pub(super) fn opposite(self) -> Self {
        if let Self::Known(value) = self { Self::Known(1 - value) } else { self }
    }

    fn known(self) -> Option<u64> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }
}

/// What the registers of a function may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Registers {
    words: Vec<Value>,
    longs: Vec<Value>,
    predicates: Vec<Value>,
}

impl Registers {
    /// Those of a function at its beginning.
    pub(super) fn new(function: &Function) -> Self {
        let unset = |count: u32| vec![Value::Unset; count as usize];
        Self { words: unset(function.words), longs: unset(function.longs), predicates: unset(function.predicates) }
    }

    fn of_kind(&self, kind: Kind) -> &[Value] {
        match kind {
            Kind::Word => &self.words,
            Kind::Long => &self.longs,
            Kind::Predicate => &self.predicates,
        }
    }

    /// What a register may hold; what was never written is nothing that was loaded.
    pub(super) fn get(&self, kind: Kind, slot: u32) -> Value {
        match self.of_kind(kind).get(slot as usize) {
            Some(Value::Unset) | None => Value::Own,
            Some(value) => *value,
        }
    }

    /// What a predicate may be.
    pub(super) fn predicate(&self, slot: u32) -> Value {
        self.get(Kind::Predicate, slot)
    }

    /// Adds what registers may hold on another path. Whether that is anything new.
    pub(super) fn merge(&mut self, other: &Self) -> bool {
        let mut is_new = false;
        for kind in [Kind::Word, Kind::Long, Kind::Predicate] {
            let own = match kind {
                Kind::Word => &mut self.words,
                Kind::Long => &mut self.longs,
                Kind::Predicate => &mut self.predicates,
            };
            for (own, other) in own.iter_mut().zip(other.of_kind(kind)) {
                let merged = own.or(*other);
                is_new |= merged != *own;
                *own = merged;
            }
        }
        is_new
    }

    fn set(&mut self, kind: Kind, slot: u32, value: Value, always: bool) {
        let all = match kind {
            Kind::Word => &mut self.words,
            Kind::Long => &mut self.longs,
            Kind::Predicate => &mut self.predicates,
        };
        if let Some(own) = all.get_mut(slot as usize) {
            *own = if always { value } else { own.or(value) };
        }
    }

    /// What registers may hold behind an instruction that `always` runs, or only where its guard lets it.
    pub(super) fn follow(&mut self, program: &Program, given: &Given<'_>, instruction: &Instruction, always: bool) {
        if let Some((kind, slot, value)) = self.result(program, given, &instruction.operation) {
            return self.set(kind, slot, Value::Known(value), always);
        }
        let loads = match &instruction.operation {
            Operation::Load { access, destinations } => {
                if let Some(values) = parameters(access, destinations.len(), given) {
                    for (slot, value) in destinations.iter().zip(values) {
                        let kind = if access.long { Kind::Long } else { Kind::Word };
                        slot.iter().for_each(|slot| self.set(kind, *slot, Value::Known(value), always));
                    }
                    return;
                }
                !matches!(access.space, Space::Constant | Space::Parameter)
            }
            Operation::ReadSpecial { special, .. } => tells_time(*special),
            Operation::Atomic(_)
            | Operation::Phase(_)
            | Operation::Call(_)
            | Operation::Fragment(_)
            | Operation::Rows(_) => true,
            _ => false,
        };
        let from_loaded = instruction.reads.iter().any(|read| self.get(read.kind, read.slot) == Value::Loaded);
        let value = if loads || from_loaded { Value::Loaded } else { Value::Own };
        instruction.writes.iter().for_each(|write| self.set(write.kind, write.slot, value, always));
    }

    /// The register that an operation writes and the value, where that is known.
    fn result(&self, program: &Program, given: &Given<'_>, operation: &Operation) -> Option<(Kind, u32, u64)> {
        match operation {
            Operation::Compute { function, destination, words, longs } => {
                let word = |index: usize| self.word(program, words[index]).map(|value| [value as u32; LANES]);
                let long = |index: usize| self.long(program, longs[index]).map(|value| [value; LANES]);
                let (mut to_word, mut to_long) = ([0; LANES], [0; LANES]);
                match function {
                    Arithmetic::WW(own) => own(&word(0)?, &mut to_word),
                    Arithmetic::WL(own) => own(&word(0)?, &mut to_long),
                    Arithmetic::LW(own) => own(&long(0)?, &mut to_word),
                    Arithmetic::LL(own) => own(&long(0)?, &mut to_long),
                    Arithmetic::WWW(own) => own(&word(0)?, &word(1)?, &mut to_word),
                    Arithmetic::WWL(own) => own(&word(0)?, &word(1)?, &mut to_long),
                    Arithmetic::LLL(own) => own(&long(0)?, &long(1)?, &mut to_long),
                    Arithmetic::LWL(own) => own(&long(0)?, &word(0)?, &mut to_long),
                    Arithmetic::WWWW(own) => own(&word(0)?, &word(1)?, &word(2)?, &mut to_word),
                    _ => return None,
                }
                Some(if function.is_long() {
                    (Kind::Long, *destination, to_long[0])
                } else {
                    (Kind::Word, *destination, u64::from(to_word[0]))
                })
            }
            Operation::Compare {
                function,
                destination: Some(destination),
                complement: None,
                combine,
                words,
                longs,
            } => {
                let outcome = match function {
                    Arithmetic::WWP(own) => {
                        let [one, other] = [words[0], words[1]].map(|source| self.word(program, source));
                        own(&[one? as u32; LANES], &[other? as u32; LANES])
                    }
                    Arithmetic::LLP(own) => {
                        let [one, other] = [longs[0], longs[1]].map(|source| self.long(program, source));
                        own(&[one?; LANES], &[other?; LANES])
                    }
                    _ => return None,
                };
                let mut value = u64::from(outcome & 1);
                if let Some((logic, source)) = combine {
                    value = combined(*logic, value, self.truth(*source)?);
                }
                Some((Kind::Predicate, *destination, value))
            }
            Operation::Predicates { logic, destination, first, second } => {
                let value = match (logic, self.truth(*first), self.truth(*second)) {
                    (_, Some(one), Some(other)) => combined(*logic, one, other),
                    (Logic::And, Some(0), _) | (Logic::And, _, Some(0)) => 0,
                    (Logic::Or, Some(1), _) | (Logic::Or, _, Some(1)) => 1,
                    _ => return None,
                };
                Some((Kind::Predicate, *destination, value))
            }
            Operation::SelectWord { destination, first, second, predicate } => {
                let source = if self.truth(*predicate)? == 0 { second } else { first };
                Some((Kind::Word, *destination, self.word(program, *source)?))
            }
            Operation::SelectLong { destination, first, second, predicate } => {
                let source = if self.truth(*predicate)? == 0 { second } else { first };
                Some((Kind::Long, *destination, self.long(program, *source)?))
            }
            Operation::ReadSpecial { special, destination, long } => {
                let value = match special {
                    Special::BlockExtent(axis) => given.block[usize::from(*axis)],
                    Special::GridExtent(axis) => given.grid[usize::from(*axis)],
                    _ => return None,
                };
                Some((if *long { Kind::Long } else { Kind::Word }, *destination, u64::from(value)))
            }
            _ => None,
        }
    }

    fn word(&self, program: &Program, source: WordSource) -> Option<u64> {
        match source {
            WordSource::Register(slot) => self.get(Kind::Word, slot).known(),
            WordSource::Constant(place) => program.words.get(place as usize).map(|words| u64::from(words[0])),
        }
    }

    fn long(&self, program: &Program, source: LongSource) -> Option<u64> {
        match source {
            LongSource::Register(slot) => self.get(Kind::Long, slot).known(),
            LongSource::Constant(place) => program.longs.get(place as usize).map(|longs| longs[0]),
        }
    }

    fn truth(&self, source: PredicateSource) -> Option<u64> {
        match source {
            PredicateSource::Register { slot, negated } => {
                self.predicate(slot).known().map(|value| value ^ u64::from(negated))
            }
            PredicateSource::Constant(value) => Some(u64::from(value)),
        }
    }
}

fn combined(logic: Logic, one: u64, other: u64) -> u64 {
    match logic {
        Logic::And => one & other,
        Logic::Or => one | other,
        Logic::Xor => one ^ other,
    }
}

/// The elements of kernel parameters that an access loads, where it loads some.
fn parameters(access: &Access, count: usize, given: &Given<'_>) -> Option<Vec<u64>> {
    if access.space != Space::Parameter || access.address.base != Base::Zero || access.signed {
        return None;
    }
    let (first, bytes) = (usize::try_from(access.address.offset).ok()?, usize::from(access.element_bytes));
    (0..count)
        .map(|element| {
            let begin = first + element * bytes;
            let own = given.parameters.get(begin..begin + bytes)?;
            Some(own.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        })
        .collect()
}
