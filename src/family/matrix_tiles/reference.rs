//! What the sum of each block comes to.

use rayon::prelude::*;

/// A block multiplies its sum by this before each tile, so that the order of the tiles counts.
const FACTOR: u32 = 5;
/// Words of a piece, which are weighed alike.
const PIECE_WORDS: usize = 4;

/// How a matrix is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    /// Words of 32 bits of a row of a tile.
    pub(super) row_words: usize,
    /// Rows of a tile.
    pub(super) rows: usize,
    /// Tiles of a block's panel, side by side.
    pub(super) slice: usize,
    /// Tiles that a block brings in.
    pub(super) tiles: usize,
    /// Blocks.
    pub(super) blocks: usize,
}

impl Tiling {
    /// Words of a block's panel.
    pub(super) fn panel_words(&self) -> usize {
        self.row_words * self.rows * self.slice
    }

    /// The sum of each block.
    pub(super) fn sums(&self, matrix: &[u32]) -> Vec<u32> {
        matrix.par_chunks(self.panel_words()).take(self.blocks).map(|panel| self.sum_of_block(panel)).collect()
    }

    fn sum_of_block(&self, panel: &[u32]) -> u32 {
        let of_tiles: Vec<u32> = (0..self.slice).map(|tile| self.sum_of_tile(panel, tile)).collect();
        let tiles = of_tiles.iter().cycle().take(self.tiles);
        tiles.fold(0, |sum: u32, of_tile| sum.wrapping_mul(FACTOR).wrapping_add(*of_tile))
    }

    /// Each piece counts 1, 3, 5 ... times, by its place in the tile.
    fn sum_of_tile(&self, panel: &[u32], tile: usize) -> u32 {
        let rows = panel.chunks_exact(self.row_words * self.slice);
        let words = rows.flat_map(|row| &row[tile * self.row_words..(tile + 1) * self.row_words]);
        words.enumerate().fold(0, |sum: u32, (index, word)| {
            sum.wrapping_add(word.wrapping_mul((index / PIECE_WORDS) as u32 * 2 + 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_side_by_side_and_their_pieces_are_weighed() {
        // Two tiles of two rows of four words: the rows of the first hold 1 and 3, those of the second 2 and 4.
        let matrix: Vec<u32> = [1, 2, 3, 4].into_iter().flat_map(|word| [word; 4]).collect();
        let tiling = Tiling { row_words: 4, rows: 2, slice: 2, tiles: 3, blocks: 1 };
        let (first, second) = (4 + 3 * 12, 8 + 3 * 16);
        assert_eq!(tiling.sums(&matrix), [(first * 5 + second) * 5 + first]);
    }

    #[test]
    fn panels_are_one_below_the_other() {
        let matrix: Vec<u32> = (0..16).collect();
        let tiling = Tiling { row_words: 4, rows: 1, slice: 2, tiles: 2, blocks: 2 };
        assert_eq!(tiling.panel_words(), 8);
        assert_eq!(tiling.sums(&matrix), [6 * 5 + 22, 38 * 5 + 54]);
    }
}
