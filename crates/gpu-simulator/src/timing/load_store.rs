//! The load-store unit of a multiprocessor: it watches memory instructions as they are executed and says when their
//! results are there.

mod bulk;
mod copied;
mod operands;
mod phase;
mod shared;

use bulk::BulkUnit;
use operands::Operands;
pub(super) use phase::AtBarrier;
use shared::Whose;

use super::behind::Behind;
use super::bound::Cause;
use super::camping::Camping;
use super::constant_unit::ConstantUnit;
use super::copies::{Copies, Way};
use super::moved::Moved;
use super::share::Share;
use crate::cost::atomics::AtomicQueue;
use crate::cost::cache::Cache;
use crate::cost::memory::MemoryShare;
use crate::cost::spins::Spins;
use crate::execute::{AccessKind, Copying, Observer};
use crate::hardware::caching::CacheHint;
use crate::hardware::coalescing::{GlobalAccess, coalesce, coalesce_atomic, interleaved};
use crate::hardware::constants::places;
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::hardware::{Banks, Coalescing};
use crate::profile::{Atomics, LoadStoreQueues, Matches, PhaseBarriers, Profile};
use crate::program::{Fence, FenceScope};
use crate::what_if::{Alterations, Pattern, Progress, Sorted, Widened};

pub(super) struct LoadStore<'a> {
    coalescing: Coalescing,
    banks: Banks,
    pass_cycles: f64,
    scheduler_pass_cycles: f64,
    /// When shared memory has done the accesses of each scheduler. It takes turns with them: those of one alone take longer.
    shared_free: Vec<f64>,
    shared_latency_cycles: f64,
    memory: MemoryShare,
    pub(super) moved: Moved,
    queues: LoadStoreQueues,
    atomics: Atomics,
    global_atomics: AtomicQueue,
    shared_atomics: AtomicQueue,
    pub(super) access: GlobalAccess,
    /// The scheduler whose instruction is executed.
    scheduler: usize,
    /// The cycle at which the instruction that is executed was issued.
    pub(super) now: f64,
    pub(super) operands: Operands,
    /// When its results are there, and what they wait for.
    pub(super) ready_cycle: f64,
    pub(super) cause: Cause,
    /// When the unit can take the next access.
    free_cycle: f64,
    free_cause: Cause,
    /// For how long stores that L2 did not take held it up.
    held_up_cycles: f64,
    /// When memory has done what the instruction asked it for, also where the warp does not wait for that.
    pub(super) done_cycle: f64,
    /// When everything that was stored has been taken, and the multiprocessor knows.
    pub(super) drained_cycle: f64,
    /// When every atomic that no warp waits for has had its turn at its words, as far as those of this multiprocessor go.
    reduced_cycle: f64,
    /// Whether lanes parted at the instruction.
    pub(super) diverges: bool,
    /// What the instruction waits for where it is, or begins with, a fence.
    pub(super) fence: Option<Fence>,
    /// Loads and atomics of the instruction on global memory.
    pub(super) accesses: u32,
    /// Different values of the lanes that the instruction matched; 0 where it is no such one.
    matched_values: u32,
    /// When a load of constant memory has its value, and what it waits for; `None` where the instruction is no such one, or takes what any takes.
    pub(super) constant_ready: Option<(f64, Cause)>,
    pub(super) constant: ConstantUnit,
    /// Whether the instruction passes L1 by. Whoever issues it says so.
    pub(super) past_l1: bool,
    /// What the instruction says of its lines. Whoever issues it says so.
    pub(super) hint: CacheHint,
    /// What the warp does behind an atomic. Whoever issues it says so.
    pub(super) behind: Behind,
    /// How it copies. Whoever issues it says so.
    pub(super) way: Way,
    copies: Copies,
    group_cycles: f64,
    /// Until when the warp waits for its copies.
    copied_cycle: Option<f64>,
    bulk: BulkUnit,
    /// When a phase of a barrier in shared memory was complete that an instruction completed.
    pub(super) completed_cycle: Option<f64>,
    phase_barriers: Option<PhaseBarriers>,
    /// What the instruction does to barriers in shared memory. Whoever issues it says so.
    pub(super) at_barrier: Option<AtBarrier>,
    /// Cycles of passes over shared memory.
    shared_busy_cycles: f64,
    /// Whose shared memory is accessed, and when the way to that of others is free.
    whose: Whose,
    remote_free_cycle: f64,
    /// When everything was there that was written to the shared memory of others.
    pub(super) reached_cycle: f64,
    remote_latency_cycles: f64,
    remote_bytes_per_cycle: f64,
    /// Whether a block barrier was passed since this was last set to false.
    pub(super) barrier_passed: bool,
    /// For how long nothing else is issued, because the instruction is issued again for what conflicts.
    pub(super) replay_cycles: f64,
    camping: &'a Camping,
    alterations: &'a Alterations,
    sorted: Option<&'a Sorted>,
    progress: Progress,
    /// Accesses that were altered and are told apart by their number.
    altered: u64,
    widened: Widened,
    /// The warp of the block that is executed.
    warp: u32,
    /// The part of its time for which the instruction keeps the units busy: see `Multiprocessor::part_of_way`.
    pub(super) part: f64,
    /// How far from where it says the memory is that the block accesses.
    pub(super) apart_bytes: u64,
    /// The wave of the block that is executed, and its instruction.
    pub(super) wave: u64,
    pc: u32,
    /// The block that is executed.
    block: u64,
    spins: Spins,
    /// Until when the warp is in a loop of the instruction.
    spins_until: Option<f64>,
}

