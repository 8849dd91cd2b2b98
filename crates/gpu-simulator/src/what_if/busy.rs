//! A launch with only as many warps as do something: blocks of which no warp does are left out, and what idle warps of others execute costs
//! nothing.
//!
//! Blocks of the timed multiprocessor are executed before, each alone, to know which of them that are.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Alterations, Pattern};
use crate::execute::{AccessKind, Fault, Launch, Memory, Observer, watch_alone};
use crate::hardware::lanes::{Longs, Mask, Words};
use crate::lines::Accessing;
use crate::program::Program;

/// Blocks of a multiprocessor that are executed at first.
const WATCHED_AT_FIRST: u64 = 512;
/// Busy ones that are needed: more than are ever timed.
const NEEDED: usize = 448;

/// Which blocks of a multiprocessor do something.
#[derive(Debug)]
pub(crate) struct Busy {
    /// Numbers of blocks that do, in ascending order: all of the multiprocessor, or some of them, evenly spread.
    blocks: Vec<u64>,
    /// The part of the multiprocessor's blocks that do.
    part: f64,
    /// For each of `blocks` with warps that do nothing, which warps these are.
    idle_warps: HashMap<u64, Vec<bool>>,
    /// The most warp instructions that a block which does nothing executed.
    idle_steps_most: u64,
}

/// What is known of a block.
struct OfBlock {
    number: u64,
    idle: Vec<bool>,
    steps: u64,
}

impl Busy {
    /// Those of a launch without what idle warps do that leave where [`Pattern::IdleThreads`] is taken away. `own` is how many blocks the
    /// multiprocessor gets, and `number` gives the number of each. `None` where it is nowhere, where blocks wait for each other, or where
    /// no block does anything.
    ///
    /// # Errors
    /// What a block did wrong.
    pub(crate) fn of(
        program: &Program,
        launch: &Launch,
        memory: &Memory,
        alterations: &Alterations,
        (own, number): (u64, impl Fn(u64) -> u64),
    ) -> Result<Option<Self>, Fault> {
        if !alterations.has_any(Pattern::IdleThreads) || launch.conduct.waits() {
            return Ok(None);
        }
        let watch = |number: &u64| {
            let mut watching = Watching { accessing: Accessing::new(program), steps: 0 };
            watch_alone(program, launch, memory, *number, &mut watching)?;
            let is_taken_away = |pc: Option<u32>| pc.is_some_and(|pc| alterations.has(Pattern::IdleThreads, pc));
            let idle = watching.accessing.left_at(*number).into_iter().map(is_taken_away).collect();
            Ok(OfBlock { number: *number, idle, steps: watching.steps })
        };
        let mut count = own.min(WATCHED_AT_FIRST);
        loop {
            let numbers: Vec<u64> = (0..count).map(|index| number(index * own / count)).collect();
            let watched = numbers.par_iter().map(watch).collect::<Result<Vec<OfBlock>, Fault>>()?;
            let busy = Self::among(watched);
            if count == own || busy.blocks.len() >= NEEDED {
                return Ok(Some(busy).filter(|busy| !busy.blocks.is_empty()));
            }
            count = own.min(4 * count);
        }
    }

    fn among(watched: Vec<OfBlock>) -> Self {
        let count = watched.len() as f64;
        let is_idle = |own: &OfBlock| own.idle.iter().all(|idle| *idle);
        let (idle, busy): (Vec<OfBlock>, Vec<OfBlock>) = watched.into_iter().partition(is_idle);
        Self {
            part: busy.len() as f64 / count.max(1.0),
            blocks: busy.iter().map(|own| own.number).collect(),
            idle_warps: busy
                .into_iter()
                .filter(|own| own.idle.contains(&true))
                .map(|own| (own.number, own.idle))
                .collect(),
            idle_steps_most: idle.iter().map(|own| own.steps).max().unwrap_or(0),
        }
    }

    /// How many of so many blocks do something; at least one.
    pub(crate) fn of_blocks(&self, blocks: u64) -> u64 {
        ((blocks as f64 * self.part).round() as u64).clamp(1, blocks.max(1))
    }

    /// The number of the block at a place among the `own` busy ones of the multiprocessor.
    pub(crate) fn number(&self, place: u64, own: u64) -> u64 {
        let known = self.blocks.len() as u64;
        self.blocks[(place * known / own.max(1)).min(known - 1) as usize]
    }

    /// Whether a warp of one of these blocks does nothing.
    pub(crate) fn is_idle(&self, block: u64, warp: usize) -> bool {
        self.idle_warps.get(&block).is_some_and(|idle| idle.get(warp) == Some(&true))
    }

    /// Of the steps of all blocks those of blocks that do something.
    pub(crate) fn steps(&self, all: &[u64]) -> Vec<u64> {
        all.iter().copied().filter(|steps| *steps > self.idle_steps_most).collect()
    }
}

/// Watches a block.
struct Watching {
    accessing: Accessing,
    steps: u64,
}

impl Observer for Watching {
    fn warp_runs(&mut self, block: u64, warp: u32) {
        self.accessing.warp_runs(block, warp);
    }

    fn instruction(&mut self, pc: u32, active: Mask, _executed: Mask) {
        self.steps += 1;
        self.accessing.instruction(pc, active);
    }

    fn global(&mut self, _kind: AccessKind, _addresses: &Longs, mask: Mask, _bytes: u32) {
        self.accessing.access(mask);
    }

    fn shared(&mut self, _kind: AccessKind, _offsets: &Words, mask: Mask, _bytes: u32) {
        self.accessing.access(mask);
    }

    fn local(&mut self, _kind: AccessKind, _offsets: &Words, mask: Mask, _bytes: u32) {
        self.accessing.access(mask);
    }
}
