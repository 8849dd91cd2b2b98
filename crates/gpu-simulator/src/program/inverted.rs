//! Branches around a branch as a GPU's compiler leaves them: one, to where the inner one leads, that is taken by the other lanes.

use super::removal::without;
use super::{Guard, Instruction, Operation};

/// The code, of which the function from `entry` on has none of these left. `None` where it has none.
pub(super) fn inverted(code: &[Instruction], entry: usize) -> Option<Vec<Instruction>> {
    let mut all = code.to_vec();
    let mut removed = vec![false; code.len() - entry];
    for place in entry..code.len().saturating_sub(2) {
        if let Some((guard, target)) = around_branch(code, place) {
            all[place].guard = Some(guard);
            all[place].operation = Operation::Branch { target };
            all[place].is_inverted = true;
            removed[place + 1 - entry] = true;
        }
    }
    removed.contains(&true).then(|| without(all, entry, &removed))
}

/// The guard and the target of the branch at `place` where it leads around the next one and nothing else leads there.
fn around_branch(code: &[Instruction], place: usize) -> Option<(Guard, u32)> {
    let inner = place as u32 + 1;
    let (Operation::Branch { target: around }, Some(guard)) = (&code[place].operation, code[place].guard) else {
        return None;
    };
    let Operation::Branch { target } = code[place + 1].operation else { return None };
    let leads_there = |own: &Instruction| match &own.operation {
        Operation::Branch { target } => *target == inner,
        Operation::BranchIndexed { targets, .. } => targets.contains(&inner),
        _ => false,
    };
    (*around == inner + 1 && code[place + 1].guard.is_none() && !code.iter().any(leads_there))
        .then_some((Guard { negated: !guard.negated, ..guard }, target))
}

#[cfg(test)]
mod tests {
    use super::{Instruction, Operation, inverted};
    use crate::snippet::{kernel, program};

    const TWO_WAYS: &str = "setp.lt.u32 %p0, %r0, 5;\n@%p0 bra THEN;\nbra.uni ELSE;\nTHEN: add.u32 %r1, %r1, 1;\nbra.uni END;\nELSE: mov.u32 %r1, 0;\nEND:\nst.global.u32 [%rd1], %r1;";

    /// Guards of branches: whether there is one and it is negated.
    fn guards(body: &str) -> (Vec<Option<bool>>, Option<Vec<Option<bool>>>) {
        let of = |code: &[Instruction]| {
            let branches = code.iter().filter(|own| matches!(own.operation, Operation::Branch { .. }));
            branches.map(|own| own.guard.map(|guard| guard.negated)).collect()
        };
        let written = program(&kernel("", body)).code;
        (of(&written), inverted(&written, 0).as_deref().map(of))
    }

    #[test]
    fn a_branch_around_a_branch_is_one_of_the_other_lanes() {
        let written = program(&kernel("", TWO_WAYS)).code;
        let inverted = inverted(&written, 0).expect("it has one");
        assert_eq!(inverted.len(), written.len() - 1);
        assert_eq!(guards(TWO_WAYS), (vec![Some(false), None, None], Some(vec![Some(true), None])));
        let leads_to = |code: &[Instruction]| {
            let target = code.iter().find_map(|own| match own.operation {
                Operation::Branch { target } => Some(target),
                _ => None,
            });
            code[target.expect("it has one") as usize].row.form
        };
        // The inverted branch leads to what the inner one led to.
        assert!(leads_to(&written).starts_with("add"), "{}", leads_to(&written));
        assert!(leads_to(&inverted).starts_with("mov"), "{}", leads_to(&inverted));
    }

    #[test]
    fn branches_that_others_lead_to_and_that_lead_elsewhere_stay() {
        let led_to = TWO_WAYS.replace("bra.uni ELSE", "BACK: bra.uni ELSE").replace("END:\n", "END:\n@%p1 bra BACK;\n");
        let elsewhere = TWO_WAYS.replace("THEN: ", "add.u32 %r1, %r1, 2;\nTHEN: ");
        for body in [led_to, elsewhere] {
            assert_eq!(guards(&body).1, None, "{body}");
        }
    }
}
