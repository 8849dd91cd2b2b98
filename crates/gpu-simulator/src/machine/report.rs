//! What a launch came to.

use crate::counters::{Counters, InstructionCounts};
use crate::timing::Timed;

/// What a launch did, what it takes on the GPU, and what bounds it.
#[derive(Debug, Clone)]
pub struct Report {
    /// The simulated time, in microseconds, and what bounds it.
    pub timed: Timed,
    /// What the blocks that were executed did.
    pub counters: Counters,
    /// The instructions among it.
    pub instructions: InstructionCounts,
    /// Blocks of the grid.
    pub blocks: u64,
    /// How many of them were executed and counted.
    pub blocks_executed: u64,
    /// Blocks that a multiprocessor holds at once.
    pub resident_blocks: u32,
}
