//! What one grid point asks of a device, as plain data.

use crate::kernel::Ptx;
use crate::properties::Properties;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

mod argument;
mod element;
mod expected;
mod plan;
mod step;
mod words;

pub use argument::{Argument, EmbeddedAddress, Packed, Tiles};
pub use element::Element;
pub use expected::{Agreement, Expected, Near, Sum, Tolerance};
pub use plan::Planned;
pub use step::{Compute, Copying, HostMemory, HostWork, Launch, Step};
pub use words::{Words, put_bytes, words_of};

/// A buffer: its name, its words before the first step, and what it must hold afterwards.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// What the buffer is to the kernel, for messages.
    pub name: &'static str,
    /// Where it is, and how it is filled before the steps.
    pub contents: Contents,
    /// What it must hold after one run; `None` where it is only read.
    pub expected: Option<Expected>,
}

/// The name of a buffer in which a kernel leaves the cycles that a loop of it took.
const CYCLES: &str = "cycles";

impl Buffer {
    /// A word for the cycles that a loop took, as the first thread of the kernel read them from its multiprocessor's clock. They differ from launch to
    /// launch, so nothing is expected of them.
    pub fn of_cycles() -> Self {
        Self { name: CYCLES, contents: Contents::Poison { words: 1 }, expected: None }
    }

    /// Words of 4 bytes that it has.
    pub fn words(&self) -> usize {
        match &self.contents {
            Contents::Words(words) | Contents::HostWords(words) => words.len(),
            Contents::Poison { words } | Contents::HostPoison { words } => *words,
        }
    }

    /// Its size in device memory.
    pub fn bytes(&self) -> u64 {
        if self.is_on_device() { self.words() as u64 * size_of::<u32>() as u64 } else { 0 }
    }

    /// Whether kernels can use it.
    pub fn is_on_device(&self) -> bool {
        matches!(self.contents, Contents::Words(_) | Contents::Poison { .. })
    }
}

/// Where a buffer is, and how it is filled before the steps.
#[derive(Debug, Clone)]
pub enum Contents {
    /// In device memory, with these words. Where steps upload it, these are the host's, and the device's are poisoned.
    Words(Words),
    /// In device memory, with [`POISON`], so that an element which no thread writes is noticed.
    Poison {
        /// How many words the buffer has.
        words: usize,
    },
    /// In host memory alone, with these words.
    HostWords(Words),
    /// In host memory alone, with [`POISON`].
    HostPoison {
        /// How many words the buffer has.
        words: usize,
    },
}

/// The word in every element of a poisoned buffer (a not-a-number as a float).
pub const POISON: u32 = 0xFFFF_DEAD;

/// The lowest compute capability whose L2 can set a part of itself aside (CUDA C++ Programming Guide, L2 set-aside).
const PERSISTING_SINCE: (u32, u32) = (8, 0);

/// The lowest compute capability with dependent launches.
const DEPENDENT_SINCE: (u32, u32) = (9, 0);

/// How a workload's steps are handed to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submission {
    /// One after the other, on one stream.
    Stream,
    /// All at once, as a graph that was made before.
    Graph,
    /// One launch after the other, on one stream; each but the first may begin before the one before it has ended, and waits for it
    /// itself (programmatic dependent launch).
    Dependent,
    /// The same launches, all at once as a graph that was made before.
    DependentGraph,
    /// As a graph that was made before, whose only launch is repeated on the device as long as it leaves this buffer's word other than zero (a
    /// conditional node). Where the kernel takes the buffer, it gets the handle that `cudaGraphSetConditional` takes.
    While {
        /// A buffer of one word, which is the condition when the graph begins.
        condition: usize,
    },
    /// One after the other, on one stream, while L2 is asked to keep a buffer: hits of its lines persist in the part of L2 that is set aside for that,
    /// and the lines that are not to persist are streamed (an access policy window).
    Persisting {
        /// The buffer's index in [`Workload::buffers`].
        buffer: usize,
        /// Which part of its lines may persist, in percent.
        kept_pct: u32,
    },
}

impl Submission {
    /// Whether launches may begin before the one before them has ended.
    pub fn overlaps(self) -> bool {
        matches!(self, Self::Dependent | Self::DependentGraph)
    }

    /// Whether the steps are handed over as a graph that was made before.
    pub fn is_graph(self) -> bool {
        matches!(self, Self::Graph | Self::DependentGraph | Self::While { .. })
    }
}

