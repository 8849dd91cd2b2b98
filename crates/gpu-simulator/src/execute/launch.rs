//! A grid: all blocks of a launch, side by side where they cannot see each other, in turns where they can.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::block::{Block, Progress};
use super::fault::{Fault, LAUNCH_STEPS};
use super::memory::{GlobalMemory, Memory, Overlay, Written};
use super::observer::Observer;
use super::patience::{GotOn, Patience};
use super::spinning::Spinning;
use super::standstill::{Standstill, Waiting};
use crate::hardware::lanes::Mask;
use crate::profile::Reconvergence;
use crate::program::{Conduct, Program};

/// A launch as its threads see it.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// Blocks along each axis.
    pub grid: [u32; 3],
    /// Threads of a block along each axis.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: u32,
    /// The kernel's parameters.
    pub parameters: Vec<u8>,
    /// What its threads may do.
    pub conduct: Conduct,
    /// Multiprocessors of the device.
    pub multiprocessors: u32,
    /// What a cycle takes.
    pub nanoseconds_per_cycle: f64,
    /// Address of the workspace of a cooperative launch; 0 in any other.
    pub workspace: u64,
    /// How diverged lanes meet again.
    pub reconvergence: Reconvergence,
    /// Instructions that a warp may execute.
    pub step_limit: u64,
}

/// Instructions that a warp executes before another has its turn.
const TURN: u64 = 4096;
/// The same where blocks see each other's writes: those that wait must not keep the others waiting for long.
const TURN_AMONG_BLOCKS: u64 = 256;
/// Chunks that a grid is divided into. It does not depend on the number of threads, nor do the results.
const CHUNKS: u64 = 64;

impl Launch {
    /// Instructions that warps which may wait for each other may execute in all without getting on.
    pub(crate) fn steps_of_all(&self) -> u64 {
        self.step_limit.saturating_mul(LAUNCH_STEPS)
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|extent| u64::from(*extent)).product()
    }

    /// The block with this number, x varying fastest.
    pub(crate) fn block_index(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
    }

    /// The thread with this number in its block, x varying fastest.
    pub(crate) fn thread(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [number % x, number / x % y, number / x / y]
    }

    fn multiprocessor(&self, block: u64) -> u32 {
        (block % u64::from(self.multiprocessors.max(1))) as u32
    }
}

/// Blocks that were executed, none of which can see what others write. Nothing is written to memory yet.
pub(crate) struct Apart<O> {
    /// Every one of them has watched some blocks.
    pub observers: Vec<O>,
    /// Instructions of each block, in their order.
    pub steps: Vec<u64>,
    written: Vec<Written>,
}

impl<O> Apart<O> {
    /// Blocks that saw each other's writes: everything is written already, and the instructions of each block are not known.
    pub(crate) fn committed(observers: Vec<O>) -> Self {
        Self { observers, steps: Vec::new(), written: Vec::new() }
    }

    /// Writes what the blocks wrote, and gives what watched them.
    pub(crate) fn commit(self, memory: &mut Memory) -> Vec<O> {
        self.written.into_iter().for_each(|written| written.commit(memory));
        self.observers
    }
}

/// Executes the blocks `which` of a launch; `resident` of them at a time where they may see each other's writes.
/// Every observer that `observe` makes watches some of them.
///
/// # Errors
/// What the first block that did something wrong did. Nothing is written then by kernels whose blocks cannot see each other.
pub(crate) fn run_all<O: Observer + Send>(
    program: &Program,
    launch: &Launch,
    memory: &mut Memory,
    which: &[u64],
    resident: usize,
    observe: impl Fn() -> O + Sync,
) -> Result<Vec<O>, Fault> {
    if launch.conduct.communicates {
        return Ok(vec![run_in_turns(program, launch, memory, which, resident, observe())?]);
    }
    Ok(run_apart(program, launch, memory, which, observe)?.commit(memory))
}

/// Executes the blocks `which` of a launch as [`run_all`] does, all of them watched by one observer: one block after the other where they
/// cannot see each other's writes.
///
/// # Errors
/// What the first block that did something wrong did.
pub(crate) fn run_watched<O: Observer>(
    program: &Program,
    launch: &Launch,
    memory: &mut Memory,
    which: &[u64],
    resident: usize,
    mut observer: O,
) -> Result<O, Fault> {
    if launch.conduct.communicates {
        return run_in_turns(program, launch, memory, which, resident, observer);
    }
    let mut overlay = Overlay::new(memory);
    for number in which {
        run_block(program, launch, &mut overlay, *number, &mut observer)?;
    }
    let written = overlay.finish();
    written.commit(memory);
    Ok(observer)
}

