//! Short branches forward that are none: what they go around is issued for every warp, under a predicate.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::body::Body;
use super::constants;
use super::folding::Weights;
use super::shape::{Shape, Source};
use crate::program::operand::Kind;
use crate::program::{NO_PC, Operation, Register, Space};

/// Machine instructions of each of two ways that are put under a predicate at most. Source: kernels that grow by an instruction, as in the tests.
const INSTRUCTIONS_MAX: f32 = 8.0;
/// The same where a load of global memory is among them, which only pays if other instructions can be issued while it takes its time.
const INSTRUCTIONS_WITH_LOAD_MAX: f32 = 20.0;
/// Machine instructions that can be, apart from a comparison for the next branch. One access to memory is enough where the kernel ends
/// behind it. Source: the same.
const HIDING_MIN: f32 = 2.0;

/// For each instruction of a function, the one that it is issued with: itself, or a branch that is none.
pub(super) struct Predication {
    start: u32,
    issued_with: Vec<u32>,
    removed: Vec<bool>,
}

impl Predication {
    pub(super) fn of(body: &Body<'_>, weights: &Weights) -> Self {
        let all = body.all();
        let mut own = Self { start: all.start, issued_with: all.clone().collect(), removed: vec![false; all.len()] };
        for pc in all.rev() {
            own.try_branch(body, weights, pc);
        }
        own
    }

    /// The instruction whose issues are those of the one at `pc`.
    pub(super) fn issued_with(&self, pc: u32) -> u32 {
        self.issued_with[(pc - self.start) as usize]
    }

    /// Whether the branch at `pc` is none.
    pub(super) fn removes(&self, pc: u32) -> bool {
        self.removed[(pc - self.start) as usize]
    }

    fn try_branch(&mut self, body: &Body<'_>, weights: &Weights, pc: u32) {
        let branch = body.instruction(pc);
        let Operation::Branch { target } = branch.operation else { return };
        let meet = branch.reconvergence;
        if branch.guard.is_none() || target <= pc || meet == NO_PC || meet <= pc || body.instruction(meet).ends {
            return;
        }
        // Either `target` is where the ways meet, or the way that falls through ends with a branch there.
        let jump = (target != meet).then(|| target - 1);
        let region = pc + 1..meet;
        if jump.is_some_and(|jump| !matches!(body.instruction(jump).operation, Operation::Branch { target } if target == meet && body.instruction(jump).guard.is_none()))
            || !self.is_closed(body, pc, &region, jump)
        {
            return;
        }
        let own = || region.clone().filter(|pc| Some(*pc) != jump && body.is_alive(*pc) && weights.of(*pc) > 0.0);
        let loads = own().any(|pc| is_global_load(body, pc));
        let most = if loads { INSTRUCTIONS_WITH_LOAD_MAX } else { INSTRUCTIONS_MAX };
        let count = |way: Range<u32>| -> f32 {
            let is_inside = |pc: &u32| way.contains(pc);
            let pairs = own().filter(is_inside).filter(|pc| is_pair_stored(body, &region, *pc)).count();
            let anew = way.clone().filter(|pc| body.is_alive(*pc) && weights.waits(*pc).shared_memory).count();
            let plain: f32 = own().filter(is_inside).filter(|pc| !self.removes(*pc)).map(|pc| weights.of(pc)).sum();
            plain + (pairs + anew * constants::SHARED_INSTRUCTIONS) as f32
        };
        // The jump is an instruction of the way that ends with it: the first one, in the order of a compiler.
        let ways = match jump {
            Some(jump) if branch.is_inverted => [count(region.start..jump), count(target..meet) + 1.0],
            Some(jump) => [count(region.start..jump) + 1.0, count(target..meet)],
            None => [count(region.clone()), 0.0],
        };
        if ways.iter().any(|way| *way > most) {
            return;
        }
        if loads && (!self.is_hidden(body, weights, &region) || is_behind_load(body, pc, meet)) {
            return;
        }
        self.removed[(pc - self.start) as usize] = true;
        if let Some(jump) = jump {
            self.removed[(jump - self.start) as usize] = true;
        }
        let first = (region.start - self.start) as usize;
        let end = (region.end - self.start) as usize;
        self.issued_with[first..end].iter_mut().for_each(|own| *own = pc);
    }

