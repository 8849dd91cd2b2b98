//! Which elements the lanes of a warp access, and what comes of it by a device's rules.

use super::Variant;
use crate::family::traffic::{GlobalTraffic, SharedTraffic};
use gpu_simulator::hardware::Rules;
use gpu_simulator::hardware::lanes::LANES;

const WORD_BYTES: u32 = 4;

/// Rows and columns of a tile of the vectorised variant.
pub(super) const VECTORISED_TILE: u64 = 64;
/// Threads of a block of the vectorised variant along each axis; also the groups of four words in a row of its tile.
pub(super) const QUADS: u64 = VECTORISED_TILE / QUAD;
/// Words that the vectorised variant moves at a time.
const QUAD: u64 = 4;

/// Rows of a tile of the variant that writes whole sectors.
pub(super) const ALIGNED_ROWS: u64 = 64;
/// Words of a sector.
pub(super) const SECTOR_WORDS: u64 = 8;

/// The kernels of the variant that writes whole sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WholeSectors {
    /// Tiles of 32 columns, word by word.
    Small,
    /// Tiles of 64 columns, word by word.
    Words,
    /// The same by loads that bring in whole lines, which L2 keeps.
    KeptLines,
    /// The same by loads that bring in 256 bytes, which L2 keeps.
    Kept,
    /// Four words at a time.
    Quads,
}

/// A square of the matrix that all squares like it are accessed as: those that are whole, at an edge, or at the corner.
#[derive(Debug, Clone, Copy)]
struct Square {
    first_row: u64,
    first_column: u64,
    /// How many there are.
    count: u64,
}

/// A matrix and how it is taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiles {
    /// One of the family's variants.
    pub(super) variant: Variant,
    /// Rows and columns of the matrix.
    pub(super) width: u64,
    /// Rows and columns of a tile, where the variant does not have its own.
    pub(super) tile: u64,
    /// The kernel of the variant that has several.
    pub(super) whole_sectors: WholeSectors,
}

impl Tiles {
    /// Whether each lane moves four words at a time.
    pub(super) fn is_vectorised(&self) -> bool {
        match self.variant {
            Variant::SharedVectorised => true,
            Variant::WholeSectors => self.whole_sectors == WholeSectors::Quads,
            Variant::Naive | Variant::Shared | Variant::SharedPadded | Variant::SharedSwizzled | Variant::Copy => false,
        }
    }

    /// Whether the columns of tiles are written from where a sector begins, word by word.
    fn is_aligned(&self) -> bool {
        self.variant == Variant::WholeSectors && !self.is_vectorised()
    }

    /// What the launch reads from and writes to global memory.
    pub(super) fn global_traffic(&self, rules: Rules) -> (GlobalTraffic, GlobalTraffic) {
        if self.is_aligned() {
            return self.by_sectors(rules);
        }
        let reads = self.by_rows(rules);
        // Tiles are written by rows as they are read, but for the naive way.
        let writes = match self.variant {
            Variant::Naive => self.by_columns(rules),
            Variant::Shared
            | Variant::SharedPadded
            | Variant::SharedSwizzled
            | Variant::SharedVectorised
            | Variant::WholeSectors
            | Variant::Copy => reads,
        };
        (reads, writes)
    }

    /// Rows and columns of a square whose like begin at multiples of 128 bytes, in rows and in columns.
    fn square(&self) -> u64 {
        if self.is_vectorised() { VECTORISED_TILE } else { LANES as u64 }
    }

    /// Columns of a tile of the variant that writes whole sectors.
    pub(super) const fn aligned_columns(&self) -> u64 {
        match self.whole_sectors {
            WholeSectors::Small => 32,
            WholeSectors::Words | WholeSectors::KeptLines | WholeSectors::Kept | WholeSectors::Quads => 64,
        }
    }

    /// Rows that its tiles read above their own.
    const fn rows_above(&self) -> u64 {
        if self.width.is_multiple_of(SECTOR_WORDS) { 0 } else { SECTOR_WORDS - 1 }
    }

    /// Rows of the matrix, and those by which the last tile's columns may begin before it.
    pub(super) const fn rows_with_those_above(&self) -> u64 {
        self.width + self.rows_above()
    }

