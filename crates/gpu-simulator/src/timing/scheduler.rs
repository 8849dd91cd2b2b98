//! A scheduler of a multiprocessor: the warps that are its own, its units, and the cycle it has come to.

use super::bound::Cause;
use super::multiprocessor::Arrival;
use super::scoreboard::Scoreboard;
use crate::class::Unit;
use crate::profile::{self, Units, Warps};
use crate::program::{Gathering, Lowering, Meeting, Waits};

/// The units of a scheduler, in the order of [`unit_place`].
const UNITS: usize = 9;

/// Adders and multipliers of integers, and whichever of both are free.
const ADDERS: usize = 0;
const MULTIPLIERS: usize = 1;
const EITHER: usize = 8;

/// A unit's place. That of memory, barriers and the like only needs an issue slot.
pub(super) fn unit_place(unit: Unit) -> usize {
    match unit {
        Unit::Integer => ADDERS,
        Unit::Multiply | Unit::WideMultiply => MULTIPLIERS,
        Unit::AddOrMultiply => EITHER,
        Unit::Float => 2,
        Unit::Double => 3,
        Unit::Special => 4,
        Unit::Exchange => 5,
        Unit::Control => 6,
        Unit::Move | Unit::LoadStore | Unit::Issue => 7,
    }
}

/// How fast a profile's unit is.
pub(super) fn pace_of(units: &Units, unit: Unit) -> profile::Unit {
    match unit {
        Unit::Integer | Unit::Move | Unit::AddOrMultiply => units.integer,
        Unit::Multiply => units.multiply,
        Unit::WideMultiply => profile::Unit { interval_cycles: 2.0 * units.multiply.interval_cycles, ..units.multiply },
        Unit::Float => units.float,
        Unit::Double => units.double,
        Unit::Special => units.special,
        Unit::Exchange => units.exchange,
        Unit::Control => units.control,
        Unit::LoadStore | Unit::Issue => {
            profile::Unit { interval_cycles: 1.0, latency_cycles: units.integer.latency_cycles }
        }
    }
}

/// Whether a warp can issue its next instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// From its cycle on.
    Ready,
    /// Not before a barrier is passed.
    Waiting,
    /// It has none.
    Done,
}

/// A warp's next instruction, as far as choosing among warps needs to know it: small, since many are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next {
    pub(super) state: State,
    /// First cycle at which it could be issued, and what kept it until then.
    pub(super) ready_cycle: f64,
    pub(super) cause: Cause,
    /// Its unit, and whether it goes through the load-store unit.
    pub(super) unit: u8,
    pub(super) memory: bool,
}

impl Next {
    pub(super) fn at(ready_cycle: f64) -> Self {
        Self { state: State::Ready, ready_cycle, cause: Cause::Issue, unit: 0, memory: false }
    }
}

/// A warp of a resident block.
#[derive(Debug)]
pub(super) struct TimedWarp {
    /// The place of its block, and its own place there.
    pub(super) slot: usize,
    pub(super) warp: usize,
    /// First cycle at which anything could be issued: behind a branch or barrier.
    pub(super) resume_cycle: f64,
    pub(super) resume_cause: Cause,
    /// When it went on behind its last branch.
    pub(super) branch_cycle: f64,
    /// When it went on behind the last branch that led back: when its turn of a loop began.
    pub(super) turn_cycle: f64,
    /// Its next instruction.
    pub(super) pc: u32,
    /// Barriers of its block that it has come to.
    pub(super) barriers: u32,
    pub(super) scoreboard: Scoreboard,
    /// When global memory had answered the loads since its last fence, and the atomics; `None` where there were none.
    pub(super) loaded_cycle: Option<f64>,
    pub(super) changed_cycle: Option<f64>,
    /// When its lanes have been told the answer of the last atomic that one did for them.
    pub(super) told_cycle: f64,
    /// From when on it may come to a barrier again.
    pub(super) settled_cycle: f64,
    /// How it stands with a word that blocks meet at.
    pub(super) arrival: Arrival,
    /// Whether it is suspended until a phase of a barrier in shared memory is complete.
    pub(super) is_suspended: bool,
    /// Whether it was until its next instruction.
    pub(super) is_woken: bool,
}

impl TimedWarp {
    /// A branch takes the warp until this cycle, and longer where lanes part at it: of that, what a warp takes is told.
    pub(super) fn branches(&mut self, lowering: &Lowering, cycle: f64, parting: Option<Warps>) {
        let parting_cycles = match (parting, lowering.meeting) {
            (None, _) => 0.0,
            (Some(warps), Some(Meeting::Barrier)) => warps.barrier_divergence_cycles,
            (Some(warps), _) => warps.divergence_cycles,
        };
        (self.resume_cycle, self.resume_cause) = (cycle + parting_cycles, Cause::Arithmetic);
        if !lowering.waits_in_loop {
            self.branch_cycle = self.resume_cycle;
        }
    }

