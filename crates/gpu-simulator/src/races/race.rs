//! What was found, and in which words it is told.

use std::fmt;

use crate::execute::Triple;

/// How two accesses are to each other that nothing orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceKind {
    /// To what a copy brings that goes on while its thread does something else, and that the thread has not waited for.
    Unfinished,
    /// By threads of different blocks.
    BetweenBlocks,
    /// By threads of different warps of a block, with no barrier between.
    BetweenWarps,
    /// By lanes of one store, with different values.
    WithinInstruction,
    /// By lanes of a warp in different instructions, with no barrier of the warp between. That does what is meant as long as the lanes stay
    /// together, which nothing warrants from compute capability 7 on.
    WithinWarp,
}

impl RaceKind {
    /// Whether the outcome is left to chance on every GPU, and not only where lanes part.
    pub fn is_certain(self) -> bool {
        self != Self::WithinWarp
    }
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It reads.
    Reads,
    /// It writes.
    Writes,
    /// It copies from global memory, while its thread does something else.
    Copies,
    /// It reads and writes in one step.
    Changes,
}

impl Action {
    fn verb(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Copies => "copies to",
            Self::Changes => "atomically changes",
        }
    }
}

/// One of two accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// What it does.
    pub action: Action,
    /// Its line in the PTX text.
    pub line: u32,
    /// The block.
    pub block: [u32; 3],
    /// The thread of the block.
    pub thread: [u32; 3],
}

/// Where two accesses meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In global memory.
    Global {
        /// The buffer or variable; its address where it is none.
        name: String,
        /// The element there, of the size that the access has.
        element: u64,
    },
    /// In the block's shared memory.
    Shared {
        /// The variable, as the PTX has it; none of dynamic shared memory.
        variable: Option<String>,
        /// The byte of the variable, or of shared memory.
        byte: u32,
    },
}

/// Two accesses to the same bytes that nothing orders, as they were first found at their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// How they are to each other.
    pub kind: RaceKind,
    /// Where.
    pub place: Place,
    /// The two: the one that reads, if one does, before the one that writes.
    pub accesses: [Access; 2],
    /// How often such accesses met.
    pub count: u64,
    /// Whether one of them writes what its thread has read there, as in `count += 1`.
    pub is_update: bool,
}

/// What was not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unchecked {
    /// What blocks do to each other, since they may communicate.
    BetweenBlocks,
    /// The global memory beyond the first 32 MiB of what the launch writes.
    FarMemory,
    /// Anything, since its clusters have several blocks.
    InClusters,
    /// Bulk copies.
    BulkCopies,
}

impl fmt::Display for Unchecked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BetweenBlocks => {
                "accesses of different blocks are not held against each other: the kernel communicates by fences or ordered accesses"
            }
            Self::InClusters => "launches whose clusters have several blocks are not looked at",
            Self::BulkCopies => {
                "what bulk copies (cp.async.bulk) read and write is not held against other accesses, and nobody looks whether threads wait for them"
            }
            Self::FarMemory => "only the first 32 MiB of what is written are looked at",
        })
    }
}

/// What watching a launch came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Races {
    /// Each pair of lines once, those that are certain first, then in the order of the lines.
    pub found: Vec<Race>,
    /// Blocks of the grid.
    pub blocks: u64,
    /// How many of them were watched.
    pub blocks_watched: u64,
    /// Lanes' accesses to shared and global memory that were watched.
    pub accesses: u64,
    /// What was not looked at.
    pub unchecked: Vec<Unchecked>,
}

impl Race {
    /// The race in a sentence, in which `line` names the lines of the PTX and `variable` its shared variables.
    pub fn told(&self, line: &dyn Fn(u32) -> String, variable: &dyn Fn(&str) -> String) -> String {
        let place = match &self.place {
            Place::Global { name, element } => format!("{name}[{element}]"),
            Place::Shared { variable: Some(name), byte } => format!("byte {byte} of {}", variable(name)),
            Place::Shared { variable: None, byte } => format!("byte {byte} of shared memory"),
        };
        let [first, second] = &self.accesses;
        let (line_of_first, line_of_second) = (line(first.line), line(second.line));
        let is_one = line_of_first == line_of_second;
        let what = match (first.action, second.action) {
            (one, other) if one == other && is_one => format!("{line_of_first} {} {place}", one.verb()),
            (one, other) if is_one => format!("{line_of_first} {} and {} {place}", one.verb(), other.verb()),
            (one, other) => format!("{line_of_first} {} {place}, which {line_of_second} {}", one.verb(), other.verb()),
        };
        let how = match self.kind {
            RaceKind::Unfinished => "before the copying thread has waited for it",
            RaceKind::BetweenBlocks => "in blocks that run in any order",
            RaceKind::BetweenWarps => "in threads with no barrier between",
            RaceKind::WithinInstruction => "in several lanes at once, with different values",
            RaceKind::WithinWarp => "in lanes of a warp with no __syncwarp() between",
        };
        let who = if first.block == second.block {
            format!("block {}, threads {} and {}", Triple(first.block), Triple(first.thread), Triple(second.thread))
        } else {
            let [one, other] =
                [first, second].map(|own| format!("block {} thread {}", Triple(own.block), Triple(own.thread)));
            format!("{one} and {other}")
        };
        let times = if self.count == 1 { "once".to_owned() } else { format!("{} times", self.count) };
        format!("{what}, {how}: {who}; {times}")
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        let both_write = self.accesses[0].action != Action::Reads;
        let is_update = self.is_update;
        // One of the two is atomic already: what is missing is an order, as between setting a counter to zero and counting.
        let is_step = !is_update && self.accesses.iter().filter(|own| own.action == Action::Changes).count() == 1;
        let is_copied = self.accesses.iter().any(|own| own.action == Action::Copies);
        match self.kind {
            RaceKind::Unfinished => {
                "let each thread wait for its copies, by __pipeline_wait_prior() or cp.async.wait_group, before the barrier behind which they are accessed"
            }
            RaceKind::BetweenWarps if is_copied => {
                "put __syncthreads() between them: behind the wait for the copy, or before a copy that comes later"
            }
            RaceKind::BetweenBlocks if is_step && both_write => {
                "set it in a launch before, or make the other access atomic, too"
            }
            RaceKind::BetweenWarps if is_step => "put __syncthreads() between them",
            RaceKind::WithinWarp if is_step => "put __syncwarp() between them",
            RaceKind::BetweenBlocks if is_update || both_write => {
                "use an atomic such as atomicAdd, or give each block elements of its own"
            }
            RaceKind::BetweenBlocks => "make two launches of it, or give each block elements of its own",
            RaceKind::BetweenWarps if both_write => {
                "use an atomic such as atomicAdd, or give each thread elements of its own"
            }
            RaceKind::BetweenWarps if is_update => {
                "use an atomic if several threads update it, else put __syncthreads() between the steps"
            }
            RaceKind::BetweenWarps => "put __syncthreads() between them",
            RaceKind::WithinInstruction => "use an atomic, or let one lane write",
            RaceKind::WithinWarp if is_update => {
                "use an atomic if several lanes update it, else put __syncwarp() between the steps"
            }
            RaceKind::WithinWarp => "put __syncwarp() between them",
        }
    }
}

impl fmt::Display for Race {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.told(&|line| format!("line {line} of the PTX"), &str::to_owned))
    }
}
