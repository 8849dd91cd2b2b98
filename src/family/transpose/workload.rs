//! Buffers, launch and expected output of a transposition.

use super::access::{QUADS, Tiles, VECTORISED_TILE};
use super::reference::transposed;
use super::{COPY, NAIVE, PTX, SHARED, SHARED_PADDED, SHARED_SWIZZLED, SHARED_VECTORISED};
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

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

const ENTRIES: [(&str, [[&str; 4]; 2]); 5] = [
    (COPY, entries!("copy")),
    (NAIVE, entries!("naive")),
    (SHARED, entries!("shared")),
    (SHARED_PADDED, entries!("shared_padded")),
    (SHARED_SWIZZLED, entries!("shared_swizzled")),
];

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    let width = parameters.integer("width");
    2 * WORD_BYTES * width * width
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let (parameters, rules) = (request.parameters, request.device.rules);
    let width = parameters.integer("width") as usize;
    let input = random_words(width * width, request.seed);
    let expected = if request.variant == COPY { input.clone() } else { transposed(&input, width) };

    let tiles = Tiles { variant: request.variant, width: width as u64, tile: parameters.integer("tile") };
    let (reads, writes) = tiles.global_traffic(rules);
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch(parameters, &tiles))],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 0,
        predictors: vec![
            ("sectors_per_request", writes.transactions_per_request()),
            ("bytes_moved", (reads.bytes_moved + writes.bytes_moved) as f64),
            ("conflict_degree", tiles.conflict_degree(rules)),
        ],
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer {
                name: "output",
                contents: Contents::Poison { words: width * width },
                expected: Some(expected.into()),
            },
        ],
    }
}

fn launch(parameters: &ParameterSet, tiles: &Tiles<'_>) -> Launch {
    let rows = parameters.integer("rows_per_thread");
    let (entry, tile, block) = if tiles.variant == SHARED_VECTORISED {
        ("transpose_shared_vectorised", VECTORISED_TILE, [QUADS, QUADS])
    } else {
        let of_variant =
            ENTRIES.iter().find(|(variant, _)| *variant == tiles.variant).map_or(ENTRIES[0].1, |own| own.1);
        let entry = of_variant[usize::from(tiles.tile == 32)][rows.trailing_zeros() as usize % 4];
        (entry, tiles.tile, [tiles.tile, tiles.tile / rows])
    };
    let blocks = tiles.width.div_ceil(tile) as u32;
    Launch {
        entry,
        grid: [blocks, blocks, 1],
        block: [block[0] as u32, block[1] as u32, 1],
        cooperative: false,
        shared_bytes: tiles.shared_bytes(),
        arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(tiles.width as u32)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::transpose::FAMILY;
    use crate::family::transpose::tests::{parameters, properties};

    fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
        build(&Request { variant, parameters, device: &properties(), seed: 1 })
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        for width in [1, 33, 64] {
            let point = parameters(width, 16, 2);
            let of_buffers: u64 = workload(NAIVE, &point).buffers.iter().map(Buffer::bytes).sum();
            assert_eq!(device_bytes(&point), of_buffers, "width {width}");
        }
    }

    #[test]
    fn all_variants_but_the_copy_compute_the_same() {
        let point = parameters(33, 32, 4);
        let expected = |variant: &str| workload(variant, &point).buffers[1].expected.clone().unwrap();
        let Contents::Words(input) = workload(COPY, &point).buffers.swap_remove(0).contents else { panic!("words") };
        for variant in FAMILY.variants {
            let as_input = expected(variant.name).words() == Some(&input[..]);
            assert_eq!(as_input, variant.name == COPY, "{}", variant.name);
            assert!(as_input || expected(variant.name) == expected(NAIVE), "{}", variant.name);
        }
    }

    #[test]
    fn every_tile_has_a_block_and_every_element_a_thread_at_odd_sizes() {
        for (width, tile, rows) in [(1, 16, 8), (33, 32, 1), (64, 32, 4), (77, 16, 2)] {
            for variant in FAMILY.variants {
                let workload = workload(variant.name, &parameters(width, tile, rows));
                let launch = workload.launches().next().unwrap();
                let [tile, rows] = if variant.name == SHARED_VECTORISED { [64, 16] } else { [tile, rows] };
                assert_eq!(launch.grid[0], (width as u32).div_ceil(tile as u32), "{}", variant.name);
                assert_eq!(launch.grid[0], launch.grid[1]);
                assert_eq!(i64::from(launch.block[0] * launch.block[1]) * rows, tile * tile, "{}", variant.name);
            }
        }
    }

    #[test]
    fn entries_and_shared_memory_follow_the_variant() {
        let of = |variant: &str, tile, rows| {
            let workload = workload(variant, &parameters(64, tile, rows));
            let launch = workload.launches().next().unwrap();
            (launch.entry, launch.shared_bytes)
        };
        assert_eq!(of(COPY, 16, 1), ("transpose_copy_16_1", 0));
        assert_eq!(of(NAIVE, 32, 8), ("transpose_naive_32_8", 0));
        assert_eq!(of(SHARED, 16, 2), ("transpose_shared_16_2", 1024));
        assert_eq!(of(SHARED_PADDED, 16, 1), ("transpose_shared_padded_16_1", 1088));
        assert_eq!(of(SHARED_SWIZZLED, 32, 4), ("transpose_shared_swizzled_32_4", 4096));
        assert_eq!(of(SHARED_VECTORISED, 32, 4), ("transpose_shared_vectorised", 16_384));
    }
}
