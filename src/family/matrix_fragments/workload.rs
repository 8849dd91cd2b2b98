//! Buffers, launch and expected output of a point of loading fragments.

use super::tile::{REGISTERS, ROWS, Tile, WORD_BYTES};
use super::{PTX, Parameters, Predictors, UNROLLED, Variant, reference};
use crate::family::inputs::random_words;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

impl Parameters {
    fn warps(&self) -> u64 {
        u64::from(self.block) / LANES as u64 * self.launched_blocks
    }
}

/// The tile, and a sum for each register of each thread.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let sums = parameters.warps() * (LANES * REGISTERS) as u64;
    ROWS as u64 * u64::from(parameters.row_bytes) + u64::from(WORD_BYTES) * sums
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let banks = device.rules.banks;
    Predictors { conflict_degree: Tile::new(parameters, banks).conflict_degree(variant, banks) }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { fragments, block, launched_blocks, .. } = *parameters;
    let tile = Tile::new(parameters, device.rules.banks);
    let input = random_words(ROWS * tile.row_words(), seed);
    let warps = parameters.warps() as usize;
    let of_warp = reference::sums(&input, fragments);
    let expected: Vec<u32> =
        of_warp.iter().flat_map(|lanes| std::iter::repeat_n(lanes, warps).flatten().copied()).collect();
    let numbers = [
        fragments / UNROLLED,
        tile.row_bytes / WORD_BYTES,
        tile.pitch_bytes / WORD_BYTES,
        tile.swizzle_shift,
        tile.swizzle_mask,
    ];
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: match variant {
                Variant::Plain => "matrix_fragments_plain",
                Variant::Ldmatrix => "matrix_fragments_ldmatrix",
            },
            grid: [launched_blocks as u32, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: Tile::shared_bytes(),
            arguments: [Argument::Buffer(0), Argument::Buffer(1)]
                .into_iter()
                .chain(numbers.map(Argument::Word))
                .collect(),
        })],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 0,
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "tile", contents: Contents::Words(input), expected: None },
            Buffer {
                name: "sums",
                contents: Contents::Poison { words: expected.len() },
                expected: Some(expected.into()),
            },
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::super::Layout;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};
    use crate::parameter::Named;

    fn point(layout: Layout, row_bytes: u32) -> Parameters {
        Parameters { layout, row_bytes, fragments: 24, block: 64, launched_blocks: 3 }
    }

    #[test]
    fn sums_are_the_same_in_every_layout_and_variant_and_in_every_warp() {
        let sums = |variant, layout| workload(variant, &point(layout, 256)).buffers[1].expected.clone().unwrap();
        let first = sums(Variant::Plain, Layout::RowMajor);
        for (&variant, &layout) in Variant::ALL.iter().flat_map(|own| Layout::ALL.iter().map(move |all| (own, all))) {
            assert_eq!(sums(variant, layout), first, "{variant:?} {layout:?}");
        }
        let words = first.words().unwrap().to_vec();
        assert_eq!(words.len(), 4 * 3 * 64);
        assert_eq!(words[..32], words[160..192]);
        assert_ne!(words[..32], words[192..224], "another register");
    }

    #[test]
    fn arguments_are_in_the_kernels_order() {
        let words = |layout, row_bytes| {
            let launch = workload(Variant::Ldmatrix, &point(layout, row_bytes)).launches().next().unwrap().clone();
            assert_eq!((launch.entry, launch.shared_bytes), ("matrix_fragments_ldmatrix", 4352));
            let word = |argument: &Argument| match argument {
                Argument::Word(word) => *word,
                other => panic!("{other:?}"),
            };
            launch.arguments[2..].iter().map(word).collect::<Vec<_>>()
        };
        assert_eq!(words(Layout::RowMajor, 128), [3, 32, 32, 0, 0]);
        assert_eq!(words(Layout::Padded, 128), [3, 32, 36, 0, 0]);
        assert_eq!(words(Layout::Swizzled, 256), [3, 64, 64, 0, 7]);
        assert_eq!(words(Layout::Swizzled, 64), [3, 16, 16, 1, 3]);
        assert_eq!(words(Layout::Swizzled, 32), [3, 8, 8, 2, 1]);
    }

    #[test]
    fn bytes_are_those_of_the_tile_and_the_sums() {
        let own = workload(Variant::Plain, &point(Layout::Padded, 64));
        assert_eq!(bytes_of_buffers(&own), 16 * 64 + 4 * 4 * 3 * 64);
        assert_eq!((device_bytes(&point(Layout::Padded, 64)), own.bytes), (4096, 4096));
        assert_eq!(own.predictors.conflict_degree, 1.0);
        assert_eq!(workload(Variant::Plain, &point(Layout::RowMajor, 64)).predictors.conflict_degree, 4.0);
    }
}
