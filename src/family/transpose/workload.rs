//! Buffers, launch and expected output of a transposition.

use super::access::{ALIGNED_ROWS, QUADS, SECTOR_WORDS, Tiles, VECTORISED_TILE, WholeSectors};
use super::reference::transposed;
use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::family::shared::shared;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

/// The compute capability from which on loads tell L2 what to keep and how much to bring in.
const CAPABILITY_OF_HINTS: (u32, u32) = (8, 0);

/// The entry points of a kernel for tiles of 16 and 32, each with 1, 2, 4 and 8 rows to a thread.
macro_rules! entries {
    ($name:literal) => {
        [
            [
                concat!("transpose_", $name, "_16_1"),
                concat!("transpose_", $name, "_16_2"),
                concat!("transpose_", $name, "_16_4"),
                concat!("transpose_", $name, "_16_8"),
            ],
            [
                concat!("transpose_", $name, "_32_1"),
                concat!("transpose_", $name, "_32_2"),
                concat!("transpose_", $name, "_32_4"),
                concat!("transpose_", $name, "_32_8"),
            ],
        ]
    };
}

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    2 * WORD_BYTES * parameters.width * parameters.width
}

/// Which kernel writes whole sectors of a matrix of this width, where input and output are so many times as large as L2.
///
/// The limits are our choice, between widths at which an H200 with 60 MiB of L2 was faster by the one kernel and by the other
/// (`results/nvidia-h200/transpose-kernels/kernels.csv`).
fn kernel_of(width: u64, times_l2: f64, has_hints: bool) -> WholeSectors {
    let is_multiple_of = |words| width.is_multiple_of(words);
    // From where on 256 bytes are worth bringing in: the later, the shorter the part of a tile's row that is in the middle of them.
    let pairs_from = if is_multiple_of(8 * SECTOR_WORDS) || !is_multiple_of(SECTOR_WORDS) {
        f64::INFINITY
    } else if is_multiple_of(2 * SECTOR_WORDS) {
        5.0
    } else {
        10.0
    };
    if has_hints && times_l2 > 2.0 {
        return if times_l2 > pairs_from { WholeSectors::Kept } else { WholeSectors::KeptLines };
    }
    if is_multiple_of(SECTOR_WORDS) {
        WholeSectors::Quads
    } else if times_l2 <= 0.5 {
        WholeSectors::Small
    } else {
        WholeSectors::Words
    }
}

/// Rows and columns of a point, and how they are taken apart.
fn tiles(parameters: &Parameters, variant: Variant, device: &Properties) -> Tiles {
    let times_l2 = device_bytes(parameters) as f64 / device.l2_bytes as f64;
    let has_hints = device.capability() >= CAPABILITY_OF_HINTS;
    let whole_sectors = kernel_of(parameters.width, times_l2, has_hints);
    Tiles { variant, width: parameters.width, tile: parameters.tile, whole_sectors }
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let tiles = tiles(parameters, variant, device);
    let (reads, writes) = tiles.global_traffic(device.rules);
    Predictors {
        sectors_per_request: writes.transactions_per_request(),
        bytes_moved: (reads.bytes_moved + writes.bytes_moved) as f64,
        conflict_degree: tiles.conflict_degree(device.rules),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { width, rows_per_thread, .. } = *parameters;
    let words = (width * width) as usize;
    let input = random_words(words, seed);
    let expected = match variant {
        Variant::Copy => input.clone(),
        Variant::Naive
        | Variant::Shared
        | Variant::SharedPadded
        | Variant::SharedSwizzled
        | Variant::SharedVectorised
        | Variant::WholeSectors => shared("transpose", &[width, seed], words, || transposed(&input, width as usize)),
    };

    let tiles = tiles(parameters, variant, device);
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch(&tiles, rows_per_thread))],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 0,
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(expected.into()) },
        ],
    }
}

