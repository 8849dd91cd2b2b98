//! Warps that are suspended until a phase of a barrier in shared memory is complete.

use super::Multiprocessor;
use crate::execute::{Fault, GlobalMemory};
use crate::timing::bound::Cause;

impl Multiprocessor<'_> {
    /// Where an instruction has completed a phase of a barrier in a block's shared memory: warps go on that were suspended until then.
    pub(super) fn resume_suspended<M: GlobalMemory>(&mut self, slot: usize, memory: &mut M) -> Result<(), Fault> {
        let Some(complete_cycle) = self.load_store.completed_cycle.take() else { return Ok(()) };
        for scheduler in 0..self.schedulers.len() {
            for index in 0..self.schedulers[scheduler].warps.len() {
                let warp = &mut self.schedulers[scheduler].warps[index];
                let Some(block) = self.slots[slot].as_mut().filter(|_| warp.slot == slot && warp.is_suspended) else {
                    continue;
                };
                if block.is_suspended(warp.warp, self.program, self.launch, memory, &mut self.load_store) {
                    continue;
                }
                warp.is_woken = true;
                warp.resume_cycle = warp.resume_cycle.max(complete_cycle);
                warp.resume_cause = Cause::Barrier;
                self.refresh(scheduler, index, memory)?;
            }
        }
        Ok(())
    }
}
