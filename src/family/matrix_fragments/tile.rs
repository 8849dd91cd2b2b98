//! Where the words of a tile lie in shared memory, and how many passes over the banks a fragment takes.

use super::{FRAGMENT_ROW_BYTES, Layout, Parameters, ROW_BYTES_MAX, Variant};
use gpu_simulator::hardware::Banks;
use gpu_simulator::hardware::banks::{SharedAccess, passes};
use gpu_simulator::hardware::lanes::{ALL_LANES, LANES};

/// Rows of a tile and of a fragment.
pub(super) const ROWS: usize = 16;
/// Registers of a lane for a fragment, of two halves each.
pub(super) const REGISTERS: usize = 4;
/// Bytes of a word.
pub(super) const WORD_BYTES: u32 = 4;
/// Words of a row of a fragment.
pub(super) const FRAGMENT_WORDS: usize = (FRAGMENT_ROW_BYTES / WORD_BYTES) as usize;
/// Bytes of a piece of a row that stays together: a row of a matrix of 8 by 8 halves.
const PIECE_BYTES: u32 = 16;
const PIECE_WORDS: usize = (PIECE_BYTES / WORD_BYTES) as usize;

/// The row of the tile that a lane's register has halves of, and the word within the row of a fragment.
pub(super) fn place_in_fragment(lane: usize, register: usize) -> (usize, usize) {
    (lane / 4 + 8 * (register % 2), lane % 4 + PIECE_WORDS * (register / 2))
}

/// Where rows lie and how their pieces are exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Bytes of a row.
    pub(super) row_bytes: u32,
    /// Bytes from the beginning of a row to that of the next.
    pub(super) pitch_bytes: u32,
    /// Piece `p` of row `r` lies at `p ^ ((r >> swizzle_shift) & swizzle_mask)` of the row.
    pub(super) swizzle_shift: u32,
    pub(super) swizzle_mask: u32,
}

impl Tile {
    /// The tile of a point, swizzled for a device with these banks.
    pub(super) fn new(parameters: &Parameters, banks: Banks) -> Self {
        let row_bytes = parameters.row_bytes;
        let plain = Self { row_bytes, pitch_bytes: row_bytes, swizzle_shift: 0, swizzle_mask: 0 };
        match parameters.layout {
            Layout::RowMajor => plain,
            // An odd number of pieces apart, rows begin in as many different places of the banks as there are.
            Layout::Padded => Self { pitch_bytes: row_bytes + PIECE_BYTES, ..plain },
            Layout::Swizzled => {
                // The banks hold this many pieces side by side. Short rows fill them together, and only the row after these begins in
                // the same bank.
                let across: u32 = if banks == Banks::HalfWarp16 { 4 } else { 8 };
                let pieces = (row_bytes / PIECE_BYTES).min(across);
                Self { swizzle_shift: (across / pieces).ilog2(), swizzle_mask: pieces - 1, ..plain }
            }
        }
    }

    /// Fragments side by side in the tile.
    pub(super) fn fragments(&self) -> usize {
        (self.row_bytes / FRAGMENT_ROW_BYTES) as usize
    }

    /// Words of a row.
    pub(super) fn row_words(&self) -> usize {
        (self.row_bytes / WORD_BYTES) as usize
    }

    /// Where word `word` of row `row` lies, in bytes from the beginning of the tile.
    fn address(&self, row: usize, word: usize) -> u32 {
        let row = row as u32;
        let piece = (word / PIECE_WORDS) as u32 ^ (row >> self.swizzle_shift & self.swizzle_mask);
        row * self.pitch_bytes + piece * PIECE_BYTES + (word % PIECE_WORDS) as u32 * WORD_BYTES
    }

    /// Shared memory of a block: as much as the longest padded rows need, so that it is the same for every tile.
    pub(super) fn shared_bytes() -> u32 {
        ROWS as u32 * (ROW_BYTES_MAX + PIECE_BYTES)
    }

    /// Passes that loading all fragments of the tile once takes, over the fewest possible.
    pub(super) fn conflict_degree(&self, variant: Variant, banks: Banks) -> f64 {
        let accesses = (0..self.fragments()).flat_map(|fragment| self.accesses(fragment, variant, banks));
        let (passes, conflicts) =
            accesses.fold((0, 0), |(passes, conflicts), own| (passes + own.passes, conflicts + own.conflicts));
        f64::from(passes) / f64::from(passes - conflicts)
    }

