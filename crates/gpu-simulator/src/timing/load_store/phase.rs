//! Barriers in shared memory: what asking them and arriving at them takes.

use super::super::bound::Cause;
use super::LoadStore;
use crate::profile::PhaseBarriers;
use crate::program::{Operation, PhaseAction};

/// What an instruction does to barriers in shared memory, as far as it takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtBarrier {
    /// It asks for a phase.
    Asks,
    /// It asked for it before, and was suspended until now.
    IsWoken,
    /// Some of its lanes ask for it too early, and are told so.
    IsRefused,
    /// It arrives.
    Arrives,
    /// It tells of bytes, and may arrive.
    Expects,
}

impl AtBarrier {
    /// That of an instruction that asks in this way, if it asks; none of one that does something else, or makes barriers.
    pub(crate) fn of(operation: &Operation, asks: impl FnOnce() -> Self) -> Option<Self> {
        let Operation::Phase(own) = operation else { return None };
        match own.action {
            PhaseAction::Initialise | PhaseAction::Invalidate => None,
            PhaseAction::Test => Some(asks()),
            PhaseAction::Arrive { expects: false, .. } | PhaseAction::ArriveBehindCopies { .. } => Some(Self::Arrives),
            PhaseAction::Arrive { expects: true, .. } | PhaseAction::Expect | PhaseAction::Complete => {
                Some(Self::Expects)
            }
        }
    }
}

impl LoadStore<'_> {
    /// Lanes of a warp are at barriers: they are told or counted together.
    pub(super) fn goes_to_barrier(&mut self, does: AtBarrier, own: PhaseBarriers) {
        let (unit_cycles, scheduler_cycles) = match does {
            AtBarrier::IsWoken => return self.wait_until(self.now + own.waking_cycles, Cause::SharedLoad),
            AtBarrier::Asks | AtBarrier::IsRefused => (own.asking_unit_cycles, own.asking_unit_cycles),
            AtBarrier::Arrives => (own.arriving_unit_cycles, own.arriving_cycles),
            AtBarrier::Expects => (own.expecting_unit_cycles, own.arriving_cycles),
        };
        let own_free = &mut self.shared_free[self.scheduler];
        let begin = own_free.max(self.free_cycle).max(self.now);
        *own_free = begin + scheduler_cycles * self.part;
        self.occupy(unit_cycles * self.part, Cause::SharedUnit);
        self.shared_busy_cycles += unit_cycles * self.part;
        let told_cycles = match does {
            AtBarrier::IsRefused => own.refusing_cycles.unwrap_or(own.asking_cycles),
            _ => own.asking_cycles,
        };
        self.wait_until(begin + told_cycles, Cause::SharedLoad);
    }
}
