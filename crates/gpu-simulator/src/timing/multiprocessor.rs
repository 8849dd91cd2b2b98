//! One multiprocessor: its schedulers, its resident blocks, and the order in which instructions are issued.

mod altered;
mod barriers;
mod fences;
mod guards;
mod meetings;
mod pacing;
mod places;
mod suspended;

use super::behind::{Behind, acquired_cycle, passes_l1, told_cycle, waits_for_fence};
use super::bound::{Awaited, Balance, Bound, Cause, Shares};
use super::copies::Way;
use super::filled::apart_bytes;
use super::load_store::{AtBarrier, LoadStore};
use super::moved::Moved;
use super::neighbours::Turn;
use super::overlap::{Overlap, Overlapping};
use super::peers::Peers;
use super::scheduler::{Candidate, Scheduler, State, TimedWarp, pace_of, unit_place};
use super::share::Share;
use super::waits::Waits;
use crate::class::{Class, Unit};
use crate::cost::cache::Cache;
use crate::execute::{Block, Fault, GlobalMemory, Launch, Outcome};
use crate::profile::Profile;
use crate::program::{MachineCost, Operation, Program};
use crate::what_if::{Alterations, Busy, Pattern, SharedOut, Sorted};
use fences::{Before, fence_ends};
use guards::counting;
pub(super) use meetings::Arrival;
use meetings::Meetings;
use pacing::Pacing;

/// Timed instructions after which the blocks of other multiprocessors have a turn.
const ISSUES_PER_TURN: u64 = 256;
/// Cycles after which they have one in any case, so that a warp which waits for them does not wait for long: an estimate of
/// what the instructions of their turn take.
const CYCLES_PER_TURN: f64 = 256.0;

pub(super) struct Multiprocessor<'a> {
    program: &'a Program,
    launch: &'a Launch,
    profile: &'a Profile,
    /// What each instruction of the program costs on this GPU.
    costs: Vec<MachineCost>,
    /// Whether it only counts the turns of a loop.
    counting: Vec<bool>,
    schedulers: Vec<Scheduler>,
    /// Resident blocks; a block that has ended leaves its place to the next.
    slots: Vec<Option<Block>>,
    /// The other blocks of the cluster of each of them, which are executed and not timed: they are taken to do the same at the same time.
    peers: Peers,
    /// The wave of the grid that each of them is in.
    waves: Vec<u64>,
    /// How far from where they say their accesses are.
    apart_bytes: Vec<u64>,
    /// Blocks that are not resident yet, the next one last, each with how far its accesses are from where they say.
    queue: Vec<(u64, u64)>,
    load_store: LoadStore<'a>,
    alterations: &'a Alterations,
    sorted: Option<&'a Sorted>,
    shared_out: Option<&'a SharedOut>,
    busy: Option<&'a Busy>,
    balance: Balance,
    ends: Vec<f64>,
    /// From which cycle on the next block can end.
    end_free_cycle: f64,
    /// From which cycle on the unit of barriers can take the next warp.
    barrier_free_cycle: f64,
    end_cycle: f64,
    instructions: u64,
    warps_placed: usize,
    waits: Waits,
    /// Whether the warp whose instruction is issued was suspended until now.
    is_woken: bool,
    overlapping: Option<Overlapping>,
    meetings: Option<Meetings>,
}

