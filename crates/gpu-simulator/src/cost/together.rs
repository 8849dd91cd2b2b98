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
}

impl Default for Together {
    /// Every block is by itself.
    fn default() -> Self {
        Self { readers_of_a_line: 1.0, atomics_on_a_sector: 1.0, completed_pieces: [0.0; 2] }
    }
}
