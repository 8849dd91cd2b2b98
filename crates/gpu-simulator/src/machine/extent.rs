//! Which blocks of a launch are executed.

use crate::program::Program;

/// Warp instructions of a launch up to which all its blocks are executed. Beyond, some are, spread over the grid.
const ALL_BLOCKS_UP_TO: f64 = 500e6;
/// How many those are.
const SPREAD_BLOCKS: u64 = 64;

/// Which blocks of a launch are executed. Blocks that may wait for each other are executed all together, whatever is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them: the memory is as the GPU would leave it.
    AllBlocks,
    /// All, unless the launch is of more than 500 million warp instructions. Then 64 that are spread over the grid: what the
    /// others would write is not written, and what the 64 are counted for is scaled to all.
    SomeOfMany,
}

/// All blocks, or some of them where all would take too long.
pub(super) fn executed_blocks(program: &Program, blocks: u64, instructions_per_block: f64, extent: Extent) -> Vec<u64> {
    let few = instructions_per_block * blocks as f64 <= ALL_BLOCKS_UP_TO;
    if few || program.communicates || extent == Extent::AllBlocks || blocks <= SPREAD_BLOCKS {
        (0..blocks).collect()
    } else {
        spread_blocks(blocks)
    }
}

/// So many blocks that `instructions_most` warp instructions are not exceeded by much, of which each block has `instructions`.
pub(super) fn counted_blocks(
    program: &Program,
    blocks: u64,
    is_cooperative: bool,
    instructions: f64,
    instructions_most: u64,
) -> Vec<u64> {
    let most = (instructions_most as f64 / instructions.max(1.0)) as u64;
    if blocks <= most.max(SPREAD_BLOCKS) || is_cooperative {
        (0..blocks).collect()
    } else if program.communicates {
        // Blocks wait for those before them.
        (0..most.max(SPREAD_BLOCKS)).collect()
    } else {
        spread_blocks(blocks)
    }
}

/// Blocks from the first to the last, evenly apart.
fn spread_blocks(blocks: u64) -> Vec<u64> {
    (0..SPREAD_BLOCKS).map(|index| index * (blocks - 1) / (SPREAD_BLOCKS - 1)).collect()
}
