//! What the blocks of a grid do to memory together, which one multiprocessor by itself does not show.

/// What others add to the accesses of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Together {
    /// Blocks that read a line of global memory while it is in L2, in the mean.
    pub readers_of_a_line: f64,
    /// The same of atomics on a sector.
    pub atomics_on_a_sector: f64,
    /// Of the pieces of device memory that a block reads only in part, and of those that it writes so, the share of which neighbouring
    /// blocks move the rest.
    pub completed_pieces: [f64; 2],
    /// Blocks that write to a sector that is written in part while it is in L2, in the mean.
    pub writers_of_a_sector: f64,
    /// Of the sectors that a block leaves incomplete, the share that others complete.
    pub completed_sectors: f64,
    /// Of the sectors that stores write to which write any in part, the share that a block leaves incomplete and blocks which begin at another
    /// time complete.
    pub completed_far: f64,
}

impl Default for Together {
    /// Every block is by itself.
    fn default() -> Self {
        Self {
            readers_of_a_line: 1.0,
            atomics_on_a_sector: 1.0,
            completed_pieces: [0.0; 2],
            writers_of_a_sector: 1.0,
            completed_sectors: 0.0,
            completed_far: 0.0,
        }
    }
}
