//! The launches of a rung, and in what order they add.

use super::rung::{Rung, VECTOR};
use super::tree::Tree;
use super::{Finish, Parameters, Predictors};
use crate::properties::Properties;

/// One launch of a rung's kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pass {
    /// What it sums: the elements, or the sums of the blocks before.
    pub(super) elements: u64,
    /// Its blocks.
    pub(super) blocks: u64,
}

/// What a rung launches at a point.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) rung: Rung,
    pub(super) threads: u64,
    /// Whether blocks add their sums to one word, which is zeroed before.
    pub(super) is_added: bool,
    /// The first sums the elements, each other one what the one before has left; the last leaves the result.
    pub(super) passes: Vec<Pass>,
    tile: u64,
}

impl Plan {
    pub(super) fn new(rung: Rung, parameters: &Parameters, device: &Properties) -> Self {
        let tile = rung.tile(parameters);
        let threads = rung.threads(parameters);
        let most = match parameters.staying_blocks {
            _ if !rung.stays() => u64::MAX,
            0 => u64::from(device.sm_count) * (u64::from(device.threads_per_sm) / threads).max(1),
            blocks => blocks,
        };
        let pass = |elements: u64| Pass { elements, blocks: elements.div_ceil(tile).clamp(1, most) };
        let by_device = parameters.finish == Finish::ByDevice && device.capability() >= (2, 0);
        let is_added = rung != Rung::OneLaunch && (by_device || !rung.can_store());

        let mut passes = vec![pass(parameters.elements)];
        while let Some(last) = passes.last()
            && last.blocks > 1
            && !is_added
            && rung != Rung::OneLaunch
        {
            passes.push(pass(last.blocks));
        }
        Self { rung, threads, is_added, passes, tile }
    }

    /// Blocks of all passes.
    fn blocks(&self) -> u64 {
        self.passes.iter().map(|pass| pass.blocks).sum()
    }

    /// The longest chain of additions, one after the other.
    pub(super) fn longest_chain(&self) -> u64 {
        let of_passes = self.passes.iter().map(|pass| self.chain_of_block(*pass)).sum::<u64>();
        let first = self.passes[0];
        match self.rung {
            Rung::AtomicGlobal => first.elements,
            Rung::OneLaunch if !self.meets_in_one_launch() => of_passes,
            Rung::OneLaunch => of_passes + first.blocks.div_ceil(self.threads) + self.tree().additions(),
            _ if self.is_added => of_passes + first.blocks,
            _ => of_passes,
        }
    }

    /// The longest chain within a block: a thread's, then the tree's.
    fn chain_of_block(&self, pass: Pass) -> u64 {
        let rounds = pass.elements.div_ceil(self.tile * pass.blocks);
        let of_thread = match self.rung {
            // In one of four sums, which are then added, and an element that no vector has.
            Rung::Vectorised | Rung::OneLaunch => rounds * (self.tile / (VECTOR * self.threads)) + 3,
            _ => rounds * (self.tile / self.threads),
        };
        of_thread + self.tree().additions()
    }

    fn tree(&self) -> Tree {
        Tree { rung: self.rung, threads: self.threads }
    }

    /// Whether the last block of the launch adds what several have left.
    fn meets_in_one_launch(&self) -> bool {
        self.rung == Rung::OneLaunch && self.passes[0].blocks > 1
    }

    /// What the family's predictors are on a device with these rules.
    pub(super) fn predictors(&self, device: &Properties) -> Predictors {
        let (tree, blocks) = (self.tree(), self.blocks());
        // One launch: of several blocks the last has a second tree, and its threads wait for what it is told.
        let (trees, more_barriers) = if self.meets_in_one_launch() { (blocks + 1, blocks) } else { (blocks, 0) };
        let warps = self.threads.div_ceil(32);
        let global_atomics = match self.rung {
            Rung::AtomicGlobal => self.passes[0].elements.div_ceil(32),
            Rung::OneLaunch if !self.meets_in_one_launch() => 0,
            Rung::OneLaunch => blocks,
            _ if self.is_added => blocks,
            _ => 0,
        };
        let shared_atomics = if self.rung == Rung::AtomicShared { blocks * warps } else { 0 };
        let steps = tree.steps(device.rules.banks);
        Predictors {
            global_atomics: global_atomics as f64,
            shared_atomics: shared_atomics as f64,
            barriers: (trees * tree.barriers() + more_barriers) as f64,
            warp_steps: (trees * steps.warps) as f64,
            divergent_warp_steps: (trees * steps.divergent) as f64,
            tree_load_passes: (trees * steps.load_passes) as f64,
        }
    }
}
