//! What a workload consists of: launches, copies, transfers, work of the host, and streams of these side by side.

use std::ops::Range;

use super::Argument;

/// One kernel launch.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Blocks of a cluster, along x: 1 where the launch does not ask for clusters.
    pub cluster_blocks: u32,
    /// The arguments, in the kernel's order.
    pub arguments: Vec<Argument>,
}

impl Launch {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|extent| u64::from(*extent)).product()
    }

    /// Threads of a block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().copied().fold(1, u32::saturating_mul)
    }
}

/// How the host's side of a transfer is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMemory {
    /// As the operating system gives it: the driver copies it to memory of its own first.
    Pageable,
    /// Locked in place, so that the device's copy engine can read and write it while the host goes on.
    Pinned,
}

/// Words of a device buffer that go between its host's side and its device's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copying {
    /// The buffer's index in [`super::Workload::buffers`].
    pub buffer: usize,
    /// Which of its words.
    pub words: Range<usize>,
    /// How the host's side is kept. All transfers of a buffer agree on it.
    pub memory: HostMemory,
}

/// Computes the words of a buffer from those of others, in their order, and a number.
pub type Compute = fn(reads: &[&[u32]], argument: u64) -> Vec<u32>;

/// Something that the host computes.
#[derive(Debug, Clone)]
pub struct HostWork {
    /// The buffers that it reads, as the host has them: those in host memory, and the host's side of those that were transferred.
    pub reads: Vec<usize>,
    /// The buffer in host memory that it writes.
    pub writes: usize,
    /// A number that it needs beside the buffers.
    pub argument: u64,
    /// Computes the words of `writes` from those of `reads`, in their order, and the argument.
    pub compute: Compute,
}

/// One step of a workload.
#[derive(Debug, Clone)]
pub enum Step {
    /// Runs a kernel.
    Launch(Launch),
    /// Copies a buffer into another of the same size, as the driver does it. Both are indices in [`super::Workload::buffers`].
    Copy {
        /// The buffer to read.
        from: usize,
        /// The buffer to write.
        to: usize,
    },
    /// Transfers words of a buffer from the host to the device.
    Upload(Copying),
    /// Transfers words of a buffer from the device to the host.
    Download(Copying),
    /// Lets the host compute something, when all steps before it are done.
    Host(HostWork),
    /// Streams side by side, each with steps of its own in order. What follows begins when all are done.
    Streams(Vec<Vec<Step>>),
}

impl Step {
    /// Whether it is, or has, a transfer or work of the host.
    pub fn is_phased(&self) -> bool {
        match self {
            Self::Launch(_) | Self::Copy { .. } => false,
            Self::Upload(_) | Self::Download(_) | Self::Host(_) | Self::Streams(_) => true,
        }
    }
}

/// Adds the steps that are launches.
pub(super) fn collect_launches<'a>(steps: &'a [Step], launches: &mut Vec<&'a Launch>) {
    for step in steps {
        match step {
            Step::Launch(launch) => launches.push(launch),
            Step::Streams(streams) => streams.iter().for_each(|steps| collect_launches(steps, launches)),
            Step::Copy { .. } | Step::Upload(_) | Step::Download(_) | Step::Host(_) => {}
        }
    }
}
