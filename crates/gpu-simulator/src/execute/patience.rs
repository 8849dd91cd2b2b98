//! When a launch whose blocks may wait for each other is taken to have no end.

use super::launch::Launch;

/// What shows that a launch gets on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct GotOn {
    /// Blocks that began, and those of them that have not ended.
    pub blocks: [u64; 2],
    /// How often kernels have changed what others may wait for.
    pub changes: u64,
}

/// Counts the instructions of all warps since the launch got on.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    seen: GotOn,
    /// Instructions when a block began or ended last, and when memory changed last.
    steps: [u64; 2],
}

/// So many times more instructions may pass until a block ends than until memory changes: blocks that wait for each other at many
/// barriers go on for long, and write while they do.
const UNTIL_A_BLOCK_ENDS: u64 = 8;

impl Patience {
    /// Whether too many instructions have passed without a sign that there will be an end.
    pub(crate) fn is_over(&mut self, launch: &Launch, steps: u64, progress: GotOn) -> bool {
        if progress.blocks != self.seen.blocks {
            self.steps = [steps; 2];
        } else if progress.changes != self.seen.changes {
            self.steps[1] = steps;
        }
        self.seen = progress;
        let [since_block, since_change] = self.steps.map(|before| steps.saturating_sub(before));
        let most = launch.steps_of_all();
        since_change > most || since_block > most.saturating_mul(UNTIL_A_BLOCK_ENDS)
    }
}
