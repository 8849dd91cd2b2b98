//! Buffers, launches and expected output of a trapezoid point.

use super::reference::{self, ends, multi_threaded, serial, within};
use super::{PTX, Parameters, Predictors, Variant};
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, HostWork, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

const FLOAT_BYTES: u64 = 4;
/// Threads that add the sums of blocks, where a block can have them.
const ADDING_THREADS: u32 = 1024;
/// Steps in which 32 floats become one.
const STEPS_OF_WARP: u64 = LANES.ilog2() as u64;
/// Operations of a term: index, product and sum for x, square and sum for f(x), width, and the sum of all.
const OPERATIONS_OF_TERM: u64 = 6;

const INTEGRAL: usize = 0;
const BLOCK_SUMS: usize = 1;

/// What a point's parameters come to.
#[derive(Debug, Clone, Copy)]
struct Plan {
    variant: Variant,
    trapezoids: u64,
    block: u64,
    adding_threads: u64,
}

impl Plan {
    fn new(parameters: &Parameters, variant: Variant, device: &Properties) -> Self {
        let Parameters { trapezoids, block } = *parameters;
        Self { variant, trapezoids, block: block.into(), adding_threads: adding_threads(device) }
    }

    fn blocks(self) -> u64 {
        self.trapezoids.div_ceil(self.block)
    }

    fn warps(self) -> u64 {
        self.blocks() * (self.block / LANES as u64)
    }

    /// Additions to the integral by atomics.
    fn atomics(self) -> u64 {
        match self.variant {
            Variant::AtomicAdd => self.trapezoids,
            Variant::WarpShuffle | Variant::SharedMemory => self.warps(),
            Variant::WarpShuffleManyWarps | Variant::SharedMemoryManyWarps => self.blocks(),
            Variant::TwoLaunches | Variant::Serial | Variant::MultiThreaded => 0,
        }
    }

    /// Additions that one term goes through at most, and how many are to one and the same float.
    fn chain(self) -> (u64, u64) {
        let per_thread = self.blocks().div_ceil(self.adding_threads);
        match self.variant {
            Variant::AtomicAdd | Variant::Serial => (self.trapezoids, self.trapezoids),
            Variant::WarpShuffle | Variant::SharedMemory => (STEPS_OF_WARP + self.warps(), self.warps()),
            Variant::WarpShuffleManyWarps | Variant::SharedMemoryManyWarps => {
                (2 * STEPS_OF_WARP + self.blocks(), self.blocks())
            }
            Variant::TwoLaunches => (4 * STEPS_OF_WARP + per_thread + 1, per_thread),
            Variant::MultiThreaded => reference::chain_of_threads(self.trapezoids),
        }
    }

    /// Floats of shared memory of a block.
    fn shared_floats(self, block: u64) -> u64 {
        let warps = block / LANES as u64;
        match self.variant {
            Variant::SharedMemory => block,
            Variant::WarpShuffleManyWarps => warps,
            Variant::SharedMemoryManyWarps | Variant::TwoLaunches => block + warps,
            Variant::AtomicAdd | Variant::WarpShuffle | Variant::Serial | Variant::MultiThreaded => 0,
        }
    }

    fn launch(self, entry: &'static str, blocks: u64, block: u64, arguments: Vec<Argument>) -> Step {
        Step::Launch(Launch {
            entry,
            grid: [blocks as u32, 1, 1],
            block: [block as u32, 1, 1],
            shared_bytes: (self.shared_floats(block) * FLOAT_BYTES) as u32,
            cooperative: false,
            cluster_blocks: 1,
            arguments,
        })
    }

