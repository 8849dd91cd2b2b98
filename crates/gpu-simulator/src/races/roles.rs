//! What instructions are to races.

use std::collections::HashSet;

use crate::program::{
    Access, AccessOrder, Address, Atomic, AtomicFunction, Base, Instruction, Kind, LongSource, Operation, PhaseAction,
    Program, Register, Space, WordSource,
};

/// What an instruction is to this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A weak access, or none.
    Plain,
    /// An access that is atomic, volatile or ordered.
    Strong,
    /// It orders the lanes of a warp.
    OrdersWarp,
    /// It orders the block: an arrival at a barrier in memory.
    OrdersBlock,
    /// Its accesses are not looked at.
    Passed,
}

/// `volatile_orders` says whether volatile accesses to shared memory may be there to let threads wait for each other.
pub(super) fn role(operation: &Operation, volatile_orders: bool) -> Role {
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. }
            if is_volatile_shared(access) && !volatile_orders =>
        {
            Role::Plain
        }
        Operation::Load { access, .. } | Operation::Store { access, .. } if access.order == AccessOrder::Ordered => {
            Role::Strong
        }
        Operation::Atomic(_) => Role::Strong,
        Operation::Shuffle { waits: false, .. } | Operation::Vote { waits: false, .. } => Role::Plain,
        Operation::WarpBarrier { .. }
        | Operation::Shuffle { .. }
        | Operation::Vote { .. }
        | Operation::Match { .. }
        | Operation::Elect { .. }
        | Operation::Reduce { .. } => Role::OrdersWarp,
        Operation::Phase(own) if own.action == PhaseAction::Test => Role::Passed,
        Operation::Phase(_) => Role::OrdersBlock,
        Operation::BulkCopy(_) => Role::Passed,
        _ => Role::Plain,
    }
}

/// Moves from what is loaded to what is compared that are followed.
const MOVES_MOST: usize = 16;

/// The loads, by their places in the program, that only guess what a compare-and-swap at the same address will find: a wrong guess costs another
/// turn. CUDA C++ Programming Guide, "Atomic Functions": any atomic operation by `atomicCAS()` begins with such a load.
pub(super) fn guesses(program: &Program) -> HashSet<usize> {
    let mut all = HashSet::new();
    for (pc, own) in program.code.iter().enumerate() {
        let Some((atomic, values)) = tried_again(program, pc, own) else { continue };
        let place = place_of(program, pc, atomic.address);
        let is_guess = |pc: usize, own: &Instruction| match &own.operation {
            Operation::Load { access, .. } => {
                access.space == atomic.space
                    && place_of(program, pc, access.address) == place
                    && writes_any(own, &values)
            }
            _ => false,
        };
        all.extend(program.code.iter().enumerate().filter(|(pc, own)| is_guess(*pc, own)).map(|(pc, _)| pc));
    }
    all
}

/// A compare-and-swap that is tried again with what it has found, or with what is there by then, and the registers that what it compares comes from.
fn tried_again<'a>(program: &Program, pc: usize, own: &'a Instruction) -> Option<(&'a Atomic, HashSet<(Kind, u32)>)> {
    let Operation::Atomic(atomic) = &own.operation else { return None };
    let compared = match (atomic.long, atomic.word, atomic.long_source) {
        _ if atomic.function != AtomicFunction::CompareAndSwap => return None,
        (true, _, LongSource::Register(slot)) => (Kind::Long, slot),
        (false, WordSource::Register(slot), _) => (Kind::Word, slot),
        _ => return None,
    };
    let values = values_of(program, compared);
    let is_load = |own: &Instruction| matches!(own.operation, Operation::Load { .. }) && writes_any(own, &values);
    let load = program.code[..pc].iter().rposition(is_load);
    let goes_back = |own: &Instruction| match own.operation {
        Operation::Branch { target } => load.is_some_and(|load| target as usize <= load),
        _ => false,
    };
    let is_again = writes_any(own, &values) || program.code[pc..].iter().any(goes_back);
    is_again.then_some((atomic, values))
}

