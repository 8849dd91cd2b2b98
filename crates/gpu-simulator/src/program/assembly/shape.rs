//! What the pass tells instructions apart by, and their operands.

use crate::arithmetic::Function;
use crate::hardware::lanes::LANES;
use crate::program::decode::Constants;
use crate::program::operand::Kind;
use crate::program::{
    Address, AtomicFunction, Base, Instruction, LongSource, Operation, PredicateSource, Register, Space, Special,
    WordSource,
};

/// A kind of instruction, as far as it may become a part of another or take one in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::program) enum Shape {
    /// `mov` of a register or constant, `cvta`, and conversions that leave the bits as they are or widen them by zeros.
    Copy,
    /// `ld.param` of a kernel.
    Parameter,
    /// A special register that is in the constant bank: extents of the block and the grid.
    Bank,
    Add {
        long: bool,
    },
    Subtract {
        long: bool,
    },
    Multiply {
        long: bool,
    },
    MultiplyWide,
    MultiplyAdd,
    FusedMultiplyAdd {
        long: bool,
    },
    /// `shl`
    Shift {
        long: bool,
    },
    /// `shr`
    ShiftRight {
        long: bool,
    },
    Logic {
        long: bool,
    },
    /// `min` and `max` of 32-bit integers.
    Extremum,
    Compare,
    /// `and`, `or` and `xor` of predicates.
    PredicateLogic,
    /// `mov` and `not` of predicates.
    PredicateCopy,
    Select {
        long: bool,
    },
    /// `abs` and `neg` of floats, which are modifiers of operands.
    Sign,
    /// Loads, stores and atomics; not those of the constant bank.
    Memory,
    Other,
}

/// A source of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::program) enum Source {
    Register(Register),
    Constant(u64),
}

impl Source {
    pub(in crate::program) fn register(self) -> Option<Register> {
        if let Self::Register(register) = self { Some(register) } else { None }
    }
}

/// The shape of an instruction.
pub(in crate::program) fn shape_of(instruction: &Instruction) -> Shape {
    match &instruction.operation {
        Operation::Compute { function, .. } => computed(instruction.row.form, function),
        Operation::Compare { .. } => Shape::Compare,
        Operation::SelectWord { .. } => Shape::Select { long: false },
        Operation::SelectLong { .. } => Shape::Select { long: true },
        Operation::Predicates { first, second, .. } => match (first, second) {
            (PredicateSource::Register { .. }, PredicateSource::Register { .. }) => Shape::PredicateLogic,
            _ => Shape::PredicateCopy,
        },
        Operation::ReadSpecial { special: Special::BlockExtent(_) | Special::GridExtent(_), .. } => Shape::Bank,
        Operation::Load { access, .. } if access.space == Space::Parameter => Shape::Parameter,
        Operation::Load { .. } | Operation::Store { .. } | Operation::Atomic(_) | Operation::CopyAsync { .. } => {
            Shape::Memory
        }
        _ => Shape::Other,
    }
}

fn computed(form: &str, function: &Function) -> Shape {
    let (opcode, modifiers) = form.split_once('.').unwrap_or((form, ""));
    let long = function.is_long();
    let is_float = modifiers.contains(".f") || modifiers.starts_with('f');
    match opcode {
        "mov" | "cvta" => Shape::Copy,
        "cvt" if keeps_bits(function) => Shape::Copy,
        "neg" | "abs" if is_float => Shape::Sign,
        "fma|mad" | "mad" | "fma" if is_float => Shape::FusedMultiplyAdd { long },
        _ if is_float || modifiers.starts_with("sat") => Shape::Other,
        "add" => Shape::Add { long },
        "sub" => Shape::Subtract { long },
        "mul" if modifiers.starts_with("lo") => Shape::Multiply { long },
        "mul" if modifiers.starts_with("wide") => Shape::MultiplyWide,
        "mad" if modifiers.starts_with("lo") && !long => Shape::MultiplyAdd,
        "shl" => Shape::Shift { long },
        "shr" => Shape::ShiftRight { long },
        "and" | "or" | "xor" | "not" | "lop3" => Shape::Logic { long },
        "min" | "max" if !long => Shape::Extremum,
        _ => Shape::Other,
    }
}

