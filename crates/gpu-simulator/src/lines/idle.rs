//! Threads of a launch that access no memory: what they do has no effect.

use std::collections::HashMap;

use crate::hardware::lanes::Mask;

/// Threads and blocks of a launch that do nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Idle {
    /// Threads of the launch.
    pub threads: f64,
    /// Those of them that access no memory but the kernel's parameters.
    pub idle_threads: f64,
    /// Blocks none of whose threads accesses any.
    pub idle_blocks: f64,
}

impl Idle {
    /// Adds those of another launch.
    pub fn add(&mut self, other: &Self) {
        self.threads += other.threads;
        self.idle_threads += other.idle_threads;
        self.idle_blocks += other.idle_blocks;
    }
}

/// Watches which threads access memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Accessing {
    /// The block and the warp that runs, and its lanes that have accessed something since.
    running: (u64, u32, Mask),
    /// The lanes of each warp that have, of blocks that have not ended.
    blocks: HashMap<u64, Vec<Mask>>,
    threads: u64,
    busy_blocks: u64,
}

impl Accessing {
    pub(super) fn warp_runs(&mut self, block: u64, warp: u32) {
        self.note();
        self.running = (block, warp, 0);
    }

    pub(super) fn access(&mut self, lanes: Mask) {
        self.running.2 |= lanes;
    }

    pub(super) fn block_ends(&mut self, block: u64) {
        self.note();
        let lanes = self.blocks.remove(&block).unwrap_or_default();
        let threads: u64 = lanes.iter().map(|lanes| u64::from(lanes.count_ones())).sum();
        self.threads += threads;
        self.busy_blocks += u64::from(threads > 0);
    }

    fn note(&mut self) {
        let (block, warp, lanes) = self.running;
        if lanes == 0 {
            return;
        }
        self.running.2 = 0;
        let warps = self.blocks.entry(block).or_default();
        if warps.len() <= warp as usize {
            warps.resize(warp as usize + 1, 0);
        }
        warps[warp as usize] |= lanes;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.threads += other.threads;
        self.busy_blocks += other.busy_blocks;
    }

    /// Of `executed` blocks of so many threads each, which stand for `blocks`.
    pub(super) fn idle(&self, threads_per_block: u32, executed: u64, blocks: u64) -> Idle {
        let scale = blocks as f64 / executed.max(1) as f64;
        let threads = executed as f64 * f64::from(threads_per_block);
        Idle {
            threads: threads * scale,
            idle_threads: (threads - self.threads as f64) * scale,
            idle_blocks: (executed - self.busy_blocks) as f64 * scale,
        }
    }
}