impl<'a> LoadStore<'a> {
    /// That of a multiprocessor with this share of the GPU, for clusters of so many blocks.
    pub(super) fn new(profile: &Profile, cluster_blocks: u32, share: Share<'a>) -> Self {
        let memory = MemoryShare::new(profile, share.active).with_others(share.together);
        let memory = memory.with_l1_beside(profile, share.shared_bytes);
        let memory = if share.part_of_l2 < 1.0 {
            memory.with_part_of_l2(profile, share.active, share.part_of_l2)
        } else {
            memory.with_l2(share.l2.0)
        };
        let memory = memory.with_window(share.l2.1);
        Self {
            coalescing: profile.global.coalescing,
            banks: profile.shared.banks,
            pass_cycles: profile.shared.pass_cycles,
            scheduler_pass_cycles: profile.shared.scheduler_pass_cycles,
            shared_free: vec![0.0; profile.schedulers_per_sm.max(1) as usize],
            scheduler: 0,
            shared_latency_cycles: profile.shared.latency_cycles,
            memory,
            moved: Moved::default(),
            queues: profile.load_store,
            atomics: profile.atomics,
            global_atomics: AtomicQueue::new(),
            shared_atomics: AtomicQueue::new(),
            access: GlobalAccess::new(),
            now: 0.0,
            operands: Operands::new(profile),
            ready_cycle: 0.0,
            cause: Cause::Issue,
            free_cycle: 0.0,
            free_cause: Cause::Issue,
            held_up_cycles: 0.0,
            done_cycle: 0.0,
            drained_cycle: 0.0,
            reduced_cycle: 0.0,
            diverges: false,
            fence: None,
            accesses: 0,
            matched_values: 0,
            constant_ready: None,
            constant: ConstantUnit::new(profile),
            past_l1: false,
            hint: CacheHint::default(),
            behind: Behind::Waits,
            way: Way::Waits,
            copies: Copies::default(),
            group_cycles: profile.copy_group_cycles,
            copied_cycle: None,
            bulk: BulkUnit::new(profile.bulk_copies),
            completed_cycle: None,
            phase_barriers: profile.phase_barriers,
            at_barrier: None,
            shared_busy_cycles: 0.0,
            whose: Whose::Own,
            remote_free_cycle: 0.0,
            reached_cycle: 0.0,
            remote_latency_cycles: profile.clusters.remote_latency_cycles,
            remote_bytes_per_cycle: profile.clusters.remote_bytes_per_cycle_of(
                profile.sm_count,
                cluster_blocks,
                share.active,
            ),
            barrier_passed: false,
            replay_cycles: 0.0,
            camping: share.camping,
            alterations: share.alterations,
            sorted: share.sorted,
            progress: Progress::default(),
            altered: 0,
            widened: Widened::default(),
            warp: 0,
            part: 1.0,
            apart_bytes: 0,
            wave: 0,
            pc: 0,
            block: 0,
            spins: Spins::default(),
            spins_until: None,
        }
    }

