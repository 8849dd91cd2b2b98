//! Work before a barrier shared out evenly among the warps of a block: what all execute together stays the same.
//!
//! Blocks that are timed are executed before, each alone, to know what each of their warps executes up to each barrier.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Alterations, Pattern};
use crate::execute::{Fault, Launch, Memory, Observer, watch_alone};
use crate::hardware::lanes::Mask;
use crate::lines::Sections;
use crate::program::Program;

/// Of each block that is timed, for each of its warps, the part of its work up to each barrier that is its own.
#[derive(Debug)]
pub(crate) struct SharedOut {
    blocks: HashMap<u64, Vec<Vec<f64>>>,
}

impl SharedOut {
    /// These blocks of a launch where [`Pattern::UnevenWork`] is taken away. `None` where it is nowhere, and where blocks wait for each other.
    ///
    /// # Errors
    /// What a block did wrong.
    pub(crate) fn of(
        (program, capability): (&Program, (u32, u32)),
        launch: &Launch,
        memory: &Memory,
        alterations: &Alterations,
        blocks: &[u64],
    ) -> Result<Option<Self>, Fault> {
        if !alterations.has_any(Pattern::UnevenWork) || launch.conduct.waits() {
            return Ok(None);
        }
        let watch = |number: &u64| {
            let mut watching = Watching(Sections::new(program, capability));
            watch_alone(program, launch, memory, *number, &mut watching)?;
            Ok((*number, watching.0.shares(*number, |pc| alterations.has(Pattern::UnevenWork, pc))))
        };
        let blocks = blocks.par_iter().map(watch).collect::<Result<HashMap<_, _>, Fault>>()?;
        Ok(Some(Self { blocks }))
    }

    /// The part of its work that is a warp's own if all have the same, on the way to its next barrier, of which it has passed so many; 1 of a warp that
    /// gets more to do.
    pub(crate) fn share(&self, block: u64, warp: usize, passed: usize) -> f64 {
        let of_warp = self.blocks.get(&block).and_then(|warps| warps.get(warp)?.get(passed));
        of_warp.copied().unwrap_or(1.0)
    }
}

/// Watches a block, whose sections are asked for after its end.
struct Watching(Sections);

impl Observer for Watching {
    fn warp_runs(&mut self, block: u64, warp: u32) {
        self.0.warp_runs(block, warp);
    }

    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask) {
        self.0.instruction(pc, active, executed);
    }
}