impl<'a> Multiprocessor<'a> {
    /// A multiprocessor that gets these blocks, of which so many are resident at once.
    pub(super) fn new(
        program: &'a Program,
        launch: &'a Launch,
        profile: &'a Profile,
        blocks: Vec<u64>,
        resident: usize,
        share: Share<'a>,
    ) -> Self {
        let apart_bytes = apart_bytes(&blocks);
        let queue = blocks.into_iter().zip(apart_bytes).rev().collect();
        let schedulers = (0..profile.schedulers_per_sm.max(1)).map(|_| Scheduler::new()).collect();
        let costs = share.alterations.costs(program, profile.compute_capability);
        let counting = counting(program, &costs);
        Self {
            program,
            launch,
            profile,
            costs,
            counting,
            schedulers,
            slots: (0..resident.max(1)).map(|_| None).collect(),
            peers: Peers::new(program, launch, resident.max(1)),
            waves: vec![0; resident.max(1)],
            apart_bytes: vec![0; resident.max(1)],
            queue,
            alterations: share.alterations,
            sorted: share.sorted,
            shared_out: share.shared_out,
            busy: share.busy,
            load_store: LoadStore::new(profile, launch.cluster_blocks(), share),
            balance: Balance::default(),
            ends: Vec::new(),
            end_free_cycle: 0.0,
            barrier_free_cycle: 0.0,
            end_cycle: 0.0,
            instructions: 0,
            warps_placed: 0,
            waits: Waits::default(),
            is_woken: false,
            overlapping: Overlapping::of(program),
            meetings: Meetings::of(launch, resident.max(1) as u64 * u64::from(profile.sm_count), profile.fences),
        }
    }

    /// How the launch overlaps others, where a cycle takes so long.
    pub(super) fn overlap(&self, us_per_cycle: f64) -> Option<Overlap> {
        self.overlapping.as_ref().and_then(|own| own.seen(us_per_cycle))
    }

    /// What is in L2.
    pub(super) fn into_l2(self) -> Option<Cache> {
        self.load_store.into_l2()
    }

    /// Cycles at which blocks ended, in their order.
    pub(super) fn block_end_cycles(&self) -> &[f64] {
        &self.ends
    }

    /// The cycle at which everything had ended.
    pub(super) fn end_cycle(&self) -> f64 {
        self.end_cycle.max(self.load_store.drained_cycle)
    }

    /// Instructions of the PTX that its warps executed.
    pub(super) fn instructions(&self) -> u64 {
        self.instructions
    }

    /// What accesses to global memory moved.
    pub(super) fn moved(&self) -> &Moved {
        &self.load_store.moved
    }

    pub(super) fn waits(&self) -> &Waits {
        &self.waits
    }

    pub(super) fn bound(&self) -> (Bound, Option<Awaited>) {
        let end = self.end_cycle().max(1.0);
        let issue = self.schedulers.iter().map(Scheduler::busy_cycles).fold(0.0, f64::max);
        let [memory, shared, constant] = self.load_store.busy_cycles().map(|cycles| cycles / end);
        let in_use = Shares { issue: issue / end, memory, shared, constant };
        (self.balance.bound(in_use), self.balance.awaited(in_use))
    }

    /// Runs all its blocks. `others` gives the blocks of other multiprocessors a turn beside the resident ones. Tells whether it
    /// came to an end: not where a block is missing.
    ///
    /// # Errors
    /// What a block did wrong.
    pub(super) fn run<M: GlobalMemory>(
        &mut self,
        memory: &mut M,
        mut others: impl FnMut(&mut M, &mut [Option<Block>]) -> Result<Turn, Fault>,
    ) -> Result<bool, Fault> {
        for slot in 0..self.slots.len() {
            let of_cluster = self.profile.clusters.start_cycles_of(self.launch.cluster_blocks());
            self.place_block(slot, slot as f64 * (self.profile.blocks.start_cycles + of_cluster), memory)?;
        }
        let mut issued: u64 = 0;
        let mut turn_cycle = CYCLES_PER_TURN;
        loop {
            issued += 1;
            let next = self.next_scheduler();
            let now = next.as_ref().map_or(0.0, |(_, candidate)| candidate.cycle);
            if issued.is_multiple_of(ISSUES_PER_TURN) || now >= turn_cycle {
                turn_cycle = now + CYCLES_PER_TURN;
                self.advance_peers(now, memory)?;
                if others(memory, &mut self.slots)? == Turn::Missing {
                    return Ok(false);
                }
                if self.instructions > self.launch.steps_of_all()
                    && let Some(block) = self.slots.iter().flatten().next()
                {
                    return Err(block.endless(self.program, self.instructions));
                }
            }
            match next {
                Some((scheduler, candidate)) => self.issue(scheduler, candidate, memory)?,
                None if self.slots.iter().all(Option::is_none) => return Ok(true),
                None if self.advance_peers(0.0, memory)? => {}
                // All wait for each other; only others can help, by writing what nobody here is looking at.
                None => match others(memory, &mut self.slots)? {
                    Turn::Moved => {}
                    Turn::Stuck => return Err(self.deadlock()),
                    Turn::Missing => return Ok(false),
                },
            }
        }
    }

