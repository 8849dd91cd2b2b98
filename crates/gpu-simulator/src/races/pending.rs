//! Copies that go on while their thread does something else (`cp.async`): what they bring is pending until the thread has waited for them. PTX ISA,
//! "Asynchronous Data Movement".

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::shadow::Record;

/// A copy of a thread: its number among the block's, and the units of shared memory that it brings.
#[derive(Debug, Clone)]
struct Copied {
    number: u64,
    units: Range<u64>,
}

/// The copies that a thread has not waited for.
#[derive(Debug, Default)]
struct OfThread {
    /// Those of no group so far.
    open: Vec<Copied>,
    /// The groups, the oldest first.
    groups: VecDeque<Vec<Copied>>,
}

/// The copies whose threads arrive at a barrier when they are done, and when an arrival was last.
#[derive(Debug, Default)]
struct BehindBarrier {
    time: u64,
    copies: Vec<Copied>,
}

/// What the copies of a block's threads bring, as long as it is pending.
#[derive(Debug, Default)]
pub(super) struct Pending {
    begun: u64,
    /// The copy that brings a unit: its number, and what it does there.
    units: HashMap<u64, (u64, Record)>,
    threads: HashMap<u32, OfThread>,
    barriers: HashMap<u32, BehindBarrier>,
}

impl Pending {
    /// A thread has begun a copy to these units.
    pub(super) fn begin(&mut self, units: Range<u64>, record: Record) {
        self.begun += 1;
        let number = self.begun;
        self.units.extend(units.clone().map(|unit| (unit, (number, record))));
        self.threads.entry(record.thread).or_default().open.push(Copied { number, units });
    }

    /// The copy that is to bring a unit.
    pub(super) fn of(&self, unit: u64) -> Option<Record> {
        self.units.get(&unit).map(|(_, record)| *record)
    }

    /// What a thread has begun since the last time is a group (`commit_group`).
    pub(super) fn commit(&mut self, thread: u32) {
        if let Some(own) = self.threads.get_mut(&thread) {
            own.groups.push_back(std::mem::take(&mut own.open));
        }
    }

    /// A thread has waited for all groups but so many (`wait_group`): the units that are there now.
    pub(super) fn wait(&mut self, thread: u32, left: usize) -> Vec<(u64, Record)> {
        let Some(own) = self.threads.get_mut(&thread) else { return Vec::new() };
        let done = own.groups.len().saturating_sub(left);
        let copies: Vec<Copied> = own.groups.drain(..done).flatten().collect();
        self.arrived(&copies)
    }

    /// A thread has waited for all its copies (`wait_all`): the units that are there now.
    pub(super) fn wait_all(&mut self, thread: u32) -> Vec<(u64, Record)> {
        self.commit(thread);
        self.wait(thread, 0)
    }

    /// Threads arrive at a barrier when the copies are done that they have begun (`cp.async.mbarrier.arrive`).
    pub(super) fn arrive_behind(&mut self, threads: impl Iterator<Item = u32>, barrier: u32, time: u64) {
        let own = self.barriers.entry(barrier).or_default();
        // Of a warp's arrivals each is told.
        if std::mem::replace(&mut own.time, time) == time {
            return;
        }
        for thread in threads.filter_map(|thread| self.threads.get(&thread)) {
            own.copies.extend(thread.groups.iter().flatten().chain(&thread.open).cloned());
        }
    }

    /// A thread has seen that a phase of a barrier is complete. Of an earlier phase, copies are not looked at any more either.
    pub(super) fn passed(&mut self, barrier: u32) {
        if let Some(own) = self.barriers.get_mut(&barrier) {
            let copies = std::mem::take(&mut own.copies);
            self.arrived(&copies);
        }
    }

    /// Takes the units of copies out that nothing else brings since.
    fn arrived(&mut self, copies: &[Copied]) -> Vec<(u64, Record)> {
        let mut all = Vec::new();
        for copy in copies {
            for unit in copy.units.clone() {
                if self.units.get(&unit).is_some_and(|(number, _)| *number == copy.number)
                    && let Some((_, record)) = self.units.remove(&unit)
                {
                    all.push((unit, record));
                }
            }
        }
        all
    }
}
