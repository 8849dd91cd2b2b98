//! Buffers, launches and expected output of a stencil point.

use super::PTX;
use super::reference::compute;
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

const WORD_BYTES: u64 = 4;

/// Cells that a step of one cell reads.
const CELLS_READ: u64 = 5;

const INPUT: usize = 0;
const OUTPUT: usize = 1;
/// Where the launches that do not write to the output write to.
const SCRATCH: usize = 2;

/// One launch of a point, and what it does.
#[derive(Debug, Clone, Copy)]
struct Part {
    steps: u64,
    blocks_per_side: u64,
    /// Cells that its blocks compute, those of all steps together.
    computed: u64,
    /// Cells that its lanes read from and write to global memory.
    moved: u64,
}

/// How a point's steps are divided into launches.
#[derive(Debug, Clone, Copy)]
struct Plan {
    width: u64,
    steps: u64,
    steps_per_launch: u64,
    tile: u64,
    block_rows: u64,
    redundant: bool,
}

impl Plan {
    fn new(parameters: &ParameterSet, redundant: bool) -> Self {
        Self {
            width: parameters.integer("width"),
            steps: parameters.integer("steps"),
            steps_per_launch: if redundant { parameters.integer("steps_per_launch") } else { 1 },
            tile: parameters.integer("tile"),
            block_rows: parameters.integer("block") / LANES as u64,
            redundant,
        }
    }

    fn launches(self) -> u64 {
        self.steps.div_ceil(self.steps_per_launch)
    }

    fn part(self, launch: u64) -> Part {
        let steps = self.steps_per_launch.min(self.steps - launch * self.steps_per_launch);
        let cells = self.width * self.width;
        if !self.redundant {
            return Part { steps, blocks_per_side: 0, computed: cells, moved: (CELLS_READ + 1) * cells };
        }
        let blocks_per_side = self.width.div_ceil(self.tile - 2 * steps);
        let blocks = blocks_per_side * blocks_per_side;
        let of_block: u64 = (1..=steps).map(|step| (self.tile - 2 * step).pow(2)).sum();
        Part { steps, blocks_per_side, computed: blocks * of_block, moved: blocks * self.tile * self.tile + cells }
    }

    /// Cells computed for each one that is needed.
    fn redundancy(self) -> f64 {
        let computed: u64 = (0..self.launches()).map(|launch| self.part(launch).computed).sum();
        computed as f64 / (self.width * self.width * self.steps) as f64
    }

    /// Bytes that lanes read from and write to global memory.
    fn bytes_asked(self) -> f64 {
        (0..self.launches()).map(|launch| WORD_BYTES * self.part(launch).moved).sum::<u64>() as f64
    }

    /// The buffer that a launch writes to: the last one to the output, those before in turn.
    fn target(self, launch: u64) -> usize {
        if (self.launches() - 1 - launch).is_multiple_of(2) { OUTPUT } else { SCRATCH }
    }

    fn launch(self, number: u64) -> Launch {
        let part = self.part(number);
        let [columns, rows] = if self.redundant {
            [part.blocks_per_side; 2]
        } else {
            [self.width.div_ceil(LANES as u64), self.width.div_ceil(self.block_rows)]
        };
        let source = if number == 0 { INPUT } else { self.target(number - 1) };
        let mut arguments =
            vec![Argument::Buffer(source), Argument::Buffer(self.target(number)), Argument::Word(self.width as u32)];
        let mut shared_bytes = 0;
        if self.redundant {
            arguments.extend([Argument::Word(self.tile as u32), Argument::Word(part.steps as u32)]);
            shared_bytes = (2 * self.tile * self.tile * WORD_BYTES) as u32;
        }
        Launch {
            entry: if self.redundant { "stencil_redundant_halo" } else { "stencil_exchange" },
            grid: [columns as u32, rows as u32, 1],
            block: [LANES as u32, self.block_rows as u32, 1],
            cooperative: false,
            shared_bytes,
            arguments,
        }
    }
}

