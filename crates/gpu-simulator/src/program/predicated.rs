//! Short branches as a GPU's compiler leaves them: gone, and what they go around under a predicate. Only where a launch is timed; what is
//! counted and written is that of the PTX.

use super::operand::{Kind, Use};
use super::removal::without;
use super::{Guard, Instruction, NO_PC, Operation};

/// The code of a single function without the branches of which `assembly` says that nothing is left. `None` where there are none.
pub(super) fn predicated(code: &[Instruction]) -> Option<Vec<Instruction>> {
    let mut all: Vec<Option<Guard>> = code.iter().map(|own| own.guard).collect();
    let mut removed = vec![false; code.len()];
    for place in (0..code.len()).rev() {
        try_branch(code, place, &mut all, &mut removed);
    }
    if !removed.contains(&true) {
        return None;
    }
    let guarded = code.iter().zip(all).map(|(own, guard)| Instruction { guard, ..own.clone() }).collect();
    Some(without(guarded, 0, &removed))
}

/// Puts what the branch at `place` goes around under its predicate, if nothing is left of it.
fn try_branch(code: &[Instruction], place: usize, guards: &mut [Option<Guard>], removed: &mut [bool]) {
    let branch = &code[place];
    let (Operation::Branch { target }, Some(guard)) = (&branch.operation, branch.guard) else { return };
    let (target, meet) = (*target as usize, branch.reconvergence as usize);
    if !branch.lowering.is_gone() || branch.reconvergence == NO_PC || target <= place || meet < target {
        return;
    }
    // Either the ways meet at the target, or the way that falls through ends with a branch to where they do.
    let jump = (target != meet).then(|| target - 1);
    let region = place + 1..meet;
    let inside = |own: &usize| Some(*own) != jump && !removed[*own];
    let is_free = |own: usize| guards[own].is_none() && !writes(&code[own], guard.predicate);
    if !region.clone().filter(inside).all(is_free) {
        return;
    }
    for own in region {
        let negated = if own < target { !guard.negated } else { guard.negated };
        if Some(own) == jump || matches!(code[own].operation, Operation::Branch { .. }) {
            removed[own] = true;
        } else if !removed[own] {
            guards[own] = Some(Guard { negated, ..guard });
        }
    }
    removed[place] = true;
}

fn writes(instruction: &Instruction, predicate: u32) -> bool {
    let mut found = false;
    instruction.operation.clone().visit_registers(&mut |slot, kind, r#use| {
        found |= kind == Kind::Predicate && *slot == predicate && r#use != Use::Read;
    });
    found
}
