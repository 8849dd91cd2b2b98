//! Buffers, launch and expected output of a branching point.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::map::{BranchPlan, LANES};
use super::order::order;
use super::reference::{
    FILTER_TAPS, MULTIPLY_ADDS_PER_STEP, compute_float, compute_integer, compute_matrix, convolve_matrix,
};
use super::{Arithmetic, Operation, PTX, Parameters, Predictors, Variant, WorkPerBranch};
use crate::family::inputs::random_words;
use crate::family::shared::shared;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

/// Distinct operands of the compute operation. Enough that a misplaced result is noticed, few enough that the
/// host can compute every case of every operand.
const DISTINCT_OPERANDS: usize = 1024;
const WORD_BYTES: u64 = 4;

/// Operands, map (or order) and output, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    3 * WORD_BYTES * parameters.width * parameters.width
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant) -> Predictors {
    let followed = variant.followed(&BranchPlan::new(parameters), parameters.block as usize / LANES);
    Predictors { branches_per_warp: followed.branches_per_warp, followed_work: followed.work }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { operation, arithmetic, work, block, .. } = *parameters;
    let plan = BranchPlan::new(parameters);
    let block_rows = block as usize / LANES;
    let width = plan.width();

    let words = width * width;
    let numbers: Vec<u64> = [
        parameters.branches,
        parameters.frequency as u64,
        parameters.work_per_branch as u64,
        parameters.width,
        seed,
        operation as u64,
        arithmetic as u64,
        work,
    ]
    .into_iter()
    .chain(parameters.weights.as_slice().iter().map(|weight| u64::from(*weight)))
    .collect();
    let map = shared("branches of elements", &numbers, words, || plan.map(seed));
    let (operands, expected) = match operation {
        Operation::Convolution => {
            let operands = random_words(words, !seed);
            let convolve = || convolve_matrix(&plan, &operands, &map, width, work);
            let expected = shared("results of convolution", &numbers, words, convolve);
            (operands, expected)
        }
        Operation::Compute => {
            let values = distinct_values(arithmetic, seed);
            let drawn = random_words(words, !seed);
            let compute = match arithmetic {
                Arithmetic::Integer => compute_integer,
                Arithmetic::Float => compute_float,
            };
            let expected = shared("results of branches", &numbers, words, || {
                compute_matrix(&plan, compute, &values, &drawn, &map, work)
            });
            let operands = shared("operands of branches", &[words as u64, seed, arithmetic as u64], words, || {
                drawn.par_iter().map(|drawn| values[*drawn as usize % DISTINCT_OPERANDS]).collect()
            });
            (operands, expected)
        }
    };
    let relative_work: u64 = map.par_iter().map(|&case| plan.relative_work(case as usize)).sum();
    let multiply_adds_per_step = match operation {
        Operation::Compute => MULTIPLY_ADDS_PER_STEP,
        Operation::Convolution => FILTER_TAPS as u64,
    };

    let (name, directions) = match variant {
        Variant::StaticReordering => ("order", order(&map, width, block_rows).into()),
        Variant::Divergent | Variant::TableLookup | Variant::DynamicReordering => ("map", map),
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch(parameters, variant))],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 2 * relative_work * work * multiply_adds_per_step,
        predictors: predictors(parameters, variant),
        buffers: vec![
            Buffer { name: "operands", contents: Contents::Words(operands), expected: None },
            Buffer { name, contents: Contents::Words(directions), expected: None },
            Buffer {
                name: "output",
                contents: Contents::Poison { words: width * width },
                expected: Some(expected.into()),
            },
        ],
    }
}

fn launch(parameters: &Parameters, variant: Variant) -> Launch {
    let Parameters { operation, arithmetic, block, .. } = *parameters;
    let (width, work) = (parameters.width as u32, parameters.work as u32);
    let block_rows = block / LANES as u32;
    let work_increment = match parameters.work_per_branch {
        WorkPerBranch::Equal => 0,
        WorkPerBranch::Ascending => work,
    };
    let tile_words = match operation {
        Operation::Compute => 0,
        Operation::Convolution => (LANES as u32 + 2) * (block_rows + 2),
    };
    let shared_words = tile_words + variant.shared_words_per_thread() * block_rows * LANES as u32;
    Launch {
        entry: variant.entry(operation, arithmetic),
        grid: [width.div_ceil(LANES as u32), width.div_ceil(block_rows), 1],
        block: [LANES as u32, block_rows, 1],
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: shared_words * WORD_BYTES as u32,
        arguments: vec![
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
            Argument::Word(width),
            Argument::Word(work),
            Argument::Word(work_increment),
        ],
    }
}

