//! The load-store unit of a multiprocessor: it watches memory instructions as they are executed and says when their
//! results are there.

use super::bound::Cause;
use crate::cost::atomics::AtomicQueue;
use crate::cost::cache::Cache;
use crate::cost::memory::MemoryShare;
use crate::execute::{AccessKind, Observer};
use crate::hardware::banks::{atomic_passes, passes};
use crate::hardware::coalescing::{GlobalAccess, coalesce, coalesce_atomic, interleaved};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::hardware::{Banks, Coalescing};
use crate::profile::Profile;

/// Cycles of accesses that may wait in front of the unit before schedulers must wait: an estimate.
const QUEUE_CYCLES: f64 = 16.0;

pub(super) struct LoadStore {
    coalescing: Coalescing,
    banks: Banks,
    pass_cycles: f64,
    shared_latency_cycles: f64,
    memory: MemoryShare,
    global_atomics: AtomicQueue,
    shared_atomics: AtomicQueue,
    access: GlobalAccess,
    /// The cycle at which the instruction that is executed was issued.
    pub(super) now: f64,
    /// When its results are there, and what they wait for.
    pub(super) ready_cycle: f64,
    pub(super) cause: Cause,
    /// When the unit can take the next access.
    free_cycle: f64,
    free_cause: Cause,
    /// When everything that was stored has been taken.
    pub(super) drained_cycle: f64,
    /// Cycles of passes over shared memory.
    shared_busy_cycles: f64,
    /// Whether a block barrier was passed since this was last set to false.
    pub(super) barrier_passed: bool,
    /// For how long nothing else is issued, because the instruction is issued again for what conflicts.
    pub(super) replay_cycles: f64,
}

impl LoadStore {
    /// That of one of `active` multiprocessors, with what a launch before left in L2.
    pub(super) fn new(profile: &Profile, active: u32, l2: Option<Cache>) -> Self {
        Self {
            coalescing: profile.global.coalescing,
            banks: profile.shared.banks,
            pass_cycles: profile.shared.pass_cycles,
            shared_latency_cycles: profile.shared.latency_cycles,
            memory: MemoryShare::new(profile, active).with_l2(l2),
            global_atomics: AtomicQueue::new(profile.atomic_same_address_cycles),
            shared_atomics: AtomicQueue::new(profile.atomic_shared_same_address_cycles),
            access: GlobalAccess::new(),
            now: 0.0,
            ready_cycle: 0.0,
            cause: Cause::Issue,
            free_cycle: 0.0,
            free_cause: Cause::Issue,
            drained_cycle: 0.0,
            shared_busy_cycles: 0.0,
            barrier_passed: false,
            replay_cycles: 0.0,
        }
    }

    /// What is in L2.
    pub(super) fn into_l2(self) -> Option<Cache> {
        self.memory.into_l2()
    }

    /// An instruction is issued.
    pub(super) fn begin(&mut self, now: f64) {
        self.now = now;
        self.ready_cycle = now;
        self.cause = Cause::Arithmetic;
        self.replay_cycles = 0.0;
    }

    /// The first cycle at which a memory instruction can be issued, and what keeps it.
    pub(super) fn accepts_from(&self) -> (f64, Cause) {
        (self.free_cycle - QUEUE_CYCLES, self.free_cause)
    }

    /// Cycles for which memory's bandwidth and the passes over shared memory were in use.
    pub(super) fn busy_cycles(&self) -> (f64, f64) {
        let traffic = self.memory.traffic();
        (traffic.dram_busy_cycles.max(traffic.l2_busy_cycles), self.shared_busy_cycles)
    }

    fn wait_until(&mut self, cycle: f64, cause: Cause) {
        if cycle > self.ready_cycle {
            self.ready_cycle = cycle;
            self.cause = cause;
        }
    }

    /// Occupies the unit; the cycle at which it begins with this access.
    fn occupy(&mut self, cycles: f64, cause: Cause) -> f64 {
        let begin = self.free_cycle.max(self.now);
        self.free_cycle = begin + cycles;
        self.free_cause = cause;
        begin
    }

    /// Moves what is in `self.access`.
    fn transfer(&mut self, kind: AccessKind) -> f64 {
        let begin = self.occupy(f64::from(self.access.pipeline_cycles), Cause::GlobalUnit);
        match kind {
            AccessKind::Load => {
                let ready = self.memory.load(begin, &self.access);
                self.wait_until(ready, Cause::GlobalLoad);
            }
            AccessKind::Store => {
                let taken = self.memory.store(begin, &self.access);
                self.drained_cycle = self.drained_cycle.max(taken);
            }
            AccessKind::Atomic => {
                let ready = self.memory.atomic(begin, &self.access);
                self.wait_until(ready, Cause::Atomic);
            }
        }
        begin
    }
}

impl Observer for LoadStore {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        if kind == AccessKind::Atomic {
            coalesce_atomic(self.coalescing, addresses, mask, bytes, &mut self.access);
            let begin = self.transfer(kind);
            let turn = self.global_atomics.atomic(begin, addresses, mask) - begin;
            let ready = self.ready_cycle + turn;
            self.wait_until(ready, Cause::Atomic);
        } else {
            coalesce(self.coalescing, addresses, mask, bytes, &mut self.access);
            self.transfer(kind);
        }
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        let access = if kind == AccessKind::Atomic {
            atomic_passes(self.banks, offsets, mask, bytes)
        } else {
            passes(self.banks, offsets, mask, bytes, kind == AccessKind::Store)
        };
        let cycles = f64::from(access.passes) * self.pass_cycles;
        let begin = self.occupy(cycles, Cause::SharedUnit);
        self.shared_busy_cycles += cycles;
        // Compute capability 1 reads shared memory as operands of its arithmetic pipeline: a warp whose lanes conflict is
        // serialised there (the profiler's `warp_serialize`), and nothing else is issued meanwhile. Factors printed for such
        // GPUs agree: of two conflicted accesses each adds as much as it does alone (Cornelis 2010, table 4.2).
        if self.banks == Banks::HalfWarp16 {
            self.replay_cycles += f64::from(access.conflicts) * self.pass_cycles;
        }
        let last_pass = begin + (f64::from(access.passes) - 1.0).max(0.0) * self.pass_cycles;
        match kind {
            AccessKind::Load => self.wait_until(last_pass + self.shared_latency_cycles, Cause::SharedLoad),
            AccessKind::Store => {}
            AccessKind::Atomic => {
                let turn = self.shared_atomics.atomic(begin, offsets, mask);
                self.wait_until(turn + self.shared_latency_cycles, Cause::Atomic);
            }
        }
    }

    fn local(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        let mut addresses = [0; LANES];
        for piece in 0..bytes.div_ceil(4) {
            for lane in lanes_of(mask) {
                addresses[lane] = interleaved(offsets[lane] + 4 * piece, lane);
            }
            coalesce(self.coalescing, &addresses, mask, bytes.min(4), &mut self.access);
            self.transfer(kind);
        }
    }

    fn barrier_passed(&mut self, _warps: u32) {
        self.barrier_passed = true;
    }
}
