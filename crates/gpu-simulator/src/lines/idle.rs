//! Threads of a launch that access no memory: what they do has no effect. Where whole warps do nothing it is told at which instruction
//! they left the others.

use std::collections::HashMap;

use crate::hardware::lanes::Mask;
use crate::program::{Instruction, Operation, Program};

/// Threads and blocks of a launch that do nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Idle {
    /// Threads of the launch.
    pub threads: f64,
    /// Those of them that access no memory but the kernel's parameters.
    pub idle_threads: f64,
    /// Blocks of the launch.
    pub blocks: f64,
    /// Blocks none of whose threads accesses any.
    pub idle_blocks: f64,
}

impl Idle {
    /// Adds those of another launch.
    pub fn add(&mut self, other: &Self) {
        self.threads += other.threads;
        self.idle_threads += other.idle_threads;
        self.blocks += other.blocks;
        self.idle_blocks += other.idle_blocks;
    }
}

/// What an instruction may have to do with threads leaving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    None,
    /// Sets a predicate.
    Compares,
    /// Is for some lanes only.
    Guarded,
    /// Decides where lanes go on, or whether they do.
    Leaves,
}

impl Role {
    fn of(instruction: &Instruction) -> Self {
        match instruction.operation {
            Operation::Branch { .. } | Operation::Exit | Operation::Return if instruction.guard.is_some() => {
                Self::Leaves
            }
            Operation::BranchIndexed { .. } => Self::Leaves,
            _ if instruction.guard.is_some() => Self::Guarded,
            Operation::Compare { .. } => Self::Compares,
            _ => Self::None,
        }
    }
}

/// What is known of a warp.
#[derive(Debug, Clone, Copy, Default)]
struct OfWarp {
    threads: Mask,
    /// Those of them that have accessed something.
    accessing: Mask,
    /// The last branch that it came to; of a warp that came to none, the comparison on which the first instruction for some lanes depends.
    left_at: Option<u32>,
    has_left: bool,
}

/// Threads of whole warps that did nothing, and blocks of such warps, that left at an instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) threads: u64,
    pub(super) blocks: u64,
}

/// Watches which threads access memory, and where warps leave that do not.
#[derive(Debug, Clone)]
pub(crate) struct Accessing {
    roles: Vec<Role>,
    /// The block and the warp that runs, what it has done since, and the comparison that it made last.
    running: (u64, u32, OfWarp),
    compared: Option<u32>,
    /// The warps of blocks that have not ended.
    blocks: HashMap<u64, Vec<OfWarp>>,
    threads: u64,
    busy_blocks: u64,
    left: HashMap<u32, Left>,
}

impl Accessing {
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            roles: program.code.iter().map(Role::of).collect(),
            running: (0, 0, OfWarp::default()),
            compared: None,
            blocks: HashMap::new(),
            threads: 0,
            busy_blocks: 0,
            left: HashMap::new(),
        }
    }

    pub(crate) fn warp_runs(&mut self, block: u64, warp: u32) {
        self.note();
        self.running = (block, warp, OfWarp::default());
        self.compared = None;
    }

    pub(crate) fn instruction(&mut self, pc: u32, active: Mask) {
        let own = &mut self.running.2;
        own.threads |= active;
        match self.roles[pc as usize] {
            Role::None => {}
            Role::Compares => self.compared = Some(pc),
            Role::Guarded => own.left_at = own.left_at.or(self.compared),
            Role::Leaves => (own.left_at, own.has_left) = (Some(pc), true),
        }
    }

    pub(crate) fn access(&mut self, lanes: Mask) {
        self.running.2.accessing |= lanes;
    }

    pub(crate) fn block_ends(&mut self, block: u64) {
        self.note();
        let warps = self.blocks.remove(&block).unwrap_or_default();
        let threads: u64 = warps.iter().map(|own| u64::from(own.accessing.count_ones())).sum();
        self.threads += threads;
        self.busy_blocks += u64::from(threads > 0);
        let idle = warps.iter().enumerate().filter(|(_, own)| own.accessing == 0);
        for (warp, own) in idle {
            let Some(pc) = own.left_at else { continue };
            let left = self.left.entry(pc).or_default();
            left.threads += u64::from(own.threads.count_ones());
            left.blocks += u64::from(threads == 0 && warp == 0);
        }
    }

    /// Ends a block that was watched alone: for each of its warps where it left, of those that did nothing.
    pub(crate) fn left_at(&mut self, block: u64) -> Vec<Option<u32>> {
        self.note();
        let warps = self.blocks.remove(&block).unwrap_or_default();
        warps.iter().map(|own| own.left_at.filter(|_| own.accessing == 0)).collect()
    }

    fn note(&mut self) {
        let (block, warp, since) = self.running;
        if since.threads == 0 && since.accessing == 0 {
            return;
        }
        self.running.2 = OfWarp::default();
        let warps = self.blocks.entry(block).or_default();
        if warps.len() <= warp as usize {
            warps.resize(warp as usize + 1, OfWarp::default());
        }
        let own = &mut warps[warp as usize];
        own.threads |= since.threads;
        own.accessing |= since.accessing;
        if since.has_left || own.left_at.is_none() {
            (own.left_at, own.has_left) = (since.left_at, since.has_left);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.threads += other.threads;
        self.busy_blocks += other.busy_blocks;
        for (pc, own) in &other.left {
            let left = self.left.entry(*pc).or_default();
            left.threads += own.threads;
            left.blocks += own.blocks;
        }
    }

    /// Where whole warps left that did nothing, by instruction.
    pub(super) fn left(&self) -> &HashMap<u32, Left> {
        &self.left
    }

    /// Of `executed` blocks of so many threads each, which stand for `blocks`.
    pub(super) fn idle(&self, threads_per_block: u32, executed: u64, blocks: u64) -> Idle {
        let scale = blocks as f64 / executed.max(1) as f64;
        let threads = executed as f64 * f64::from(threads_per_block);
        Idle {
            threads: threads * scale,
            idle_threads: (threads - self.threads as f64) * scale,
            blocks: blocks as f64,
            idle_blocks: (executed - self.busy_blocks) as f64 * scale,
        }
    }
}