    /// A block has ended that accesses memory so far from where it says, if there was one.
    pub(super) fn block_ended(&mut self, number: Option<u64>, apart_bytes: u64) {
        if let Some(number) = number {
            self.copies.forget((number, apart_bytes));
        }
    }

    /// What is in L2.
    pub(super) fn into_l2(self) -> Option<Cache> {
        self.memory.into_l2()
    }

    /// An instruction is issued by a scheduler.
    pub(super) fn begin(&mut self, now: f64, scheduler: usize) {
        self.scheduler = scheduler;
        self.now = now;
        self.operands.next_instruction(now);
        self.ready_cycle = now;
        self.done_cycle = now;
        self.cause = Cause::Arithmetic;
        self.replay_cycles = 0.0;
        self.diverges = false;
        self.fence = None;
        self.accesses = 0;
        self.matched_values = 0;
        self.constant_ready = None;
        self.spins_until = None;
        self.copied_cycle = None;
        self.bulk.next_instruction();
    }

    /// Until when the warp is in a loop of the instruction or waits for its copies, and what it waits for.
    pub(super) fn held_until(&self) -> Option<(f64, Cause)> {
        let cause = if self.way.is_in_bulk() { Cause::GlobalUnit } else { Cause::GlobalLoad };
        let copied = self.copied_cycle.filter(|end| *end > self.now).map(|end| (end, cause));
        copied.or(self.spins_until.map(|end| (end, Cause::Atomic)))
    }

    /// The first cycle at which a scheduler can issue a memory instruction, and what keeps it.
    pub(super) fn accepts_from(&self, scheduler: usize) -> (f64, Cause) {
        let stores = self.stores_fit_from();
        let own = self.shared_free[scheduler];
        let (free, cause) =
            if own > self.free_cycle { (own, Cause::SharedUnit) } else { (self.free_cycle, self.free_cause) };
        let handed = self.operands.free_cycle(scheduler);
        let (free, cause) = if handed > free { (handed, self.free_cause) } else { (free, cause) };
        let accepts = free - self.queues.queue_cycles;
        if stores > accepts { (stores, Cause::GlobalUnit) } else { (accepts, cause) }
    }

    /// The first cycle at which L2 has taken so much of what was stored that the rest does not hold up the unit.
    fn stores_fit_from(&self) -> f64 {
        self.memory.stores_taken_cycle() - self.queues.store_queue_cycles
    }

    /// Cycles for which memory's bandwidth, the passes over shared memory and the reads of constant memory were in use.
    pub(super) fn busy_cycles(&self) -> [f64; 3] {
        let traffic = self.memory.traffic();
        let memory = traffic.dram_busy_cycles.max(traffic.l2_busy_cycles);
        [memory, self.shared_busy_cycles, self.constant.busy_cycles()]
    }

    fn wait_until(&mut self, cycle: f64, cause: Cause) {
        if cycle > self.ready_cycle {
            self.ready_cycle = cycle;
            self.cause = cause;
        }
    }

    /// Occupies the unit; the cycle at which it begins with this access.
    fn occupy(&mut self, cycles: f64, cause: Cause) -> f64 {
        let begin = self.free_cycle.max(self.operands.begin_cycle);
        self.free_cycle = begin + cycles;
        self.free_cause = cause;
        begin
    }

    /// What matching takes where the instruction has matched, and how many different values it found.
    pub(super) fn matches(&self, profile: &Profile) -> (Option<Matches>, f64) {
        (profile.matches.filter(|_| self.matched_values > 0), f64::from(self.matched_values))
    }

    /// When everything is done that fences wait for.
    pub(super) fn settled_cycle(&self) -> f64 {
        self.drained_cycle.max(self.reduced_cycle)
    }

