//! Short branches forward that are none: what they go around is issued for every warp, under a predicate.

use super::body::Body;
use super::folding::Weights;
use super::shape::Shape;
use crate::program::{NO_PC, Operation, Space};

/// Machine instructions that are put under a predicate at most. Source: kernels that grow by an instruction, as in the tests.
const INSTRUCTIONS_MAX: f32 = 8.0;
/// The same where a load of global memory is among them, whose latency other instructions can hide only without a branch.
const INSTRUCTIONS_WITH_LOAD_MAX: f32 = 20.0;
/// Arithmetic behind the branch that hides what a load under the predicate takes.
const HIDING_MIN: usize = 2;

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
        let count: f32 = own().filter(|pc| !self.removes(*pc)).map(|pc| weights.of(pc)).sum();
        if count > most || loads && self.hiding(body, weights, meet) < HIDING_MIN {
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
    fn is_closed(&self, body: &Body<'_>, pc: u32, region: &std::ops::Range<u32>, jump: Option<u32>) -> bool {
        let graph = &body.graph;
        let is_simple = |own: u32| match &body.instruction(own).operation {
            Operation::Branch { target } => *target == own + 1 || Some(own) == jump || self.removes(own),
            operation => {
                body.instruction(own).guard.is_none()
                    && (body.shape(own) != Shape::Other || super::super::control::is_only_arithmetic(operation))
            }
        };
        let (first, end) = (graph.block_of(region.start), graph.block_of(region.end));
        let is_inside = |block: &usize| (first..end).contains(block) || *block == graph.block_of(pc);
        region.clone().all(is_simple) && (first..end).all(|block| graph.predecessors[block].iter().all(is_inside))
    }

    /// Arithmetic from `pc` on until the next branch that is one.
    fn hiding(&self, body: &Body<'_>, weights: &Weights, pc: u32) -> usize {
        let stays = |own: &u32| !ends_block(&body.instruction(*own).operation) || self.removes(*own);
        let computes = |own: &u32| {
            weights.of(*own) > 0.0 && super::super::control::is_only_arithmetic(&body.instruction(*own).operation)
        };
        (pc..body.all().end).take_while(stays).filter(computes).count()
    }
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
