//! Buffers, launches and expected output of a global synchronisation point.

use super::reference::compute;
use super::{ELEMENTS_PER_THREAD, Exchange, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::family::shared::shared;
use crate::kernel::registers_per_thread;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u64 = 4;

/// The words of the atomic barrier.
const BARRIER_WORDS: usize = 2;

/// Registers of a thread that blocks are taken to need at least. No kernel has more, also where the driver compiles it anew, so
/// that all blocks of a cooperative launch surely are resident.
const REGISTERS: u32 = 32;

const INPUT: usize = 0;
const OUTPUT: usize = 1;
/// Where the rounds that do not write to the output write to.
const SCRATCH: usize = 2;

/// What a point's parameters come to.
#[derive(Debug, Clone, Copy)]
struct Plan {
    elements: u32,
    block: u32,
    operations: u32,
    interval: u32,
    exchange: bool,
}

impl Plan {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { interval, multiply_adds: operations, elements, block, .. } = *parameters;
        let exchange = match parameters.exchange {
            Exchange::None => false,
            Exchange::Neighbours => true,
        };
        Self { elements, block, operations, interval, exchange }
    }

    fn rounds(self) -> u32 {
        self.operations.div_ceil(self.interval)
    }

    /// The buffer that a round writes to. Elements that are on their own are changed in place; neighbours must still be there
    /// to be read. The last round writes to the output.
    fn target(self, round: u32) -> usize {
        let rounds_to_come = self.rounds() - 1 - round;
        if self.exchange && !rounds_to_come.is_multiple_of(2) { SCRATCH } else { OUTPUT }
    }

    fn grid_of_one_thread_each(self) -> u32 {
        self.elements.div_ceil(self.block)
    }

    fn launch(self, entry: &'static str, blocks: u32, shared_words: u32, arguments: Vec<Argument>) -> Launch {
        Launch {
            entry,
            grid: [blocks, 1, 1],
            block: [self.block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: shared_words * WORD_BYTES as u32,
            arguments,
        }
    }

    /// A launch for every round.
    fn relaunches(self, entry: &'static str, shared_words: u32) -> Vec<Launch> {
        (0..self.rounds())
            .map(|round| {
                let source = if round == 0 { INPUT } else { self.target(round - 1) };
                let operations = self.interval.min(self.operations - round * self.interval);
                let arguments = vec![
                    Argument::Buffer(source),
                    Argument::Buffer(self.target(round)),
                    Argument::Word(self.elements),
                    Argument::Word(operations),
                ];
                self.launch(entry, self.grid_of_one_thread_each(), shared_words, arguments)
            })
            .collect()
    }

    /// One launch whose blocks are all resident at once, and no more of them than there are elements for. `barrier` is the
    /// buffer with the barrier's words.
    fn cooperative(self, entry: &'static str, barrier: Option<usize>, device: &Properties) -> Launch {
        let mut arguments = vec![
            Argument::Buffer(INPUT),
            Argument::Buffer(self.target(0)),
            Argument::Buffer(if self.rounds() > 1 { self.target(1) } else { OUTPUT }),
            Argument::Word(self.elements),
            Argument::Word(self.operations),
            Argument::Word(self.interval),
        ];
        arguments.extend(barrier.map(Argument::Buffer));
        let resources = Resources {
            threads_per_block: self.block,
            registers_per_thread: registers_per_thread(entry, device.capability()).unwrap_or(0).max(REGISTERS),
            shared_bytes_per_block: 0,
            argument_bytes: 8 * arguments.len() as u64,
        };
        // Where not even one block is resident, the device will say so itself.
        let resident = resident_blocks(&device.limits(), &resources).map_or(1, |residency| residency.blocks);
        let blocks = self.grid_of_one_thread_each().min(resident.saturating_mul(device.sm_count)).max(1);
        Launch { cooperative: true, ..self.launch(entry, blocks, 0, arguments) }
    }

    fn redundant_halo(self, entry: &'static str) -> Launch {
        let own = self.block * ELEMENTS_PER_THREAD as u32;
        let halo = if self.exchange { self.rounds() } else { 0 };
        let arguments = vec![
            Argument::Buffer(INPUT),
            Argument::Buffer(OUTPUT),
            Argument::Word(self.elements),
            Argument::Word(self.operations),
            Argument::Word(self.interval),
            Argument::Word(halo),
        ];
        self.launch(entry, self.elements.div_ceil(own), 2 * (own + 2 * halo), arguments)
    }
}

/// Input, output, the words of a barrier, and where neighbours are exchanged what rounds write to in turn, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let buffers = match parameters.exchange {
        Exchange::None => 2,
        Exchange::Neighbours => 3,
    };
    WORD_BYTES * (buffers * u64::from(parameters.elements) + BARRIER_WORDS as u64)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant) -> Predictors {
    let rounds = Plan::new(parameters).rounds();
    let (launches, grid_barriers) = match variant {
        Variant::Relaunch | Variant::Graph | Variant::RelaunchShared => (rounds, 0),
        Variant::Cooperative | Variant::AtomicBarrier => (1, rounds - 1),
        Variant::RedundantHalo => (1, 0),
    };
    Predictors {
        launches: launches.into(),
        grid_barriers: grid_barriers.into(),
        synchronisations: (launches + grid_barriers).into(),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let plan = Plan::new(parameters);
    let words = plan.elements as usize;
    let input = random_words(words, seed);
    let numbers = [words as u64, plan.operations.into(), plan.interval.into(), plan.exchange.into(), seed];
    let expected = shared("elements after rounds", &numbers, words, || {
        compute(&input, plan.operations.into(), plan.interval.into(), plan.exchange)
    });
    let mut buffers = vec![
        Buffer { name: "input", contents: Contents::Words(input), expected: None },
        Buffer { name: "output", contents: Contents::Poison { words }, expected: Some(expected.into()) },
    ];
    if plan.exchange {
        buffers.push(Buffer { name: "scratch", contents: Contents::Poison { words }, expected: None });
    }

    let named = |alone, exchanging| if plan.exchange { exchanging } else { alone };
    let launches = match variant {
        Variant::Relaunch | Variant::Graph => {
            plan.relaunches(named("global_sync_relaunch", "global_sync_relaunch_neighbours"), 0)
        }
        Variant::RelaunchShared => plan.relaunches(
            named("global_sync_relaunch_shared", "global_sync_relaunch_shared_neighbours"),
            2 * plan.block + 2,
        ),
        Variant::Cooperative => {
            let entry = named("global_sync_cooperative", "global_sync_cooperative_neighbours");
            vec![plan.cooperative(entry, None, device)]
        }
        Variant::AtomicBarrier => {
            let entry = named("global_sync_atomic_barrier", "global_sync_atomic_barrier_neighbours");
            let zeros = Contents::Words(vec![0; BARRIER_WORDS].into());
            buffers.push(Buffer { name: "barrier", contents: zeros, expected: None });
            vec![plan.cooperative(entry, Some(buffers.len() - 1), device)]
        }
        Variant::RedundantHalo => {
            vec![plan.redundant_halo(named("global_sync_redundant_halo", "global_sync_redundant_halo_neighbours"))]
        }
    };
    // Combining with two neighbours is two multiply-adds more.
    let multiply_adds = plan.operations + if plan.exchange { 2 * plan.rounds() } else { 0 };
    Workload {
        ptx: PTX,
        steps: launches.into_iter().map(Step::Launch).collect(),
        submission: if variant == Variant::Graph { Submission::Graph } else { Submission::Stream },
        bytes: 2 * WORD_BYTES * u64::from(plan.elements),
        operations: 2 * u64::from(multiply_adds) * u64::from(plan.elements),
        predictors: predictors(parameters, variant),
        buffers,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;

    fn point(multiply_adds: u32, interval: u32, exchange: Exchange) -> Parameters {
        Parameters { multiply_adds, interval, exchange, elements: 1000, ..defaults() }
    }

    /// Launches, grid barriers and synchronisations.
    fn predictors(variant: Variant, parameters: &Parameters) -> [f64; 3] {
        let Predictors { launches, grid_barriers, synchronisations } = workload(variant, parameters).predictors;
        [launches, grid_barriers, synchronisations]
    }

    /// Figure 5.2: 100 operations, from 100 launches of 1 to 1 launch of 100.
    #[test]
    fn every_round_ends_with_a_launch_or_a_grid_barrier() {
        for (operations, interval, rounds) in [(100, 1, 100.0), (100, 100, 1.0), (100, 30, 4.0), (7, 2, 4.0)] {
            for &exchange in Exchange::ALL {
                let point = point(operations, interval, exchange);
                for variant in [Variant::Relaunch, Variant::RelaunchShared, Variant::Graph] {
                    assert_eq!(predictors(variant, &point), [rounds, 0.0, rounds], "{variant:?}");
                }
                for variant in [Variant::Cooperative, Variant::AtomicBarrier] {
                    assert_eq!(predictors(variant, &point), [1.0, rounds - 1.0, rounds], "{variant:?}");
                }
                assert_eq!(predictors(Variant::RedundantHalo, &point), [1.0, 0.0, 1.0]);
            }
        }
    }

    #[test]
    fn rounds_read_what_the_one_before_wrote_and_the_last_writes_the_output() {
        for (operations, exchange) in [
            (1, Exchange::None),
            (5, Exchange::None),
            (1, Exchange::Neighbours),
            (4, Exchange::Neighbours),
            (5, Exchange::Neighbours),
        ] {
            let workload = workload(Variant::Relaunch, &point(operations, 1, exchange));
            let places: Vec<(Argument, Argument)> =
                workload.launches().map(|launch| (launch.arguments[0].clone(), launch.arguments[1].clone())).collect();
            assert_eq!(places[0].0, Argument::Buffer(INPUT));
            assert_eq!(places[places.len() - 1].1, Argument::Buffer(OUTPUT));
            assert!(places.windows(2).all(|rounds| rounds[0].1 == rounds[1].0), "{places:?}");
            let in_place = places.iter().filter(|(source, target)| source == target).count() as u32;
            assert_eq!(in_place, if exchange == Exchange::None { operations - 1 } else { 0 }, "{places:?}");
        }
    }

    #[test]
    fn launches_share_out_the_operations() {
        let shares = |operations, interval| -> Vec<Argument> {
            let workload = workload(Variant::Graph, &point(operations, interval, Exchange::None));
            workload.launches().map(|launch| launch.arguments[3].clone()).collect()
        };
        assert_eq!(shares(10, 4), [4, 4, 2].map(Argument::Word));
        assert_eq!(shares(3, 3), [Argument::Word(3)]);
    }

    #[test]
    fn cooperative_grids_are_resident_and_no_larger_than_needed() {
        // The mock has one multiprocessor for 2048 threads.
        let blocks = |elements, block| {
            let point = Parameters { elements, block, ..point(10, 1, Exchange::None) };
            workload(Variant::Cooperative, &point).launches().next().unwrap().grid[0]
        };
        assert_eq!((blocks(1000, 256), blocks(1_000_000, 256), blocks(1_000_000, 1024)), (4, 8, 2));
        assert_eq!(blocks(1, 1024), 1);
    }

    #[test]
    fn device_bytes_are_those_of_the_buffers_at_most() {
        for &exchange in Exchange::ALL {
            let point = point(5, 1, exchange);
            let largest = Variant::ALL.iter().map(|variant| bytes_of_buffers(&workload(*variant, &point))).max();
            assert_eq!(Some(device_bytes(&point)), largest);
        }
    }

    #[test]
    fn only_the_graph_is_submitted_as_one() {
        for &variant in Variant::ALL {
            let submission = workload(variant, &point(5, 1, Exchange::None)).submission;
            assert_eq!(submission == Submission::Graph, variant == Variant::Graph);
        }
    }
}
