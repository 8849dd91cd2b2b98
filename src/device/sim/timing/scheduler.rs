//! A scheduler of a multiprocessor: the warps that are its own, its units, and the cycle it has come to.

use super::bound::Cause;
use super::scoreboard::Scoreboard;
use crate::device::sim::class::Class;
use crate::device::sim::profile::{Unit, Units};

/// The units of a scheduler, in the order of [`unit_place`].
pub(super) const UNITS: usize = 8;

/// Place of a class's unit; the last is that of memory, barriers and the like, which only need an issue slot.
pub(super) fn unit_place(class: Class) -> usize {
    match class {
        Class::Integer => 0,
        Class::Multiply => 1,
        Class::Float => 2,
        Class::Double => 3,
        Class::Special => 4,
        Class::Exchange => 5,
        Class::Control => 6,
        _ => 7,
    }
}

/// A class's unit.
pub(super) fn unit_of(units: &Units, class: Class) -> Unit {
    match class {
        Class::Integer | Class::Move => units.integer,
        Class::Multiply => units.multiply,
        Class::Float => units.float,
        Class::Double => units.double,
        Class::Special => units.special,
        Class::Exchange => units.exchange,
        Class::Control => units.control,
        _ => Unit { interval_cycles: 1.0, latency_cycles: units.integer.latency_cycles },
    }
}

/// Whether instructions of a class go through the load-store unit.
pub(super) fn is_memory(class: Class) -> bool {
    matches!(class, Class::Shared | Class::Global | Class::Local | Class::Atomic)
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

/// A warp of a resident block.
#[derive(Debug)]
pub(super) struct TimedWarp {
    /// The place of its block, and its own place there.
    pub(super) slot: usize,
    pub(super) warp: usize,
    pub(super) state: State,
    /// First cycle at which its next instruction could be issued, and what kept it until then.
    pub(super) ready_cycle: f64,
    pub(super) cause: Cause,
    /// First cycle at which anything could be issued: behind a branch or barrier.
    pub(super) resume_cycle: f64,
    pub(super) resume_cause: Cause,
    /// The next instruction.
    pub(super) pc: u32,
    pub(super) class: Class,
    pub(super) scoreboard: Scoreboard,
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
    /// Cycle at which it can issue again.
    pub(super) cycle: f64,
    /// When each of its units can begin again.
    pub(super) unit_free: [f64; UNITS],
    /// The warp that issued last: slot and place.
    pub(super) last: (usize, usize),
    /// A lower bound of its next issue.
    pub(super) next_cycle: f64,
}

impl Scheduler {
    pub(super) fn new() -> Self {
        let nobody = (usize::MAX, usize::MAX);
        Self { warps: Vec::new(), cycle: 0.0, unit_free: [0.0; UNITS], last: nobody, next_cycle: 0.0 }
    }

    /// The warp that it would issue from next: the one it issued from last if that can go on, else the oldest that can,
    /// else the first that will be able to.
    pub(super) fn candidate(&self, load_store: (f64, Cause)) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for (index, warp) in self.warps.iter().enumerate() {
            if warp.state != State::Ready {
                continue;
            }
            let mut earliest = (warp.ready_cycle, warp.cause);
            let unit = self.unit_free[unit_place(warp.class)];
            if unit > earliest.0 {
                earliest = (unit, Cause::Issue);
            }
            if is_memory(warp.class) && load_store.0 > earliest.0 {
                earliest = load_store;
            }
            let cycle = earliest.0.max(self.cycle);
            let is_last = (warp.slot, warp.warp) == self.last;
            if best.is_none_or(|best| cycle < best.cycle || cycle == best.cycle && is_last) {
                best = Some(Candidate { index, cycle, cause: earliest.1 });
            }
        }
        best
    }
}