    fn steps(self) -> Vec<Step> {
        let host = |compute| {
            vec![Step::Host(HostWork { reads: Vec::new(), writes: INTEGRAL, argument: self.trapezoids, compute })]
        };
        let ends = Argument::Word(ends(self.trapezoids).to_bits());
        let terms = |into| {
            vec![
                Argument::Buffer(into),
                Argument::Word(reference::FROM.to_bits()),
                Argument::Word(reference::width(self.trapezoids).to_bits()),
                Argument::Word(self.trapezoids as u32),
            ]
        };
        let by_atomics = |entry| {
            let begin = Launch {
                entry: "trapezoid_begin",
                grid: [1; 3],
                block: [1; 3],
                shared_bytes: 0,
                cooperative: false,
                cluster_blocks: 1,
                arguments: vec![Argument::Buffer(INTEGRAL), ends.clone()],
            };
            vec![Step::Launch(begin), self.launch(entry, self.blocks(), self.block, terms(INTEGRAL))]
        };
        match self.variant {
            Variant::Serial => host(serial),
            Variant::MultiThreaded => host(multi_threaded),
            Variant::AtomicAdd => by_atomics("trapezoid_atomic_add"),
            Variant::WarpShuffle => by_atomics("trapezoid_warp_shuffle"),
            Variant::SharedMemory => by_atomics("trapezoid_shared_memory"),
            Variant::WarpShuffleManyWarps => by_atomics("trapezoid_warp_shuffle_many_warps"),
            Variant::SharedMemoryManyWarps => by_atomics("trapezoid_shared_memory_many_warps"),
            Variant::TwoLaunches => {
                let adding = vec![
                    Argument::Buffer(BLOCK_SUMS),
                    Argument::Buffer(INTEGRAL),
                    Argument::Word(self.blocks() as u32),
                    ends,
                ];
                vec![
                    self.launch("trapezoid_block_sums", self.blocks(), self.block, terms(BLOCK_SUMS)),
                    self.launch("trapezoid_add_block_sums", 1, self.adding_threads, adding),
                ]
            }
        }
    }

    /// Barriers that blocks pass.
    fn block_barriers(self) -> u64 {
        match self.variant {
            Variant::WarpShuffleManyWarps | Variant::SharedMemoryManyWarps => self.blocks(),
            Variant::TwoLaunches => self.blocks() + 1,
            Variant::AtomicAdd
            | Variant::WarpShuffle
            | Variant::SharedMemory
            | Variant::Serial
            | Variant::MultiThreaded => 0,
        }
    }
}

/// Threads of the block that adds the sums of blocks.
fn adding_threads(device: &Properties) -> u64 {
    u64::from(ADDING_THREADS.min(device.threads_per_block))
}

/// The integral, and the blocks' sums, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    FLOAT_BYTES * (1 + parameters.trapezoids.div_ceil(parameters.block.into()))
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let plan = Plan::new(parameters, variant, device);
    let launches = plan.steps().iter().filter(|step| matches!(step, Step::Launch(_))).count();
    Predictors { atomics: plan.atomics() as f64, barriers: plan.block_barriers() as f64, launches: launches as f64 }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties) -> Workload<Predictors> {
    let plan = Plan::new(parameters, variant, device);
    let (chain, of_one_float) = plan.chain();
    let expected = within(reference::total(plan.trapezoids), chain, of_one_float);
    let on_host = matches!(plan.variant, Variant::Serial | Variant::MultiThreaded);
    let contents = if on_host { Contents::HostPoison { words: 1 } } else { Contents::Poison { words: 1 } };
    let mut buffers = vec![Buffer { name: "integral", contents, expected: Some(vec![expected].into()) }];
    if plan.variant == Variant::TwoLaunches {
        let sums = Contents::Poison { words: plan.blocks() as usize };
        buffers.push(Buffer { name: "block sums", contents: sums, expected: None });
    }
    Workload {
        ptx: PTX,
        buffers,
        steps: plan.steps(),
        submission: Submission::Stream,
        bytes: FLOAT_BYTES,
        operations: OPERATIONS_OF_TERM * plan.trapezoids,
        predictors: predictors(parameters, variant, device),
    }
}