    /// When that is over which it waits for before its next instruction besides the registers.
    pub(super) fn waited_cycle(&self, waits: Waits, warps: Warps) -> f64 {
        if waits == Waits::default() {
            return 0.0;
        }
        let Warps { special_register_cycles, parameter_cycles, check_cycles, gathering_cycles, meeting_cycles, .. } =
            warps;
        let lanes_cycles = match waits.lanes {
            Gathering::No => 0.0,
            Gathering::Checks => check_cycles,
            Gathering::Waits => gathering_cycles,
        };
        let met_cycles = if waits.meets { meeting_cycles } else { 0.0 };
        let together = met_cycles + lanes_cycles + if waits.shared_memory { special_register_cycles } else { 0.0 };
        let loaded_cycle = if waits.parameter { self.branch_cycle + parameter_cycles } else { 0.0 };
        (self.resume_cycle + together).max(loaded_cycle)
    }
}

impl TimedWarp {
    /// Global memory answers a load or an atomic at this cycle.
    pub(super) fn answers(&mut self, is_atomic: bool, cycle: f64) {
        let before = if is_atomic { &mut self.changed_cycle } else { &mut self.loaded_cycle };
        *before = Some(before.map_or(cycle, |before| before.max(cycle)));
    }
}

/// What a scheduler would do next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Index of the warp among the scheduler's.
    pub(super) index: usize,
    pub(super) cycle: f64,
    pub(super) cause: Cause,
}

#[derive(Debug)]
pub(super) struct Scheduler {
    /// The oldest first.
    pub(super) warps: Vec<TimedWarp>,
    /// What they do next, in the same order.
    pub(super) next: Vec<Next>,
    /// Cycle at which it can issue again.
    pub(super) cycle: f64,
    /// When each of its units can begin again.
    pub(super) unit_free: [f64; UNITS],
    /// Index of the warp that issued last.
    pub(super) last: usize,
    /// Index of the warp whose instruction went through the load-store unit last.
    pub(super) last_in_line: usize,
    /// A lower bound of its next issue.
    pub(super) next_cycle: f64,
    /// Cycles for which each of its units was busy, and its issue slots taken.
    pub(super) unit_busy: [f64; UNITS],
    pub(super) slots_taken: f64,
    /// When it last had the load-store unit, which goes to the scheduler that has waited longest.
    pub(super) served_cycle: f64,
}

impl Scheduler {
    pub(super) fn new() -> Self {
        Self {
            warps: Vec::new(),
            next: Vec::new(),
            cycle: 0.0,
            unit_free: [0.0; UNITS],
            last: usize::MAX,
            last_in_line: usize::MAX,
            next_cycle: 0.0,
            unit_busy: [0.0; UNITS],
            slots_taken: 0.0,
            served_cycle: 0.0,
        }
    }

    /// Keeps a unit busy with so many instructions from `now` on.
    pub(super) fn occupy(&mut self, unit: usize, now: f64, instructions: f64, interval_cycles: f64) {
        if unit == EITHER {
            let mut begin = now;
            let mut rest = instructions;
            while rest > 0.0 {
                let own = self.less_busy();
                begin = begin.max(self.unit_free[own]);
                self.occupy(own, begin, rest.min(1.0), interval_cycles);
                rest -= 1.0;
            }
            return;
        }
        self.unit_free[unit] = now + instructions * interval_cycles;
        self.unit_busy[unit] += instructions * interval_cycles;
        self.unit_free[EITHER] = self.unit_free[self.less_busy()];
    }

    /// The compiler gives adders and multipliers as much work.
    fn less_busy(&self) -> usize {
        if self.unit_busy[MULTIPLIERS] <= self.unit_busy[ADDERS] { MULTIPLIERS } else { ADDERS }
    }

    /// Cycles for which its busiest unit, or its issue slots, were in use.
    pub(super) fn busy_cycles(&self) -> f64 {
        self.unit_busy.iter().copied().fold(self.slots_taken, f64::max)
    }

    /// Adds a warp, the youngest.
    pub(super) fn add(&mut self, warp: TimedWarp) {
        self.next.push(Next::at(warp.resume_cycle));
        self.warps.push(warp);
    }