    /// What a warp asks of the banks for a fragment: a load for each register, or the rows of one matrix after another.
    fn accesses(&self, fragment: usize, variant: Variant, banks: Banks) -> [SharedAccess; REGISTERS] {
        let first = fragment * FRAGMENT_WORDS;
        match variant {
            Variant::Plain => std::array::from_fn(|register| {
                let addresses: [u32; LANES] = std::array::from_fn(|lane| {
                    let (row, word) = place_in_fragment(lane, register);
                    self.address(row, first + word)
                });
                passes(banks, &addresses, ALL_LANES, WORD_BYTES, false)
            }),
            Variant::Ldmatrix => {
                let addresses: [u32; LANES] =
                    std::array::from_fn(|lane| self.address(lane % ROWS, first + PIECE_WORDS * (lane / ROWS)));
                std::array::from_fn(|matrix| passes(banks, &addresses, 0xff << (8 * matrix), PIECE_BYTES, false))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;
    use crate::parameter::Named;

    fn tile(layout: Layout, row_bytes: u32, banks: Banks) -> Tile {
        Tile::new(&Parameters { layout, row_bytes, ..defaults() }, banks)
    }

    /// The passes that a fragment takes in all and the fewest that it could.
    fn passes_of_fragments(layout: Layout, row_bytes: u32, variant: Variant, banks: Banks) -> Vec<(u32, u32)> {
        let tile = tile(layout, row_bytes, banks);
        let of_fragment = |fragment| {
            let accesses = tile.accesses(fragment, variant, banks);
            let passes = accesses.iter().map(|own| own.passes).sum();
            (passes, passes - accesses.iter().map(|own| own.conflicts).sum::<u32>())
        };
        (0..tile.fragments()).map(of_fragment).collect()
    }

    /// Eight rows of 32, 64 and 128 bytes begin in 4, 2 and 1 places of the banks.
    #[test]
    fn rows_one_after_another_take_the_passes_of_those_in_the_same_banks() {
        for (row_bytes, passes) in [(32, 8), (64, 16), (128, 32), (256, 32)] {
            for &variant in Variant::ALL {
                let found = passes_of_fragments(Layout::RowMajor, row_bytes, variant, Banks::Phases32);
                assert_eq!(found, vec![(passes, 4); (row_bytes / 32) as usize], "{variant:?} {row_bytes}");
            }
        }
    }

    #[test]
    fn padded_and_swizzled_rows_take_the_fewest_passes() {
        for layout in [Layout::Padded, Layout::Swizzled] {
            for row_bytes in [32, 64, 128, 256] {
                for &variant in Variant::ALL {
                    let found = passes_of_fragments(layout, row_bytes, variant, Banks::Phases32);
                    assert_eq!(found, vec![(4, 4); (row_bytes / 32) as usize], "{layout:?} {variant:?} {row_bytes}");
                }
            }
        }
    }

    /// On compute capability 1 a half-warp loads four rows at a time, from 16 banks: two of 32 bytes begin in each of two places.
    #[test]
    fn half_warps_load_four_rows_at_a_time() {
        for (layout, row_bytes, passes) in [
            (Layout::RowMajor, 32, 16),
            (Layout::RowMajor, 64, 32),
            (Layout::RowMajor, 128, 32),
            (Layout::Padded, 32, 8),
            (Layout::Padded, 256, 8),
            (Layout::Swizzled, 32, 8),
            (Layout::Swizzled, 64, 8),
            (Layout::Swizzled, 256, 8),
        ] {
            let found = passes_of_fragments(layout, row_bytes, Variant::Plain, Banks::HalfWarp16);
            assert_eq!(found, vec![(passes, 8); (row_bytes / 32) as usize], "{layout:?} {row_bytes}");
        }
    }

    #[test]
    fn words_lie_apart_and_within_the_tile() {
        for (&layout, banks) in Layout::ALL.iter().flat_map(|own| [(own, Banks::Phases32), (own, Banks::HalfWarp16)]) {
            for row_bytes in [32, 64, 128, 256] {
                let tile = tile(layout, row_bytes, banks);
                let places: std::collections::BTreeSet<u32> =
                    (0..ROWS).flat_map(|row| (0..tile.row_words()).map(move |word| tile.address(row, word))).collect();
                assert_eq!(places.len(), ROWS * tile.row_words(), "{layout:?} {row_bytes}");
                assert!(*places.last().unwrap() + WORD_BYTES <= Tile::shared_bytes());
            }
        }
    }
}
