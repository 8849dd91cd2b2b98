//! Taking instructions out of a function.

use super::{Instruction, Operation};

/// The code without what is `removed` of the instructions from `entry` on. Branches to one that is gone lead to the next that is left.
pub(super) fn without(mut code: Vec<Instruction>, entry: usize, removed: &[bool]) -> Vec<Instruction> {
    let mut places = Vec::with_capacity(removed.len() + 1);
    let mut place = entry as u32;
    for own in removed {
        places.push(place);
        place += u32::from(!own);
    }
    places.push(place);
    let moved = |target: &mut u32| {
        let own = (*target as usize).checked_sub(entry).and_then(|own| places.get(own));
        *target = own.copied().unwrap_or(*target);
    };
    let own = code.split_off(entry);
    code.extend(own.into_iter().zip(removed).filter(|(_, removed)| !**removed).map(|(mut own, _)| {
        match &mut own.operation {
            Operation::Branch { target } => moved(target),
            Operation::BranchIndexed { targets, .. } => targets.iter_mut().for_each(moved),
            _ => {}
        }
        own
    }));
    code
}
