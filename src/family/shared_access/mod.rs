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

use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod pattern;
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
pub static PTX: &str = kernel::embedded("shared_access");

/// The shared-memory family.
pub static FAMILY: Family = Family {
    name: "shared_access",
    summary: "lanes of a warp want different words of the same bank of shared memory, which serves one after another",
    ptx: PTX,
    size: Some(Size::new("width", 2)),
    variants: &[
        Variant::new("read_unconflicted_write_unconflicted", "copy of a tile without bank conflicts")
            .ignoring(OF_READS),
        Variant::new(
            "read_conflicted_write_unconflicted",
            "copy that reads with the most conflicts, which transposes the tile",
        )
        .ignoring(OF_READS),
        Variant::new(
            "read_unconflicted_write_conflicted",
            "copy that writes with the most conflicts, which transposes the tile",
        )
        .ignoring(OF_READS),
        Variant::new("read_conflicted_write_conflicted", "copy that reads and writes with the most conflicts")
            .ignoring(OF_READS),
        Variant::new(
            "strided",
            "each lane reads along its own row, rows lying `stride` words apart: the pattern itself",
        ),
        Variant::new("padded", "the same with rows an odd number of words apart, by a word of padding where need be"),
        Variant::new("swizzled", "the same with the words of each row permuted by exclusive or with the row's number"),
        Variant::new("broadcast", "all lanes read the same word, from row 0: it has sums of its own")
            .ignoring(&["stride"]),
    ],
    parameters: PARAMETERS,
    predictors: &[Predictor {
        name: "conflict_degree",
        summary: "passes over the banks that a warp's repeated accesses take, where the fewest for their width are 1",
        parameters: &["stride"],
    }],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

/// What the copies do not depend on.
const OF_READS: &[&str] = &["stride", "word_bytes"];

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "repetitions",
        summary: "how often the tile is copied, or eight of its columns are read",
        kind: Kind::Integer { min: 1, max: 65_536, multiple_of: 1 },
        default: Default::Integer(100),
    },
    Parameter {
        name: "stride",
        summary: "words of a row of the tile that is read, which neighbouring lanes are apart",
        kind: Kind::Integer { min: 1, max: STRIDE_MAX as i64, multiple_of: 1 },
        default: Default::Integer(STRIDE_MAX as i64),
    },
    Parameter {
        name: "word_bytes",
        summary: "bytes of a word that is read: 4, 8 or 16",
        kind: Kind::Integer { min: 4, max: 16, multiple_of: 4 },
        default: Default::Integer(4),
    },
    Parameter {
        name: "width",
        summary: "rows and columns of the square output, in elements of 4 bytes; a thread has one",
        kind: Kind::Integer { min: 1, max: 8192, multiple_of: 1 },
        default: Default::OfDevice(width_of_waves),
    },
];

/// The width from which on there are blocks for several waves: a multiple of 16.
fn width_of_waves(properties: &Properties) -> u64 {
    let threads = (TILE * TILE) as u64;
    let resident = u64::from(properties.threads_per_sm) / threads * u64::from(properties.sm_count);
    let blocks_across = (1..512_u64).find(|across| across * across >= WAVES * resident).unwrap_or(512);
    blocks_across * TILE as u64
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    if parameters.integer("word_bytes") == 12 {
        return Err(Conflict {
            parameters: &["word_bytes"],
            problem: "no instruction loads words of 12 bytes".to_owned(),
            help: "use 4, 8 or 16".to_owned(),
        });
    }
    Ok(())
}

/// Sizes of one element, of less than a block, of whole blocks and of neither; strides that are odd, even and powers of two.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties).with("repetitions", 3).with("width", 33);
    let mut points: Vec<ParameterSet> =
        [1, 15, 16, 33, 48, 77].into_iter().map(|width| defaults.clone().with("width", width)).collect();
    for word_bytes in [4, 8, 16] {
        for stride in [1, 2, 3, 5, 6, 8, 12, 16, 31, 32] {
            points.push(defaults.clone().with("word_bytes", word_bytes).with("stride", stride));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    pub(super) fn properties() -> Properties {
        Mock::new(MockSettings::default()).properties().clone()
    }

    /// The family's defaults, at a small size.
    pub(super) fn parameters() -> ParameterSet {
        ParameterSet::defaults(PARAMETERS, &properties()).with("width", 33).with("repetitions", 3)
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

    #[test]
    fn words_of_twelve_bytes_are_refused() {
        assert!(check(&parameters().with("word_bytes", 12)).unwrap_err().problem.contains("12 bytes"));
        for bytes in [4, 8, 16] {
            assert_eq!(check(&parameters().with("word_bytes", bytes)), Ok(()));
        }
    }

    #[test]
    fn verification_points_are_within_range() {
        for point in verification(&properties()) {
            check(&point).unwrap();
            for parameter in PARAMETERS {
                parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
            }
        }
    }
}
