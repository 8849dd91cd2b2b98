//! What can go wrong while a kernel runs.

use std::fmt;

use super::memory::MemoryProblem;
use super::position::{self, WarpPosition};

/// Instructions that the warps of a block, or of blocks that may wait for each other, may execute in all, in units of
/// what one warp may.
pub(super) const LAUNCH_STEPS: u64 = 10;

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// An access to memory that is not allowed.
    Memory(MemoryProblem),
    /// `trap`
    Trap,
    /// `__assertfail`
    Assertion(String),
    /// A call to an address that is no function's, or a branch to no target.
    BadTarget(u64),
    /// More local memory than a thread has: a recursion without an end.
    StackOverflow {
        /// What it has.
        limit_bytes: u32,
    },
    /// A barrier number that does not exist.
    BadBarrier(u32),
    /// The barrier of a cluster, used as it may not be.
    ClusterBarrier(&'static str),
    /// The warp ran longer than it may.
    StepLimit {
        /// How many instructions it executed.
        steps: u64,
        /// Where its lanes are.
        positions: Vec<WarpPosition>,
    },
    /// The warps that wait for each other ran longer in all than they may.
    LaunchLimit {
        /// How many instructions they executed.
        steps: u64,
        /// Where the warps of one block are.
        positions: Vec<WarpPosition>,
    },
    /// Warps stayed in loops that only what memory holds can end, for longer than they may.
    MemoryLimit {
        /// How many instructions they executed there.
        steps: u64,
        /// Where the warps of one block are.
        positions: Vec<WarpPosition>,
    },
    /// The block is in a loop that no way leads out of.
    NoWayOut {
        /// Where its warps are.
        positions: Vec<WarpPosition>,
    },
    /// The block does the same again and again.
    Standstill {
        /// Where its warps are.
        positions: Vec<WarpPosition>,
    },
    /// Everything waits.
    Deadlock {
        /// What each warp waits for.
        positions: Vec<WarpPosition>,
    },
}

/// Something that went wrong, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What.
    pub problem: Problem,
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread of the block; `None` where the whole block is concerned.
    pub thread: Option<[u32; 3]>,
    /// The line in the PTX text.
    pub line: u32,
}

impl Fault {
    /// Everything waits, and nothing is there to say where.
    pub(crate) fn without_place(kernel: &str) -> Self {
        let problem = Problem::Deadlock { positions: Vec::new() };
        Self { problem, kernel: kernel.to_owned(), block: [0; 3], thread: None, line: 0 }
    }
}

impl Problem {
    /// Whether it is that something has no end, or ran for so long that it is taken to have none.
    pub fn is_endless(&self) -> bool {
        matches!(
            self,
            Self::Standstill { .. }
                | Self::NoWayOut { .. }
                | Self::StepLimit { .. }
                | Self::LaunchLimit { .. }
                | Self::MemoryLimit { .. }
        )
    }

    /// In words, with `line` for the name of a line of the PTX.
    pub fn told(&self, line: &dyn Fn(u32) -> String) -> String {
        match self {
            Self::Memory(problem) => problem.to_string(),
            Self::Trap => "trap: the kernel ended itself; a compiler also writes one where it sees an access through a null pointer".to_owned(),
            Self::Assertion(text) => format!("assertion failed: {text}"),
            Self::BadTarget(address) => format!("{address:#x} is not a place that it can go to"),
            Self::StackOverflow { limit_bytes } => {
                format!("more than {limit_bytes} bytes of local memory for one thread: a recursion without an end?")
            }
            Self::BadBarrier(number) => format!("there is no barrier {number}, only 0 to 15"),
            Self::ClusterBarrier(what) => (*what).to_owned(),
            Self::StepLimit { steps, positions } => format!(
                "no end after {steps} instructions of one warp (the profile's step_limit): {}",
                position::told(positions, line)
            ),
            Self::LaunchLimit { steps, positions } => format!(
                "no end after {steps} instructions of all warps ({LAUNCH_STEPS} times the profile's step_limit): {}",
                position::told(positions, line)
            ),
            Self::MemoryLimit { steps, positions } => format!(
                "no end after {steps} instructions of all warps in loops that only what memory holds can end (the profile's step_limit, each lane of an atomic as an instruction more): {}",
                position::told(positions, line)
            ),
            Self::NoWayOut { positions } => {
                format!("a loop without an end: no way leads out of it: {}", position::told(positions, line))
            }
            Self::Standstill { positions } => format!(
                "a loop without an end: all that it depends on comes back to the same values: {}",
                position::told(positions, line)
            ),
            Self::Deadlock { positions } => format!("deadlock: {}", position::told(positions, line)),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.told(&|line| format!("line {line}")))
    }
}

/// The index of a block or of a thread, in words.
pub(crate) struct Triple(pub(crate) [u32; 3]);

impl fmt::Display for Triple {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(formatter, "({x}, {y}, {z})")
    }
}

impl Fault {
    /// The block and the thread, in words.
    pub fn who(&self) -> String {
        let thread = self.thread.map(|thread| format!(", thread {}", Triple(thread))).unwrap_or_default();
        format!("block {}{thread}", Triple(self.block))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, {}", self.kernel, self.who())?;
        if self.line > 0 {
            write!(formatter, ", line {} of the PTX", self.line)?;
        }
        write!(formatter, ": {}", self.problem)
    }
}

impl std::error::Error for Fault {}
