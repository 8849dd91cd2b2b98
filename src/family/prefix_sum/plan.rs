//! The launches of a point: arrays of totals, each a tile's length times smaller than the one before, and what is done to them.

use super::rung::{Method, Rung};
use crate::family::residency::resident_on_device;
use crate::properties::Properties;
use crate::workload::{Argument, Launch, Step};

/// The buffers' places in the workload.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
/// What follows them: a tile in global memory for `naive`, then the totals of each level; or the states of tiles.
const FIRST_BESIDE: usize = 2;

/// Threads of a block that forgets the states of tiles.
const FORGETTING: u64 = 256;
/// Words of a tile's state.
const STATE_WORDS: u64 = 2;

/// Launches, and the buffers beside input and output that they need: their names and words.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) beside: Vec<(&'static str, u64)>,
    /// Whether a word follows them that is 0 before the first launch, at which blocks meet.
    pub(super) do_blocks_meet: bool,
}

impl Plan {
    /// Words of the buffers beside input and output.
    pub(super) fn words_beside(&self) -> u64 {
        self.beside.iter().map(|(_, words)| words).sum::<u64>() + u64::from(self.do_blocks_meet)
    }
}

/// Blocks of a rung's kernel that a device holds at once.
pub(super) fn resident(rung: &Rung, device: &Properties) -> u32 {
    resident_on_device(rung.entry, rung.threads, shared_bytes(rung).into(), device)
}

/// Elements of each array that is scanned: the input, the totals of its tiles, theirs, and so on until one tile holds them all.
pub(super) fn levels(elements: u64, tile: u64) -> Vec<u64> {
    let mut levels = vec![elements];
    let mut last = elements;
    while last > tile {
        last = last.div_ceil(tile);
        levels.push(last);
    }
    levels
}

impl Plan {
    /// `resident` blocks of the rung's kernel fit on the device at once.
    pub(super) fn new(rung: &Rung, elements: u64, resident: u32) -> Self {
        match rung.method {
            Method::LookBack => Self::in_one_pass(rung, elements),
            Method::InTurn { .. } => Self::in_turn(rung, elements, resident),
            Method::ScatteredTree | Method::LeadingTree { .. } | Method::Shuffles => Self::by_levels(rung, elements),
        }
    }

    fn by_levels(rung: &Rung, elements: u64) -> Self {
        let levels = levels(elements, rung.tile());
        let mut beside = Vec::new();
        if rung.is_in_global_memory {
            beside.push(("spare tile", rung.tile()));
        }
        let first_totals = FIRST_BESIDE + beside.len();
        beside.extend(levels.iter().map(|level| ("totals", level.div_ceil(rung.tile()))));
        // Totals are scanned where they are.
        let target = |level: usize| if level == 0 { OUTPUT } else { first_totals + level - 1 };
        let mut steps = Vec::new();
        for (level, &count) in levels.iter().enumerate() {
            let source = if level == 0 { INPUT } else { target(level) };
            let mut arguments = vec![source, target(level), first_totals + level];
            if rung.is_in_global_memory {
                arguments.push(FIRST_BESIDE);
            }
            let mut arguments: Vec<Argument> = arguments.into_iter().map(Argument::Buffer).collect();
            arguments.push(Argument::Long(count));
            steps.push(Step::Launch(scan(rung, count, arguments)));
        }
        for level in (0..levels.len() - 1).rev() {
            steps.push(Step::Launch(Launch {
                entry: "prefix_sum_add",
                shared_bytes: 0,
                ..scan(
                    rung,
                    levels[level],
                    vec![
                        Argument::Buffer(target(level)),
                        Argument::Buffer(first_totals + level),
                        Argument::Long(levels[level]),
                        Argument::Word(rung.tile() as u32),
                    ],
                )
            }));
        }
        Self { steps, beside, do_blocks_meet: false }
    }

