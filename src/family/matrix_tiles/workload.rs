//! Buffers, launch and expected sums of a point of bringing in tiles of a matrix.

use gpu_simulator::tensor_map::Swizzle;

use super::reference::Tiling;
use super::{PTX, Parameters, Predictors, Reading, Variant};
use crate::family::inputs::random_words;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Tiles, Workload};

const WORD_BYTES: u32 = 4;

impl Parameters {
    fn tiling(&self) -> Tiling {
        let each = |bytes: u64| (bytes / u64::from(self.bytes_of_tile()) / self.launched_blocks) as usize;
        Tiling {
            row_words: (self.row_bytes / WORD_BYTES) as usize,
            rows: self.tile_rows as usize,
            slice: each(self.set_bytes),
            tiles: each(self.read_bytes),
            blocks: self.launched_blocks as usize,
        }
    }

    fn matrix_words(&self) -> usize {
        self.tiling().panel_words() * self.launched_blocks as usize
    }

    /// Shared memory of a block that it asks for as it is launched: the ring, in which the threads leave their sums at the end.
    fn shared_bytes(&self, variant: Variant) -> u32 {
        let places = if variant == Variant::Loads { 1 } else { self.stages };
        (places * self.bytes_of_tile()).max(WORD_BYTES * self.block)
    }
}

/// The matrix, and a sum for each block.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let word_bytes = u64::from(WORD_BYTES);
    word_bytes * (parameters.matrix_words() as u64 + parameters.launched_blocks)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    let tiles = parameters.tiling().tiles as f64;
    Predictors {
        tiles,
        copied_rows: tiles * f64::from(parameters.tile_rows),
        tile_bytes: parameters.bytes_of_tile().into(),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let tiling = parameters.tiling();
    let matrix = random_words(parameters.matrix_words(), seed);
    let sums = tiling.sums(&matrix);
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(variant, parameters),
            grid: [parameters.launched_blocks as u32, 1, 1],
            block: [parameters.block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: parameters.shared_bytes(variant),
            arguments: arguments(parameters, variant, &tiling),
        })],
        submission: Submission::Stream,
        bytes: tiling.tiles as u64 * parameters.launched_blocks * u64::from(parameters.bytes_of_tile()),
        operations: 0,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "matrix", contents: Contents::Words(matrix), expected: None },
            Buffer { name: "sums", contents: Contents::Poison { words: sums.len() }, expected: Some(sums.into()) },
        ],
    }
}

fn arguments(parameters: &Parameters, variant: Variant, tiling: &Tiling) -> Vec<Argument> {
    let matrix = match variant {
        Variant::TileCopies => Argument::Tiles(Tiles {
            buffer: 0,
            columns: (tiling.row_words * tiling.slice) as u64,
            rows: parameters.launched_blocks * u64::from(parameters.tile_rows),
            tile_columns: tiling.row_words as u32,
            tile_rows: parameters.tile_rows,
            swizzle: parameters.swizzle(),
        }),
        Variant::Loads | Variant::AsyncCopies | Variant::RowCopies => Argument::Buffer(0),
    };
    let mut all = vec![matrix, Argument::Buffer(1)];
    let mut words = vec![tiling.slice as u32, tiling.tiles as u32, parameters.row_bytes, parameters.tile_rows];
    if variant != Variant::RowCopies {
        words.push(swizzle_mask(parameters.swizzle()));
    }
    if matches!(variant, Variant::RowCopies | Variant::TileCopies) {
        words.push(parameters.stages);
    }
    words.push((parameters.reading == Reading::Columns).into());
    all.extend(words.into_iter().map(Argument::Word));
    all
}

/// The bits of the number of the 128 bytes that change a piece's place.
fn swizzle_mask(swizzle: Swizzle) -> u32 {
    match swizzle {
        Swizzle::None => 0,
        Swizzle::Bytes32 => 1,
        Swizzle::Bytes64 => 3,
        Swizzle::Bytes128 => 7,
    }
}

/// The kernel of a variant. How many groups of copies may be under way is a number in the instruction, so there is one for each depth.
fn entry(variant: Variant, parameters: &Parameters) -> &'static str {
    match (variant, parameters.stages) {
        (Variant::Loads, _) => "matrix_tiles_loads",
        (Variant::AsyncCopies, 1) => "matrix_tiles_async_copies_1_stages",
        (Variant::AsyncCopies, 2) => "matrix_tiles_async_copies_2_stages",
        (Variant::AsyncCopies, 3) => "matrix_tiles_async_copies_3_stages",
        (Variant::AsyncCopies, _) => "matrix_tiles_async_copies_4_stages",
        (Variant::RowCopies, _) => "matrix_tiles_row_copies",
        (Variant::TileCopies, _) => "matrix_tiles_tile_copies",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::super::Layout;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;

    fn point() -> Parameters {
        Parameters { set_bytes: 100_000, read_bytes: 150_000, launched_blocks: 3, ..defaults() }
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for (&variant, stages) in Variant::ALL.iter().flat_map(|variant| (1..=4).map(move |stages| (variant, stages))) {
            let entry = entry(variant, &Parameters { stages, ..point() });
            assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            assert!(entry.starts_with(&format!("matrix_tiles_{}", variant.name())), "{entry}");
            assert!(variant != Variant::AsyncCopies || entry.ends_with(&format!("_{stages}_stages")), "{entry}");
        }
    }

    #[test]
    fn a_matrix_has_a_panel_for_each_block_and_every_variant_has_the_same_sums() {
        let loads = workload(Variant::Loads, &point());
        // Of 100,000 bytes, 4 tiles of 8 KiB for each of 3 blocks; of 150,000, 6.
        assert_eq!(loads.launches().next().unwrap().arguments[2..], [4, 6, 128, 64, 0, 0].map(Argument::Word));
        assert_eq!((loads.predictors.tiles, loads.predictors.copied_rows), (6.0, 384.0));
        assert_eq!(bytes_of_buffers(&loads), device_bytes(&point()));
        for &variant in Variant::ALL {
            assert_eq!(workload(variant, &point()).buffers[1].expected, loads.buffers[1].expected, "{variant:?}");
        }
    }

    #[test]
    fn a_descriptor_says_what_the_matrix_and_its_tiles_are() {
        let swizzled = Parameters { layout: Layout::Swizzled, ..point() };
        let launched = workload(Variant::TileCopies, &swizzled);
        let launch = launched.launches().next().unwrap();
        let expected =
            Tiles { buffer: 0, columns: 128, rows: 192, tile_columns: 32, tile_rows: 64, swizzle: Swizzle::Bytes128 };
        assert_eq!(launch.arguments[0], Argument::Tiles(expected));
        assert_eq!(launch.arguments[2..], [4, 6, 128, 64, 7, 2, 0].map(Argument::Word));
        let rows = workload(Variant::RowCopies, &Parameters { reading: Reading::Columns, ..swizzled });
        assert_eq!(rows.launches().next().unwrap().arguments[2..], [4, 6, 128, 64, 2, 1].map(Argument::Word));
    }
}
