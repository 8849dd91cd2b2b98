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
    /// Blocks of a cluster along each axis.
    pub cluster: [u32; 3],
    /// Whether the launch or the kernel says how large clusters are.
    pub has_cluster: bool,
    /// Clusters that begin together, of each of which a multiprocessor has one block at most: where clusters have several blocks.
    pub clusters_abreast: u64,
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
    for cluster in launch.clusters_of(which) {
        run_cluster(program, launch, &mut overlay, cluster, &mut observer)?;
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
    let clusters = launch.clusters_of(which);
    let chunk = (clusters.len() as u64).div_ceil(CHUNKS).max(1) as usize;
    // The first chunk that went wrong: what those behind it do is not asked for any more, and each might run up to the step limit.
    let first_wrong = AtomicUsize::new(usize::MAX);
    let outcomes: Vec<_> = clusters
        .par_chunks(chunk)
        .enumerate()
        .map(|(place, blocks)| {
            let mut overlay = Overlay::new(base);
            let mut observer = observe();
            let is_wanted = |_: &&u64| place < first_wrong.load(Ordering::Relaxed);
            let run = |cluster: &u64| run_cluster(program, launch, &mut overlay, *cluster, &mut observer);
            let steps: Result<Vec<Vec<(u64, u64)>>, Fault> = blocks.iter().take_while(is_wanted).map(run).collect();
            if steps.is_err() {
                first_wrong.fetch_min(place, Ordering::Relaxed);
            }
            (steps, overlay.finish(), observer)
        })
        .collect();
    let mut apart = Apart { observers: Vec::new(), steps: Vec::with_capacity(which.len()), written: Vec::new() };
    let mut steps_of_blocks: Vec<(u64, u64)> = Vec::with_capacity(which.len());
    for (steps, written, observer) in outcomes {
        steps_of_blocks.extend(steps?.into_iter().flatten());
        apart.written.push(written);
        apart.observers.push(observer);
    }
    if launch.cluster_blocks() > 1 {
        steps_of_blocks.sort_unstable();
    }
    apart.steps.extend(steps_of_blocks.into_iter().map(|(_, steps)| steps));
    Ok(apart)
}

/// Instructions of one block, whatever else is written.
///
/// # Errors
/// What the block did wrong.
pub(crate) fn steps_of(program: &Program, launch: &Launch, base: &Memory, number: u64) -> Result<u64, Fault> {
    watch_alone(program, launch, base, number, &mut Nobody)
}

/// Executes one block, with the others of its cluster and whatever else is written, and writes nothing. Gives the block's instructions.
///
/// # Errors
/// What the block did wrong.
pub(crate) fn watch_alone<O: Observer>(
    program: &Program,
    launch: &Launch,
    base: &Memory,
    number: u64,
    observer: &mut O,
) -> Result<u64, Fault> {
    let memory = &mut Overlay::new(base);
    if launch.cluster_blocks() == 1 {
        return run_block(program, launch, memory, number, observer);
    }
    let steps = run_blocks(program, launch, memory, launch.cluster_of(number), (observer, Some(number)))?;
    Ok(steps.into_iter().find_map(|(own, steps)| (own == number).then_some(steps)).unwrap_or(0))
}

struct Nobody;

impl Observer for Nobody {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}
}

/// Executes the blocks of a cluster, and gives the instructions of each behind its number.
fn run_cluster<O: Observer>(
    program: &Program,
    launch: &Launch,
    memory: &mut impl GlobalMemory,
    cluster: u64,
    observer: &mut O,
) -> Result<Vec<(u64, u64)>, Fault> {
    if launch.cluster_blocks() == 1 {
        return Ok(vec![(cluster, run_block(program, launch, memory, cluster, observer)?)]);
    }
    run_blocks(program, launch, memory, cluster, (observer, None))
}

/// The blocks of a cluster in turns: all of them watched, or the one that is asked for.
fn run_blocks<O: Observer>(
    program: &Program,
    launch: &Launch,
    memory: &mut impl GlobalMemory,
    cluster: u64,
    (observer, watched): (&mut O, Option<u64>),
) -> Result<Vec<(u64, u64)>, Fault> {
    let mut blocks = Block::of_cluster(program, launch, cluster, |number| launch.multiprocessor(number));
    let is_watched = |number: u64| watched.is_none_or(|asked| asked == number);
    blocks.iter().map(Block::number).filter(|own| is_watched(*own)).for_each(|own| observer.block_begins(own));
    let mut spinning = Spinning::default();
    loop {
        let (mut is_stuck, mut is_done) = (true, true);
        for block in blocks.iter_mut().filter(|block| !block.is_done()) {
            let number = block.number();
            let progress = if is_watched(number) {
                block.run(program, launch, memory, observer, TURN_AMONG_BLOCKS)?
            } else {
                block.run(program, launch, memory, &mut Nobody, TURN_AMONG_BLOCKS)?
            };
            is_stuck &= progress == Progress::Stuck;
            is_done &= progress == Progress::Done;
            if progress == Progress::Done && is_watched(number) {
                observer.block_ends(number);
            }
        }
        let steps: u64 = blocks.iter().map(Block::steps).sum();
        let Some(first) = blocks.iter().find(|block| !block.is_done()).filter(|_| !is_done) else {
            return Ok(blocks.iter().map(|block| (block.number(), block.steps())).collect());
        };
        if is_stuck {
            return Err(first.deadlock(program));
        }
        if steps > launch.steps_of_all().saturating_mul(u64::from(launch.cluster_blocks())) {
            return Err(first.endless(program, steps));
        }
        spinning.look(program, launch, &blocks, steps)?;
    }
}

fn run_block<O: Observer>(
    program: &Program,
    launch: &Launch,
    memory: &mut impl GlobalMemory,
    number: u64,
    observer: &mut O,
) -> Result<u64, Fault> {
    let mut blocks = Block::of_cluster(program, launch, number, |number| launch.multiprocessor(number));
    let Some(mut block) = blocks.pop() else { return Ok(0) };
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
    let clusters = launch.clusters_of(which);
    let size = launch.cluster_blocks() as usize;
    let mut next = clusters.iter();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut ended, mut patience) = (0, Patience::default());
    let (mut waiting, mut spinning) = (Waiting::default(), Spinning::default());
    loop {
        while blocks.len() + size <= resident.max(size) {
            let Some(cluster) = next.next() else { break };
            blocks.extend(Block::of_cluster(program, launch, *cluster, |number| launch.multiprocessor(number)));
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
        let began = (clusters.len() - next.len()) as u64;
        let progress = GotOn { blocks: [began, blocks.len() as u64], changes: memory.changes() };
        if let Some(block) =
            blocks.first().filter(|_| size == 1 && waiting.is_reached(program, &blocks, steps, progress))
        {
            return Err(block.at_standstill(program));
        }
        let is_over = patience.is_over(launch, steps, progress);
        if let Some(block) = blocks.first().filter(|_| is_over) {
            return Err(block.endless(program, steps));
        }
        spinning.look(program, launch, &blocks, steps)?;
    }
}
