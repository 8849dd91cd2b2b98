//! What the sum of each block comes to.

use rayon::prelude::*;

/// A block multiplies its sum by this before each tile, so that the order of the tiles counts.
const FACTOR: u32 = 5;

/// How a set is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Words of 32 bits of a tile.
    pub(super) tile_words: usize,
    /// Tiles of a block's share.
    pub(super) slice: usize,
    /// Tiles that a block brings in.
    pub(super) tiles: usize,
    /// Blocks.
    pub(super) blocks: usize,
}

impl Reading {
    /// The sum of each block.
    pub(super) fn sums(&self, set: &[u32]) -> Vec<u32> {
        set.par_chunks(self.slice * self.tile_words).take(self.blocks).map(|slice| self.sum_of_block(slice)).collect()
    }

    fn sum_of_block(&self, slice: &[u32]) -> u32 {
        let of_tiles: Vec<u32> = slice
            .chunks_exact(self.tile_words)
            .map(|tile| tile.iter().fold(0, |sum: u32, word| sum.wrapping_add(*word)))
            .collect();
        let tiles = of_tiles.iter().cycle().take(self.tiles);
        tiles.fold(0, |sum: u32, of_tile| sum.wrapping_mul(FACTOR).wrapping_add(*of_tile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_follow_each_other_and_begin_again() {
        let set: Vec<u32> = (1..=12).collect();
        let reading = Reading { tile_words: 2, slice: 3, tiles: 4, blocks: 2 };
        // The tiles of the first block sum up to 3, 7 and 11, those of the second to 15, 19 and 23.
        let sum = |[first, second, third]: [u32; 3]| ((first * 5 + second) * 5 + third) * 5 + first;
        assert_eq!(reading.sums(&set), [sum([3, 7, 11]), sum([15, 19, 23])]);
        assert_eq!(Reading { tiles: 2, blocks: 1, ..reading }.sums(&set), [3 * 5 + 7]);
    }

    #[test]
    fn tiles_in_another_order_have_another_sum() {
        let reading = Reading { tile_words: 1, slice: 3, tiles: 3, blocks: 1 };
        let sums = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]].map(|set| reading.sums(&set)[0]);
        assert!(sums[1..].iter().all(|sum| *sum != sums[0]), "{sums:?}");
    }
}