/// An address of an instruction, where its base has a number that was moved there: that number.
fn place_of(program: &Program, pc: usize, address: Address) -> Address {
    let register = match address.base {
        Base::Word(WordSource::Register(slot)) => (Kind::Word, slot),
        Base::Long(LongSource::Register(slot)) => (Kind::Long, slot),
        _ => return numbered(program, address),
    };
    let sets = |own: &Instruction| own.writes.iter().copied().map(key).any(|own| own == register);
    let Some(before) = program.code[..pc].iter().rposition(sets) else { return address };
    // The end of the loops that it is in.
    let goes_back = |own: &Instruction| matches!(own.operation, Operation::Branch { target } if target as usize <= pc);
    let end = program.code[pc..].iter().rposition(goes_back).map_or(pc, |last| pc + last);
    match &program.code[before].operation {
        Operation::Compute { words, longs, .. }
            if program.code[before].row.form.starts_with("mov") && !program.code[pc..end].iter().any(sets) =>
        {
            let base = if register.0 == Kind::Word { Base::Word(words[0]) } else { Base::Long(longs[0]) };
            numbered(program, Address { base, ..address })
        }
        _ => address,
    }
}

/// An address whose base is a number as that number alone.
fn numbered(program: &Program, address: Address) -> Address {
    let number = match address.base {
        Base::Word(WordSource::Constant(place)) => program.words.get(place as usize).map(|own| i64::from(own[0])),
        Base::Long(LongSource::Constant(place)) => program.longs.get(place as usize).map(|own| own[0] as i64),
        _ => None,
    };
    number.map_or(address, |number| Address { base: Base::Zero, offset: address.offset + number })
}

/// A register, with all that moves bring its value from.
fn values_of(program: &Program, register: (Kind, u32)) -> HashSet<(Kind, u32)> {
    let mut values = HashSet::from([register]);
    for _ in 0..MOVES_MOST {
        let is_move = |own: &&Instruction| own.row.form.starts_with("mov") && writes_any(own, &values);
        let sources: Vec<(Kind, u32)> =
            program.code.iter().filter(is_move).flat_map(|own| own.reads.iter().copied().map(key)).collect();
        let before = values.len();
        values.extend(sources);
        if values.len() == before {
            break;
        }
    }
    values
}

fn writes_any(own: &Instruction, values: &HashSet<(Kind, u32)>) -> bool {
    own.writes.iter().copied().map(key).any(|register| values.contains(&register))
}

fn key(register: Register) -> (Kind, u32) {
    (register.kind, register.slot)
}

/// The least bytes that an access of the program has, 8 at most: so many bytes of memory are told apart. Accesses are aligned to their size.
pub(super) fn least_bytes(program: &Program) -> u32 {
    let bytes = |operation: &Operation| match operation {
        Operation::Load { access, destinations } => u32::from(access.element_bytes) * destinations.len() as u32,
        Operation::Store { access, words, longs } => {
            u32::from(access.element_bytes) * (words.len() + longs.len()) as u32
        }
        Operation::Atomic(own) => own.all_bytes(),
        Operation::CopyAsync { .. } => 4,
        Operation::Fragment(own) => (own.element.bits() as u32 / 8).max(1),
        _ => 8,
    };
    program.code.iter().map(|own| bytes(&own.operation)).fold(8, u32::min).max(1)
}

fn is_volatile_shared(access: &Access) -> bool {
    access.is_volatile && access.space == Space::Shared
}

/// Whether the program may order what different threads do by other means than barriers and `.sync` instructions. Where it neither has fences
/// nor waits in loops, shared memory that is volatile is only kept from the compiler's hands.
pub(super) fn has_fences(program: &Program) -> bool {
    // Who tries a compare-and-swap again waits for nobody.
    let is_tried_again = |pc: usize, own: &Instruction| tried_again(program, pc, own).is_some();
    let waits = |(pc, own): (usize, &Instruction)| match &own.operation {
        Operation::Atomic(atomic) => atomic.is_answered && !is_tried_again(pc, own),
        Operation::Load { access, .. } => access.order != AccessOrder::Cached,
        _ => false,
    };
    let code = || program.code.iter().enumerate();
    let may_wait = code().any(waits) || !code().any(|(pc, own)| is_tried_again(pc, own));
    program.code.iter().any(|own| {
        own.spins && may_wait
            || match &own.operation {
                Operation::Fence { .. } => true,
                Operation::Atomic(atomic) => atomic.order.fence.is_some(),
                Operation::Load { access, .. } | Operation::Store { access, .. } => {
                    access.order == AccessOrder::Ordered && !is_volatile_shared(access)
                }
                _ => false,
            }
    })
}
