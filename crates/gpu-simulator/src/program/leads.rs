//! What leads out of loops: what their registers come to, what memory holds, or nothing.

use super::control::{is_only_arithmetic, next_places};
use super::cycles::Cycles;
use super::deciding::{Deciding, Slots, base, is_constant, is_of_others, key};
use super::registers::Set;
use super::{Instruction, Operation, Program, Space};

/// What leads out of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lead {
    /// What registers come to from turn to turn, or what is not known.
    Registers,
    /// Nothing but what memory holds: each turn does the same with what it finds at places that are always the same. Or nothing but an access
    /// that is not allowed.
    Memory,
    /// Nothing: it has no way out, and accesses the same places in each turn.
    Nothing,
}

/// Loops of a program, and what leads out of each; loops within a loop are one with it.
#[derive(Debug, Clone)]
pub(crate) struct Leads {
    cycles: Cycles,
    of_cycles: Vec<Lead>,
}

impl Leads {
    /// Those of a program; `None` of one with calls, or with something else that decides besides registers and memory.
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let [function] = program.functions.as_slice() else { return None };
        // What is kept in local memory counts as registers do.
        if function.local_bytes > 0 || program.code.iter().any(|own| is_of_others(&own.operation)) {
            return None;
        }
        let cycles = Cycles::of(&program.code);
        let deciding = Deciding::beside_memory(program)?;
        let mut members = vec![Vec::new(); cycles.count()];
        for pc in 0..program.code.len() as u32 {
            if let Some(cycle) = cycles.at(pc) {
                members[cycle].push(pc);
            }
        }
        let reading = Reading { code: &program.code, cycles: &cycles, slots: Slots::of(function), deciding: &deciding };
        let of_cycles = members.iter().map(|members| reading.lead(members)).collect();
        Some(Self { cycles, of_cycles })
    }

    /// The loop that an instruction is in, by its number, and what leads out of it.
    pub(crate) fn at(&self, pc: u32) -> Option<(usize, Lead)> {
        let cycle = self.cycles.at(pc)?;
        Some((cycle, self.of_cycles[cycle]))
    }
}

/// What a loop is read with.
struct Reading<'a> {
    code: &'a [Instruction],
    cycles: &'a Cycles,
    slots: Slots,
    deciding: &'a Deciding,
}

impl Reading<'_> {
    fn lead(&self, members: &[u32]) -> Lead {
        let has_way_out = members.iter().any(|pc| self.leads_out(*pc));
        let Some(places) = self.places(members) else {
            return if has_way_out { Lead::Registers } else { Lead::Memory };
        };
        let places_stay = self.carried(members, |pc| Some(&places[pc as usize]), |_| true).is_some_and(|own| !own);
        if !has_way_out {
            return if places_stay { Lead::Nothing } else { Lead::Memory };
        }
        let is_plain = members.iter().all(|pc| is_plain(&self.code[*pc as usize].operation));
        // What an access gives anew in each turn is not carried from one to the next.
        let is_computed = |own: &Instruction| !matches!(own.operation, Operation::Load { .. } | Operation::Atomic(_));
        let carries = self.carried(members, |pc| self.deciding.before(pc), is_computed);
        if is_plain && places_stay && carries == Some(false) { Lead::Memory } else { Lead::Registers }
    }

    /// Whether a turn may go from an instruction to somewhere else, or end.
    fn leads_out(&self, pc: u32) -> bool {
        let ends = matches!(self.code[pc as usize].operation, Operation::Return | Operation::Exit | Operation::Trap);
        ends || next_places(self.code, pc).into_iter().any(|next| !self.cycles.are_together(pc, next))
    }

    /// Whether a register of those that are asked for goes with a value that `writes` made from one turn to the next; `None` where it is not known
    /// which are asked for.
    fn carried<'own>(
        &self,
        members: &[u32],
        asked: impl Fn(u32) -> Option<&'own Set>,
        writes: impl Fn(&Instruction) -> bool,
    ) -> Option<bool> {
        let mut carried = self.slots.none();
        for pc in members {
            let next = next_places(self.code, *pc).into_iter();
            for target in next.filter(|next| next <= pc && self.cycles.are_together(*pc, *next)) {
                carried.unite(asked(target)?);
            }
        }
        let made = members.iter().map(|pc| &self.code[*pc as usize]).filter(|own| writes(own));
        let mut made = made.flat_map(|own| own.writes.iter().copied());
        Some(made.any(|register| carried.contains(self.slots.number(key(register)))))
    }

    /// The slots that the places of accesses depend on, before each instruction; `None` where what memory holds is among what they depend on, or
    /// something that is not known.
    fn places(&self, members: &[u32]) -> Option<Vec<Set>> {
        let mut before = vec![self.slots.none(); self.code.len()];
        loop {
            let mut has_changed = false;
            for pc in members.iter().rev() {
                let own = &self.code[*pc as usize];
                let mut after = self.slots.none();
                next_places(self.code, *pc)
                    .into_iter()
                    .filter(|next| self.cycles.are_together(*pc, *next))
                    .for_each(|next| after.unite(&before[next as usize]));
                let found = self.places_before(own, after)?;
                has_changed |= before[*pc as usize] != found;
                before[*pc as usize] = found;
            }
            if !has_changed {
                return Some(before);
            }
        }
    }

    fn places_before(&self, own: &Instruction, mut after: Set) -> Option<Set> {
        let mut is_asked = false;
        for register in &own.writes {
            let number = self.slots.number(key(*register));
            is_asked |= after.contains(number);
            if own.guard.is_none() && is_asked {
                after.remove(number);
            }
        }
        if is_asked {
            if !is_only_arithmetic(&own.operation) && !is_constant(&own.operation) {
                return None;
            }
            own.reads.iter().for_each(|register| after.insert(self.slots.number(key(*register))));
        }
        let address = match &own.operation {
            Operation::Load { access, .. } | Operation::Store { access, .. } => Some(&access.address),
            Operation::Atomic(atomic) => Some(&atomic.address),
            _ => None,
        };
        address.and_then(base).into_iter().for_each(|slot| after.insert(self.slots.number(slot)));
        Some(after)
    }
}