/// What one grid point asks of a device. A family that declares its predictors has them as a struct of its own, `P`; elsewhere they are
/// names and values.
#[derive(Debug, Clone)]
pub struct Workload<P = Vec<(&'static str, f64)>> {
    /// The family's kernels, as PTX.
    pub ptx: Ptx,
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
    pub predictors: P,
}

impl<P> Workload<P> {
    /// The same with its predictors in another form.
    pub fn map_predictors<Q>(self, form: impl FnOnce(P) -> Q) -> Workload<Q> {
        let Self { ptx, buffers, steps, submission, bytes, operations, predictors } = self;
        Workload { ptx, buffers, steps, submission, bytes, operations, predictors: form(predictors) }
    }

    /// The steps that are launches, in order; those on streams side by side one stream after the other.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        let mut launches = Vec::new();
        step::collect_launches(&self.steps, &mut launches);
        launches.into_iter()
    }

    /// The place of the buffer of [`Buffer::of_cycles`]; `None` where no kernel reads the clock.
    pub fn cycles_buffer(&self) -> Option<usize> {
        self.buffers.iter().position(|buffer| buffer.name == CYCLES && buffer.expected.is_none())
    }

    /// Whether a launch of it has clusters of several blocks.
    pub fn has_clusters(&self) -> bool {
        self.launches().any(|launch| launch.cluster_blocks > 1)
    }

    /// Whether it has phases beside its kernels: transfers between host and device, or work of the host.
    pub fn has_phases(&self) -> bool {
        self.steps.iter().any(Step::is_phased)
    }

    /// Why a device with these properties cannot run it, whatever its kernels are.
    pub fn refusal(&self, properties: &Properties) -> Option<String> {
        if self.submission.is_graph() && self.has_phases() {
            return Some("a graph with transfers or work of the host in it".to_owned());
        }
        if let Submission::While { condition } = self.submission {
            let one_word = self.buffers.get(condition).is_some_and(|buffer| buffer.words() == 1);
            if !one_word || !matches!(&self.steps[..], [Step::Launch(launch)] if !launch.cooperative) {
                return Some("a loop on the device of more than one launch, or without a word to end it".to_owned());
            }
        }
        if self.submission.overlaps() {
            if self.steps.iter().any(|step| !matches!(step, Step::Launch(launch) if !launch.cooperative)) {
                return Some(
                    "dependent launches with something else among them than launches that are not cooperative"
                        .to_owned(),
                );
            }
            if properties.capability() < DEPENDENT_SINCE {
                let own = &properties.compute_capability;
                return Some(format!("dependent launches, which need compute capability 9.0 and not {own}"));
            }
        }
        if let Submission::Persisting { buffer, .. } = self.submission {
            if self.has_phases() || !self.buffers.get(buffer).is_some_and(Buffer::is_on_device) {
                return Some(
                    "lines that persist of a buffer that is not on the device, or beside transfers".to_owned(),
                );
            }
            if properties.capability() < PERSISTING_SINCE {
                let own = &properties.compute_capability;
                return Some(format!("lines that persist in L2, which need compute capability 8.0 and not {own}"));
            }
        }
        if let Some(problem) = self.refused_in_streams() {
            return Some(problem.to_owned());
        }
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
            if let Some(problem) = refused_in_clusters(launch, properties) {
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

/// The first compute capability with clusters of blocks.
const CLUSTERS_SINCE: (u32, u32) = (9, 0);
/// Blocks of a cluster at most.
const CLUSTER_BLOCKS_MAX: u32 = 16;

/// Why a device with these properties has no such clusters, whatever the kernel is.
fn refused_in_clusters(launch: &Launch, properties: &Properties) -> Option<String> {
    let (own, blocks) = (launch.cluster_blocks, launch.grid[0]);
    if own <= 1 {
        return None;
    }
    if properties.capability() < CLUSTERS_SINCE {
        let capability = &properties.compute_capability;
        return Some(format!("clusters of {own} blocks, which need compute capability 9.0 and not {capability}"));
    }
    if own > CLUSTER_BLOCKS_MAX {
        return Some(format!("clusters of {own} blocks, where {CLUSTER_BLOCKS_MAX} are possible"));
    }
    (!blocks.is_multiple_of(own))
        .then(|| format!("clusters of {own} blocks, of which {blocks} blocks are no whole number"))
}
