//! Which blocks of a launch are executed.

use crate::execute::Launch;

/// Fewest blocks that are executed where not all are.
const FEWEST_BLOCKS: u64 = 64;
/// Neighbouring blocks that are executed together, so that what neighbours share is seen.
const NEIGHBOURS: u64 = 8;
/// Of a launch of which only a part is executed, one in so many of the instructions that it may have.
const PART: f64 = 8.0;

/// Which blocks of a launch are executed. Blocks that may wait for each other are executed all together, whatever is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them: the memory is as the GPU would leave it.
    AllBlocks,
    /// All, unless the launch is of more than so many warp instructions. Then at least 64, in groups that are spread over the grid:
    /// what the others would write is not written, and what they are counted for is scaled to all.
    UpTo(u64),
}

/// All blocks, or some of them where all would take too long.
pub(super) fn executed_blocks(launch: &Launch, instructions_per_block: f64, extent: Extent) -> Vec<u64> {
    let blocks = launch.blocks();
    let Extent::UpTo(most) = extent else { return (0..blocks).collect() };
    let most = most as f64;
    if instructions_per_block * blocks as f64 <= most || launch.conduct.waits() {
        return (0..blocks).collect();
    }
    let count = (most / PART / instructions_per_block.max(1.0)) as u64;
    spread_blocks(blocks, count.max(FEWEST_BLOCKS))
}

/// So many blocks that `instructions_most` warp instructions are not exceeded by much, of which each block has `instructions`.
pub(super) fn counted_blocks(
    launch: &Launch,
    is_cooperative: bool,
    instructions: f64,
    instructions_most: u64,
) -> Vec<u64> {
    let blocks = launch.blocks();
    let most = (instructions_most as f64 / instructions.max(1.0)) as u64;
    if blocks <= most.max(FEWEST_BLOCKS) || is_cooperative {
        (0..blocks).collect()
    } else if launch.conduct.waits() {
        // Blocks wait for those before them.
        (0..most.max(FEWEST_BLOCKS)).collect()
    } else {
        (0..FEWEST_BLOCKS).map(|index| index * (blocks - 1) / (FEWEST_BLOCKS - 1)).collect()
    }
}

/// About `count` blocks in groups of neighbours, evenly apart, the first and the last block among them.
fn spread_blocks(blocks: u64, count: u64) -> Vec<u64> {
    let groups = count.div_ceil(NEIGHBOURS).max(2);
    if groups * NEIGHBOURS >= blocks {
        return (0..blocks).collect();
    }
    let first = |group: u64| group * (blocks - NEIGHBOURS) / (groups - 1);
    (0..groups).flat_map(|group| first(group)..first(group) + NEIGHBOURS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_spread_in_groups_and_none_is_there_twice() {
        for (blocks, count) in [(1000, 64), (65, 64), (100_000, 4096), (129, 64), (64, 64), (7, 64)] {
            let which = spread_blocks(blocks, count);
            assert!(which.windows(2).all(|pair| pair[0] < pair[1]), "{blocks} blocks: {which:?}");
            assert_eq!((which.first(), which.last()), (Some(&0), Some(&(blocks - 1))));
            assert!(which.len() as u64 >= count.min(blocks));
        }
        assert_eq!(spread_blocks(1 << 20, 64).len(), 64);
    }
}
