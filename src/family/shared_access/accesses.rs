//! Which words of shared memory the lanes of a warp access, and how many passes that takes.

use super::{COLUMNS, Parameters, STRIDE_MAX, TILE, Variant};
use gpu_simulator::hardware::Banks;
use gpu_simulator::hardware::banks::{SharedAccess, passes};
use gpu_simulator::hardware::lanes::{ALL_LANES, LANES};

/// Bytes of an element of a tile that is copied.
const ELEMENT_BYTES: u32 = 4;

/// What a variant does in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accesses {
    /// A tile is copied.
    Copy {
        /// Whether the thread's row and column are exchanged when it reads.
        read_exchanged: bool,
        /// Whether they are when it writes.
        write_exchanged: bool,
    },
    /// Columns of a tile are read.
    Read(Placement),
}

/// Where the words of the tile that is read lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    /// Bytes of a word.
    pub(super) word_bytes: u32,
    /// Words of a row.
    pub(super) stride: u32,
    /// Words from the beginning of a row to that of the next.
    pub(super) pitch: u32,
    /// Word `c` of row `l` lies at `c ^ ((l >> swizzle_shift) & swizzle_mask)` of the row.
    pub(super) swizzle_shift: u32,
    pub(super) swizzle_mask: u32,
    /// Lane `l` reads row `l & row_mask`.
    pub(super) row_mask: u32,
}

impl Accesses {
    /// The pattern of a variant on a device with these banks.
    pub(super) fn new(variant: Variant, parameters: &Parameters, banks: Banks) -> Self {
        let copy = |read_exchanged, write_exchanged| Self::Copy { read_exchanged, write_exchanged };
        let plain = Placement::plain(parameters);
        match variant {
            Variant::ReadUnconflictedWriteUnconflicted => copy(false, false),
            Variant::ReadConflictedWriteUnconflicted => copy(true, false),
            Variant::ReadUnconflictedWriteConflicted => copy(false, true),
            Variant::ReadConflictedWriteConflicted => copy(true, true),
            Variant::Strided => Self::Read(plain),
            // An odd pitch shares no factor with the number of banks.
            Variant::Padded => Self::Read(Placement { pitch: plain.stride | 1, ..plain }),
            Variant::Swizzled => Self::Read(plain.swizzled(banks)),
            Variant::Broadcast => Self::Read(Placement { row_mask: 0, ..plain }),
        }
    }

    /// What the accesses that are repeated ask of the banks in one repetition of a warp; all warps ask the same.
    fn accesses(self, banks: Banks) -> Vec<SharedAccess> {
        match self {
            Self::Copy { read_exchanged, write_exchanged } => {
                let tile = TILE as u32;
                let addresses = |exchanged| {
                    std::array::from_fn(|lane| {
                        let (row, column) = (lane as u32 / tile, lane as u32 % tile);
                        let element = if exchanged { column * tile + row } else { row * tile + column };
                        ELEMENT_BYTES * element
                    })
                };
                let access = |exchanged, store| passes(banks, &addresses(exchanged), ALL_LANES, ELEMENT_BYTES, store);
                vec![access(read_exchanged, false), access(write_exchanged, true)]
            }
            Self::Read(placement) => (0..COLUMNS as u32)
                .map(|column| {
                    let addresses = std::array::from_fn(|lane| placement.address(lane as u32, column));
                    passes(banks, &addresses, ALL_LANES, placement.word_bytes, false)
                })
                .collect(),
        }
    }

    /// Passes over the banks that the repeated accesses take, where as many as accesses of their width need at least are 1.
    pub(super) fn conflict_degree(self, banks: Banks) -> f64 {
        let accesses = self.accesses(banks);
        let passes: u32 = accesses.iter().map(|access| access.passes).sum();
        let conflicts: u32 = accesses.iter().map(|access| access.conflicts).sum();
        f64::from(passes) / f64::from(passes - conflicts)
    }
}

impl Placement {
    /// Rows one after another, each lane reading its own.
    fn plain(parameters: &Parameters) -> Self {
        let Parameters { stride, word_bytes, .. } = *parameters;
        Self { word_bytes, stride, pitch: stride, swizzle_shift: 0, swizzle_mask: 0, row_mask: LANES as u32 - 1 }
    }

    /// The same with the words of each row permuted, for a device with these banks.
    fn swizzled(self, banks: Banks) -> Self {
        // The banks hold this many words side by side, as a power of two.
        let across: u32 = if banks == Banks::HalfWarp16 { 16 } else { 32 };
        let across = (across * ELEMENT_BYTES / self.word_bytes).ilog2();
        // Rows as far apart as this power of two begin in the same bank again after `across - apart` of it, and rows
        // are long enough to exchange that many words within them.
        let apart = self.stride.trailing_zeros().min(across);
        Self { swizzle_shift: across - apart, swizzle_mask: (1 << apart) - 1, ..self }
    }

