//! Loops without an end, told long before the step limit: a block comes back to where it was, with the same in all registers that decide where
//! it goes on. What it does next is what it did then, again and again.

use super::block::Block;
use super::patience::GotOn;
use super::turns::spins_that_count;
use super::warp::Warp;
use crate::hardware::lanes::lanes_of;
use crate::program::{Deciding, Kind, Program};

/// Instructions of a block after which it is looked at: most have ended by then.
pub(super) const FIRST_LOOK: u64 = 1 << 20;
/// Instructions until it is looked at again.
pub(super) const BETWEEN_LOOKS: u64 = 1 << 16;

/// What a block, which nobody else has any influence on, was like some time ago: after 1, 2, 4, 8 looks and so on, as Brent's algorithm
/// finds cycles.
#[derive(Debug, Default)]
pub(super) struct Standstill {
    deciding: Option<Deciding>,
    looks: u64,
    /// The block's instructions at the last look.
    steps: u64,
    kept: Vec<u64>,
    now: Vec<u64>,
}

impl Standstill {
    /// Looks at the block between two turns, if it is time to. Tells whether it will have no end.
    pub(super) fn is_reached(&mut self, program: &Program, block: &Block) -> bool {
        let steps = block.steps();
        if steps < FIRST_LOOK || steps - self.steps < BETWEEN_LOOKS {
            return false;
        }
        self.steps = steps;
        if self.looks == 0 {
            self.deciding = Deciding::of(program);
        }
        self.looks += 1;
        let Some(deciding) = &self.deciding else { return false };
        self.now.clear();
        let is_known = block.tell_state(deciding, &mut self.now);
        if is_known && self.now == self.kept {
            return true;
        }
        if is_known && self.looks.is_power_of_two() {
            std::mem::swap(&mut self.kept, &mut self.now);
        }
        false
    }
}

/// The same of blocks that see what each other writes, while nobody changes memory: those that wait for what never comes.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// None before the first look, where something else decides, and where it is too much to keep.
    deciding: Option<Deciding>,
    has_looked: bool,
    seen: GotOn,
    /// Instructions when the launch got on last, and at the last look.
    since: u64,
    steps: u64,
    looks: u64,
    kept: Vec<u64>,
    now: Vec<u64>,
}

/// Numbers of all blocks that are kept at most.
const STATE_MOST: usize = 1 << 22;

impl Waiting {
    /// Looks at the blocks between two rounds of turns, if it is time to. `steps` are instructions of all. Tells whether they will have no end.
    pub(super) fn is_reached(&mut self, program: &Program, blocks: &[Block], steps: u64, progress: GotOn) -> bool {
        if progress != self.seen {
            (self.seen, self.since, self.looks) = (progress, steps, 0);
            self.kept.clear();
            return false;
        }
        // Looking takes less than what is executed in between.
        let between = BETWEEN_LOOKS.max(self.now.len() as u64);
        if steps - self.since < FIRST_LOOK || steps - self.steps < between {
            return false;
        }
        self.steps = steps;
        if !std::mem::replace(&mut self.has_looked, true) {
            self.deciding = Deciding::beside_memory(program);
        }
        let Some(deciding) = &self.deciding else { return false };
        self.looks += 1;
        self.now.clear();
        for block in blocks {
            if !block.tell_state(deciding, &mut self.now) {
                return false;
            }
            block.tell_shared(&mut self.now);
            if self.now.len() > STATE_MOST {
                self.deciding = None;
                return false;
            }
        }
        if self.now == self.kept {
            return true;
        }
        if self.looks.is_power_of_two() {
            std::mem::swap(&mut self.kept, &mut self.now);
        }
        false
    }
}

impl Block {
    /// What its shared memory holds.
    fn tell_shared(&self, state: &mut Vec<u64>) {
        let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        state.extend(self.state.shared.chunks(8).map(word));
    }

    /// All that decides what it does next. Tells whether that is known.
    fn tell_state(&self, deciding: &Deciding, state: &mut Vec<u64>) -> bool {
        self.state.barriers.iter().for_each(|own| own.tell_state(state));
        let rounds = |number: u32| self.state.barriers.get(number as usize).map_or(0, |own| own.generation);
        self.warps.iter().all(|warp| warp.tell_state(deciding, &rounds, state).is_some())
    }
}

impl Warp {
    fn tell_state(&self, deciding: &Deciding, rounds: &dyn Fn(u32) -> u64, state: &mut Vec<u64>) -> Option<()> {
        state.extend([
            u64::from(self.live),
            self.current as u64,
            u64::from(spins_that_count(self.spins)),
            u64::from(self.spun),
        ]);
        self.paths.tell_state(rounds, state);
        for (pc, lanes) in self.paths.places() {
            for (kind, slot) in deciding.at(pc)? {
                // The program has one function, and a warp one frame.
                match kind {
                    Kind::Word => state.extend(lanes_of(lanes).map(|lane| u64::from(self.words[slot][lane]))),
                    Kind::Long => state.extend(lanes_of(lanes).map(|lane| self.longs[slot][lane])),
                    Kind::Predicate => state.push(u64::from(self.predicates[slot] & lanes)),
                }
            }
        }
        Some(())
    }
}