/// Whether an operation is one of those that a loop has which waits: no barrier of the block, and nothing that lanes tell each other.
fn is_plain(operation: &Operation) -> bool {
    match operation {
        Operation::Load { access, .. } => access.space != Space::Local,
        Operation::Store { .. }
        | Operation::Atomic(_)
        | Operation::Branch { .. }
        | Operation::Return
        | Operation::Exit
        | Operation::Trap
        | Operation::WarpBarrier { .. }
        | Operation::Sleep
        | Operation::Fence { .. }
        | Operation::CopyGroups(_)
        | Operation::Prefetch { .. }
        | Operation::Nothing
        | Operation::Dependence(_) => true,
        own => is_only_arithmetic(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snippet::{kernel, program};

    #[test]
    fn counters_memory_or_nothing_lead_out_of_loops() {
        let waits = "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;";
        for (body, expected) in [
            ("add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;".to_owned(), Lead::Registers),
            // A counter that nothing in the loop asks for.
            (format!("ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r2, 1;\n{waits}"), Lead::Memory),
            (format!("atom.global.add.u32 %r1, [%rd1], 1;\n{waits}"), Lead::Memory),
            // The same, with something stored that is counted.
            (
                format!("add.u32 %r2, %r2, 1;\nst.global.u32 [%rd2], %r2;\nld.global.u32 %r1, [%rd1];\n{waits}"),
                Lead::Registers,
            ),
            // Work that a counter in memory gives out, and a list.
            (
                format!(
                    "atom.global.add.u32 %r1, [%rd1], 4;\ncvt.u64.u32 %rd2, %r1;\nst.global.u32 [%rd2], 1;\n{waits}"
                ),
                Lead::Registers,
            ),
            (format!("ld.global.u64 %rd1, [%rd1];\ncvt.u32.u64 %r1, %rd1;\n{waits}"), Lead::Registers),
            // The time, and what others of the block do.
            (format!("mov.u32 %r1, %clock;\n{waits}"), Lead::Registers),
            (format!("bar.sync 0;\nld.shared.u32 %r1, [%r0];\n{waits}"), Lead::Registers),
            (
                "ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\nbra L;".to_owned(),
                Lead::Nothing,
            ),
            // It may come to an access that is not allowed.
            ("add.u64 %rd1, %rd1, 4;\nst.global.u32 [%rd1], 1;\nbra L;".to_owned(), Lead::Memory),
            ("ld.global.u64 %rd1, [%rd1];\nbra L;".to_owned(), Lead::Memory),
            ("setp.eq.u32 %p1, %r0, 0;\n@%p1 exit;\nbra L;".to_owned(), Lead::Memory),
        ] {
            let program = program(&kernel("", &format!("L:\n.pragma \"nounroll\";\n{body}")));
            let leads = Leads::of(&program).expect("there are no calls");
            let found: Vec<Lead> =
                (0..program.code.len() as u32).filter_map(|pc| leads.at(pc)).map(|(_, lead)| lead).collect();
            assert!(!found.is_empty() && found.iter().all(|lead| *lead == expected), "{body}: {found:?}");
        }
    }
}
