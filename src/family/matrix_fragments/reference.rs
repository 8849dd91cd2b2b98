//! What the registers of the lanes sum up to, on the host.

use super::tile::{FRAGMENT_WORDS, REGISTERS, ROWS, place_in_fragment};
use gpu_simulator::hardware::lanes::LANES;

/// The sums of the words that each register of each lane of a warp gets, by register, after `count` fragments of a tile of 16 rows.
pub(super) fn sums(tile: &[u32], count: u32) -> [[u32; LANES]; REGISTERS] {
    let row_words = tile.len() / ROWS;
    let fragments = row_words / FRAGMENT_WORDS;
    std::array::from_fn(|register| {
        std::array::from_fn(|lane| {
            let (row, word) = place_in_fragment(lane, register);
            (0..fragments).fold(0, |sum: u32, fragment| {
                let times = (count as usize).saturating_sub(fragment).div_ceil(fragments) as u32;
                sum.wrapping_add(tile[row * row_words + fragment * FRAGMENT_WORDS + word].wrapping_mul(times))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile whose word in row r and column c is 100 r + c.
    fn tile(row_words: usize) -> Vec<u32> {
        (0..ROWS).flat_map(|row| (0..row_words).map(move |word| (100 * row + word) as u32)).collect()
    }

    /// As the PTX manual draws the matrices: lane l of a matrix has row l / 4 and the halves 2 (l % 4) and the next.
    #[test]
    fn a_register_is_a_matrix_of_eight_rows_of_sixteen_bytes() {
        let once = sums(&tile(8), 1);
        assert_eq!([0, 1, 3, 4, 31].map(|lane| once[0][lane]), [0, 1, 3, 100, 703]);
        assert_eq!([0, 31].map(|lane| once[1][lane]), [800, 1503]);
        assert_eq!([0, 31].map(|lane| once[2][lane]), [4, 707]);
        assert_eq!([0, 31].map(|lane| once[3][lane]), [804, 1507]);
    }

    #[test]
    fn fragments_are_loaded_from_the_first_to_the_last_and_over_again() {
        let tile = tile(32);
        assert_eq!(sums(&tile, 4)[0][4], 4 * 100 + 8 + 16 + 24);
        // The first two once more than the last two.
        assert_eq!(sums(&tile, 10)[0][4], 10 * 100 + 3 * 8 + 2 * (16 + 24));
        assert_eq!(sums(&tile, 0)[3], [0; LANES]);
    }
}
