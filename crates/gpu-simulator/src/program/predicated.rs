//! Short branches as a GPU's compiler leaves them: gone, and what they go around under a predicate. Only where a launch is timed; what is
//! counted and written is that of the PTX.

use super::operand::{Kind, Use};
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
    let mut places = Vec::with_capacity(code.len() + 1);
    let mut count = 0_u32;
    for own in &removed {
        places.push(count);
        count += u32::from(!own);
    }
    places.push(count);
    let moved = |target: &mut u32| *target = places.get(*target as usize).copied().unwrap_or(*target);
    let kept = code.iter().zip(&all).zip(&removed).filter(|(_, removed)| !**removed);
    let result = kept.map(|((own, guard), _)| {
        let mut own = own.clone();
        own.guard = *guard;
        match &mut own.operation {
            Operation::Branch { target } => moved(target),
            Operation::BranchIndexed { targets, .. } => targets.iter_mut().for_each(moved),
            _ => {}
        }
        own
    });
    Some(result.collect())
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

#[cfg(test)]
mod tests {
    use crate::machine::arranged_words;
    use crate::program::{Operation, arranged_at, decode};
    use crate::snippet::kernel;
    use crate::windows::MODULE_BASE;

    /// Loads where a lane's number is below one of two bounds, and more where it is not.
    const BRANCHES: &str = "setp.ge.u32 %p0, %r0, 20; mov.u32 %r5, 7;
        @%p0 bra $L1;
        ld.global.u32 %r2, [%rd1];
        add.u32 %r3, %r2, 3;
        st.shared.u32 [tile], %r3;
        $L1:
        setp.ge.u32 %p1, %r0, 9;
        @%p1 bra $L2;
        ld.global.u32 %r4, [%rd1+128];
        add.u32 %r5, %r4, %r0;
        st.shared.u32 [tile+4], %r5;
        bra.uni $L3;
        $L2:
        add.u32 %r5, %r5, 100;
        $L3:
        bar.sync 0;
        ld.shared.u32 %r6, [tile]; ld.shared.u32 %r7, [tile+4];
        mul.lo.u32 %r8, %r5, 1000; add.u32 %r8, %r8, %r6; add.u32 %r8, %r8, %r7;
        st.global.u32 [%rd1], %r8;";

    fn module() -> ptx_syntax::Module {
        ptx_syntax::parse(&kernel(".shared .align 4 .b8 tile[64];", BRANCHES)).expect("it reads")
    }

    #[test]
    fn short_branches_are_gone_and_loads_come_before_stores_to_another_space() {
        let written = decode(&module(), "k").expect("it is supported");
        let arranged = arranged_at(&module(), "k", MODULE_BASE).expect("it is one function");
        let branches = |code: &[crate::program::Instruction]| {
            code.iter().filter(|own| matches!(own.operation, Operation::Branch { .. })).count()
        };
        assert_eq!((branches(&written.code), branches(&arranged.code)), (3, 0));
        assert_eq!(arranged.code.len(), written.code.len() - 3);
        let places = |is: fn(&Operation) -> bool| -> Vec<usize> {
            (0..arranged.code.len()).filter(|place| is(&arranged.code[*place].operation)).collect()
        };
        let stores = places(|own| matches!(own, Operation::Store { .. }));
        let loads = places(|own| matches!(own, Operation::Load { .. }));
        // The parameter and both words of the buffer, then what was stored.
        assert!(loads[2] < stores[0] && stores[1] < loads[3], "{loads:?} {stores:?}");
    }

    #[test]
    fn what_is_arranged_does_what_was_written() {
        let (written, arranged) = arranged_words(&module(), "k", &(0..64).map(|word| 17 * word).collect::<Vec<u32>>());
        assert_eq!(written, arranged);
        assert_ne!(written[0], 0);
    }
}
