//! Operands: registers of a frame, or constants of the program.

use super::Operation;
use super::group::Factor;
use super::matrix::{Element, Register as MatrixRegister};
use super::phase::PhaseAction;
use crate::arithmetic::Function as Arithmetic;

/// A kind of register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Of 8, 16 or 32 bits.
    Word,
    /// Of 64 bits.
    Long,
    /// A predicate.
    Predicate,
}

/// Whether an operand is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Read.
    Read,
    /// Written.
    Write,
}

/// A 32-bit source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordSource {
    /// A register slot.
    Register(u32),
    /// A constant of the program.
    Constant(u32),
}

/// A 64-bit source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongSource {
    /// A register slot.
    Register(u32),
    /// A constant of the program.
    Constant(u32),
}

/// A predicate as a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PredicateSource {
    /// A predicate, or its opposite.
    Register {
        /// Its slot.
        slot: u32,
        /// Whether its opposite is meant.
        negated: bool,
    },
    /// The same for all lanes.
    Constant(bool),
}

/// What an address begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// A 32-bit register.
    Word(WordSource),
    /// A 64-bit register.
    Long(LongSource),
    /// The frame's local memory.
    Frame,
    /// Zero: the offset is the address.
    Zero,
}

/// An address: a base and bytes behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    /// The base.
    pub base: Base,
    /// Bytes behind it.
    pub offset: i64,
}

/// The places of an operation's registers.
struct Places<'a, F: FnMut(&mut u32, Kind, Use)> {
    visit: &'a mut F,
}

impl<F: FnMut(&mut u32, Kind, Use)> Places<'_, F> {
    fn word(&mut self, source: &mut WordSource) {
        if let WordSource::Register(slot) = source {
            (self.visit)(slot, Kind::Word, Use::Read);
        }
    }

    fn long(&mut self, source: &mut LongSource) {
        if let LongSource::Register(slot) = source {
            (self.visit)(slot, Kind::Long, Use::Read);
        }
    }

    /// Those of a function: as many of each width as it takes.
    fn sources(&mut self, function: &Arithmetic, words: &mut [WordSource], longs: &mut [LongSource]) {
        let letters = function.sources();
        let long_count = letters.bytes().filter(|letter| *letter == b'L').count();
        words.iter_mut().take(letters.len() - long_count).for_each(|source| self.word(source));
        longs.iter_mut().take(long_count).for_each(|source| self.long(source));
    }

    fn predicate(&mut self, source: &mut PredicateSource) {
        if let PredicateSource::Register { slot, .. } = source {
            (self.visit)(slot, Kind::Predicate, Use::Read);
        }
    }

    fn matrix(&mut self, source: &mut MatrixRegister) {
        match source {
            MatrixRegister::Word(source) => self.word(source),
            MatrixRegister::Long(source) => self.long(source),
        }
    }

    fn address(&mut self, address: &mut Address) {
        match &mut address.base {
            Base::Word(source) => self.word(source),
            Base::Long(source) => self.long(source),
            Base::Frame | Base::Zero => {}
        }
    }

    fn write(&mut self, slot: &mut u32, kind: Kind) {
        (self.visit)(slot, kind, Use::Write);
    }

    fn write_if(&mut self, slot: &mut Option<u32>, kind: Kind) {
        if let Some(slot) = slot {
            (self.visit)(slot, kind, Use::Write);
        }
    }
}

fn width(long: bool) -> Kind {
    if long { Kind::Long } else { Kind::Word }
}

/// Kind of the register that a function writes.
pub(super) fn result_kind(function: &Arithmetic) -> Kind {
    if function.is_test() { Kind::Predicate } else { width(function.is_long()) }
}