/// Input, output, and what launches write to in turn, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    let width = parameters.integer("width");
    3 * WORD_BYTES * width * width
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let plan = Plan::new(request.parameters, request.variant == "redundant_halo");
    let cells = plan.width * plan.width;
    let words = cells as usize;
    let input = random_words(words, request.seed);
    let expected = compute(&input, plan.width as usize, plan.steps);
    Workload {
        ptx: PTX,
        steps: (0..plan.launches()).map(|launch| Step::Launch(plan.launch(launch))).collect(),
        submission: Submission::Stream,
        bytes: 2 * WORD_BYTES * cells,
        operations: 2 * CELLS_READ * cells * plan.steps,
        predictors: vec![
            ("launches", plan.launches() as f64),
            ("redundancy", plan.redundancy()),
            ("bytes_asked", plan.bytes_asked()),
        ],
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(expected.into()) },
            Buffer { name: "scratch", contents: Contents::Poison { words }, expected: None },
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::stencil::PARAMETERS;
    use crate::family::stencil::tests::properties;

    fn point(width: i64, steps: i64, steps_per_launch: i64) -> ParameterSet {
        let point = ParameterSet::defaults(PARAMETERS, &properties()).with("width", width).with("tile", 32);
        point.with("steps", steps).with("steps_per_launch", steps_per_launch)
    }

    fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
        build(&Request { variant, parameters, device: &properties(), seed: 1 })
    }

    fn predictors(variant: &str, parameters: &ParameterSet) -> [f64; 3] {
        let predictors = workload(variant, parameters).predictors;
        [0, 1, 2].map(|index: usize| predictors[index].1)
    }

    /// By hand: tiles of 32 with a halo of 2 give out 28 by 28, so a sheet of 56 has four, which compute 30 * 30 and then
    /// 28 * 28 cells each.
    #[test]
    fn predictors_are_those_counted_by_hand() {
        let cells = 56.0 * 56.0;
        let computed = 4.0 * (30.0 * 30.0 + 28.0 * 28.0);
        let bytes = 2.0 * 4.0 * (4.0 * 32.0 * 32.0 + cells);
        assert_eq!(predictors("redundant_halo", &point(56, 4, 2)), [2.0, computed / (2.0 * cells), bytes]);
        assert_eq!(predictors("exchange", &point(56, 4, 2)), [4.0, 1.0, 4.0 * 4.0 * 6.0 * cells]);
    }

    #[test]
    fn more_steps_in_a_launch_are_fewer_launches_and_more_redundancy() {
        let of = |steps_per_launch| {
            let plan = Plan::new(&point(1024, 48, steps_per_launch), true);
            (plan.launches(), plan.redundancy())
        };
        for steps_per_launch in 2..=15 {
            let (fewer, more) = (of(steps_per_launch - 1), of(steps_per_launch));
            assert!(more.0 <= fewer.0 && more.1 > fewer.1, "{steps_per_launch}: {fewer:?}, {more:?}");
        }
        assert_eq!([1, 5, 12].map(|steps| of(steps).0), [48, 10, 4]);
    }

    #[test]
    fn launches_read_what_the_one_before_wrote_and_the_last_writes_the_output() {
        for (variant, steps, steps_per_launch) in
            [("exchange", 4, 1), ("exchange", 5, 1), ("redundant_halo", 7, 3), ("redundant_halo", 8, 4)]
        {
            let workload = workload(variant, &point(40, steps, steps_per_launch));
            let places: Vec<(Argument, Argument)> =
                workload.launches().map(|launch| (launch.arguments[0], launch.arguments[1])).collect();
            assert_eq!(places[0].0, Argument::Buffer(INPUT));
            assert_eq!(places[places.len() - 1].1, Argument::Buffer(OUTPUT));
            assert!(places.windows(2).all(|parts| parts[0].1 == parts[1].0), "{places:?}");
            assert!(places.iter().all(|(source, target)| source != target));
        }
    }

    #[test]
    fn the_last_launch_has_the_steps_that_are_left() {
        let workload = workload("redundant_halo", &point(60, 7, 3));
        let launches: Vec<_> = workload.launches().map(|launch| (launch.grid[0], launch.arguments[4])).collect();
        // Tiles of 32 give out 26 columns after three steps, 30 after one.
        assert_eq!(launches, [(3, Argument::Word(3)), (3, Argument::Word(3)), (2, Argument::Word(1))]);
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        for variant in ["exchange", "redundant_halo"] {
            let point = point(33, 3, 2);
            let of_buffers: u64 = workload(variant, &point).buffers.iter().map(Buffer::bytes).sum();
            assert_eq!(device_bytes(&point), of_buffers);
        }
    }
}
