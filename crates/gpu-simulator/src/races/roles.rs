//! What instructions are to races.

use std::collections::HashSet;

use crate::program::{
    Access, AccessOrder, AtomicFunction, Instruction, Kind, LongSource, Operation, PhaseAction, Program, Register,
    Space, WordSource,
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
    for own in &program.code {
        let Operation::Atomic(atomic) = &own.operation else { continue };
        if atomic.function != AtomicFunction::CompareAndSwap {
            continue;
        }
        let compared = match (atomic.long, atomic.word, atomic.long_source) {
            (true, _, LongSource::Register(slot)) => (Kind::Long, slot),
            (false, WordSource::Register(slot), _) => (Kind::Word, slot),
            _ => continue,
        };
        let values = values_of(program, compared);
        let is_guess = |own: &Instruction| match &own.operation {
            Operation::Load { access, .. } => {
                access.space == atomic.space && access.address == atomic.address && writes_any(own, &values)
            }
            _ => false,
        };
        all.extend(program.code.iter().enumerate().filter(|(_, own)| is_guess(own)).map(|(place, _)| place));
    }
    all
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
        Operation::Atomic(own) => u32::from(own.bytes),
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
    program.code.iter().any(|own| {
        own.spins
            || match &own.operation {
                Operation::Fence { .. } => true,
                Operation::Atomic(atomic) => atomic.releases,
                Operation::Load { access, .. } | Operation::Store { access, .. } => {
                    access.order == AccessOrder::Ordered && !is_volatile_shared(access)
                }
                _ => false,
            }
    })
}