impl Operation {
    /// Calls `visit` for every register that the operation reads, then for every one it writes. Guards are not visited.
    #[allow(clippy::too_many_lines)] // One arm for each operation.
    pub(crate) fn visit_registers(&mut self, visit: &mut impl FnMut(&mut u32, Kind, Use)) {
        let mut places = Places { visit };
        match self {
            Self::Compute { function, destination, words, longs } => {
                places.sources(function, words, longs);
                places.write(destination, result_kind(function));
            }
            Self::Carrying(own) => {
                let kind = width(own.long);
                if own.long {
                    own.longs.iter_mut().for_each(|source| places.long(source));
                } else {
                    own.words.iter_mut().for_each(|source| places.word(source));
                }
                if let Some(slot) = &mut own.carry_in {
                    (places.visit)(slot, Kind::Predicate, Use::Read);
                }
                places.write(&mut own.destination, kind);
                places.write_if(&mut own.carry_out, Kind::Predicate);
            }
            Self::Compare { function, destination, complement, combine, words, longs } => {
                places.sources(function, words, longs);
                if let Some((_, source)) = combine {
                    places.predicate(source);
                }
                places.write_if(destination, Kind::Predicate);
                places.write_if(complement, Kind::Predicate);
            }
            Self::SelectWord { destination, first, second, predicate } => {
                places.word(first);
                places.word(second);
                places.predicate(predicate);
                places.write(destination, Kind::Word);
            }
            Self::SelectLong { destination, first, second, predicate } => {
                places.long(first);
                places.long(second);
                places.predicate(predicate);
                places.write(destination, Kind::Long);
            }
            Self::SelectPredicate { destination, first, second, predicate } => {
                places.predicate(first);
                places.predicate(second);
                places.predicate(predicate);
                places.write(destination, Kind::Predicate);
            }
            Self::Predicates { destination, first, second, .. } => {
                places.predicate(first);
                places.predicate(second);
                places.write(destination, Kind::Predicate);
            }
            Self::ReadSpecial { destination, long, .. } | Self::LocalAddress { destination, long, .. } => {
                places.write(destination, width(*long));
            }
            Self::PackLong { destination, halves } => {
                halves.iter_mut().for_each(|source| places.word(source));
                places.write(destination, Kind::Long);
            }
            Self::UnpackLong { halves, source } => {
                places.long(source);
                halves.iter_mut().for_each(|half| places.write_if(half, Kind::Word));
            }
            Self::PackWord { destination, halves } => {
                halves.iter_mut().for_each(|source| places.word(source));
                places.write(destination, Kind::Word);
            }
            Self::UnpackWord { halves, source } => {
                places.word(source);
                halves.iter_mut().for_each(|half| places.write_if(half, Kind::Word));
            }
            Self::Load { access, destinations } => {
                places.address(&mut access.address);
                let kind = width(access.long);
                destinations.iter_mut().for_each(|slot| places.write_if(slot, kind));
            }
            Self::Store { access, words, longs } => {
                places.address(&mut access.address);
                words.iter_mut().for_each(|source| places.word(source));
                longs.iter_mut().for_each(|source| places.long(source));
            }
            Self::Prefetch { address } => places.address(address),
            Self::CopyAsync { destination, source, read_bytes, .. } => {
                places.address(destination);
                places.address(source);
                if let Some(source) = read_bytes {
                    places.word(source);
                }
            }
            Self::Atomic(atomic) => {
                places.address(&mut atomic.address);
                places.word(&mut atomic.word);
                places.word(&mut atomic.swap_word);
                places.long(&mut atomic.long_source);
                places.long(&mut atomic.swap_long);
                atomic.more.iter_mut().for_each(|own| places.word(&mut own.word));
                places.write_if(&mut atomic.destination, width(atomic.long));
                atomic.more.iter_mut().for_each(|own| places.write_if(&mut own.destination, Kind::Word));
            }
            Self::Phase(own) => {
                places.address(&mut own.address);
                if let Some(source) = &mut own.number {
                    places.word(source);
                }
                if let Some(source) = &mut own.state {
                    places.long(source);
                }
                let kind = if own.action == PhaseAction::Test { Kind::Predicate } else { Kind::Long };
                places.write_if(&mut own.destination, kind);
            }
            Self::BulkCopy(own) => {
                places.address(&mut own.destination);
                places.address(&mut own.source);
                match &mut own.copied {
                    super::Copied::Bytes(source) => places.word(source),
                    super::Copied::Tile(sources) => sources.iter_mut().for_each(|source| places.word(source)),
                }
                if let Some(address) = &mut own.barrier {
                    places.address(address);
                }
            }
            Self::BranchIndexed { index, .. } => places.word(index),
            Self::Call(call) => {
                if let super::Callee::Address(source) = &mut call.callee {
                    places.long(source);
                }
            }
            Self::Barrier(barrier) => {
                places.word(&mut barrier.number);
                if let Some(source) = &mut barrier.threads {
                    places.word(source);
                }
                match &mut barrier.kind {
                    super::BarrierKind::Count { destination, predicate } => {
                        places.predicate(predicate);
                        places.write(destination, Kind::Word);
                    }
                    super::BarrierKind::Test { destination, predicate, .. } => {
                        places.predicate(predicate);
                        places.write(destination, Kind::Predicate);
                    }
                    _ => {}
                }
            }
            Self::Map { destination, word, long, rank } => {
                word.iter_mut().for_each(|source| places.word(source));
                long.iter_mut().for_each(|source| places.long(source));
                places.word(rank);
                places.write(destination, width(long.is_some()));
            }
            Self::RankOf { destination, word, long } => {
                word.iter_mut().for_each(|source| places.word(source));
                long.iter_mut().for_each(|source| places.long(source));
                places.write(destination, Kind::Word);
            }
            Self::IsCluster { destination } => places.write(destination, Kind::Predicate),
            Self::WarpBarrier { members } => places.word(members),
            Self::Shuffle { destination, in_range, sources, .. } => {
                sources.iter_mut().for_each(|source| places.word(source));
                places.write(destination, Kind::Word);
                places.write_if(in_range, Kind::Predicate);
            }
            Self::Vote { mode, destination, predicate, members, .. } => {
                places.predicate(predicate);
                places.word(members);
                let kind = if *mode == super::VoteMode::Ballot { Kind::Word } else { Kind::Predicate };
                places.write(destination, kind);
            }
            Self::ActiveMask { destination } => places.write(destination, Kind::Word),
            Self::Match { destination, agreed, word, long, members, .. } => {
                if let Some(source) = word {
                    places.word(source);
                }
                if let Some(source) = long {
                    places.long(source);
                }
                places.word(members);
                places.write(destination, Kind::Word);
                places.write_if(agreed, Kind::Predicate);
            }
            Self::Elect { destination, elected, members } => {
                places.word(members);
                places.write_if(destination, Kind::Word);
                places.write_if(elected, Kind::Predicate);
            }
            Self::Reduce { destination, value, members, .. } => {
                places.word(value);
                places.word(members);
                places.write(destination, Kind::Word);
            }
            Self::Product(own) => {
                own.sources.iter_mut().flatten().for_each(|source| places.matrix(source));
                let kind = width(own.elements[3] == Element::Double);
                own.destinations.iter_mut().for_each(|slot| places.write(slot, kind));
            }
            Self::GroupProduct(own) => {
                for factor in &mut own.factors {
                    match factor {
                        Factor::Registers(all) => all.iter_mut().for_each(|source| places.matrix(source)),
                        Factor::Shared { descriptor, .. } => places.long(descriptor),
                    }
                }
                places.predicate(&mut own.adds);
                own.sum.iter_mut().for_each(|source| places.matrix(source));
                own.destinations.iter_mut().for_each(|slot| places.write(slot, Kind::Word));
            }
            Self::Fragment(own) => {
                places.address(&mut own.address);
                if let Some(source) = &mut own.stride {
                    places.word(source);
                }
                own.sources.iter_mut().for_each(|source| places.matrix(source));
                let kind = width(own.element == Element::Double);
                own.destinations.iter_mut().for_each(|slot| places.write(slot, kind));
            }
            Self::Rows(own) => {
                places.address(&mut own.address);
                own.sources.iter_mut().for_each(|source| places.word(source));
                own.destinations.iter_mut().for_each(|slot| places.write(slot, Kind::Word));
            }
            Self::Branch { .. }
            | Self::Return
            | Self::Exit
            | Self::Trap
            | Self::Fence { .. }
            | Self::ClusterBarrier { .. }
            | Self::Sleep
            | Self::CopyGroups(_)
            | Self::Dependence(_)
            | Self::Nothing => {}
        }
    }
}