    /// Takes the warps of a block away.
    pub(super) fn remove(&mut self, slot: usize) {
        let named = |index: usize| self.warps.get(index).map(|warp| (warp.slot, warp.warp));
        let lasts = [named(self.last), named(self.last_in_line)];
        let mut kept = self.warps.iter().map(|warp| warp.slot != slot);
        self.next.retain(|_| kept.next().unwrap_or(false));
        self.warps.retain(|warp| warp.slot != slot);
        let place =
            |last| self.warps.iter().position(|warp| Some((warp.slot, warp.warp)) == last).unwrap_or(usize::MAX);
        [self.last, self.last_in_line] = lasts.map(place);
    }

    /// The warp that it would issue from next: the one it issued from last if that can go on, else the oldest that can,
    /// else the first that will be able to. Those that wait for the way to global memory stand in line.
    pub(super) fn candidate(&self, load_store: (f64, Cause)) -> Option<Candidate> {
        let issue = |index: usize, next: &Next| {
            let mut earliest = (next.ready_cycle, next.cause);
            let unit = self.unit_free[usize::from(next.unit)];
            if unit > earliest.0 {
                earliest = (unit, Cause::Issue);
            }
            if next.memory && load_store.0 > earliest.0 {
                earliest = load_store;
            }
            Candidate { index, cycle: earliest.0.max(self.cycle), cause: earliest.1 }
        };
        // None can issue before the scheduler can, so whoever does so then is the one.
        let last = self.next.get(self.last).filter(|next| next.state == State::Ready);
        let last = last.map(|next| issue(self.last, next));
        if last.is_some_and(|last| last.cycle <= self.cycle) {
            return last;
        }
        let mut best: Option<Candidate> = None;
        let mut best_cycle = f64::INFINITY;
        // Since when the best one so far waits for the load-store unit.
        let mut since_cycle: Option<f64> = None;
        for (index, next) in self.next.iter().enumerate() {
            if next.state != State::Ready || next.ready_cycle > best_cycle {
                continue;
            }
            let candidate = issue(index, next);
            let cycle = candidate.cycle;
            let waits_since = self.waits_since(index, load_store);
            if let (Some(since), Some(own)) = (since_cycle, waits_since) {
                if cycle <= best_cycle && own < since {
                    (best, best_cycle, since_cycle) = (Some(candidate), cycle, Some(own));
                }
                continue;
            }
            if cycle <= self.cycle && best_cycle > self.cycle {
                if waits_since.is_none() {
                    return Some(candidate);
                }
                (best, best_cycle, since_cycle) = (Some(candidate), cycle, waits_since);
                continue;
            }
            // No earlier than the best so far, hence as early, is enough for the warp that issued last.
            if cycle < best_cycle || cycle <= best_cycle && index == self.last {
                (best, best_cycle, since_cycle) = (Some(candidate), cycle, waits_since);
            }
        }
        best
    }

    /// Since when a warp stands in line for the way to global memory; `None` where it does not. Who was served last goes on: it puts all that it has in
    /// line at once.
    fn waits_since(&self, index: usize, (free_cycle, cause): (f64, Cause)) -> Option<f64> {
        let next = &self.next[index];
        let waits = next.memory && cause == Cause::GlobalUnit && next.ready_cycle < free_cycle;
        let since = if index == self.last_in_line { f64::NEG_INFINITY } else { next.ready_cycle };
        waits.then_some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_waited_longest_for_the_way_to_global_memory_goes_first() {
        let mut scheduler = Scheduler::new();
        let memory = Next { memory: true, ..Next::at(0.0) };
        scheduler.next = [12.0, 5.0, 8.0].map(|ready_cycle| Next { ready_cycle, ..memory }).to_vec();
        let of = |scheduler: &Scheduler, free_cycle, cause| {
            scheduler.candidate((free_cycle, cause)).map(|candidate| (candidate.index, candidate.cycle))
        };
        scheduler.cycle = 20.0;
        // The oldest goes first where nobody has to wait, and where shared memory keeps all.
        assert_eq!(of(&scheduler, 0.0, Cause::GlobalUnit), Some((0, 20.0)));
        assert_eq!(of(&scheduler, 30.0, Cause::SharedUnit), Some((0, 30.0)));
        assert_eq!(of(&scheduler, 30.0, Cause::GlobalUnit), Some((1, 30.0)));
        scheduler.last_in_line = 2;
        assert_eq!(of(&scheduler, 30.0, Cause::GlobalUnit), Some((2, 30.0)));
        // Who does not want to go there does not stand in line.
        scheduler.next[0] = Next::at(3.0);
        assert_eq!(of(&scheduler, 30.0, Cause::GlobalUnit), Some((0, 20.0)));
    }
}
