//! Threads of a block in the order of the ways that they go: the remedy against divergence that a block can apply to itself.
//!
//! Each block is executed twice. The first time tells which way each thread goes at the branches, and what the block accesses outside of
//! what they lead to. The second time, which is the one that is timed, threads that go the same way are neighbours. Between the branches
//! and where their ways meet, lanes access what their threads do: a tile of shared memory in another order, with its bank conflicts.
//! Outside of that every warp accesses what it did in the first order, as a kernel does that only gives out its work in another order.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Alterations, Pattern};
use crate::execute::{AccessKind, Fault, Launch, Memory, Observer, watch_alone};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::program::{Callee, NO_PC, Operation, Program, Special, next_places};

/// Ways of a thread by which it is sorted, the same one several times in turn taken for one: those after them do not count.
const WAYS_MOST: usize = 64;
/// Accesses of each kind that are kept of a block: those of later ones stay with their threads.
const ACCESSES_MOST: usize = 4096;

/// A warp and an instruction.
type Place = (u32, u32);

/// Blocks in the order in which threads that go the same way are neighbours.
#[derive(Debug)]
pub(crate) struct Sorted {
    blocks: HashMap<u64, OfBlock>,
}

/// What is known of a block.
#[derive(Debug, Default)]
struct OfBlock {
    /// For each place of the block, the thread that takes it.
    order: Arc<[u32]>,
    /// What warps access outside of the branches, in their order.
    global: HashMap<Place, Vec<(Longs, Mask)>>,
    shared: HashMap<Place, Vec<(Words, Mask)>>,
}

impl Sorted {
    /// These blocks of a launch, with threads sorted where [`Pattern::DivergenceWithinBlocks`] is taken away. `None` where it is nowhere, and
    /// where threads cannot change places: those of a warp tell each other something, or blocks wait for each other.
    ///
    /// # Errors
    /// What a block did wrong.
    pub(crate) fn of(
        program: &Program,
        launch: &Launch,
        memory: &Memory,
        alterations: &Alterations,
        blocks: &[u64],
    ) -> Result<Option<Self>, Fault> {
        let is_asked = alterations.has_any(Pattern::DivergenceWithinBlocks);
        if !is_asked || launch.conduct.waits() || !threads_are_alike(program) {
            return Ok(None);
        }
        let is_branch = |pc: u32| alterations.has(Pattern::DivergenceWithinBlocks, pc);
        let is_inside = inside(program, is_branch);
        // Branches on the ways count, too: a switch may be a tree of them.
        let counts: Vec<bool> = (0..).zip(&is_inside).map(|(pc, inside)| *inside || is_branch(pc)).collect();
        let turns: Vec<Option<u32>> = (0..).zip(&program.code).map(|(pc, own)| turn_of(pc, &own.operation)).collect();
        let watch = |number: &u64| {
            let mut first = First::new(launch.threads(), &counts, &is_inside, &turns);
            watch_alone(program, launch, memory, *number, &mut first)?;
            Ok((*number, first.into_block()))
        };
        let blocks = blocks.par_iter().map(watch).collect::<Result<HashMap<u64, OfBlock>, Fault>>()?;
        Ok(Some(Self { blocks }))
    }

    /// The thread that takes each place of a block.
    pub(crate) fn order(&self, block: u64) -> Option<Arc<[u32]>> {
        self.blocks.get(&block).map(|own| own.order.clone())
    }
}

/// Where warps of the second order are among the accesses of the first.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    block: u64,
    warp: u32,
    taken: HashMap<(u64, Place, bool), usize>,
}

impl Progress {
    /// What follows is of this warp.
    pub(crate) fn warp_runs(&mut self, block: u64, warp: u32) {
        (self.block, self.warp) = (block, warp);
    }

    /// What the warp accesses in global memory in place of what its threads do.
    pub(crate) fn global<'a>(&mut self, sorted: &'a Sorted, pc: u32) -> Option<&'a (Longs, Mask)> {
        let of_place = sorted.blocks.get(&self.block)?.global.get(&(self.warp, pc))?;
        of_place.get(self.next(pc, false))
    }

    /// The same in shared memory.
    pub(crate) fn shared<'a>(&mut self, sorted: &'a Sorted, pc: u32) -> Option<&'a (Words, Mask)> {
        let of_place = sorted.blocks.get(&self.block)?.shared.get(&(self.warp, pc))?;
        of_place.get(self.next(pc, true))
    }

    fn next(&mut self, pc: u32, shared: bool) -> usize {
        let taken = self.taken.entry((self.block, (self.warp, pc), shared)).or_default();
        *taken += 1;
        *taken - 1
    }
}

