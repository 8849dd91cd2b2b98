//! Buffers, launches and expected output of a stencil point.

use super::reference::compute;
use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::family::shared::shared;
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
    block_rows: u32,
    variant: Variant,
}

impl Plan {
    fn new(parameters: &Parameters, variant: Variant) -> Self {
        let Parameters { steps, width, tile, block, .. } = *parameters;
        let steps_per_launch = match variant {
            Variant::Exchange => 1,
            Variant::RedundantHalo => parameters.steps_per_launch,
        };
        Self { width, steps, steps_per_launch, tile, block_rows: block / LANES as u32, variant }
    }

    fn launches(self) -> u64 {
        self.steps.div_ceil(self.steps_per_launch)
    }

    fn part(self, launch: u64) -> Part {
        let steps = self.steps_per_launch.min(self.steps - launch * self.steps_per_launch);
        let cells = self.width * self.width;
        match self.variant {
            Variant::Exchange => Part { steps, blocks_per_side: 0, computed: cells, moved: (CELLS_READ + 1) * cells },
            Variant::RedundantHalo => {
                let blocks_per_side = self.width.div_ceil(self.tile - 2 * steps);
                let blocks = blocks_per_side * blocks_per_side;
                let of_block: u64 = (1..=steps).map(|step| (self.tile - 2 * step).pow(2)).sum();
                let moved = blocks * self.tile * self.tile + cells;
                Part { steps, blocks_per_side, computed: blocks * of_block, moved }
            }
        }
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
        let source = if number == 0 { INPUT } else { self.target(number - 1) };
        let mut arguments =
            vec![Argument::Buffer(source), Argument::Buffer(self.target(number)), Argument::Word(self.width as u32)];
        let (entry, [columns, rows], shared_bytes) = match self.variant {
            Variant::Exchange => {
                let rows = self.width.div_ceil(u64::from(self.block_rows));
                ("stencil_exchange", [self.width.div_ceil(LANES as u64), rows], 0)
            }
            Variant::RedundantHalo => {
                arguments.extend([Argument::Word(self.tile as u32), Argument::Word(part.steps as u32)]);
                ("stencil_redundant_halo", [part.blocks_per_side; 2], 2 * self.tile * self.tile * WORD_BYTES)
            }
        };
        Launch {
            entry,
            grid: [columns as u32, rows as u32, 1],
            block: [LANES as u32, self.block_rows, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: shared_bytes as u32,
            arguments,
        }
    }
}

/// Input, output, and what launches write to in turn, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    3 * WORD_BYTES * parameters.width * parameters.width
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant) -> Predictors {
    let plan = Plan::new(parameters, variant);
    Predictors { launches: plan.launches() as f64, redundancy: plan.redundancy(), bytes_asked: plan.bytes_asked() }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let plan = Plan::new(parameters, variant);
    let cells = plan.width * plan.width;
    let words = cells as usize;
    let input = random_words(words, seed);
    let numbers = [plan.width, plan.steps, seed];
    let expected = shared("cells after steps", &numbers, words, || compute(&input, plan.width as usize, plan.steps));
    Workload {
        ptx: PTX,
        steps: (0..plan.launches()).map(|launch| Step::Launch(plan.launch(launch))).collect(),
        submission: Submission::Stream,
        bytes: 2 * WORD_BYTES * cells,
        operations: 2 * CELLS_READ * cells * plan.steps,
        predictors: predictors(parameters, variant),
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
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;

    fn point(width: u64, steps: u64, steps_per_launch: u64) -> Parameters {
        Parameters { width, steps, steps_per_launch, tile: 32, ..defaults() }
    }

    /// By hand: tiles of 32 with a halo of 2 give out 28 by 28, so a sheet of 56 has four, which compute 30 * 30 and then
    /// 28 * 28 cells each.
    #[test]
    fn predictors_are_those_counted_by_hand() {
        let cells = 56.0 * 56.0;
        let computed = 4.0 * (30.0 * 30.0 + 28.0 * 28.0);
        let bytes = 2.0 * 4.0 * (4.0 * 32.0 * 32.0 + cells);
        for (variant, predictors) in [
            (
                Variant::RedundantHalo,
                Predictors { launches: 2.0, redundancy: computed / (2.0 * cells), bytes_asked: bytes },
            ),
            (Variant::Exchange, Predictors { launches: 4.0, redundancy: 1.0, bytes_asked: 4.0 * 4.0 * 6.0 * cells }),
        ] {
            assert_eq!(workload(variant, &point(56, 4, 2)).predictors, predictors);
        }
    }

    #[test]
    fn more_steps_in_a_launch_are_fewer_launches_and_more_redundancy() {
        let of = |steps_per_launch| {
            let plan = Plan::new(&point(1024, 48, steps_per_launch), Variant::RedundantHalo);
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
        for (variant, steps, steps_per_launch) in [
            (Variant::Exchange, 4, 1),
            (Variant::Exchange, 5, 1),
            (Variant::RedundantHalo, 7, 3),
            (Variant::RedundantHalo, 8, 4),
        ] {
            let workload = workload(variant, &point(40, steps, steps_per_launch));
            let places: Vec<(Argument, Argument)> =
                workload.launches().map(|launch| (launch.arguments[0].clone(), launch.arguments[1].clone())).collect();
            assert_eq!(places[0].0, Argument::Buffer(INPUT));
            assert_eq!(places[places.len() - 1].1, Argument::Buffer(OUTPUT));
            assert!(places.windows(2).all(|parts| parts[0].1 == parts[1].0), "{places:?}");
            assert!(places.iter().all(|(source, target)| source != target));
        }
    }

    #[test]
    fn the_last_launch_has_the_steps_that_are_left() {
        let workload = workload(Variant::RedundantHalo, &point(60, 7, 3));
        let launches: Vec<_> =
            workload.launches().map(|launch| (launch.grid[0], launch.arguments[4].clone())).collect();
        // Tiles of 32 give out 26 columns after three steps, 30 after one.
        assert_eq!(launches, [(3, Argument::Word(3)), (3, Argument::Word(3)), (2, Argument::Word(1))]);
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers() {
        let point = point(33, 3, 2);
        for variant in Variant::ALL {
            assert_eq!(device_bytes(&point), bytes_of_buffers(&workload(*variant, &point)));
        }
    }
}
