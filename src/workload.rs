//! What one grid point asks of a device, as plain data.

use crate::device::Properties;
use crate::hardware::occupancy::{Resources, resident_blocks};

/// A buffer in device memory: its name, its bytes before the first launch, and what it must hold afterwards.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// What the buffer is to the kernel, for messages.
    pub name: &'static str,
    /// How it is filled before the launches.
    pub contents: Contents,
    /// What it must hold after one run; `None` where the kernels only read it.
    pub expected: Option<Vec<u32>>,
}

impl Buffer {
    /// Its size in device memory.
    pub fn bytes(&self) -> u64 {
        let words = match &self.contents {
            Contents::Words(words) => words.len(),
            Contents::Poison { words } => *words,
        };
        words as u64 * size_of::<u32>() as u64
    }
}

/// How a buffer is filled before the launches.
#[derive(Debug, Clone)]
pub enum Contents {
    /// With these words.
    Words(Vec<u32>),
    /// With [`POISON`], so that an element which no thread writes is noticed.
    Poison {
        /// How many words the buffer has.
        words: usize,
    },
}

/// The word in every element of a poisoned buffer (a not-a-number as a float).
pub const POISON: u32 = 0xFFFF_DEAD;

/// An argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The device address of the buffer with this index in [`Workload::buffers`].
    Buffer(usize),
    /// A 32-bit whole number.
    Word(u32),
    /// A 64-bit whole number.
    Long(u64),
}

impl Argument {
    /// Its size.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Word(_) => 4,
            Self::Buffer(_) | Self::Long(_) => 8,
        }
    }
}

/// One kernel launch.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The entry point's name in the family's module.
    pub entry: &'static str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Whether all blocks must be resident at once, so that they can wait for each other.
    pub cooperative: bool,
    /// The arguments, in the kernel's order.
    pub arguments: Vec<Argument>,
}

impl Launch {
    /// Threads of a block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().copied().fold(1, u32::saturating_mul)
    }
}

/// One step of a workload.
#[derive(Debug, Clone)]
pub enum Step {
    /// Runs a kernel.
    Launch(Launch),
    /// Copies a buffer into another of the same size, as the driver does it. Both are indices in [`Workload::buffers`].
    Copy {
        /// The buffer to read.
        from: usize,
        /// The buffer to write.
        to: usize,
    },
}

/// How a workload's steps are handed to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submission {
    /// One after the other, on one stream.
    Stream,
    /// All at once, as a graph that was made before.
    Graph,
}

/// What one grid point asks of a device.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The family's kernels, as PTX.
    pub ptx: &'static str,
    /// Buffers in device memory.
    pub buffers: Vec<Buffer>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// How the steps are handed to the device.
    pub submission: Submission,
    /// Bytes that must move through device memory: each input read once, each output written once.
    pub bytes: u64,
    /// Arithmetic operations that the result needs (a multiply-add counts as two).
    pub operations: u64,
    /// What laws are fitted against, by the names of the family's predictors.
    pub predictors: Vec<(&'static str, f64)>,
}

impl Workload {
    /// The steps that are launches, in order.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.steps.iter().filter_map(|step| match step {
            Step::Launch(launch) => Some(launch),
            Step::Copy { .. } => None,
        })
    }

    /// Why a device with these properties cannot run it, whatever its kernels are.
    pub fn refusal(&self, properties: &Properties) -> Option<String> {
        self.launches().find_map(|launch| {
            let threads = launch.threads_per_block();
            if threads > properties.threads_per_block {
                let most = properties.threads_per_block;
                return Some(format!("a block of {threads} threads, where {most} are possible"));
            }
            let limits = properties.limits();
            if limits.shared_bytes_per_block > 0 && u64::from(launch.shared_bytes) > limits.shared_bytes_per_block {
                let (asked, most) = (launch.shared_bytes, limits.shared_bytes_per_block);
                return Some(format!("a block with {asked} bytes of shared memory, where {most} are possible"));
            }
            // Compute capability 1 has arguments in shared memory too.
            let resources = Resources {
                threads_per_block: threads,
                registers_per_thread: 0,
                shared_bytes_per_block: u64::from(launch.shared_bytes),
                argument_bytes: launch.arguments.iter().map(Argument::bytes).sum(),
            };
            if limits.shared_holds_arguments
                && let Err(problem) = resident_blocks(&limits, &resources)
            {
                return Some(problem);
            }
            (launch.cooperative && properties.capability() < (6, 0)).then(|| {
                format!(
                    "a cooperative launch, which needs compute capability 6.0 and not {}",
                    properties.compute_capability
                )
            })
        })
    }
}