/// Whether a thread does the same wherever in its block it is.
pub(crate) fn threads_are_alike(program: &Program) -> bool {
    program.code.iter().all(|instruction| match &instruction.operation {
        Operation::ReadSpecial { special, .. } => {
            !matches!(special, Special::Lane | Special::Warp | Special::Warps | Special::LaneMask(_))
        }
        Operation::WarpBarrier { .. }
        | Operation::Shuffle { .. }
        | Operation::Vote { .. }
        | Operation::ActiveMask { .. }
        | Operation::Match { .. }
        | Operation::Elect { .. }
        | Operation::Reduce { .. }
        | Operation::Product(_)
        | Operation::GroupProduct(_)
        | Operation::Fragment(_)
        | Operation::Rows(_) => false,
        _ => true,
    })
}

/// The instructions between the branches and where lanes that part there meet again, with what they call.
fn inside(program: &Program, is_branch: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut all = vec![false; program.code.len()];
    for branch in (0..program.code.len() as u32).filter(|pc| is_branch(*pc)) {
        let meet = program.code[branch as usize].reconvergence;
        let mut seen = vec![false; program.code.len()];
        let mut left = next_places(&program.code, branch);
        while let Some(pc) = left.pop() {
            let is_new = pc != meet && pc != NO_PC && seen.get(pc as usize).is_some_and(|seen| !seen);
            if !is_new {
                continue;
            }
            seen[pc as usize] = true;
            left.extend(next_places(&program.code, pc));
            if let Operation::Call(call) = &program.code[pc as usize].operation
                && let Callee::Function(function) = call.callee
            {
                left.push(program.functions[function as usize].entry);
            }
        }
        all.iter_mut().zip(seen).for_each(|(all, seen)| *all |= seen);
    }
    all
}

/// Where a branch leads back to.
fn turn_of(pc: u32, operation: &Operation) -> Option<u32> {
    if let Operation::Branch { target } = operation { (*target <= pc).then_some(*target) } else { None }
}

/// A block in its first order.
struct First<'a> {
    counts: &'a [bool],
    is_inside: &'a [bool],
    /// For each branch of a loop, where its next turn begins.
    turns: &'a [Option<u32>],
    /// Where each thread went at the branches, and how often in turn.
    ways: Vec<Vec<(u32, u32)>>,
    block: OfBlock,
    global_count: usize,
    shared_count: usize,
    warp: u32,
    pc: u32,
}

impl<'a> First<'a> {
    fn new(threads: u32, counts: &'a [bool], is_inside: &'a [bool], turns: &'a [Option<u32>]) -> Self {
        Self {
            counts,
            is_inside,
            turns,
            ways: vec![Vec::new(); threads as usize],
            block: OfBlock::default(),
            global_count: 0,
            shared_count: 0,
            warp: 0,
            pc: 0,
        }
    }

    /// Sorts the threads by their ways: by the first branch, where they went the same way there by the next one. So loops of alike length are
    /// together.
    fn into_block(self) -> OfBlock {
        let mut order: Vec<u32> = (0..self.ways.len() as u32).collect();
        order.sort_by_key(|thread| &self.ways[*thread as usize]);
        OfBlock { order: order.into(), ..self.block }
    }
}

impl Observer for First<'_> {
    fn warp_runs(&mut self, _block: u64, warp: u32) {
        self.warp = warp;
    }

    fn instruction(&mut self, pc: u32, _active: Mask, _executed: Mask) {
        self.pc = pc;
    }

    fn way(&mut self, pc: u32, target: u32, lanes: Mask) {
        if !self.counts[pc as usize] {
            return;
        }
        let turn = self.turns[pc as usize].filter(|turn| *turn != target);
        for lane in lanes_of(lanes) {
            let Some(ways) = self.ways.get_mut(self.warp as usize * LANES + lane) else { continue };
            // Who leaves a loop at once has the fewest turns of all.
            if let Some(turn) =
                turn.filter(|turn| ways.len() < WAYS_MOST && ways.last().is_none_or(|own| own.0 != *turn))
            {
                ways.push((turn, 0));
            }
            let is_full = ways.len() == WAYS_MOST;
            match ways.last_mut() {
                Some((last, times)) if *last == target => *times += 1,
                _ if is_full => {}
                _ => ways.push((target, 1)),
            }
        }
    }

    fn global(&mut self, _kind: AccessKind, addresses: &Longs, mask: Mask, _bytes: u32) {
        if !self.is_inside[self.pc as usize] && self.global_count < ACCESSES_MOST {
            self.global_count += 1;
            self.block.global.entry((self.warp, self.pc)).or_default().push((*addresses, mask));
        }
    }

    fn shared(&mut self, _kind: AccessKind, offsets: &Words, mask: Mask, _bytes: u32) {
        if !self.is_inside[self.pc as usize] && self.shared_count < ACCESSES_MOST {
            self.shared_count += 1;
            self.block.shared.entry((self.warp, self.pc)).or_default().push((*offsets, mask));
        }
    }
}
