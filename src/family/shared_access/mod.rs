//! Bank conflicts: lanes of a warp want different words of the same bank of shared memory (Cornelis 2010, section 4.2).
//!
//! Two kinds of kernels, with blocks of 16 by 16 threads, so that a warp is two rows of a block:
//!
//! - copies of a tile of 16 by 16 elements from one shared array to another (listing 4.2 and table 4.2), in which a read or
//!   a write is conflicted by exchanging the thread's row and column. As in the source, exchanging one of the two transposes
//!   the tile, and exchanging both copies it as it is. The loop stays rolled, also as there: besides its two accesses it has
//!   a count, a comparison and a branch, which the printed factors contain;
//! - reads of a tile of 32 rows, lane *l* summing columns of row *l*. `strided`, `padded` and `swizzled` sum the same elements
//!   with the same code and differ in where these lie; `broadcast` sums the columns of row 0 in every lane.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod accesses;
mod reference;
mod workload;

/// Rows and columns of a block, and of the tile that copies copy.
const TILE: usize = 16;
/// Columns that a repetition of the reads sums.
const COLUMNS: usize = 8;
/// The longest row of the tile that is read, in words.
const STRIDE_MAX: usize = 32;
/// Blocks of the default size, in units of those that all multiprocessors can hold at once. Of this many, an incomplete last
/// wave is a small part.
const WAVES: u64 = 8;

/// The kernels of `cuda/shared_access.cu`.
pub static PTX: Ptx = kernel::embedded("shared_access");

declare_family! {
    /// The shared-memory family.
    pub static FAMILY = {
        name: "shared_access",
        summary: "lanes of a warp access different words in the same bank of shared memory, which serves them one after another",
        ptx: PTX,
        size: width ^ 2,
    };

    struct Parameters {
        repetitions: u32 = 100, in 1..=65_536,
            "how often the tile is copied, or eight of its columns are read";
        stride: u32 = 32, in 1..=STRIDE_MAX as i64,
            "distance in words between the reads of neighbouring lanes: the length of a row of the tile";
        word_bytes: u32 = 4, in 4..=16, step 4,
            "bytes per read: 4, 8 or 16";
        width: u64 => width_of_waves, in 1..=8192,
            "rows and columns of the square output, in elements of 4 bytes, one per thread";
    }

    enum Variant {
        ReadUnconflictedWriteUnconflicted = "read_unconflicted_write_unconflicted":
            "copies a tile without bank conflicts", ignores [stride, word_bytes];
        ReadConflictedWriteUnconflicted = "read_conflicted_write_unconflicted":
            "copies with the most bank conflicts in the reads, which transposes the tile", ignores [stride, word_bytes];
        ReadUnconflictedWriteConflicted = "read_unconflicted_write_conflicted":
            "copies with the most bank conflicts in the writes, which transposes the tile", ignores [stride, word_bytes];
        ReadConflictedWriteConflicted = "read_conflicted_write_conflicted":
            "copies with the most bank conflicts in reads and writes", ignores [stride, word_bytes];
        Strided = "strided":
            "each lane reads along its own row, and rows are `stride` words apart; this variant has the pattern";
        Padded = "padded":
            "the same with a word of padding per row if needed, so that rows are an odd number of words apart";
        Swizzled = "swizzled":
            "the same with the words of each row permuted by exclusive or with the row number";
        Broadcast = "broadcast":
            "all lanes read the same word of row 0 (a broadcast); its output differs from the other variants", ignores [stride];
    }

    struct Predictors {
        conflict_degree:
            "passes over the banks for the accesses of a warp, over the fewest possible for their width",
            of [stride];
    }
}

/// The width from which on there are blocks for several waves: a multiple of 16.
fn width_of_waves(properties: &Properties) -> u64 {
    let threads = (TILE * TILE) as u64;
    let resident = u64::from(properties.threads_per_sm) / threads * u64::from(properties.sm_count);
    let blocks_across = (1..512_u64).find(|across| across * across >= WAVES * resident).unwrap_or(512);
    blocks_across * TILE as u64
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if self.word_bytes == 12 {
            return Err(Conflict {
                parameters: &[Self::NAMES.word_bytes],
                problem: "no instruction loads words of 12 bytes".to_owned(),
                help: "use 4, 8 or 16".to_owned(),
            });
        }
        Ok(())
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Sizes of one element, of less than a block, of whole blocks and of neither; strides that are odd, even and powers of two.
    fn verification(device: &Properties) -> Vec<Self> {
        let defaults = Self { repetitions: 3, width: 33, ..Self::defaults(device) };
        let mut points: Vec<Self> =
            [1, 15, 16, 33, 48, 77].into_iter().map(|width| Self { width, ..defaults }).collect();
        for word_bytes in [4, 8, 16] {
            for stride in [1, 2, 3, 5, 6, 8, 12, 16, 31, 32] {
                points.push(Self { stride, word_bytes, ..defaults });
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{defaults, properties};

    /// The family's defaults, at a small size.
    pub(super) fn small() -> Parameters {
        Parameters { width: 33, repetitions: 3, ..defaults() }
    }

    #[test]
    fn the_default_width_fills_every_multiprocessor_several_times() {
        let mut properties = properties();
        // An H200, a GTX 280, an 8500 GT: 8448, 960 and 48 blocks at least.
        for (sm_count, threads_per_sm, width) in [(132, 2048, 92 * 16), (30, 1024, 31 * 16), (2, 768, 7 * 16)] {
            (properties.sm_count, properties.threads_per_sm) = (sm_count, threads_per_sm);
            assert_eq!(width_of_waves(&properties), width);
        }
    }
}