    fn in_one_pass(rung: &Rung, elements: u64) -> Self {
        let states = elements.div_ceil(rung.tile()) + 1;
        let forget = Launch {
            entry: "prefix_sum_forget_states",
            grid: [states.div_ceil(FORGETTING) as u32, 1, 1],
            block: [FORGETTING as u32, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            cluster_blocks: 1,
            arguments: vec![Argument::Buffer(FIRST_BESIDE), Argument::Word(states as u32)],
        };
        let arguments = [INPUT, OUTPUT, FIRST_BESIDE].into_iter().map(Argument::Buffer);
        let arguments = arguments.chain([Argument::Long(elements)]).collect();
        let scan = scan(rung, elements, arguments);
        Self {
            steps: vec![Step::Launch(forget), Step::Launch(scan)],
            beside: vec![("states of tiles", STATE_WORDS * states)],
            do_blocks_meet: false,
        }
    }

    fn in_turn(rung: &Rung, elements: u64, resident: u32) -> Self {
        let tiles = elements.div_ceil(rung.tile());
        let arguments = [INPUT, OUTPUT, FIRST_BESIDE, FIRST_BESIDE + 1].into_iter().map(Argument::Buffer);
        let arguments = arguments.chain([Argument::Long(elements)]).collect();
        let scan = scan(rung, elements, arguments);
        // A block waits for others, so all must be resident.
        let scan = Launch { grid: [scan.grid[0].min(resident), 1, 1], cooperative: true, ..scan };
        Self {
            steps: vec![Step::Launch(scan)],
            beside: vec![("states of tiles", STATE_WORDS * tiles)],
            do_blocks_meet: true,
        }
    }
}

/// Dynamic shared memory of a block.
const fn shared_bytes(rung: &Rung) -> u32 {
    rung.shared_words * size_of::<u32>() as u32
}

/// A block for each tile of so many elements.
fn scan(rung: &Rung, elements: u64, arguments: Vec<Argument>) -> Launch {
    Launch {
        entry: rung.entry,
        grid: [elements.div_ceil(rung.tile()) as u32, 1, 1],
        block: [rung.threads, 1, 1],
        shared_bytes: shared_bytes(rung),
        cooperative: false,
        cluster_blocks: 1,
        arguments,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::super::{Parameters, Variant};
    use super::*;
    use gpu_simulator::hardware::Banks;

    fn plan(variant: Variant, elements: u64) -> (Plan, Rung) {
        let rung = Rung::of(variant, &Parameters { elements, ..small() }, Banks::Phases32).unwrap();
        (Plan::new(&rung, elements, 132), rung)
    }

    fn launches(plan: &Plan) -> Vec<(&'static str, u32)> {
        let launch = |step: &Step| match step {
            Step::Launch(launch) => (launch.entry, launch.grid[0]),
            other => panic!("{other:?}"),
        };
        plan.steps.iter().map(launch).collect()
    }

    #[test]
    fn levels_end_where_a_tile_holds_them_all() {
        assert_eq!(levels(1, 256), [1]);
        assert_eq!(levels(256, 256), [256]);
        assert_eq!(levels(257, 256), [257, 2]);
        assert_eq!(levels(1 << 30, 256), [1 << 30, 1 << 22, 1 << 14, 64]);
    }

    #[test]
    fn what_is_scanned_is_added_back_in_the_opposite_order() {
        let scan = "prefix_sum_shared_memory";
        assert_eq!(launches(&plan(Variant::SharedMemory, 100).0), [(scan, 1)]);
        let three = launches(&plan(Variant::SharedMemory, 65_537).0);
        let add = "prefix_sum_add";
        assert_eq!(three, [(scan, 257), (scan, 2), (scan, 1), (add, 2), (add, 257)]);
    }

    #[test]
    fn totals_have_a_word_for_each_tile() {
        let (naive, _) = plan(Variant::Naive, 65_537);
        assert_eq!(naive.beside, [("spare tile", 256), ("totals", 257), ("totals", 2), ("totals", 1)]);
        let (single_pass, rung) = plan(Variant::SinglePass, 100_000);
        let tiles = 100_000_u64.div_ceil(rung.tile());
        assert_eq!(single_pass.beside, [("states of tiles", 2 * (tiles + 1))]);
        assert_eq!(launches(&single_pass)[1], (rung.entry, tiles as u32));
    }

    #[test]
    fn blocks_that_meet_are_no_more_than_are_resident() {
        for (elements, blocks) in [(1, 1), (12_288, 2), (12_289, 3), (1 << 30, 132)] {
            let (plan, rung) = plan(Variant::SpecialisedWarps, elements);
            assert_eq!(launches(&plan), [(rung.entry, blocks)], "{elements} elements");
            assert_eq!(plan.words_beside(), 2 * elements.div_ceil(6144) + 1, "{elements} elements");
            assert!(matches!(&plan.steps[0], Step::Launch(launch) if launch.cooperative));
        }
    }

    #[test]
    fn a_multiprocessor_of_an_h200_holds_what_the_kernels_were_made_for() {
        let device = crate::family::fixtures::properties();
        for (variant, blocks) in
            [(Variant::ResidentBlocks, 3), (Variant::BulkCopies, 2), (Variant::SpecialisedWarps, 1)]
        {
            let rung = Rung::of(variant, &small(), Banks::Phases32).unwrap();
            assert_eq!(resident(&rung, &device), blocks * device.sm_count, "{variant:?}");
        }
    }
}
