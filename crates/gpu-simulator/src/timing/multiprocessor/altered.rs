//! What a warp does of its work where patterns are to cost nothing, and where work is shared out.

use super::Multiprocessor;
use crate::hardware::lanes::LANES;
use crate::what_if::{Busy, Pattern, SharedOut};

impl Multiprocessor<'_> {
    /// The part of an instruction's time that it takes where no warp diverged at the branches that are to cost nothing: as many of the
    /// warp's lanes as are on its way. None where the warp does nothing and is taken away.
    pub(super) fn part_of_way(&self, slot: usize, warp: usize) -> f64 {
        let is_idle = |busy: &Busy| self.slots[slot].as_ref().is_some_and(|block| busy.is_idle(block.number(), warp));
        if self.busy.is_some_and(is_idle) {
            return 0.0;
        }
        let part = |pattern: Pattern| {
            if !self.alterations.has_any(pattern) {
                return 1.0;
            }
            let is_taken_away = |branch: u32| self.alterations.has(pattern, branch);
            self.slots[slot].as_ref().map_or(1.0, |block| block.warps[warp].part_of_way(is_taken_away))
        };
        let divergence = part(Pattern::Divergence);
        if self.sorted.is_some() {
            return divergence;
        }
        let sorted = part(Pattern::DivergenceWithinBlocks);
        let warps = f64::from(self.launch.threads().div_ceil(LANES as u32));
        let sorted = if sorted < 1.0 { sorted + (1.0 - sorted) / warps } else { sorted };
        divergence * sorted
    }

    /// The part of its own work before its next barrier that a warp does where that is shared out; 1 of a warp that gets more to do.
    pub(super) fn share_of_section(&self, slot: usize, warp: usize, barriers: u32) -> f64 {
        let of = |shared_out: &SharedOut| {
            let block = self.slots[slot].as_ref()?;
            Some(shared_out.share(block.number(), warp, barriers as usize))
        };
        self.shared_out.and_then(of).unwrap_or(1.0)
    }

    /// The least part of its work that a warp leaves on its own scheduler where that is shared out: of few blocks the others have nothing to do, and
    /// of many each scheduler has a busy warp already.
    pub(super) fn spread(&self) -> f64 {
        let schedulers = self.schedulers.len() as f64;
        (self.slots.len() as f64 / schedulers).clamp(1.0 / schedulers, 1.0)
    }
}