/// Whether a conversion leaves the bits of its result as they are in its source, with zeros where that has none.
fn keeps_bits(function: &Function) -> bool {
    const ONES: u32 = u32::MAX;
    match function {
        Function::WW(function) => {
            let mut result = [0; LANES];
            function(&[ONES; LANES], &mut result);
            result[0] == ONES
        }
        Function::WL(function) => {
            let mut result = [0; LANES];
            function(&[ONES; LANES], &mut result);
            result[0] == u64::from(ONES)
        }
        Function::LW(function) => {
            let mut result = [0; LANES];
            function(&[u64::MAX; LANES], &mut result);
            result[0] == ONES
        }
        Function::LL(function) => {
            let mut result = [0; LANES];
            function(&[u64::MAX; LANES], &mut result);
            result[0] == u64::MAX
        }
        _ => false,
    }
}

/// The sources of an instruction that computes, compares, selects or stores, in their order.
pub(in crate::program) fn sources_of(operation: &Operation, constants: &Constants) -> Vec<Source> {
    let word = |source: &WordSource| match *source {
        WordSource::Register(slot) => Source::Register(Register { kind: Kind::Word, slot }),
        WordSource::Constant(place) => Source::Constant(u64::from(constants.word_at(place))),
    };
    let long = |source: &LongSource| match *source {
        LongSource::Register(slot) => Source::Register(Register { kind: Kind::Long, slot }),
        LongSource::Constant(place) => Source::Constant(constants.long_at(place)),
    };
    let of_function = |function: &Function, words: &[WordSource], longs: &[LongSource]| {
        let (mut words, mut longs) = (words.iter(), longs.iter());
        let next = |letter| if letter == b'W' { words.next().map(word) } else { longs.next().map(long) };
        function.sources().bytes().filter_map(next).collect()
    };
    match operation {
        Operation::Compute { function, words, longs, .. } => of_function(function, words, longs),
        Operation::Compare { function, words, longs, .. } => of_function(function, words, longs),
        Operation::SelectWord { first, second, .. } => vec![word(first), word(second)],
        Operation::SelectLong { first, second, .. } => vec![long(first), long(second)],
        Operation::Store { words, longs, .. } => words.iter().map(word).chain(longs.iter().map(long)).collect(),
        Operation::Atomic(own) => {
            let (first, swap) = if own.long {
                (long(&own.long_source), long(&own.swap_long))
            } else {
                (word(&own.word), word(&own.swap_word))
            };
            let more = own.more.iter().map(|element| word(&element.word));
            let swap = (own.function == AtomicFunction::CompareAndSwap).then_some(swap);
            std::iter::once(first).chain(more).chain(swap).collect()
        }
        _ => Vec::new(),
    }
}

/// The register that an access to memory has its address in.
pub(super) fn base_of(operation: &Operation) -> Option<Register> {
    let of = |address: &Address| match address.base {
        Base::Word(WordSource::Register(slot)) => Some(Register { kind: Kind::Word, slot }),
        Base::Long(LongSource::Register(slot)) => Some(Register { kind: Kind::Long, slot }),
        _ => None,
    };
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => of(&access.address),
        Operation::Atomic(own) => of(&own.address),
        Operation::CopyAsync { source, .. } => of(source),
        _ => None,
    }
}

/// The space that an access to memory goes to.
pub(super) fn space_of(operation: &Operation) -> Option<Space> {
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => Some(access.space),
        Operation::Atomic(own) => Some(own.space),
        Operation::CopyAsync { .. } => Some(Space::Global),
        _ => None,
    }
}
