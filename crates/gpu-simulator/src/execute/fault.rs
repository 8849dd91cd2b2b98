//! What can go wrong while a kernel runs.

use std::fmt;

use super::memory::MemoryProblem;

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
    /// The warp ran longer than it may.
    StepLimit {
        /// How many instructions it executed.
        steps: u64,
        /// Where its lanes are.
        positions: String,
    },
    /// The warps that wait for each other ran longer in all than they may.
    LaunchLimit {
        /// How many instructions they executed.
        steps: u64,
        /// Where the warps of one block are.
        positions: String,
    },
    /// Everything waits.
    Deadlock {
        /// What each warp waits for.
        positions: String,
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
        let problem = Problem::Deadlock { positions: "no warp can go on".to_owned() };
        Self { problem, kernel: kernel.to_owned(), block: [0; 3], thread: None, line: 0 }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(problem) => problem.fmt(formatter),
            Self::Trap => formatter.write_str("trap: the kernel ended itself"),
            Self::Assertion(text) => write!(formatter, "assertion failed: {text}"),
            Self::BadTarget(address) => write!(formatter, "{address:#x} is not a place that it can go to"),
            Self::StackOverflow { limit_bytes } => {
                write!(
                    formatter,
                    "more than {limit_bytes} bytes of local memory for one thread: a recursion without an end?"
                )
            }
            Self::BadBarrier(number) => write!(formatter, "there is no barrier {number}, only 0 to 15"),
            Self::StepLimit { steps, positions } => {
                write!(
                    formatter,
                    "no end after {steps} instructions of one warp (the profile's step_limit): {positions}"
                )
            }
            Self::LaunchLimit { steps, positions } => {
                write!(
                    formatter,
                    "no end after {steps} instructions of all warps ({LAUNCH_STEPS} times the profile's step_limit): {positions}"
                )
            }
            Self::Deadlock { positions } => write!(formatter, "deadlock: {positions}"),
        }
    }
}

struct Triple([u32; 3]);

impl fmt::Display for Triple {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(formatter, "({x}, {y}, {z})")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, block {}", self.kernel, Triple(self.block))?;
        if let Some(thread) = self.thread {
            write!(formatter, ", thread {}", Triple(thread))?;
        }
        if self.line > 0 {
            write!(formatter, ", line {} of the PTX", self.line)?;
        }
        write!(formatter, ": {}", self.problem)
    }
}

impl std::error::Error for Fault {}
