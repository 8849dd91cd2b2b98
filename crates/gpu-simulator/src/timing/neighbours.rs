//! The blocks of the other multiprocessors, where those of the timed one may wait for them: executed, but not timed.
//!
//! Of a large grid not all blocks of the timed multiprocessor are timed. As a rule nobody misses the others. Where blocks wait for
//! the one before them, as in a scan, everyone comes to wait for a block that is left out: all warps spin, and memory stays as it
//! is. Then the blocks that are timed must be the first ones, and none may be left out.

use crate::execute::{Block, Fault, GotOn, Launch, Memory, Observer, Patience, Progress};
use crate::hardware::lanes::Mask;
use crate::program::Program;

/// Instructions that each of their warps executes in a turn.
const TURN: u64 = 64;
/// Turns in which every warp that is in a loop that waits comes to its backward branch.
const TURNS_OF_A_LOOP: u64 = 16;

/// What became of the others in their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Some got on.
    Moved,
    /// None did.
    Stuck,
    /// All of them, and those that are timed, wait for something that none of them does.
    Missing,
}

pub(super) struct Neighbours {
    blocks: Vec<Block>,
    /// Of so many clusters in a row the timed multiprocessor gets one; of clusters of one block, as many as there are multiprocessors.
    abreast: u64,
    /// Clusters that the timed multiprocessor keeps to itself.
    kept: u64,
    /// Whether it leaves some of those out.
    some_are_left_out: bool,
    next: u64,
    resident: usize,
    /// Instructions of blocks that have ended.
    ended: u64,
    /// Turns since anything happened, and by what that would show: changes of memory, blocks that began, blocks that are there.
    quiet_turns: u64,
    seen: [u64; 3],
    patience: Patience,
}

struct Nobody;

impl Observer for Nobody {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}
}

impl Neighbours {
    /// Those beside a multiprocessor that gets one of so many clusters in a row, whose first `kept` are its own, all timed but for those that are
    /// left out.
    pub(super) fn new(abreast: u64, resident: u64, kept: u64, some_are_left_out: bool) -> Self {
        Self {
            blocks: Vec::new(),
            abreast: abreast.max(1),
            kept,
            some_are_left_out,
            next: 0,
            resident: usize::try_from(resident).unwrap_or(usize::MAX),
            ended: 0,
            quiet_turns: 0,
            seen: [0; 3],
            patience: Patience::default(),
        }
    }

    /// Lets every resident block have a turn beside the `timed` ones.
    pub(super) fn advance(
        &mut self,
        program: &Program,
        launch: &Launch,
        memory: &mut Memory,
        timed: &mut [Option<Block>],
    ) -> Result<Turn, Fault> {
        while self.blocks.len() < self.resident && self.next < launch.clusters() {
            let is_kept = self.next.is_multiple_of(self.abreast) && self.next / self.abreast < self.kept;
            if !is_kept {
                let multiprocessors = u64::from(launch.multiprocessors.max(1));
                let multiprocessor = |number: u64| (number % multiprocessors) as u32;
                self.blocks.extend(Block::of_cluster(program, launch, self.next, multiprocessor));
            }
            self.next += 1;
        }
        let mut moved = false;
        for block in &mut self.blocks {
            moved |= block.run(program, launch, memory, &mut Nobody, TURN)? != Progress::Stuck;
        }
        self.ended += self.blocks.iter().filter(|block| block.is_done()).map(Block::steps).sum::<u64>();
        self.blocks.retain(|block| !block.is_done());
        let steps = self.ended + self.blocks.iter().map(Block::steps).sum::<u64>();
        let progress = GotOn { blocks: [self.next, self.blocks.len() as u64], changes: memory.changes() };
        let is_over = self.patience.is_over(launch, steps, progress);
        if let Some(block) = self.blocks.first().filter(|_| is_over) {
            return Err(block.endless(program, steps));
        }
        if self.some_are_left_out && self.nothing_happens(memory, timed) {
            return Ok(Turn::Missing);
        }
        Ok(if moved { Turn::Moved } else { Turn::Stuck })
    }

    /// Whether memory has stayed as it is for long, while every warp came back to the beginning of its loop.
    fn nothing_happens(&mut self, memory: &Memory, timed: &mut [Option<Block>]) -> bool {
        let seen = [memory.changes(), self.next, self.blocks.len() as u64];
        if seen != self.seen {
            (self.seen, self.quiet_turns) = (seen, 0);
        }
        self.quiet_turns += 1;
        if !self.quiet_turns.is_multiple_of(TURNS_OF_A_LOOP) {
            return false;
        }
        let blocks = self.blocks.iter_mut().chain(timed.iter_mut().flatten());
        let all_spin = blocks.fold(true, |all, block| all & block.only_spins());
        // The first time tells of turns before, too.
        all_spin && self.quiet_turns > TURNS_OF_A_LOOP
    }
}