    fn deadlock(&self) -> Fault {
        let block = self.slots.iter().flatten().next();
        block.map_or_else(|| Fault::without_place(&self.program.name), |block| block.deadlock(self.program))
    }

    /// The scheduler whose next issue comes first, and what it issues.
    fn next_scheduler(&mut self) -> Option<(usize, Candidate)> {
        loop {
            let order = |scheduler: &Scheduler| (scheduler.next_cycle, scheduler.served_cycle);
            let mut first = 0;
            for index in 1..self.schedulers.len() {
                if order(&self.schedulers[index]) < order(&self.schedulers[first]) {
                    first = index;
                }
            }
            let scheduler = &mut self.schedulers[first];
            if scheduler.next_cycle == f64::INFINITY {
                return None;
            }
            match scheduler.candidate(self.load_store.accepts_from(first)) {
                Some(candidate) if candidate.cycle <= scheduler.next_cycle => return Some((first, candidate)),
                // Something keeps it: it may not be the first any more.
                later => scheduler.next_cycle = later.map_or(f64::INFINITY, |candidate| candidate.cycle),
            }
        }
    }

    fn issue<M: GlobalMemory>(&mut self, index: usize, candidate: Candidate, memory: &mut M) -> Result<(), Fault> {
        let TimedWarp { slot, warp: number, pc, barriers, .. } = self.schedulers[index].warps[candidate.index];
        let is_free =
            self.costs[pc as usize].class == Class::Barrier && self.alterations.has(Pattern::BarrierWaits, pc);
        let way = if is_free { 0.0 } else { self.part_of_way(slot, number) };
        let (share, spread) = (self.share_of_section(slot, number, barriers), self.spread());
        let scheduler = &mut self.schedulers[index];
        let now = candidate.cycle;
        let idle = now - scheduler.cycle;
        if idle > 0.0 {
            self.balance.add(candidate.cause, idle);
        }
        let instruction = &self.program.code[pc as usize];
        if let Some(overlapping) = &mut self.overlapping {
            overlapping.issues((slot, number), &instruction.operation, now);
        }
        let cost = self.costs[pc as usize];
        let (pace, unit) = (pace_of(&self.profile.units, cost.unit), unit_place(cost.unit));
        let is_memory = cost.unit == Unit::LoadStore;
        // A warp does not wait for what it leaves to others. They execute and access as much for it.
        let (part, waits) = if is_memory { (way, way * share) } else { (way * share.max(spread), way * share) };
        let pacing = Pacing::of(cost, part, self.profile);
        let Pacing { weight, slots, last_cycles, .. } = pacing;
        scheduler.issues(candidate.index, now, (cost, part, pacing), self.profile);

        self.load_store.part = part;
        self.is_woken = std::mem::take(&mut scheduler.warps[candidate.index].is_woken);
        let before = Before::of(&self.load_store, index);
        let bases = self.execute(slot, (number, index), now, memory)?;
        let comes = matches!(instruction.operation, Operation::Barrier(_));
        let taken_cycle = if comes { self.take_barrier_unit(now, way) } else { now };
        let (passed, release_cycle) = (self.load_store.barrier_passed, taken_cycle + self.barrier_cycles());
        let replays = self.load_store.replay_cycles;
        let scheduler = &mut self.schedulers[index];
        scheduler.cycle += replays;
        scheduler.next_cycle += replays;
        let (matches, values) = self.load_store.matches(self.profile);
        if let Some(matches) = matches {
            let added = (values * matches.unit_cycles_per_value - weight * pace.interval_cycles).max(0.0);
            scheduler.unit_free[unit] += added;
            scheduler.unit_busy[unit] += added;
        }
        let warp = &mut scheduler.warps[candidate.index];
        let (ready, cause) = if is_memory {
            (self.load_store.ready_cycle, self.load_store.cause)
        } else if let Some(ready) = self.load_store.constant_ready {
            ready
        } else if let Some(matches) = matches {
            (now + matches.base_cycles + values * matches.cycles_per_value, Cause::Arithmetic)
        } else {
            (now + pace.latency_cycles + last_cycles, Cause::Arithmetic)
        };
        let in_part = |cycle: f64| if waits < 1.0 { now + (cycle - now) * waits } else { cycle };
        let (ready, done) = (in_part(ready), in_part(self.load_store.done_cycle));
        let sector = self.load_store.access.lone_sector();
        let meetings = self.meetings.filter(|_| self.load_store.accesses > 0);
        let ready =
            meetings.map_or(ready, |own| own.answered(&mut warp.arrival, &instruction.operation, sector, ready));
        warp.told_cycle = told_cycle(&instruction.operation, ready, self.profile).unwrap_or(warp.told_cycle);
        let counted_from = warp.counted_from(bases, instruction, self.counting[pc as usize]);
        warp.scoreboard.write(bases, &instruction.writes, ready, cause);
        let early = counted_from.map_or(ready, |begin| begin + (pace.latency_cycles + last_cycles) * waits);
        warp.scoreboard.set_early(bases, &instruction.writes, early, self.profile.warps.guard_cycles * waits);
        warp.scoreboard.read(bases, &instruction.reads, self.load_store.operands.end_cycle);
        let taken = if pacing.is_chained { last_cycles + slots / weight.max(1.0) } else { slots };
        (warp.resume_cycle, warp.resume_cause) = (now + taken + replays, Cause::Issue);
        if cost.class == Class::Control {
            let warps = Some(self.profile.warps).filter(|_| self.load_store.diverges);
            warp.branches(&instruction.lowering, now + pace.latency_cycles * waits, warps);
            let position = self.slots[slot].as_ref().and_then(|block| block.warps[number].position());
            if position.is_some_and(|(next, _)| next <= pc) {
                warp.turn_cycle = warp.resume_cycle;
            }
        }
        let acquired = acquired_cycle(&instruction.operation, ready).map(|cycle| (cycle, Cause::GlobalLoad));
        if let Some((end, cause)) = self.load_store.held_until().or(acquired) {
            (warp.resume_cycle, warp.resume_cause) = (warp.resume_cycle.max(end), cause);
        }
        let fence = self.load_store.fence.filter(|_| waits_for_fence(&instruction.operation, self.profile));
        if let Some(fence) = fence {
            // Stores of other warps that came to a barrier before it must be seen, too. What it begins is sent when it is over.
            let end = fence_ends(fence, self.profile.fences, now, before, warp);
            (warp.resume_cycle, warp.resume_cause) = (end.max(warp.resume_cycle), Cause::GlobalLoad);
            warp.scoreboard.write(bases, &instruction.writes, end + (ready - now), cause);
            warp.told_cycle = told_cycle(&instruction.operation, end + (ready - now), self.profile).unwrap_or(0.0);
        }
        let sent_cycle = if fence.is_some() { warp.resume_cycle } else { now };
        if self.load_store.accesses > 0 {
            let answered = sent_cycle + (done.max(ready) - now);
            warp.answers(matches!(instruction.operation, Operation::Atomic(_)), answered);
            if fence.is_some() && done > ready {
                self.load_store.reduced(answered);
            }
        } else if fence.is_some() && matches!(instruction.operation, Operation::Store { .. }) {
            self.load_store.stored(sent_cycle);
        }
        if cost.class == Class::Barrier && !self.alterations.has(Pattern::BarrierWaits, pc) {
            self.stop_at_barrier((index, candidate.index), pc, now, passed.then_some(release_cycle));
        }
        self.schedulers[index].warps[candidate.index].barriers += u32::from(instruction.operation.is_barrier());
        self.refresh(index, candidate.index, memory)?;
        self.go_on(slot, now, [release_cycle, now + slots], memory)
    }