/// The values that operands take: any integers, or floats from 1 up to 2.
fn distinct_values(arithmetic: Arithmetic, seed: u64) -> Vec<u32> {
    if arithmetic == Arithmetic::Float {
        return (0..DISTINCT_OPERANDS).map(|index| (1.0 + index as f32 / DISTINCT_OPERANDS as f32).to_bits()).collect();
    }
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX);
    (0..DISTINCT_OPERANDS).map(|_| generator.next_u32()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::branching::tests::small;
    use crate::family::fixtures::{bytes_of_buffers, workload};

    #[test]
    fn outputs_are_poisoned_and_everything_else_is_filled() {
        let workload = workload(Variant::Divergent, &small());
        for buffer in &workload.buffers {
            let poisoned = matches!(buffer.contents, Contents::Poison { words } if words == 64 * 64);
            assert_eq!(poisoned, buffer.expected.is_some(), "{}", buffer.name);
            assert!(buffer.expected.as_ref().is_none_or(|expected| expected.len() == 64 * 64));
        }
        assert_eq!(workload.buffers.iter().filter(|buffer| buffer.expected.is_some()).count(), 1);
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        for width in [1, 33, 64] {
            let point = Parameters { width, ..small() };
            assert_eq!(device_bytes(&point), bytes_of_buffers(&workload(Variant::Divergent, &point)), "width {width}");
        }
    }

    #[test]
    fn the_grid_covers_every_element_at_odd_sizes() {
        for (width, block) in [(1, 32), (33, 256), (64, 256), (77, 96)] {
            let workload = workload(Variant::Divergent, &Parameters { width, block, ..small() });
            let launch = workload.launches().next().expect("one launch");
            assert_eq!(workload.steps.len(), 1);
            for (axis, covered) in
                [launch.grid[0] * launch.block[0], launch.grid[1] * launch.block[1]].iter().enumerate()
            {
                assert!(*covered >= width as u32, "axis {axis} covers {covered} of {width}");
                assert!(covered - (width as u32) < launch.block[axis], "axis {axis} has a block too many");
            }
            assert_eq!(launch.block[0] * launch.block[1], block);
        }
    }

    #[test]
    fn arguments_are_in_the_kernel_s_order() {
        let arguments = |work_per_branch| {
            let point = Parameters { work: 5, work_per_branch, ..small() };
            workload(Variant::Divergent, &point).launches().next().unwrap().arguments.clone()
        };
        let expected = |words: [u32; 3]| {
            let [operands, map, output] = [0, 1, 2].map(Argument::Buffer);
            let [width, work, increment] = words.map(Argument::Word);
            [operands, map, output, width, work, increment]
        };
        assert_eq!(arguments(WorkPerBranch::Equal), expected([64, 5, 0]));
        assert_eq!(arguments(WorkPerBranch::Ascending), expected([64, 5, 5]));
    }

    #[test]
    fn shared_memory_holds_the_tile_with_its_halo_and_what_reordering_needs() {
        let shared = |variant, operation| {
            let point = Parameters { operation, ..small() };
            workload(variant, &point).launches().next().unwrap().shared_bytes
        };
        let tile = 4 * (32 + 2) * (8 + 2);
        for (variant, words) in [
            (Variant::Divergent, 0),
            (Variant::TableLookup, 0),
            (Variant::StaticReordering, 256),
            (Variant::DynamicReordering, 512),
        ] {
            assert_eq!(shared(variant, Operation::Compute), 4 * words);
            assert_eq!(shared(variant, Operation::Convolution), tile + 4 * words);
        }
    }

    #[test]
    fn variants_have_the_same_operands_and_outputs() {
        let pattern = workload(Variant::Divergent, &small());
        for variant in [Variant::TableLookup, Variant::StaticReordering, Variant::DynamicReordering] {
            let remedy = workload(variant, &small());
            for (own, other) in pattern.buffers.iter().zip(&remedy.buffers) {
                let words = |buffer: &Buffer| match &buffer.contents {
                    Contents::Words(words) => words.to_vec(),
                    Contents::Poison { words } => vec![*words as u32],
                    other => panic!("{} is not on the device: {other:?}", buffer.name),
                };
                assert_eq!(own.expected, other.expected, "{variant:?}");
                assert_eq!(own.bytes(), other.bytes(), "{variant:?}");
                assert_eq!(words(own) == words(other), other.name != "order", "{variant:?}: {}", other.name);
            }
            assert_eq!((pattern.bytes, pattern.operations), (remedy.bytes, remedy.operations));
        }
    }
}