    /// An atomic that no warp waits for is done at this cycle.
    pub(super) fn reduced(&mut self, done: f64) {
        self.drained_cycle = self.drained_cycle.max(done);
        self.reduced_cycle = self.reduced_cycle.max(done);
    }

    /// What was stored has been taken by L2 at this cycle.
    pub(super) fn stored(&mut self, taken: f64) {
        self.drained_cycle = self.drained_cycle.max(taken + self.memory.acknowledge_cycles(&self.access));
    }

    /// Moves what is in `self.access`.
    fn transfer(&mut self, kind: AccessKind) -> f64 {
        let mut cycles = f64::from(self.access.pipeline_cycles) * self.part;
        if kind.is_atomic() && self.atomics.unit_cycles > 0.0 {
            cycles = self.atomics.unit_cycles.max(self.access.transactions.len() as f64);
        }
        let (free_cycle, fit_cycle) = (self.free_cycle, self.stores_fit_from());
        let begin = self.occupy(cycles, Cause::GlobalUnit);
        self.held_up_cycles += (fit_cycle.min(begin) - free_cycle).max(0.0);
        self.memory.others_go_to(self.camping.parts(self.wave, self.pc));
        self.memory.treats(self.hint);
        let used_cycles = self.memory.used_cycles();
        match kind {
            AccessKind::Load => {
                let ready = if self.past_l1 {
                    self.memory.load_past_l1(begin, &self.access)
                } else {
                    self.memory.load(begin, &self.access)
                };
                self.wait_until(ready, Cause::GlobalLoad);
            }
            AccessKind::Store => {
                let taken = self.memory.store(begin, begin - self.held_up_cycles, &self.access);
                self.stored(taken);
            }
            AccessKind::Atomic | AccessKind::FloatAtomic => {
                self.done_cycle = self.memory.atomic(begin, &self.access).max(self.done_cycle);
                if self.atomics.unit_cycles > 0.0 {
                    self.drained_cycle = self.drained_cycle.max(self.done_cycle);
                }
            }
        }
        let used_cycles = self.memory.used_cycles() - used_cycles;
        self.moved.add(self.pc, self.access.transactions.len(), cycles + used_cycles);
        begin
    }
}

