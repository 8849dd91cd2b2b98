//! The tree of a block: which warps take part in which step, and which places they touch.

use super::rung::{Method, Rung};
use gpu_simulator::hardware::Banks;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::lanes::{LANES, Mask};

/// What the up-sweep and the down-sweep of a tile come to, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tree {
    /// Warps that take part, summed over the steps.
    pub(super) warp_steps: u64,
    /// Those of them some of whose threads do not.
    pub(super) divergent_warp_steps: u64,
    /// Passes over the banks that their loads take; 0 where the tree is in global memory.
    pub(super) load_passes: u64,
}

impl Tree {
    /// Counts them; nothing where there is no tree.
    pub(super) fn of(rung: &Rung, banks: Banks) -> Self {
        let mut tree = Self::default();
        if matches!(rung.method, Method::Shuffles | Method::LookBack | Method::InTurn { .. }) {
            return tree;
        }
        let tile = rung.tile() as u32;
        for distance in (0..tile.ilog2()).map(|step| 1 << step) {
            for warp in 0..rung.threads / LANES as u32 {
                tree.add_warp(rung, banks, distance, warp);
            }
        }
        tree
    }

    /// The step of both sweeps at which pairs are so far apart.
    fn add_warp(&mut self, rung: &Rung, banks: Banks, distance: u32, warp: u32) {
        let mut mask: Mask = 0;
        let (mut lefts, mut rights) = ([0_u32; LANES], [0_u32; LANES]);
        for lane in 0..LANES {
            let thread = warp * LANES as u32 + lane as u32;
            let Some(right) = right_of(rung, distance, thread) else { continue };
            mask |= 1 << lane;
            lefts[lane] = 4 * place(rung, right - distance);
            rights[lane] = 4 * place(rung, right);
        }
        if mask == 0 {
            return;
        }
        self.warp_steps += 2;
        self.divergent_warp_steps += if mask == Mask::MAX { 0 } else { 2 };
        if !rung.is_in_global_memory {
            // Going up, both are loaded once; going down, the right one is loaded again after the left one was stored.
            let of = |places| u64::from(passes(banks, places, mask, 4, false).passes);
            self.load_passes += 2 * of(&lefts) + 3 * of(&rights);
        }
    }
}

/// The place that a thread adds to, if it takes part.
fn right_of(rung: &Rung, distance: u32, thread: u32) -> Option<u32> {
    match rung.method {
        Method::ScatteredTree => (thread % (2 * distance) == 2 * distance - 1).then_some(thread),
        _ => Some((thread + 1) * 2 * distance - 1).filter(|&right| u64::from(right) < rung.tile()),
    }
}

fn place(rung: &Rung, index: u32) -> u32 {
    match rung.method {
        Method::LeadingTree { padding: Some(padding) } => index + index / padding,
        _ => index,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::super::{Parameters, Variant};
    use super::*;

    fn tree(variant: Variant, block: u32, banks: Banks) -> Tree {
        Tree::of(&Rung::of(variant, &Parameters { block, ..small() }, banks).unwrap(), banks)
    }

    /// By hand, for 64 threads (two warps). By remainder, steps 1 to 5 concern both warps and step 6 one, 11 in each sweep.
    /// The first threads: one warp in each of six steps, full in the first; with two elements each, two in the first step of
    /// seven, full in the first two.
    #[test]
    fn steps_are_those_counted_by_hand() {
        let steps = |variant| {
            let tree = tree(variant, 64, Banks::Phases32);
            (tree.warp_steps, tree.divergent_warp_steps)
        };
        assert_eq!(steps(Variant::Naive), (22, 22));
        assert_eq!(steps(Variant::SharedMemory), (22, 22));
        assert_eq!(steps(Variant::StaticThreadReordering), (12, 10));
        assert_eq!(steps(Variant::TwoElementsPerThread), (16, 10));
        assert_eq!(steps(Variant::Shifts), steps(Variant::TwoElementsPerThread));
        assert_eq!(steps(Variant::NoBankConflicts), steps(Variant::TwoElementsPerThread));
        assert_eq!(tree(Variant::WarpShuffle, 64, Banks::Phases32), Tree::default());
    }

    /// By hand, for 64 threads of one element: of distance 1 the right places are 1, 3, ..., 63, two rows of banks; then 16
    /// places in two rows, 8 in two, 4 in two, 2 in two, and 1: 11 passes, the left ones as many. Five loads make 55.
    #[test]
    fn passes_are_those_counted_by_hand() {
        assert_eq!(tree(Variant::StaticThreadReordering, 64, Banks::Phases32).load_passes, 55);
        assert_eq!(tree(Variant::Naive, 64, Banks::Phases32).load_passes, 0);
    }

    #[test]
    fn padding_takes_conflicts_away() {
        for (banks, requests_per_step) in [(Banks::Phases32, 1), (Banks::HalfWarp16, 2)] {
            let (shifts, padded) = (tree(Variant::Shifts, 256, banks), tree(Variant::NoBankConflicts, 256, banks));
            // Five loads in two sweeps, so 5 / 2 of the warps' steps, or by half-warps at most twice as many.
            let fewest = 5 * padded.warp_steps / 2;
            assert!(padded.load_passes <= requests_per_step * fewest + 10, "{padded:?}");
            assert!(shifts.load_passes > 2 * padded.load_passes, "{shifts:?} {padded:?}");
        }
    }
}
