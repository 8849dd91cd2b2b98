//! When an instruction can issue as far as its operands and its guard are concerned.

use std::collections::{HashMap, HashSet};

use crate::class::Class;
use crate::profile::Warps;
use crate::program::{Instruction, MachineCost, Operation, Program, Register};
use crate::timing::bound::Cause;
use crate::timing::scheduler::TimedWarp;

/// Of each instruction of a program whether it is in a block that only counts a loop's turns, or looks at what is known: sums, differences, copies and
/// comparisons of integers, and a branch by them. Compilers put these at the begin of a turn, so that the predicate is there before the branch. Source:
/// machine code of `cuda/fences.cu`, where the comparison for the outer loop comes before the branch around the inner one, and of `cuda/atomic_types.cu`,
/// where it stays behind what else its block does. So does a count that accesses behind a fence need, as in `tests/gpu/constants/fence_rounds.cu`: a register holds it
/// until these have been issued.
pub(super) fn counting(program: &Program, costs: &[MachineCost]) -> Vec<bool> {
    let behind_fences = accessed_behind_fences(program);
    let targets: HashSet<u32> = program.code.iter().filter_map(target_of).collect();
    let mut counting = vec![false; program.code.len()];
    for end in 0..program.code.len() {
        if !program.code[end].is_branch() || program.code[end].guard.is_none() {
            continue;
        }
        let is_first =
            |place: usize| place == 0 || targets.contains(&(place as u32)) || costs[place - 1].class == Class::Control;
        let mut begin = end;
        while !is_first(begin) && counts(&program.code[begin - 1], costs[begin - 1].class) {
            begin -= 1;
        }
        let writes_any = |needed: &[Register]| {
            program.code[begin..end].iter().flat_map(|own| &own.writes).any(|own| needed.contains(own))
        };
        if is_first(begin) && !behind_fences.get(&end).is_some_and(|needed| writes_any(needed)) {
            counting[begin..end].fill(true);
        }
    }
    counting
}

/// By the branch that leads back to the begin of a loop, the registers that accesses to memory read in it behind a fence.
fn accessed_behind_fences(program: &Program) -> HashMap<usize, Vec<Register>> {
    let mut all = HashMap::new();
    for (end, branch) in program.code.iter().enumerate() {
        let Some(begin) = target_of(branch).map(|target| target as usize).filter(|target| *target <= end) else {
            continue;
        };
        let turn = &program.code[begin..end];
        let Some(fence) = turn.iter().position(|own| is_fence(&own.operation)) else { continue };
        let accesses = turn[fence..].iter().filter(|own| accesses(&own.operation));
        all.insert(end, accesses.flat_map(|own| own.reads.iter().copied()).collect());
    }
    all
}

/// Whether it is a fence, or a store that begins with one.
fn is_fence(operation: &Operation) -> bool {
    match operation {
        Operation::Fence(_) => true,
        Operation::Store { access, .. } => access.fence.is_some(),
        _ => false,
    }
}

fn accesses(operation: &Operation) -> bool {
    matches!(operation, Operation::Load { .. } | Operation::Store { .. } | Operation::Atomic(_))
}

fn target_of(instruction: &Instruction) -> Option<u32> {
    if let Operation::Branch { target } = instruction.operation { Some(target) } else { None }
}

fn counts(instruction: &Instruction, class: Class) -> bool {
    let form = instruction.row.form;
    let is_sum = form.starts_with("add.") || form.starts_with("sub.") || form.starts_with("mov.");
    match instruction.operation {
        Operation::Compute { .. } => is_sum && matches!(class, Class::Integer | Class::Move),
        Operation::Compare { .. } => class == Class::Integer,
        _ => false,
    }
}

impl TimedWarp {
    /// The cycle from which the instruction's operands are there, and its guard guards it; and what the last of these waits for.
    pub(super) fn operands(
        &self,
        bases: [u32; 3],
        instruction: &Instruction,
        warps: Warps,
        counts: bool,
    ) -> (f64, Cause) {
        let ready = self.scoreboard.ready(bases, &instruction.reads);
        if warps.guard_cycles == 0.0 {
            return ready;
        }
        let operands = match instruction.guard {
            // It reads nothing else.
            Some(_) if instruction.is_branch() => (0.0, ready.1),
            _ if counts => (self.scoreboard.early(bases, &instruction.reads), ready.1),
            _ => ready,
        };
        let Some(guard) = instruction.guard else { return operands };
        let guarded = self.scoreboard.early(bases, &[guard.register()]);
        if guarded > operands.0 { (guarded, Cause::Arithmetic) } else { operands }
    }

    /// The cycle from which on the instruction could have been executed, if it counts turns: with its operands, and not before the turn began.
    pub(super) fn counted_from(&self, bases: [u32; 3], instruction: &Instruction, counts: bool) -> Option<f64> {
        counts.then(|| self.scoreboard.early(bases, &instruction.reads).max(self.turn_cycle))
    }
}