    /// First rows or columns of tiles of so many, and how many tiles are accessed alike: the first, those within, and each beyond.
    fn tiles_alike(&self, tile: u64, end: u64) -> Vec<(u64, u64)> {
        let whole = self.width / tile;
        let within = (whole > 1).then(|| (tile, whole - 1));
        let beyond = (whole.max(1)..end.div_ceil(tile)).map(|number| (number * tile, 1));
        std::iter::once((0, 1)).chain(within).chain(beyond).collect()
    }

    /// Tiles whose columns are written from where sectors begin.
    fn by_sectors(&self, rules: Rules) -> (GlobalTraffic, GlobalTraffic) {
        let (mut reads, mut writes) = (GlobalTraffic::default(), GlobalTraffic::default());
        let (columns, lanes) = (self.aligned_columns(), LANES as u64);
        for (first_row, rows_alike) in self.tiles_alike(ALIGNED_ROWS, self.rows_with_those_above()) {
            for (first_column, columns_alike) in self.tiles_alike(columns, self.width) {
                let alike = rows_alike * columns_alike;
                for row in 0..ALIGNED_ROWS + self.rows_above() {
                    for part in (0..columns).step_by(LANES) {
                        reads.add(rules, alike, WORD_BYTES, |lane| {
                            let row = (first_row + row).checked_sub(self.rows_above())?;
                            self.address(row, first_column + part + lane as u64)
                        });
                    }
                }
                for column in (first_column..first_column + columns).filter(|column| *column < self.width) {
                    for part in (0..ALIGNED_ROWS).step_by(lanes as usize) {
                        writes.add(rules, alike, WORD_BYTES, |lane| {
                            let row = first_row + part + lane as u64;
                            self.address(column, row.checked_sub(column * self.width % SECTOR_WORDS)?)
                        });
                    }
                }
            }
        }
        (reads, writes)
    }

    fn squares(&self) -> impl Iterator<Item = Square> {
        let (whole, side) = (self.width / self.square(), self.square());
        let extents = [(0, whole), (whole * side, 1)];
        extents.into_iter().flat_map(move |(first_row, rows)| {
            extents.into_iter().map(move |(first_column, columns)| Square {
                first_row,
                first_column,
                count: rows * columns,
            })
        })
    }

    /// Address of an element, if there is one.
    fn address(&self, row: u64, column: u64) -> Option<u64> {
        (row < self.width && column < self.width).then_some(u64::from(WORD_BYTES) * (row * self.width + column))
    }

    /// Row and column within a tile of what a lane accesses in the `step`-th rows that a warp takes.
    fn lane(&self, step: u64, lane: usize) -> (u64, u64) {
        let rows = LANES as u64 / self.tile;
        (step * rows + lane as u64 / self.tile, lane as u64 % self.tile)
    }

    fn by_rows(&self, rules: Rules) -> GlobalTraffic {
        if self.is_vectorised() {
            self.by_quads(rules)
        } else {
            self.by_words(rules, |row, column| self.address(row, column))
        }
    }

    fn by_columns(&self, rules: Rules) -> GlobalTraffic {
        self.by_words(rules, |row, column| self.address(column, row))
    }

    /// Accesses of a word by each lane, at an address that follows from the row and the column that is read.
    fn by_words(&self, rules: Rules, address: impl Fn(u64, u64) -> Option<u64>) -> GlobalTraffic {
        let mut traffic = GlobalTraffic::default();
        for square in self.squares() {
            for tile_row in (0..self.square()).step_by(self.tile as usize) {
                for tile_column in (0..self.square()).step_by(self.tile as usize) {
                    for step in 0..self.tile * self.tile / LANES as u64 {
                        traffic.add(rules, square.count, WORD_BYTES, |lane| {
                            let (row, column) = self.lane(step, lane);
                            // Lanes beyond an edge do nothing.
                            let (row, column) =
                                (square.first_row + tile_row + row, square.first_column + tile_column + column);
                            (row < self.width && column < self.width).then(|| address(row, column)).flatten()
                        });
                    }
                }
            }
        }
        traffic
    }