/// Executes the blocks `which` of a launch whose blocks cannot see what others write.
///
/// # Errors
/// What the first block that did something wrong did.
pub(crate) fn run_apart<O: Observer + Send>(
    program: &Program,
    launch: &Launch,
    base: &Memory,
    which: &[u64],
    observe: impl Fn() -> O + Sync,
) -> Result<Apart<O>, Fault> {
    let chunk = (which.len() as u64).div_ceil(CHUNKS).max(1) as usize;
    // The first chunk that went wrong: what those behind it do is not asked for any more, and each might run up to the step limit.
    let first_wrong = AtomicUsize::new(usize::MAX);
    let outcomes: Vec<_> = which
        .par_chunks(chunk)
        .enumerate()
        .map(|(place, blocks)| {
            let mut overlay = Overlay::new(base);
            let mut observer = observe();
            let is_wanted = |_: &&u64| place < first_wrong.load(Ordering::Relaxed);
            let run = |number: &u64| run_block(program, launch, &mut overlay, *number, &mut observer);
            let steps: Result<Vec<u64>, Fault> = blocks.iter().take_while(is_wanted).map(run).collect();
            if steps.is_err() {
                first_wrong.fetch_min(place, Ordering::Relaxed);
            }
            (steps, overlay.finish(), observer)
        })
        .collect();
    let mut apart = Apart { observers: Vec::new(), steps: Vec::with_capacity(which.len()), written: Vec::new() };
    for (steps, written, observer) in outcomes {
        apart.steps.extend(steps?);
        apart.written.push(written);
        apart.observers.push(observer);
    }
    Ok(apart)
}

/// Instructions of one block, whatever else is written.
///
/// # Errors
/// What the block did wrong.
pub(crate) fn steps_of(program: &Program, launch: &Launch, base: &Memory, number: u64) -> Result<u64, Fault> {
    run_block(program, launch, &mut Overlay::new(base), number, &mut Nobody)
}

/// Executes one block, whatever else is written, and writes nothing.
///
/// # Errors
/// What the block did wrong.
pub(crate) fn watch_alone<O: Observer>(
    program: &Program,
    launch: &Launch,
    base: &Memory,
    number: u64,
    observer: &mut O,
) -> Result<(), Fault> {
    run_block(program, launch, &mut Overlay::new(base), number, observer).map(|_| ())
}

struct Nobody;

impl Observer for Nobody {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}
}

fn run_block<O: Observer>(
    program: &Program,
    launch: &Launch,
    memory: &mut impl GlobalMemory,
    number: u64,
    observer: &mut O,
) -> Result<u64, Fault> {
    let mut block = Block::new(program, launch, number, launch.multiprocessor(number));
    observer.block_begins(number);
    let (mut standstill, mut spinning) = (Standstill::default(), Spinning::default());
    loop {
        match block.run(program, launch, memory, observer, TURN)? {
            Progress::Moved if block.steps() > launch.steps_of_all() => {
                return Err(block.endless(program, block.steps()));
            }
            Progress::Moved if standstill.is_reached(program, &block) => return Err(block.at_standstill(program)),
            Progress::Moved => spinning.look(program, launch, std::slice::from_ref(&block), block.steps())?,
            Progress::Stuck => return Err(block.deadlock(program)),
            Progress::Done => {
                observer.block_ends(number);
                return Ok(block.steps());
            }
        }
    }
}

/// Blocks in turns, in the order of the grid: a block that ends makes room for the next.
fn run_in_turns<O: Observer>(
    program: &Program,
    launch: &Launch,
    memory: &mut Memory,
    which: &[u64],
    resident: usize,
    mut observer: O,
) -> Result<O, Fault> {
    let mut next = which.iter();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut ended, mut patience) = (0, Patience::default());
    let (mut waiting, mut spinning) = (Waiting::default(), Spinning::default());
    loop {
        while blocks.len() < resident.max(1) {
            let Some(number) = next.next() else { break };
            blocks.push(Block::new(program, launch, *number, launch.multiprocessor(*number)));
        }
        if blocks.is_empty() {
            return Ok(observer);
        }
        let mut stuck = true;
        for block in &mut blocks {
            stuck &= block.run(program, launch, memory, &mut observer, TURN_AMONG_BLOCKS)? == Progress::Stuck;
        }
        if stuck {
            return Err(blocks[0].deadlock(program));
        }
        ended += blocks.iter().filter(|block| block.is_done()).map(Block::steps).sum::<u64>();
        blocks.iter().filter(|block| block.is_done()).for_each(|block| observer.block_ends(block.number()));
        blocks.retain(|block| !block.is_done());
        let steps = ended + blocks.iter().map(Block::steps).sum::<u64>();
        let began = (which.len() - next.len()) as u64;
        let progress = GotOn { blocks: [began, blocks.len() as u64], changes: memory.changes() };
        if let Some(block) = blocks.first().filter(|_| waiting.is_reached(program, &blocks, steps, progress)) {
            return Err(block.at_standstill(program));
        }
        let is_over = patience.is_over(launch, steps, progress);
        if let Some(block) = blocks.first().filter(|_| is_over) {
            return Err(block.endless(program, steps));
        }
        spinning.look(program, launch, &blocks, steps)?;
    }
}
