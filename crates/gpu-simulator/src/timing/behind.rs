//! What follows from an instruction alone for how its access to memory is timed.

use crate::profile::{Fences, Profile};
use crate::program::{AccessOrder, Fence, FenceOrder, FenceScope, Merged, Operation};

/// What a warp does behind an atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// It waits for the answer where that is needed.
    Waits,
    /// It goes on as behind a store: nobody reads the answer.
    GoesOn,
}

impl Behind {
    /// What a warp does behind an instruction, if that is an atomic.
    pub(super) fn of(operation: &Operation) -> Self {
        match operation {
            Operation::Atomic(atomic) if !atomic.is_awaited() => Self::GoesOn,
            _ => Self::Waits,
        }
    }
}

/// When lanes have the answer of an atomic that one of them does for all, where it is there at `answered`. They are told by a shuffle, and no
/// load that is ordered goes out before: machine instructions are issued in order.
pub(super) fn told_cycle(operation: &Operation, answered: f64, profile: &Profile) -> Option<f64> {
    match operation {
        Operation::Atomic(own) if own.merged == Merged::Warp && own.is_answered => {
            Some(answered + profile.units.exchange.latency_cycles)
        }
        _ => None,
    }
}

/// Until when a warp issues nothing else, where its load acquires and what it loads is there at `ready`.
pub(super) fn acquired_cycle(operation: &Operation, ready: f64) -> Option<f64> {
    let acquires = |fence: Fence| fence.order == FenceOrder::Acquire;
    matches!(operation, Operation::Load { access, .. } if access.fence.is_some_and(acquires)).then_some(ready)
}

/// Whether the warp waits for the fence of an instruction: of a store that releases within the block it goes the way of the store, before it.
pub(super) fn waits_for_fence(operation: &Operation, profile: &Profile) -> bool {
    let within_block = |fence: Fence| fence.scope == FenceScope::Block;
    let goes_on = matches!(operation, Operation::Store { access, .. } if access.fence.is_some_and(within_block));
    profile.fences != Fences::default() && !goes_on
}

/// Whether an instruction loads or copies what L1 must not give.
pub(super) fn passes_l1(operation: &Operation) -> bool {
    match operation {
        Operation::Load { access, .. } => access.order != AccessOrder::Cached && access.scope > FenceScope::Block,
        Operation::CopyAsync { past_l1, .. } => *past_l1,
        Operation::BulkCopy(own) => own.to_shared,
        _ => false,
    }
}