    /// Accesses of four words by each lane, at once where rows are whole numbers of them.
    fn by_quads(&self, rules: Rules) -> GlobalTraffic {
        let mut traffic = GlobalTraffic::default();
        let words = if self.width.is_multiple_of(QUAD) { QUAD } else { 1 };
        for square in self.squares() {
            for step in 0..VECTORISED_TILE * QUADS / LANES as u64 {
                for first in (0..QUAD).step_by(words as usize) {
                    traffic.add(rules, square.count, words as u32 * WORD_BYTES, |lane| {
                        let place = step * LANES as u64 + lane as u64;
                        self.address(
                            square.first_row + quad_row(place / QUADS),
                            square.first_column + QUAD * (place % QUADS) + first,
                        )
                    });
                }
            }
        }
        traffic
    }

    /// Passes over the banks in which a warp reads a full tile, in terms of those that would do; 0 without a tile.
    pub(super) fn conflict_degree(&self, rules: Rules) -> f64 {
        let mut traffic = SharedTraffic::default();
        match self.variant {
            Variant::Copy | Variant::Naive => {}
            _ if self.is_vectorised() => {
                for step in 0..VECTORISED_TILE * QUADS / LANES as u64 {
                    traffic.add_load(rules, QUAD as u32 * WORD_BYTES, |lane| {
                        let place = step * LANES as u64 + u64::from(lane);
                        let (row, quad) = (quad_row(place / QUADS), place % QUADS);
                        QUAD as u32 * WORD_BYTES * (row * QUADS + (quad ^ (row / QUAD))) as u32
                    });
                }
            }
            // A column, whose elements are an odd number of words apart.
            Variant::WholeSectors => {
                let pitch = self.aligned_columns() as u32 + 1;
                traffic.add_load(rules, WORD_BYTES, |lane| WORD_BYTES * pitch * lane);
            }
            Variant::Shared | Variant::SharedPadded | Variant::SharedSwizzled | Variant::SharedVectorised => {
                for step in 0..self.tile * self.tile / LANES as u64 {
                    traffic.add_load(rules, WORD_BYTES, |lane| {
                        let (row, column) = self.lane(step, lane as usize);
                        WORD_BYTES * self.place(column, row) as u32
                    });
                }
            }
        }
        traffic.conflict_degree()
    }

    /// Where an element of a tile is in shared memory.
    fn place(&self, row: u64, column: u64) -> u64 {
        match self.variant {
            Variant::SharedPadded => row * (self.tile + 1) + column,
            Variant::SharedSwizzled => row * self.tile + (column ^ row),
            Variant::Shared | Variant::SharedVectorised | Variant::WholeSectors | Variant::Naive | Variant::Copy => {
                row * self.tile + column
            }
        }
    }

    /// Shared memory of a block, in bytes.
    pub(super) fn shared_bytes(&self) -> u32 {
        let words = match self.variant {
            Variant::Copy | Variant::Naive => 0,
            _ if self.is_vectorised() => VECTORISED_TILE * VECTORISED_TILE,
            Variant::WholeSectors => (ALIGNED_ROWS + SECTOR_WORDS - 1) * (self.aligned_columns() + 1),
            Variant::SharedPadded => self.tile * (self.tile + 1),
            Variant::Shared | Variant::SharedSwizzled | Variant::SharedVectorised => self.tile * self.tile,
        };
        WORD_BYTES * words as u32
    }
}

