//! Accesses to shared memory: passes over its banks, and the way to that of other blocks.

use super::super::behind::Behind;
use super::super::bound::Cause;
use super::LoadStore;
use crate::cost::spins::most_at_a_word;
use crate::execute::AccessKind;
use crate::hardware::Banks;
use crate::hardware::banks::{atomic_passes, passes};
use crate::hardware::lanes::{Mask, Words};
use crate::profile::SharedFloat;

/// Whose shared memory an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Whose {
    /// The block's own.
    #[default]
    Own,
    /// That of another block of its cluster.
    OfAnother,
}

impl LoadStore<'_> {
    /// Adds floats in shared memory where that is a loop, which the warp leaves when its last lane has got through.
    fn add_shared_floats(&mut self, float: SharedFloat, offsets: &Words, mask: Mask, bytes: u32) {
        let begin = self.free_cycle.max(self.operands.begin_cycle);
        let pace = float.pace(bytes, (self.scheduler_pass_cycles, self.pass_cycles));
        let spin = self.spins.begin(pace, begin, (self.block, self.warp), offsets, mask);
        self.occupy(spin.busy_cycles, Cause::SharedUnit);
        self.shared_busy_cycles += spin.busy_cycles;
        self.wait_until(spin.end_cycle, Cause::Atomic);
        self.spins_until = Some(self.ready_cycle);
    }

    /// Passes over the banks of shared memory.
    pub(super) fn pass_over_shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        if let (AccessKind::FloatAtomic, Some(float)) = (kind, self.atomics.shared_float) {
            return self.add_shared_floats(float, offsets, mask, bytes);
        }
        let access = if kind.is_atomic() {
            atomic_passes(self.banks, offsets, mask, bytes)
        } else {
            passes(self.banks, offsets, mask, bytes, kind == AccessKind::Store)
        };
        let cycles = f64::from(access.passes) * self.pass_cycles * self.part;
        let own_free = &mut self.shared_free[self.scheduler];
        let own_begin = own_free.max(self.free_cycle).max(self.operands.begin_cycle);
        *own_free = own_begin + f64::from(access.passes) * self.scheduler_pass_cycles * self.part;
        self.occupy(cycles, Cause::SharedUnit);
        self.shared_busy_cycles += cycles;
        // Compute capability 1 reads shared memory as operands of its arithmetic pipeline: a warp whose lanes conflict is
        // serialised there (the profiler's `warp_serialize`), and nothing else is issued meanwhile. Factors printed for such
        // GPUs agree: of two conflicted accesses each adds as much as it does alone (Cornelis 2010, table 4.2).
        if self.banks == Banks::HalfWarp16 {
            self.replay_cycles += f64::from(access.conflicts) * self.pass_cycles;
        }
        let last_pass = own_begin + (f64::from(access.passes) - 1.0).max(0.0) * self.scheduler_pass_cycles;
        match kind {
            AccessKind::Load => self.wait_until(last_pass + self.shared_latency_cycles, Cause::SharedLoad),
            AccessKind::Store => {}
            AccessKind::Atomic | AccessKind::FloatAtomic => {
                let interval_cycles = self.atomics.shared_same_address_cycles;
                let turn = self.shared_atomics.atomic(own_begin, interval_cycles, offsets, mask);
                // A loop reads what it was answered, whoever reads that afterwards.
                if self.behind == Behind::Waits || kind == AccessKind::FloatAtomic {
                    self.wait_until(turn + self.shared_latency_cycles, Cause::Atomic);
                } else {
                    // What nobody waits for is no faster than lanes get their turns.
                    let own_free = &mut self.shared_free[self.scheduler];
                    *own_free = own_free.max(turn);
                }
            }
        }
    }

    /// Moves what lanes access in another block's shared memory.
    pub(super) fn reach_out(&mut self, kind: AccessKind, (offsets, mask): (&Words, Mask), bytes: u32) {
        let begin = self.free_cycle.max(self.now).max(self.remote_free_cycle);
        let moved_bytes = f64::from(mask.count_ones() * bytes);
        let moving_cycles = moved_bytes / self.remote_bytes_per_cycle * self.part;
        self.remote_free_cycle = begin + moving_cycles;
        self.occupy(self.pass_cycles * self.part, Cause::SharedUnit);
        self.shared_busy_cycles += moving_cycles;
        let done = begin + moving_cycles + self.remote_latency_cycles;
        if let (AccessKind::FloatAtomic, Some(float)) = (kind, self.atomics.shared_float) {
            let turn_cycles = float.remote_turn_cycles(self.shared_latency_cycles, self.remote_latency_cycles);
            let turns = f64::from(most_at_a_word(offsets, mask));
            self.wait_until(begin + moving_cycles + turns * turn_cycles, Cause::Atomic);
            self.reached_cycle = self.reached_cycle.max(self.ready_cycle);
            self.spins_until = Some(self.ready_cycle);
            return;
        }
        match kind {
            AccessKind::Load => self.wait_until(done, Cause::SharedLoad),
            AccessKind::Store => self.reached_cycle = self.reached_cycle.max(done),
            AccessKind::Atomic | AccessKind::FloatAtomic => {
                self.reached_cycle = self.reached_cycle.max(done);
                if self.behind == Behind::Waits || kind == AccessKind::FloatAtomic {
                    self.wait_until(done, Cause::Atomic);
                }
            }
        }
    }
}
