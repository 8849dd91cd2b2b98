//! Warps that are suspended until a phase of a barrier in shared memory is complete.

use super::{Multiprocessor, Scheduler};
use crate::execute::{Fault, GlobalMemory, TooEarly};
use crate::timing::bound::Cause;
use crate::timing::load_store::AtBarrier;

impl Multiprocessor<'_> {
    /// Who of a block's warp asks next for a phase that is not complete.
    pub(super) fn asks_too_early<M: GlobalMemory>(
        &mut self,
        (slot, warp): (usize, usize),
        memory: &mut M,
    ) -> Option<TooEarly> {
        let barriers = self.profile.phase_barriers?;
        let block = self.slots[slot].as_mut()?;
        let by = block.asks_too_early(warp, self.program, self.launch, memory, &mut self.load_store)?;
        Some(if barriers.refusing_cycles.is_some() { by } else { TooEarly::Together })
    }

    /// Suspends a scheduler's warp if all of it asks next for a phase that is not complete.
    pub(super) fn suspend<M: GlobalMemory>(&mut self, (scheduler, index): (usize, usize), memory: &mut M) {
        let warp = &self.schedulers[scheduler].warps[index];
        let is_suspended = self.asks_too_early((warp.slot, warp.warp), memory) == Some(TooEarly::Together);
        let Some(barriers) = self.profile.phase_barriers.filter(|_| is_suspended) else { return };
        let Scheduler { warps, next, .. } = &mut self.schedulers[scheduler];
        warps[index].is_suspended = true;
        next[index].ready_cycle += barriers.suspended_cycles;
        next[index].cause = Cause::Barrier;
    }

    /// How a block's warp asks that asks next.
    pub(super) fn asks<M: GlobalMemory>(&mut self, place: (usize, usize), memory: &mut M) -> AtBarrier {
        if self.is_woken {
            AtBarrier::IsWoken
        } else if self.asks_too_early(place, memory) == Some(TooEarly::Apart) {
            AtBarrier::IsRefused
        } else {
            AtBarrier::Asks
        }
    }

    /// Where an instruction has completed a phase of a barrier in a block's shared memory: warps go on that were suspended until then.
    pub(super) fn resume_suspended<M: GlobalMemory>(&mut self, slot: usize, memory: &mut M) -> Result<(), Fault> {
        let Some(complete_cycle) = self.load_store.completed_cycle.take() else { return Ok(()) };
        for scheduler in 0..self.schedulers.len() {
            for index in 0..self.schedulers[scheduler].warps.len() {
                let warp = &mut self.schedulers[scheduler].warps[index];
                let place = (slot, warp.warp);
                if warp.slot != slot || !warp.is_suspended || self.asks_too_early(place, memory).is_some() {
                    continue;
                }
                let warp = &mut self.schedulers[scheduler].warps[index];
                warp.is_woken = true;
                warp.resume_cycle = warp.resume_cycle.max(complete_cycle);
                warp.resume_cause = Cause::Barrier;
                self.refresh(scheduler, index, memory)?;
            }
        }
        Ok(())
    }
}
