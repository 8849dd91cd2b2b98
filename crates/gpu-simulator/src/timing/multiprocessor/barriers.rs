//! Barriers of blocks and of clusters: when warps stop at them and go on.

use super::Multiprocessor;
use crate::execute::{Fault, GlobalMemory};
use crate::hardware::lanes::LANES;
use crate::program::Operation;
use crate::timing::bound::Cause;

impl Multiprocessor<'_> {
    /// A warp has come to a barrier. It goes on at the cycle where its barrier is passed already: that is told of one of the block.
    pub(super) fn stop_at_barrier(
        &mut self,
        (scheduler, index): (usize, usize),
        pc: u32,
        now: f64,
        passed_cycle: Option<f64>,
    ) {
        let warp = &mut self.schedulers[scheduler].warps[index];
        warp.resume_cause = Cause::Barrier;
        let of_cluster =
            matches!(self.program.code[pc as usize].operation, Operation::ClusterBarrier { arrives: false, .. });
        let passed_cycle = if of_cluster {
            Some(self.peers.passed_cycle(warp.slot)).filter(|cycle| *cycle > warp.resume_cycle)
        } else {
            passed_cycle
        };
        if let Some(cycle) = passed_cycle {
            warp.resume_cycle = cycle;
            self.waits.add(pc, cycle - now);
        }
    }

    /// From the last arrival at a block barrier until the block's warps go on.
    pub(super) fn barrier_cycles(&self) -> f64 {
        let warps = self.launch.threads().div_ceil(LANES as u32);
        let threads = f64::from(warps) * LANES as f64;
        self.profile.barrier_base_cycles + threads / self.profile.barrier_threads_per_cycle
    }

    /// Looks whether the barrier of a block's cluster was passed, after letting the other blocks come to it where this one waits for them: its
    /// warps go on then.
    pub(super) fn meet_cluster<M: GlobalMemory>(&mut self, slot: usize, now: f64, memory: &mut M) -> Result<(), Fault> {
        let Some(block) = self.slots[slot].as_ref().filter(|_| self.peers.may_meet()) else { return Ok(()) };
        if block.waits_for_cluster() {
            self.peers.come_to_barrier(slot, block, (self.program, self.launch), memory)?;
        }
        let warps = self.launch.threads().div_ceil(LANES as u32);
        let more_cycles = self.profile.clusters.barrier_cycles_of(self.launch.cluster_blocks(), warps);
        let cycle = now + self.barrier_cycles() + more_cycles;
        if self.peers.passes(slot, block.cluster_round(), cycle) {
            self.release(slot, cycle, memory)?;
        }
        Ok(())
    }

    /// Gives the other blocks of the clusters a turn. Tells whether anyone got on.
    pub(super) fn advance_peers<M: GlobalMemory>(&mut self, now: f64, memory: &mut M) -> Result<bool, Fault> {
        let has_moved = self.peers.advance((self.program, self.launch), memory)?;
        for slot in 0..if has_moved { self.slots.len() } else { 0 } {
            let of_slot = self.schedulers.iter().flat_map(|own| &own.warps).filter(|warp| warp.slot == slot);
            let latest = of_slot.map(|warp| warp.resume_cycle).fold(now, f64::max);
            self.meet_cluster(slot, latest, memory)?;
        }
        Ok(has_moved)
    }
}
