//! What a launch came to.

use crate::counters::Counts;
use crate::timing::{Awaited, BarrierWait, Bound, LineTraffic, Overlap, Timed};

/// What a launch did, what it takes on the GPU, and what bounds it.
#[derive(Debug, Clone)]
pub struct Report {
    /// Simulated time in microseconds, from the launch to its end.
    pub time_us: f64,
    /// Standard error of the time in microseconds that comes of timing only some waves of blocks; `None` where too few were timed to
    /// tell, 0 where all were.
    pub sampling_error_us: Option<f64>,
    /// What kept it from ending sooner.
    pub bound: Bound,
    /// What its warps mostly waited for, where no resource was busy all the time.
    pub awaited: Option<Awaited>,
    /// Blocks of the grid.
    pub blocks: u64,
    /// How many of them were executed and counted.
    pub blocks_executed: u64,
    /// How many of them were timed; the others are taken to need as long.
    pub blocks_timed: u64,
    /// Warp instructions that were timed: what simulating the launch again without a pattern takes.
    pub instructions_timed: f64,
    /// Blocks that a multiprocessor holds at once.
    pub blocks_per_sm: u32,
    /// Blocks of the busiest multiprocessor in units of those that it holds at once; below 1 it is not full.
    pub waves_per_sm: f64,
    /// For how long warps waited at barriers, in the order of the lines.
    pub barrier_waits: Vec<BarrierWait>,
    /// What accesses to global memory moved, of the blocks that were timed, in the order of the lines.
    pub moved: Vec<LineTraffic>,
    /// How it overlaps the launches before and after it, where it lets the next one begin before its end.
    pub overlap: Option<Overlap>,
    counts: Counts,
}

impl Report {
    pub(super) fn new(timed: &Timed, blocks: (u64, u64), blocks_per_sm: u32, counts: Counts) -> Self {
        let &Timed { time_us, sampling_error_us, bound, awaited, blocks_timed, waves, instructions_timed, .. } = timed;
        let (blocks, blocks_executed) = blocks;
        Self {
            time_us,
            sampling_error_us,
            bound,
            awaited,
            blocks,
            blocks_executed,
            blocks_timed,
            instructions_timed: instructions_timed as f64,
            blocks_per_sm,
            waves_per_sm: waves,
            barrier_waits: timed.barrier_waits.clone(),
            moved: timed.moved.clone(),
            overlap: timed.overlap,
            counts,
        }
    }

    /// Warp instructions that were executed to be counted.
    pub fn instructions_executed(&self) -> f64 {
        let all = self.counter("warp_instructions").unwrap_or(0.0);
        all * self.blocks_executed as f64 / self.blocks.max(1) as f64
    }

    /// What was counted, of all blocks.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The value of the counter with this name, such as `bank_conflicts`, of all blocks; `None` where
    /// [`crate::COUNTERS`] has none.
    pub fn counter(&self, name: &str) -> Option<f64> {
        self.counts.get(name)
    }
}