impl Observer for LoadStore<'_> {
    fn instruction(&mut self, pc: u32, _active: Mask, _executed: Mask) {
        self.pc = pc;
    }

    fn warp_runs(&mut self, block: u64, warp: u32) {
        self.progress.warp_runs(block, warp);
        (self.block, self.warp) = (block, warp);
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        let unsorted = self.sorted.and_then(|sorted| self.progress.global(sorted, self.pc));
        let (addresses, mask) = unsorted.map_or((addresses, mask), |(addresses, mask)| (addresses, *mask));
        let altered = self.alterations.global(self.pc, kind, addresses, mask, bytes, &mut self.altered);
        let (addresses, mask) = altered.as_ref().map_or((addresses, mask), |(addresses, mask)| (addresses, *mask));
        let apart = (self.apart_bytes > 0).then(|| addresses.map(|address| address + self.apart_bytes));
        let addresses = apart.as_ref().unwrap_or(addresses);
        self.accesses += u32::from(kind != AccessKind::Store);
        self.hand_over_for_global(kind, bytes);
        if kind.is_atomic() {
            coalesce_atomic(self.coalescing, addresses, mask, bytes, &mut self.access);
            let begin = self.transfer(kind);
            let interval_cycles = match kind {
                AccessKind::FloatAtomic => self.atomics.same_address_cycles,
                _ => self.atomics.same_address_integer_cycles,
            };
            let turn = self.global_atomics.atomic(begin, interval_cycles, addresses, mask) - begin;
            self.done_cycle += turn;
            if self.behind == Behind::Waits {
                self.wait_until(self.done_cycle, Cause::Atomic);
            } else {
                self.reduced_cycle = self.reduced_cycle.max(self.done_cycle);
            }
        } else if kind == AccessKind::Load && self.alterations.has(Pattern::NarrowLoads, self.pc) {
            let at = (self.block, self.apart_bytes, self.warp, self.pc);
            for (addresses, mask) in self.widened.load(at, addresses, mask, bytes) {
                coalesce(self.coalescing, &addresses, mask, bytes, &mut self.access);
                self.transfer(kind);
            }
        } else {
            coalesce(self.coalescing, addresses, mask, bytes, &mut self.access);
            match self.way {
                Way::BulkFromShared => self.copy_from_shared_in_bulk(),
                way if way.is_in_bulk() => self.copy_in_bulk(),
                _ => _ = self.transfer(kind),
            }
        }
    }

    fn copying(&mut self, event: Copying) {
        self.copies_tell(event);
    }

    fn prefetch(&mut self, addresses: &Longs, mask: Mask) {
        coalesce(self.coalescing, addresses, mask, 1, &mut self.access);
        let begin = self.occupy(f64::from(self.access.pipeline_cycles) * self.part, Cause::GlobalUnit);
        self.memory.prefetch(begin, &self.access);
    }

    fn remote(&mut self, _rank: u32) {
        self.whose = Whose::OfAnother;
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        if std::mem::take(&mut self.whose) == Whose::OfAnother {
            return self.reach_out(kind, (offsets, mask), bytes);
        }
        let unsorted = self.sorted.and_then(|sorted| self.progress.shared(sorted, self.pc));
        let (offsets, mask) = unsorted.map_or((offsets, mask), |(offsets, mask)| (offsets, *mask));
        let altered = self.alterations.shared(self.pc, kind, offsets, mask, bytes, &mut self.altered);
        let (offsets, mask) = altered.as_ref().map_or((offsets, mask), |(offsets, mask)| (offsets, *mask));
        if let (Some(does), Some(own)) = (self.at_barrier, self.phase_barriers) {
            return self.goes_to_barrier(does, own);
        }
        if self.way.is_in_bulk() {
            // The unit that copies writes as the lines come, which is too seldom to keep the warps from the banks.
            self.shared_busy_cycles += self.pass_cycles;
            return;
        }
        self.hand_over_for_shared(kind, bytes);
        self.pass_over_shared(kind, offsets, mask, bytes);
    }

    fn local(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        if self.alterations.has(Pattern::LocalMemory, self.pc) {
            return;
        }
        let mut addresses = [0; LANES];
        for piece in 0..bytes.div_ceil(4) {
            for lane in lanes_of(mask) {
                addresses[lane] = interleaved(offsets[lane] + 4 * piece, lane);
            }
            coalesce(self.coalescing, &addresses, mask, bytes.min(4), &mut self.access);
            self.transfer(kind);
        }
    }

    fn constant(&mut self, offsets: &Words, mask: Mask, bytes: u32) {
        if !self.constant.serves() {
            return;
        }
        if self.alterations.has(Pattern::ConstantInShared, self.pc) {
            self.pass_over_shared(AccessKind::Load, offsets, mask, bytes);
            self.constant_ready = Some((self.ready_cycle, self.cause));
            return;
        }
        let altered = self.alterations.constant(self.pc, offsets, mask);
        let places = places(altered.as_ref().unwrap_or(offsets), mask);
        let ready = self.constant.load(self.now, (places, bytes), self.part);
        self.constant_ready = ready.map(|cycle| (cycle, Cause::ConstantLoad));
    }

    fn matched(&mut self, distinct_values: u32) {
        self.matched_values = distinct_values;
    }

    fn divergence(&mut self, pc: u32) {
        self.diverges = !self.alterations.has(Pattern::Divergence, pc);
    }

    fn fence(&mut self, fence: Fence) {
        if self.alterations.has(Pattern::Fences, self.pc) {
            return;
        }
        self.fence = Some(fence);
        if fence.scope == FenceScope::Block {
            self.operands.fence(self.scheduler, self.now);
        }
        if fence.scope > FenceScope::Block && fence.empties_l1() {
            self.memory.forget_l1();
        }
    }

    fn barrier_passed(&mut self, _warps: u32) {
        self.barrier_passed = true;
    }
}