    /// Where the `index`-th column that lane `lane` reads lies, in bytes from the beginning of the tile.
    pub(super) fn address(&self, lane: u32, index: u32) -> u32 {
        let row = lane & self.row_mask;
        let column = index % self.stride;
        self.word_bytes * (row * self.pitch + (column ^ (row >> self.swizzle_shift & self.swizzle_mask)))
    }

    /// Shared memory of a block: as much as the longest rows need, so that it is the same for every stride.
    pub(super) fn shared_bytes(&self) -> u32 {
        (LANES * (STRIDE_MAX + 1)) as u32 * self.word_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;

    fn degree(variant: Variant, stride: u32, word_bytes: u32, banks: Banks) -> f64 {
        let point = Parameters { stride, word_bytes, ..small() };
        Accesses::new(variant, &point, banks).conflict_degree(banks)
    }

    #[track_caller]
    fn assert_degree(variant: Variant, (stride, word_bytes): (u32, u32), banks: Banks, wanted: u32) {
        let found = degree(variant, stride, word_bytes, banks);
        assert!(
            (found - f64::from(wanted)).abs() < 1e-12,
            "{variant:?} stride {stride}, {word_bytes} bytes: {found}, not {wanted}"
        );
    }

    /// The largest power of two that divides the stride, up to as many words as are served together: 32 of 4 bytes, 16
    /// of 8, 8 of 16.
    #[test]
    fn the_degree_of_a_stride_is_its_power_of_two() {
        for stride in 1..=32_u32 {
            for (word_bytes, together) in [(4, 32), (8, 16), (16, 8)] {
                let wanted = (1_u32 << stride.trailing_zeros()).min(together);
                assert_degree(Variant::Strided, (stride, word_bytes), Banks::Phases32, wanted);
            }
            let wanted = (1_u32 << stride.trailing_zeros()).min(16);
            assert_degree(Variant::Strided, (stride, 4), Banks::HalfWarp16, wanted);
        }
    }

    #[test]
    fn remedies_have_no_conflicts_at_any_stride() {
        for variant in [Variant::Padded, Variant::Swizzled] {
            for stride in 1..=32 {
                for word_bytes in [4, 8, 16] {
                    assert_degree(variant, (stride, word_bytes), Banks::Phases32, 1);
                }
                assert_degree(variant, (stride, 4), Banks::HalfWarp16, 1);
                // Compute capability 1 takes wide words in pieces of 4 bytes, which lie in every second or fourth bank.
                assert_degree(variant, (stride, 8), Banks::HalfWarp16, 2);
                assert_degree(variant, (stride, 16), Banks::HalfWarp16, 4);
            }
        }
        for word_bytes in [4, 8, 16] {
            assert_degree(Variant::Broadcast, (32, word_bytes), Banks::Phases32, 1);
            assert_degree(Variant::Broadcast, (32, word_bytes), Banks::HalfWarp16, 1);
        }
    }

    /// Exchanging row and column puts a half-warp's 16 lanes into one of 16 banks (Cornelis 2010, figure 4.3), and a
    /// warp's 32 lanes into 4 of 32.
    #[test]
    fn exchanged_copies_have_the_degrees_of_their_banks() {
        let degree = |variant, banks| degree(variant, 1, 4, banks);
        for (banks, one, both) in [(Banks::HalfWarp16, 8.5, 16.0), (Banks::Phases32, 4.5, 8.0)] {
            assert!((degree(Variant::ReadUnconflictedWriteUnconflicted, banks) - 1.0).abs() < 1e-12);
            assert!((degree(Variant::ReadConflictedWriteUnconflicted, banks) - one).abs() < 1e-12);
            assert!((degree(Variant::ReadUnconflictedWriteConflicted, banks) - one).abs() < 1e-12);
            assert!((degree(Variant::ReadConflictedWriteConflicted, banks) - both).abs() < 1e-12);
        }
    }

    #[test]
    fn words_lie_apart_and_within_the_tile() {
        for banks in [Banks::Phases32, Banks::HalfWarp16] {
            for variant in [Variant::Strided, Variant::Padded, Variant::Swizzled] {
                for stride in 1..=32_u32 {
                    let point = Parameters { stride, word_bytes: 8, ..small() };
                    let Accesses::Read(placement) = Accesses::new(variant, &point, banks) else { panic!("it reads") };
                    let mut places: Vec<u32> = (0..32)
                        .flat_map(|lane| (0..stride).map(move |column| placement.address(lane, column)))
                        .collect();
                    places.sort_unstable();
                    places.dedup();
                    assert_eq!(places.len() as u32, 32 * stride, "{variant:?} stride {stride}");
                    assert!(*places.last().unwrap() + 8 <= placement.shared_bytes());
                }
            }
        }
    }
}
