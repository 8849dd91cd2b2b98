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
        self.schedulers[scheduler].warps[index].resume_cause = Cause::Barrier;
        let of_cluster =
            matches!(self.program.code[pc as usize].operation, Operation::ClusterBarrier { arrives: false, .. });
        let settling_cycles = if of_cluster && self.launch.cluster_blocks() > 1 { 0.0 } else { self.settling_cycles() };
        let warp = &mut self.schedulers[scheduler].warps[index];
        let passed_cycle = if of_cluster {
            Some(self.peers.passed_cycle(warp.slot)).filter(|cycle| *cycle > warp.resume_cycle)
        } else {
            passed_cycle
        };
        if let Some(cycle) = passed_cycle {
            (warp.resume_cycle, warp.settled_cycle) = (cycle, cycle + settling_cycles);
            self.waits.add(pc, cycle - now);
        }
    }

    /// When a warp has arrived at the barrier of its cluster. That of one block takes the unit as a block's does; larger ones have it in
    /// `barrier_cycles_per_warp`.
    pub(super) fn arrived_cycle(&mut self, operation: &Operation, now: f64) -> f64 {
        let arrives = matches!(operation, Operation::ClusterBarrier { arrives: true, .. });
        if arrives && self.launch.cluster_blocks() == 1 { self.take_barrier_unit(now, 1.0) } else { now }
    }

    /// A warp comes to a barrier of its block with so large a part of what it does. The cycle at which the unit has taken it that all barriers of
    /// the multiprocessor share.
    pub(super) fn take_barrier_unit(&mut self, now: f64, part: f64) -> f64 {
        self.barrier_free_cycle = self.barrier_free_cycle.max(now) + self.profile.barriers.cycles_per_warp * part;
        self.barrier_free_cycle
    }

    /// From when the last warp of a block has been taken by the unit until its warps go on.
    pub(super) fn barrier_cycles(&self) -> f64 {
        let warps = self.launch.threads().div_ceil(LANES as u32);
        let threads = f64::from(warps) * LANES as f64;
        self.profile.barriers.base_cycles + threads / self.profile.barriers.threads_per_cycle
    }

    /// From when warps go on behind a barrier until they may come to one again: as long as a predicate takes until it guards a branch.
    ///
    /// Source: `wait-cost` on an H200: barriers one behind the other take 15.0 cycles with one warp, and 2 more with each further one. In loops whose comparison stands
    /// behind the barrier it passes while the predicate is waited for: `constants/atomics.csv`, 30 cycles a turn, of which 11 are the branch's.
    pub(super) fn settling_cycles(&self) -> f64 {
        let guard_cycles = self.profile.warps.guard_cycles;
        if guard_cycles == 0.0 {
            return 0.0;
        }
        // One of these passes until warps go on at all.
        guard_cycles + self.profile.units.integer.latency_cycles - 1.0
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
        // The fence of those who arrive is a part of it.
        let released_cycle = self.peers.released_cycle(slot) - self.profile.fences.device_cycles.min(more_cycles);
        let cycle = now.max(released_cycle) + self.barrier_cycles() + more_cycles;
        let latencies = (self.profile.shared.latency_cycles, self.profile.clusters.remote_latency_cycles);
        let float = self.profile.atomics.shared_float;
        let turn_cycles = float.map_or(0.0, |float| float.remote_turn_cycles(latencies.0, latencies.1));
        if let Some(cycle) = self.peers.passes(slot, block.cluster_round(), (cycle, turn_cycles)) {
            // Larger clusters have it in `barrier_cycles`.
            let settling_cycles = if self.launch.cluster_blocks() == 1 { self.settling_cycles() } else { 0.0 };
            self.release(slot, [cycle, cycle + settling_cycles], memory)?;
        }
        Ok(())
    }

    /// A warp arrives at the barrier of its cluster, where others are to see what it wrote: it goes on behind a fence.
    pub(super) fn release_to_cluster(&mut self, (scheduler, index): (usize, usize), now: f64) {
        if self.launch.cluster_blocks() == 1 || self.profile.fences.device_cycles <= 0.0 {
            return;
        }
        let settled_cycle = self.load_store.settled_cycle().max(now);
        let fences = self.profile.fences;
        let warp = &mut self.schedulers[scheduler].warps[index];
        let answered = [warp.loaded_cycle.take(), warp.changed_cycle.take()].into_iter().flatten();
        let answered_cycle = answered.map(|cycle| cycle.max(now) + fences.behind_access_cycles).fold(0.0, f64::max);
        // What goes to other blocks is on its way meanwhile.
        let fenced_cycle = settled_cycle.max(answered_cycle) + fences.device_cycles;
        warp.resume_cycle = fenced_cycle.max(self.load_store.reached_cycle);
        warp.resume_cause = Cause::GlobalLoad;
        self.peers.releases(warp.slot, warp.resume_cycle);
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
