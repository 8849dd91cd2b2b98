//! The blocks of the other multiprocessors, where those of the timed one may wait for them: executed, but not timed.

use crate::execute::{Block, Fault, Launch, Memory, Observer, Progress};
use crate::hardware::lanes::Mask;
use crate::program::Program;

/// Instructions that each of their warps executes in a turn.
const TURN: u64 = 64;

pub(super) struct Neighbours {
    blocks: Vec<Block>,
    multiprocessors: u64,
    next: u64,
    resident: usize,
    /// Instructions of blocks that have ended.
    ended: u64,
}

struct Nobody;

impl Observer for Nobody {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}
}

impl Neighbours {
    pub(super) fn new(multiprocessors: u64, resident: u64) -> Self {
        Self {
            blocks: Vec::new(),
            multiprocessors,
            next: 0,
            resident: usize::try_from(resident).unwrap_or(usize::MAX),
            ended: 0,
        }
    }

    /// Lets every resident block have a turn. Tells whether any of them got on.
    pub(super) fn advance(&mut self, program: &Program, launch: &Launch, memory: &mut Memory) -> Result<bool, Fault> {
        while self.blocks.len() < self.resident && self.next < launch.blocks() {
            if !self.next.is_multiple_of(self.multiprocessors) {
                let multiprocessor = (self.next % self.multiprocessors) as u32;
                self.blocks.push(Block::new(program, launch, self.next, multiprocessor));
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
        if let Some(block) = self.blocks.first().filter(|_| steps > launch.steps_of_all()) {
            return Err(block.endless(program, steps));
        }
        Ok(moved)
    }
}