fn launch(tiles: &Tiles, rows_per_thread: u64) -> Launch {
    let own_tile = |entries: [[&'static str; 4]; 2]| {
        let entry = entries[usize::from(tiles.tile == 32)][rows_per_thread.trailing_zeros() as usize % 4];
        (entry, tiles.tile, [tiles.tile, tiles.tile / rows_per_thread])
    };
    if tiles.variant == Variant::WholeSectors {
        return launch_of_whole_sectors(tiles);
    }
    let (entry, tile, block) = match tiles.variant {
        Variant::Naive => own_tile(entries!("naive")),
        Variant::Shared => own_tile(entries!("shared")),
        Variant::SharedPadded => own_tile(entries!("shared_padded")),
        Variant::SharedSwizzled => own_tile(entries!("shared_swizzled")),
        Variant::SharedVectorised => ("transpose_shared_vectorised", VECTORISED_TILE, [QUADS, QUADS]),
        Variant::Copy | Variant::WholeSectors => own_tile(entries!("copy")),
    };
    let blocks = tiles.width.div_ceil(tile) as u32;
    Launch {
        entry,
        grid: [blocks, blocks, 1],
        block: [block[0] as u32, block[1] as u32, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: tiles.shared_bytes(),
        arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(tiles.width as u32)],
    }
}

/// Blocks that begin together lie beside each other in the kernel of small matrices, below each other elsewhere.
fn launch_of_whole_sectors(tiles: &Tiles) -> Launch {
    let rows = tiles.rows_with_those_above().div_ceil(ALIGNED_ROWS) as u32;
    let columns = tiles.width.div_ceil(tiles.aligned_columns()) as u32;
    let (entry, grid, block) = match tiles.whole_sectors {
        WholeSectors::Small => ("transpose_whole_sectors_small", [columns, rows, 1], [256, 1, 1]),
        WholeSectors::Words => ("transpose_whole_sectors", [rows, columns, 1], [512, 1, 1]),
        WholeSectors::KeptLines => ("transpose_whole_sectors_kept_lines", [rows, columns, 1], [512, 1, 1]),
        WholeSectors::Kept => ("transpose_whole_sectors_kept", [rows, columns, 1], [512, 1, 1]),
        WholeSectors::Quads => ("transpose_whole_sectors_quads", [rows, columns, 1], [QUADS as u32, QUADS as u32, 1]),
    };
    Launch {
        entry,
        grid,
        block,
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: tiles.shared_bytes(),
        arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(tiles.width as u32)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, properties, workload};
    use crate::parameter::Named;

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        for width in [1, 33, 64] {
            let point = Parameters { width, tile: 16, rows_per_thread: 2 };
            assert_eq!(device_bytes(&point), bytes_of_buffers(&workload(Variant::Naive, &point)), "width {width}");
        }
    }

    #[test]
    fn all_variants_but_the_copy_compute_the_same() {
        let point = Parameters { width: 33, tile: 32, rows_per_thread: 4 };
        let expected = |variant| workload(variant, &point).buffers[1].expected.clone().unwrap();
        let Contents::Words(input) = workload(Variant::Copy, &point).buffers.swap_remove(0).contents else {
            panic!("words")
        };
        for &variant in Variant::ALL {
            let as_input = expected(variant).words() == Some(&input[..]);
            assert_eq!(as_input, variant == Variant::Copy, "{variant:?}");
            assert!(as_input || expected(variant) == expected(Variant::Naive), "{variant:?}");
        }
    }

    #[test]
    fn every_tile_has_a_block_and_every_element_a_thread_at_odd_sizes() {
        for (width, tile, rows_per_thread) in [(1, 16, 8), (33, 32, 1), (64, 32, 4), (77, 16, 2)] {
            for &variant in Variant::ALL {
                if variant == Variant::WholeSectors {
                    continue;
                }
                let workload = workload(variant, &Parameters { width, tile, rows_per_thread });
                let launch = workload.launches().next().unwrap();
                let [tile, rows] =
                    if variant == Variant::SharedVectorised { [64, 16] } else { [tile, rows_per_thread] };
                assert_eq!(u64::from(launch.grid[0]), width.div_ceil(tile), "{variant:?}");
                assert_eq!(launch.grid[0], launch.grid[1]);
                assert_eq!(u64::from(launch.block[0] * launch.block[1]) * rows, tile * tile, "{variant:?}");
            }
        }
    }

    #[test]
    fn tiles_of_whole_sectors_reach_beyond_an_edge_that_is_no_sector_s() {
        let mut device = properties();
        for (width, l2_bytes, capability, entry, grid) in [
            (128, 1 << 20, "9.0", "transpose_whole_sectors_quads", [2, 2]),
            (128, 66_000, "8.0", "transpose_whole_sectors_quads", [2, 2]),
            (128, 65_000, "8.0", "transpose_whole_sectors_kept_lines", [2, 2]),
            (128, 1000, "8.0", "transpose_whole_sectors_kept_lines", [2, 2]),
            (136, 0, "7.5", "transpose_whole_sectors_quads", [3, 3]),
            (96, 15_000, "8.0", "transpose_whole_sectors_kept_lines", [2, 2]),
            (96, 14_000, "8.0", "transpose_whole_sectors_kept", [2, 2]),
            (80, 10_000, "8.0", "transpose_whole_sectors_kept", [2, 2]),
            (104, 9000, "8.0", "transpose_whole_sectors_kept_lines", [2, 2]),
            (104, 8000, "8.0", "transpose_whole_sectors_kept", [2, 2]),
            (122, 240_000, "9.0", "transpose_whole_sectors_small", [4, 3]),
            (122, 230_000, "9.0", "transpose_whole_sectors", [3, 2]),
            (122, 0, "7.5", "transpose_whole_sectors", [3, 2]),
            (129, 0, "7.5", "transpose_whole_sectors", [3, 3]),
            (129, 1 << 17, "8.0", "transpose_whole_sectors", [3, 3]),
            (129, 1000, "8.0", "transpose_whole_sectors_kept_lines", [3, 3]),
        ] {
            device.l2_bytes = l2_bytes;
            device.compute_capability = capability.to_owned();
            let point = Parameters { width, tile: 32, rows_per_thread: 4 };
            let workload = build(&point, Variant::WholeSectors, &device, 1);
            let launch = workload.launches().next().unwrap();
            assert_eq!((launch.entry, [launch.grid[0], launch.grid[1]]), (entry, grid), "{width}");
        }
    }

    #[test]
    fn entries_and_shared_memory_follow_the_variant() {
        let of = |variant, tile, rows_per_thread| {
            let workload = workload(variant, &Parameters { width: 64, tile, rows_per_thread });
            let launch = workload.launches().next().unwrap();
            (launch.entry, launch.shared_bytes)
        };
        assert_eq!(of(Variant::Copy, 16, 1), ("transpose_copy_16_1", 0));
        assert_eq!(of(Variant::Naive, 32, 8), ("transpose_naive_32_8", 0));
        assert_eq!(of(Variant::Shared, 16, 2), ("transpose_shared_16_2", 1024));
        assert_eq!(of(Variant::SharedPadded, 16, 1), ("transpose_shared_padded_16_1", 1088));
        assert_eq!(of(Variant::SharedSwizzled, 32, 4), ("transpose_shared_swizzled_32_4", 4096));
        assert_eq!(of(Variant::SharedVectorised, 32, 4), ("transpose_shared_vectorised", 16_384));
        assert_eq!(of(Variant::WholeSectors, 32, 4), ("transpose_whole_sectors_quads", 16_384));
    }
}
