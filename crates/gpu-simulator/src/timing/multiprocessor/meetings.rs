//! Words that blocks meet at: each changes the word by an atomic, and looks at it until the last of them has.
//!
//! One multiprocessor is timed, and the slowest block keeps the others. A fence, an atomic and a look each take longer from the half of L2 that the
//! word is not in (`results/nvidia-h200/constants/grid.csv`, `fence_behind`: 156, 206 and 40 cycles), so a barrier of blocks in both halves takes as
//! long as the farther ones need.

use super::super::behind::passes_l1;
use crate::execute::Launch;
use crate::profile::Fences;
use crate::program::Operation;

/// Blocks that may all be near the word: a barrier of two takes as long as one of one block (the same file, `grid_barrier`).
const NEAR_BLOCKS: u64 = 2;

/// How a warp stands with a word.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::timing) struct Arrival {
    /// The sector that it has changed by an atomic and not looked at since.
    sector: Option<u64>,
    /// When it saw that all had come, the last time.
    met_cycle: Option<f64>,
}

/// What meeting at a word takes in a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meetings {
    later_cycles: f64,
    /// For how long the word is busy with all blocks.
    round_cycles: f64,
}

impl Meetings {
    /// `None` where blocks cannot wait for all others, of which so many are there at once, or none is farther than another.
    pub(super) fn of(launch: &Launch, at_once: u64, fences: Fences) -> Option<Self> {
        let blocks = launch.blocks();
        (launch.conduct.sees_others && blocks > NEAR_BLOCKS && blocks <= at_once).then_some(Self {
            later_cycles: fences.farthest_block_cycles,
            round_cycles: blocks as f64 * fences.meeting_cycles_per_block,
        })
    }

    /// When a warp has the answer of an instruction on this sector, that comes at `answered` to a block which waits for nobody.
    pub(super) fn answered(
        self,
        arrival: &mut Arrival,
        operation: &Operation,
        sector: Option<u64>,
        answered: f64,
    ) -> f64 {
        if matches!(operation, Operation::Atomic(_)) {
            arrival.sector = sector;
            return answered;
        }
        if sector.is_none() || arrival.sector != sector || !passes_l1(operation) {
            return answered;
        }
        arrival.sector = None;
        let free_cycle = arrival.met_cycle.map_or(0.0, |met| met + self.round_cycles);
        let met_cycle = (answered + self.later_cycles).max(free_cycle);
        arrival.met_cycle = Some(met_cycle);
        met_cycle
    }
}