    /// Whether the region can only be entered by the branch at `pc`, and has nothing in it that cannot be under a predicate.
    fn is_closed(&self, body: &Body<'_>, pc: u32, region: &Range<u32>, jump: Option<u32>) -> bool {
        let graph = &body.graph;
        let is_simple = |own: u32| match &body.instruction(own).operation {
            // A branch that leads elsewhere is not predicated twice.
            Operation::Branch { target } => {
                *target == own + 1 || Some(own) == jump || self.removes(own) && *target == region.end
            }
            // ptxas never puts one under a predicate.
            Operation::Atomic(_) => false,
            operation => {
                body.instruction(own).guard.is_none()
                    && (body.shape(own) != Shape::Other
                        || matches!(operation, Operation::Phase(_))
                        || super::super::control::is_only_arithmetic(operation))
            }
        };
        let (first, end) = (graph.block_of(region.start), graph.block_of(region.end));
        let is_inside = |block: &usize| (first..end).contains(block) || *block == graph.block_of(pc);
        region.clone().all(is_simple) && (first..end).all(|block| graph.predecessors[block].iter().all(is_inside))
    }

    /// Whether the block behind `region` has enough that need not wait for what the region computes.
    fn is_hidden(&self, body: &Body<'_>, weights: &Weights, region: &Range<u32>) -> bool {
        let graph = &body.graph;
        let mut waiting: Vec<Register> = region.clone().flat_map(|pc| graph.writes(pc)).copied().collect();
        let stays = |own: &u32| !ends_block(&body.instruction(*own).operation) || self.removes(*own);
        let end = (region.end..body.all().end).find(|own| !stays(own)).unwrap_or(body.all().end);
        let is_last = end == body.all().end || body.instruction(end).ends;
        let decides = |own: u32| graph.writes(own).iter().any(|register| graph.readers(*register) == [end]);
        let mut hiding = 0.0;
        for pc in region.end..end {
            if graph.reads(pc).iter().any(|register| waiting.contains(register)) {
                waiting.extend(graph.writes(pc));
            } else if body.shape(pc) == Shape::Memory {
                hiding += if is_last { HIDING_MIN } else { 0.0 };
            } else if body.is_alive(pc) && !decides(pc) && !is_renamed(body, pc) {
                hiding += weights.of(pc);
            }
        }
        hiding >= HIDING_MIN
    }
}

/// Whether the instruction moves a register to another, of which nothing is left where both can be one.
fn is_renamed(body: &Body<'_>, pc: u32) -> bool {
    body.shape(pc) == Shape::Copy && matches!(body.sources(pc), [Source::Register(_)])
}

/// Whether an earlier branch leads around the one at `pc`, and around a load before it, to the point where both meet.
fn is_behind_load(body: &Body<'_>, pc: u32, meet: u32) -> bool {
    let leads_there = |own: &u32| {
        let earlier = body.instruction(*own);
        matches!(earlier.operation, Operation::Branch { target } if target == meet) && earlier.guard.is_some()
    };
    let first = (body.all().start..pc).find(leads_there);
    first.is_some_and(|first| (first..pc).any(|own| body.is_alive(own) && is_global_load(body, own)))
}

/// Whether the instruction stores a number of 64 bits whose halves were computed in the region, or added one after the other: they are moved
/// together first.
fn is_pair_stored(body: &Body<'_>, region: &Range<u32>, pc: u32) -> bool {
    let is_computed = |register: Register| {
        let is_in_halves = |(writer, shape): (u32, Shape)| {
            shape == Shape::Add { long: true } || region.contains(&writer) && shape != Shape::Memory
        };
        register.kind == Kind::Long && body.writer(register).is_some_and(is_in_halves)
    };
    let stores = matches!(body.instruction(pc).operation, Operation::Store { .. });
    stores && body.sources(pc).iter().filter_map(|source| source.register()).any(is_computed)
}

fn ends_block(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Branch { .. }
            | Operation::BranchIndexed { .. }
            | Operation::Exit
            | Operation::Return
            | Operation::Trap
    )
}

fn is_global_load(body: &Body<'_>, pc: u32) -> bool {
    matches!(body.instruction(pc).operation, Operation::Load { .. })
        && matches!(body.space(pc), Some(Space::Global | Space::Generic))
}
