//! The barriers of a block.

use crate::hardware::lanes::{LANES, Mask};

/// Barriers of a block.
pub(super) const BARRIERS: usize = 16;

/// A barrier: who has arrived in the round at hand, and what came out of the last one.
#[derive(Debug, Clone, Default)]
pub(super) struct BarrierState {
    /// Rounds that are complete.
    pub(super) generation: u64,
    /// For each warp, the lanes that have arrived.
    arrived: Vec<Mask>,
    /// Threads of warps that arrived without waiting, and for each warp the lanes of one that has not arrived as a whole.
    passed_by: u32,
    passing: Vec<Mask>,
    /// Threads that must arrive; 0 for all of the block.
    threads: u32,
    /// Threads whose predicate was set, and all that gave one, in the round at hand.
    set: u32,
    asked: u32,
    /// The same of the last complete round.
    pub(super) last_set: u32,
    pub(super) last_asked: u32,
}

impl BarrierState {
    pub(super) fn new(warps: usize) -> Self {
        Self { arrived: vec![0; warps], passing: vec![0; warps], ..Self::default() }
    }

    /// All of it but the number of its round.
    pub(super) fn tell_state(&self, state: &mut Vec<u64>) {
        let Self { generation: _, arrived, passed_by, passing, threads, set, asked, last_set, last_asked } = self;
        state.extend(arrived.iter().chain(passing).map(|lanes| u64::from(*lanes)));
        state.extend([passed_by, threads, set, asked, last_set, last_asked].map(|own| u64::from(*own)));
    }

    /// Lanes of a warp arrive and wait.
    pub(super) fn arrive(&mut self, warp: u32, lanes: Mask, threads: u32) {
        self.arrived[warp as usize] |= lanes;
        self.threads = threads;
    }

    /// Lanes of a warp arrive and go on. The warp counts when all its `live` lanes have, or at once as a whole.
    pub(super) fn pass_by(&mut self, warp: u32, lanes: Mask, threads: u32, live: Mask, whole_warps: bool) {
        let passing = &mut self.passing[warp as usize];
        *passing |= lanes;
        if whole_warps || *passing & live == live {
            *passing = 0;
            self.passed_by = self.passed_by.saturating_add(LANES as u32);
        }
        self.threads = threads;
    }

    /// Lanes give their predicates.
    pub(super) fn ask(&mut self, lanes: Mask, predicate: Mask) {
        self.asked += lanes.count_ones();
        self.set += (lanes & predicate).count_ones();
    }

    /// Completes the round if everyone has arrived. `live` are the lanes of each warp that have not exited; where a warp
    /// arrives as a whole, one lane stands for all. Returns the warps that were waited for.
    pub(super) fn complete(&mut self, live: &[Mask], whole_warps: bool) -> Option<u32> {
        let present = |warp: usize| {
            let arrived = self.arrived[warp];
            if whole_warps { arrived != 0 } else { arrived & live[warp] == live[warp] && arrived != 0 }
        };
        // The last warp is mostly the one that is waited for.
        if self.threads == 0 && (0..live.len()).rev().any(|warp| live[warp] != 0 && !present(warp)) {
            return None;
        }
        let warps = (0..live.len()).filter(|warp| present(*warp)).count() as u32;
        if warps == 0 && self.passed_by == 0 {
            return None;
        }
        let missing = self.threads != 0 && warps * LANES as u32 + self.passed_by < self.threads;
        if missing || warps == 0 && self.threads == 0 {
            return None;
        }
        self.generation += 1;
        self.arrived.fill(0);
        (self.last_set, self.last_asked) = (self.set, self.asked);
        (self.set, self.asked, self.passed_by) = (0, 0, 0);
        Some(warps)
    }
}
