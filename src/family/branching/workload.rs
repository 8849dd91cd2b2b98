//! Buffers, launch and expected output of a branching point.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::PTX;
use super::map::{BranchPlan, LANES};
use super::method::Method;
use super::order::order;
use super::reference::{
    FILTER_TAPS, MULTIPLY_ADDS_PER_STEP, compute_float, compute_integer, compute_matrix, convolve_matrix,
};
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

/// Distinct operands of the compute operation. Enough that a misplaced result is noticed, few enough that the
/// host can compute every case of every operand.
const DISTINCT_OPERANDS: usize = 1024;
const WORD_BYTES: u64 = 4;

/// Operands, map (or order) and output, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    let width = parameters.integer("width");
    3 * WORD_BYTES * width * width
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let parameters = request.parameters;
    let method = Method::of_variant(request.variant);
    let plan = BranchPlan::new(parameters);
    let block_rows = parameters.integer("block") as usize / LANES;
    let width = parameters.integer("width") as usize;
    let work = parameters.integer("work");
    let convolution = parameters.text("operation") == "convolution";
    let float = parameters.text("arithmetic") == "float";

    let map = plan.map(request.seed);
    let (operands, expected) = if convolution {
        let operands = random_words(width * width, !request.seed);
        let expected = convolve_matrix(&plan, &operands, &map, width, work);
        (operands, expected)
    } else {
        let values = distinct_values(float, request.seed);
        let indices: Vec<u16> = random_words(width * width, !request.seed)
            .par_iter()
            .map(|word| (word % DISTINCT_OPERANDS as u32) as u16)
            .collect();
        let operation = if float { compute_float } else { compute_integer };
        let expected = compute_matrix(&plan, operation, &values, &indices, &map, work);
        (indices.par_iter().map(|&index| values[usize::from(index)]).collect(), expected)
    };
    let relative_work: u64 = map.par_iter().map(|&case| plan.relative_work(case as usize)).sum();
    let multiply_adds_per_step = if convolution { FILTER_TAPS as u64 } else { MULTIPLY_ADDS_PER_STEP };

    let followed = method.followed(&plan, block_rows);
    let directions = if method == Method::StaticReordering {
        Buffer { name: "order", contents: Contents::Words(order(&map, width, block_rows)), expected: None }
    } else {
        Buffer { name: "map", contents: Contents::Words(map), expected: None }
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch(parameters, method))],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: 2 * relative_work * work * multiply_adds_per_step,
        predictors: vec![("branches_per_warp", followed.branches_per_warp), ("followed_work", followed.work)],
        buffers: vec![
            Buffer { name: "operands", contents: Contents::Words(operands), expected: None },
            directions,
            Buffer {
                name: "output",
                contents: Contents::Poison { words: width * width },
                expected: Some(expected.into()),
            },
        ],
    }
}

fn launch(parameters: &ParameterSet, method: Method) -> Launch {
    let convolution = parameters.text("operation") == "convolution";
    let width = parameters.integer("width") as u32;
    let work = parameters.integer("work") as u32;
    let block_rows = parameters.integer("block") as u32 / LANES as u32;
    let work_increment = if parameters.text("work_per_branch") == "ascending" { work } else { 0 };
    let tile_words = if convolution { (LANES as u32 + 2) * (block_rows + 2) } else { 0 };
    let shared_words = tile_words + method.shared_words_per_thread() * block_rows * LANES as u32;
    Launch {
        entry: method.entry(convolution, parameters.text("arithmetic") == "float"),
        grid: [width.div_ceil(LANES as u32), width.div_ceil(block_rows), 1],
        block: [LANES as u32, block_rows, 1],
        cooperative: false,
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
fn distinct_values(float: bool, seed: u64) -> Vec<u32> {
    if float {
        return (0..DISTINCT_OPERANDS).map(|index| (1.0 + index as f32 / DISTINCT_OPERANDS as f32).to_bits()).collect();
    }
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX);
    (0..DISTINCT_OPERANDS).map(|_| generator.next_u32()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::branching::tests::{parameters, properties};

    fn workload_of(variant: &str, parameters: &ParameterSet) -> Workload {
        build(&Request { variant, parameters, device: &properties(), seed: 1 })
    }

    fn workload(parameters: &ParameterSet) -> Workload {
        workload_of("divergent", parameters)
    }

    #[test]
    fn outputs_are_poisoned_and_everything_else_is_filled() {
        let workload = workload(&parameters());
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
            let point = parameters().with("width", width);
            let of_buffers: u64 = workload(&point).buffers.iter().map(Buffer::bytes).sum();
            assert_eq!(device_bytes(&point), of_buffers, "width {width}");
        }
    }

    #[test]
    fn the_grid_covers_every_element_at_odd_sizes() {
        for (width, block) in [(1, 32), (33, 256), (64, 256), (77, 96)] {
            let workload = workload(&parameters().with("width", width).with("block", block));
            let launch = workload.launches().next().expect("one launch");
            assert_eq!(workload.steps.len(), 1);
            for (axis, covered) in
                [launch.grid[0] * launch.block[0], launch.grid[1] * launch.block[1]].iter().enumerate()
            {
                assert!(*covered >= width as u32, "axis {axis} covers {covered} of {width}");
                assert!(covered - (width as u32) < launch.block[axis], "axis {axis} has a block too many");
            }
            assert_eq!(launch.block[0] * launch.block[1], block as u32);
        }
    }

    #[test]
    fn arguments_are_in_the_kernel_s_order() {
        let point = parameters().with("work", 5);
        let arguments = |point: &ParameterSet| workload(point).launches().next().unwrap().arguments.clone();
        let [operands, map, output] = [0, 1, 2].map(Argument::Buffer);
        let words = |words: [u32; 3]| words.map(Argument::Word);
        let [width, work, increment] = words([64, 5, 0]);
        assert_eq!(arguments(&point), [operands, map, output, width, work, increment]);
        let [width, work, increment] = words([64, 5, 5]);
        assert_eq!(
            arguments(&point.with("work_per_branch", "ascending")),
            [operands, map, output, width, work, increment]
        );
    }

    #[test]
    fn shared_memory_holds_the_tile_with_its_halo_and_what_reordering_needs() {
        let shared = |variant, operation| {
            let point = parameters().with("operation", operation);
            workload_of(variant, &point).launches().next().unwrap().shared_bytes
        };
        let tile = 4 * (32 + 2) * (8 + 2);
        for (variant, words) in
            [("divergent", 0), ("table_lookup", 0), ("static_reordering", 256), ("dynamic_reordering", 512)]
        {
            assert_eq!(shared(variant, "compute"), 4 * words);
            assert_eq!(shared(variant, "convolution"), tile + 4 * words);
        }
    }

    #[test]
    fn variants_have_the_same_operands_and_outputs() {
        let pattern = workload(&parameters());
        for variant in ["table_lookup", "static_reordering", "dynamic_reordering"] {
            let remedy = workload_of(variant, &parameters());
            for (own, other) in pattern.buffers.iter().zip(&remedy.buffers) {
                let words = |buffer: &Buffer| match &buffer.contents {
                    Contents::Words(words) => words.clone(),
                    Contents::Poison { words } => vec![*words as u32],
                    other => panic!("{} is not on the device: {other:?}", buffer.name),
                };
                assert_eq!(own.expected, other.expected, "{variant}");
                assert_eq!(own.bytes(), other.bytes(), "{variant}");
                assert_eq!(words(own) == words(other), other.name != "order", "{variant}: {}", other.name);
            }
            assert_eq!((pattern.bytes, pattern.operations), (remedy.bytes, remedy.operations));
        }
    }
}