    /// Lets a block's warps go on that what was issued lets go on, at the first of the cycles, and ends the block at the other if none is left.
    fn go_on<M: GlobalMemory>(
        &mut self,
        slot: usize,
        now: f64,
        [release_cycle, end_cycle]: [f64; 2],
        memory: &mut M,
    ) -> Result<(), Fault> {
        // Lanes that come to the kernel's end may complete a barrier, too.
        while std::mem::take(&mut self.load_store.barrier_passed) {
            self.release(slot, [release_cycle, release_cycle + self.settling_cycles()], memory)?;
        }
        self.resume_suspended(slot, memory)?;
        self.meet_cluster(slot, now, memory)?;
        if self.slots[slot].as_ref().is_some_and(Block::is_done) {
            self.end_block(slot, end_cycle, memory)?;
        }
        Ok(())
    }

    /// Executes a warp's next instruction, and gives the places of its frame's registers.
    fn execute<M: GlobalMemory>(
        &mut self,
        slot: usize,
        (number, scheduler): (usize, usize),
        now: f64,
        memory: &mut M,
    ) -> Result<[u32; 3], Fault> {
        let program = self.program;
        let Some(block) = &self.slots[slot] else { return Ok([0; 3]) };
        let pc = block.warps[number].position().map(|(pc, _)| pc);
        let operation = pc.map(|pc| &program.code[pc as usize].operation);
        let at_barrier = operation.and_then(|own| AtBarrier::of(own, || self.asks((slot, number), memory)));
        let Some(block) = &mut self.slots[slot] else { return Ok([0; 3]) };
        let warp = &mut block.warps[number];
        warp.clock = now as u64;
        let bases = warp.register_bases();
        self.load_store.begin(now, scheduler);
        self.load_store.wave = self.waves[slot];
        self.load_store.apart_bytes = self.apart_bytes[slot];
        self.load_store.constant.is_indexed = pc.is_some_and(|pc| self.program.code[pc as usize].lowering.is_indexed);
        self.load_store.past_l1 = operation.is_some_and(passes_l1);
        self.load_store.hint = operation.map(Operation::cache_hint).unwrap_or_default();
        self.load_store.behind = operation.map_or(Behind::Waits, Behind::of);
        self.load_store.at_barrier = at_barrier;
        self.load_store.way = operation.map_or(Way::Waits, Way::of);
        self.instructions += 1;
        block.run_warp(number, self.program, self.launch, memory, &mut self.load_store, 1)?;
        Ok(bases)
    }

