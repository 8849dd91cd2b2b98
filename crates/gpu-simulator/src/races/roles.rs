//! What instructions are to races.

use crate::program::{Access, AccessOrder, Operation, PhaseAction, Program, Space};

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
