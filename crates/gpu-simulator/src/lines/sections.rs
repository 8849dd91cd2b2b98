//! What the warps of a block execute between its barriers: where one of them has much more to do than the others, they wait for it.

use std::collections::HashMap;

use crate::execute::Observer;
use crate::hardware::lanes::Mask;
use crate::program::Program;

/// What warps executed before they came to a barrier, all passes together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BeforeBarrier {
    /// Machine instructions of a block's warps, on average over these.
    pub mean: f64,
    /// Those of the warp that had most.
    pub most: f64,
}

impl BeforeBarrier {
    /// How many times as much as its block's warps on average the busiest has; 1 where nothing was executed.
    pub fn unevenness(&self) -> f64 {
        if self.mean > 0.0 { self.most / self.mean } else { 1.0 }
    }

    /// Adds that of other passes.
    pub fn add(&mut self, other: &Self) {
        self.mean += other.mean;
        self.most += other.most;
    }

    /// That of so many times as many passes.
    #[must_use]
    pub(super) fn scaled(&self, scale: f64) -> Self {
        Self { mean: self.mean * scale, most: self.most * scale }
    }
}

/// What a warp executed up to each of the barriers that it came to, and since.
#[derive(Debug, Clone, Default)]
struct OfWarp {
    sections: Vec<(u32, f64)>,
    since: f64,
}

/// Watches what warps execute between barriers.
#[derive(Debug, Clone)]
pub(crate) struct Sections {
    /// Of each instruction its machine instructions, and whether it is a barrier.
    instructions: Vec<(f32, bool)>,
    has_barriers: bool,
    /// The block and the warp that runs, and what it has executed since.
    running: (u64, u32),
    since: f64,
    /// The warps of blocks that have not ended.
    blocks: HashMap<u64, Vec<OfWarp>>,
    before: HashMap<u32, BeforeBarrier>,
}

impl Sections {
    /// Of a program on a GPU of this compute capability.
    pub(crate) fn new(program: &Program, capability: (u32, u32)) -> Self {
        let of = |own: &crate::program::Instruction| (own.cost_on(capability).total(), own.operation.is_barrier());
        let instructions: Vec<(f32, bool)> = program.code.iter().map(of).collect();
        Self {
            has_barriers: instructions.iter().any(|(_, is_barrier)| *is_barrier),
            instructions,
            running: (0, 0),
            since: 0.0,
            blocks: HashMap::new(),
            before: HashMap::new(),
        }
    }

    /// What warps executed before each barrier, by its instruction.
    pub(super) fn before(&self) -> &HashMap<u32, BeforeBarrier> {
        &self.before
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (pc, own) in &other.before {
            self.before.entry(*pc).or_default().add(own);
        }
    }

    /// Ends a block that was watched alone: for each of its warps the part of its work up to each barrier that would be its own if all warps had the
    /// same; 1 of warps that would get more, and before barriers that are not `asked` for.
    pub(crate) fn shares(&mut self, block: u64, asked: impl Fn(u32) -> bool) -> Vec<Vec<f64>> {
        self.note();
        let warps = self.blocks.remove(&block).unwrap_or_default();
        let means: Vec<Option<(u32, f64)>> = passes(&warps).map(|pass| pass.map(|own| (own.0, own.1.mean))).collect();
        let share = |((pc, own), pass): (&(u32, f64), &Option<(u32, f64)>)| match pass {
            Some((_, mean)) if asked(*pc) && *own > 0.0 => (mean / own).min(1.0),
            _ => 1.0,
        };
        warps.iter().map(|warp| warp.sections.iter().zip(&means).map(share).collect()).collect()
    }

    fn note(&mut self) {
        let since = std::mem::take(&mut self.since);
        if since > 0.0 {
            self.warp().since += since;
        }
    }

    fn warp(&mut self) -> &mut OfWarp {
        let (block, warp) = self.running;
        let warps = self.blocks.entry(block).or_default();
        if warps.len() <= warp as usize {
            warps.resize(warp as usize + 1, OfWarp::default());
        }
        &mut warps[warp as usize]
    }
}

/// Each time that the warps of a block met at a barrier, the barrier and what they had executed before; `None` where they came to different ones.
fn passes(warps: &[OfWarp]) -> impl Iterator<Item = Option<(u32, BeforeBarrier)>> {
    let count = warps.iter().map(|warp| warp.sections.len()).max().unwrap_or(0);
    (0..count).map(|pass| {
        let mut here = warps.iter().filter_map(|warp| warp.sections.get(pass));
        let (barrier, first) = here.next().copied()?;
        let (mut sum, mut most) = (first, first);
        for (pc, own) in here {
            if *pc != barrier {
                return None;
            }
            (sum, most) = (sum + own, most.max(*own));
        }
        Some((barrier, BeforeBarrier { mean: sum / warps.len() as f64, most }))
    })
}

impl Observer for Sections {
    fn warp_runs(&mut self, block: u64, warp: u32) {
        if self.has_barriers {
            self.note();
            self.running = (block, warp);
        }
    }

    fn instruction(&mut self, pc: u32, _active: Mask, _executed: Mask) {
        let (cost, is_barrier) = self.instructions[pc as usize];
        if is_barrier {
            self.note();
            let warp = self.warp();
            let since = std::mem::take(&mut warp.since);
            warp.sections.push((pc, since));
        } else if self.has_barriers {
            self.since += f64::from(cost);
        }
    }

    fn block_ends(&mut self, number: u64) {
        self.note();
        let warps = self.blocks.remove(&number).unwrap_or_default();
        for (pc, own) in passes(&warps).flatten() {
            self.before.entry(pc).or_default().add(&own);
        }
    }
}