    /// Finds out what a warp does next, executing on the way what costs nothing.
    fn refresh<M: GlobalMemory>(&mut self, scheduler: usize, index: usize, memory: &mut M) -> Result<(), Fault> {
        loop {
            let warp = &self.schedulers[scheduler].warps[index];
            let (slot, number) = (warp.slot, warp.warp);
            let Some(block) = &mut self.slots[slot] else { return Ok(()) };
            let outcome = block.settle_warp(number, self.program, self.launch, memory, &mut self.load_store);
            let Scheduler { warps, next, .. } = &mut self.schedulers[scheduler];
            let (warp, next) = (&mut warps[index], &mut next[index]);
            next.state = match outcome {
                Outcome::Ready => State::Ready,
                Outcome::Waiting => State::Waiting,
                Outcome::Done => State::Done,
            };
            let Some((pc, _)) = block.warps[number].position().filter(|_| outcome == Outcome::Ready) else {
                return Ok(());
            };
            let bases = block.warps[number].register_bases();
            let instruction = &self.program.code[pc as usize];
            let (cost, counts) = (self.costs[pc as usize], self.counting[pc as usize]);
            let (operands, cause) = warp.operands(bases, instruction, self.profile.warps, counts);
            if cost.total() == 0.0 {
                // Its result is there as soon as what it reads is.
                let early_cycle = warp.counted_from(bases, instruction, counts);
                warp.scoreboard.write(bases, &instruction.writes, operands, cause);
                let guard_cycles = self.profile.warps.guard_cycles;
                warp.scoreboard.set_early(bases, &instruction.writes, early_cycle.unwrap_or(operands), guard_cycles);
                let now = warp.resume_cycle;
                let is_release = matches!(instruction.operation, Operation::ClusterBarrier { releases: true, .. });
                let arrived_cycle = self.arrived_cycle(&instruction.operation, now);
                self.execute(slot, (number, scheduler), now, memory)?;
                if is_release {
                    self.release_to_cluster((scheduler, index), now);
                }
                self.meet_cluster(slot, arrived_cycle, memory)?;
                continue;
            }
            let (overwritten, write_cause) = warp.scoreboard.writable(bases, &instruction.writes);
            (next.ready_cycle, next.cause) = [(operands, cause), (overwritten, write_cause)].into_iter().fold(
                (warp.resume_cycle, warp.resume_cause),
                |latest, own| if own.0 > latest.0 { own } else { latest },
            );
            let waited_cycle = warp.waited_cycle(cost.waits, self.profile.warps);
            if waited_cycle > next.ready_cycle {
                (next.ready_cycle, next.cause) = (waited_cycle, Cause::Arithmetic);
            }
            if passes_l1(&instruction.operation) && warp.told_cycle > next.ready_cycle {
                (next.ready_cycle, next.cause) = (warp.told_cycle, Cause::Atomic);
            }
            if warp.settled_cycle > next.ready_cycle && instruction.operation.is_barrier() {
                (next.ready_cycle, next.cause) = (warp.settled_cycle, Cause::Barrier);
            }
            next.unit = unit_place(cost.unit) as u8;
            next.memory = cost.unit == Unit::LoadStore;
            warp.pc = pc;
            warp.is_suspended = false;
            if matches!(instruction.operation, Operation::Phase(_)) {
                self.suspend((scheduler, index), memory);
            }
            let own = &mut self.schedulers[scheduler];
            own.next_cycle = own.next_cycle.min(own.next[index].ready_cycle.max(own.cycle));
            return Ok(());
        }
    }

    /// A barrier was passed: warps of the block that waited go on at the first of these cycles, and may come to a barrier again at the other.
    fn release<M: GlobalMemory>(
        &mut self,
        slot: usize,
        [cycle, settled_cycle]: [f64; 2],
        memory: &mut M,
    ) -> Result<(), Fault> {
        for scheduler in 0..self.schedulers.len() {
            for index in 0..self.schedulers[scheduler].warps.len() {
                let own = &mut self.schedulers[scheduler];
                if own.warps[index].slot == slot && own.next[index].state == State::Waiting {
                    let warp = &mut own.warps[index];
                    let (pc, waited) = (warp.pc, cycle - warp.resume_cycle);
                    if !self.alterations.has(Pattern::BarrierWaits, warp.pc) {
                        warp.resume_cycle = warp.resume_cycle.max(cycle);
                        warp.resume_cause = Cause::Barrier;
                        warp.settled_cycle = settled_cycle;
                    }
                    self.refresh(scheduler, index, memory)?;
                    if self.schedulers[scheduler].next[index].state != State::Waiting {
                        self.waits.add(pc, waited);
                    }
                }
            }
        }
        Ok(())
    }
}