/// The row of a tile that a half-warp takes as its `number`-th of all: of four neighbouring rows each, the first ones of a
/// warp's two halves come first.
fn quad_row(number: u64) -> u64 {
    let (group, within) = (number / (2 * QUAD), number % (2 * QUAD));
    group * 2 * QUAD + within % 2 * QUAD + within / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(variant: Variant, width: u64, tile: u64) -> Tiles {
        Tiles { variant, width, tile, whole_sectors: WholeSectors::Words }
    }

    /// By hand: a column of 32 elements is in 32 sectors or segments; a warp of two rows of 16 writes two neighbouring
    /// columns, whose elements share 16 sectors.
    #[test]
    fn columns_are_in_sectors_of_their_own() {
        for (capability, tile, naive, remedy) in
            [((9, 0), 32, 32.0, 4.0), ((9, 0), 16, 16.0, 4.0), ((1, 3), 16, 16.0, 1.0), ((1, 1), 16, 16.0, 1.0)]
        {
            let rules = Rules::of_capability(capability);
            let writes = |variant| tiles(variant, 128, tile).global_traffic(rules).1.transactions_per_request();
            assert!((writes(Variant::Naive) - naive).abs() < 1e-12, "{capability:?}, {}", writes(Variant::Naive));
            for variant in [Variant::Copy, Variant::Shared, Variant::SharedPadded, Variant::SharedSwizzled] {
                assert!((writes(variant) - remedy).abs() < 1e-12, "{capability:?} {variant:?}: {}", writes(variant));
            }
        }
    }

    #[test]
    fn every_element_is_read_and_written_once() {
        let bytes_asked = |width: u64| 4 * width * width;
        for (width, tile) in [(1, 16), (64, 16), (64, 32), (96, 32)] {
            for variant in [Variant::Copy, Variant::Naive, Variant::SharedVectorised] {
                let (reads, writes) = tiles(variant, width, tile).global_traffic(Rules::default());
                assert!(reads.bytes_moved >= bytes_asked(width) && writes.bytes_moved >= bytes_asked(width));
                if width > 1 {
                    assert_eq!(reads.bytes_moved, bytes_asked(width), "{variant:?} {width}");
                }
            }
        }
        // Rows of 33 words: each begins a word further into a sector than the one before.
        let (reads, _) = tiles(Variant::Copy, 33, 32).global_traffic(Rules::default());
        assert_eq!(reads.requests, 2 * 33);
        assert_eq!(reads.transactions, (0..33).map(|row| if row % 8 == 0 { 4 } else { 5 }).sum::<u64>() + 33);
    }

    #[test]
    fn columns_are_written_in_whole_sectors_but_for_their_ends() {
        use WholeSectors::{Kept, KeptLines, Quads, Small, Words};
        for (width, whole_sectors) in [
            (1001, Words),
            (1001, Small),
            (1001, KeptLines),
            (1000, Kept),
            (1024, Words),
            (1024, Quads),
            (1000, Quads),
            (1017, Words),
        ] {
            let tiles = Tiles { whole_sectors, ..tiles(Variant::WholeSectors, width, 32) };
            let (reads, writes) = tiles.global_traffic(Rules::default());
            // Of each row of the output, a sector at either end may be written in part.
            let fewest = width * width.div_ceil(8);
            assert!((fewest..=fewest + width).contains(&writes.transactions), "{width}: {writes:?}");
            let words = if whole_sectors == Quads { 128 } else { 32 };
            let rows_read = reads.requests as f64 / (width.div_ceil(words) * width) as f64;
            assert!((1.0..=71.5 / 64.0).contains(&rows_read), "{width}: {rows_read}");
        }
    }

    #[test]
    fn vectorised_requests_move_four_times_as_much() {
        let (reads, writes) = tiles(Variant::SharedVectorised, 128, 32).global_traffic(Rules::default());
        assert_eq!((reads.requests, reads.transactions), (128 * 128 / 128, 128 * 128 / 8));
        assert_eq!(reads, writes);
        let mut rows: Vec<u64> = (0..VECTORISED_TILE).map(quad_row).collect();
        assert_eq!(rows[..10], [0, 4, 1, 5, 2, 6, 3, 7, 8, 12]);
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..VECTORISED_TILE));
    }

    #[test]
    fn columns_of_a_plain_tile_are_in_one_bank_and_the_remedies_are_not() {
        for (capability, tile, plain, padded) in
            [((9, 0), 32, 32.0, 1.0), ((9, 0), 16, 8.0, 2.0), ((1, 3), 16, 16.0, 1.0), ((1, 1), 16, 16.0, 1.0)]
        {
            let rules = Rules::of_capability(capability);
            let degree = |variant| tiles(variant, 64, tile).conflict_degree(rules);
            for (variant, expected) in [
                (Variant::Shared, plain),
                (Variant::SharedPadded, padded),
                (Variant::SharedSwizzled, 1.0),
                (Variant::Copy, 0.0),
                (Variant::Naive, 0.0),
            ] {
                let degree = degree(variant);
                assert!((degree - expected).abs() < 1e-12, "{capability:?} {variant:?}: {degree}");
            }
        }
        assert!((tiles(Variant::SharedVectorised, 64, 32).conflict_degree(Rules::default()) - 1.0).abs() < 1e-12);
    }
}
