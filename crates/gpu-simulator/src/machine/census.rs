//! Which blocks of a launch are counted.

use super::{SPREAD_BLOCKS, spread_blocks};
use crate::program::Program;

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
