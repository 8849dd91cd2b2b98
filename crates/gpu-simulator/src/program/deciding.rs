//! Values of registers that decide what warps do: where they go, and where they access memory. What they compute besides is left aside.

use super::control::{is_only_arithmetic, next_places};
use super::cycles::Cycles;
use super::operand::{Base, Kind, LongSource, WordSource};
use super::registers::Set;
use super::{Address, Function, Instruction, Operation, Program, Register, Space};

/// The slots whose values decide, from each instruction on, for as long as lanes stay in the loop that it is in.
#[derive(Debug, Clone)]
pub(crate) struct Deciding {
    slots: Slots,
    /// Of each instruction before it is executed; `None` where something else may decide, too.
    before: Vec<Option<Set>>,
}

/// Slots of a function, numbered: those of 32 bits, then those of 64 bits, then predicates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    words: usize,
    longs: usize,
    predicates: usize,
}

impl Slots {
    pub(super) fn of(function: &Function) -> Self {
        let [words, longs, predicates] =
            [function.words, function.longs, function.predicates].map(|count| count as usize);
        Self { words, longs, predicates }
    }

    /// None of them.
    pub(super) fn none(&self) -> Set {
        Set::new(self.words + self.longs + self.predicates)
    }

    pub(super) fn number(&self, (kind, slot): (Kind, u32)) -> usize {
        let slot = slot as usize;
        match kind {
            Kind::Word => slot,
            Kind::Long => self.words + slot,
            Kind::Predicate => self.words + self.longs + slot,
        }
    }

    fn slot(&self, number: usize) -> (Kind, usize) {
        match number {
            word if word < self.words => (Kind::Word, word),
            long if long < self.words + self.longs => (Kind::Long, long - self.words),
            predicate => (Kind::Predicate, predicate - self.words - self.longs),
        }
    }
}

impl Deciding {
    /// Those of a program; `None` where others may decide, too. Where what memory holds or the time decides, nothing is known of the loop.
    pub(crate) fn of(program: &Program) -> Option<Self> {
        Self::beside(program, false)
    }

    /// Those that decide beside what shared and global memory hold, and what these hold; `None` where something else may, too. Where the time does,
    /// nothing is known of the loop.
    pub(crate) fn beside_memory(program: &Program) -> Option<Self> {
        let is_kept_elsewhere = |own: &Instruction| matches!(own.operation, Operation::CopyAsync { .. });
        let has_local = program.functions.iter().any(|own| own.local_bytes > 0);
        if has_local || program.code.iter().any(is_kept_elsewhere) {
            return None;
        }
        Self::beside(program, true)
    }

    fn beside(program: &Program, memory: bool) -> Option<Self> {
        let [function] = program.functions.as_slice() else { return None };
        if program.code.iter().any(|own| is_of_others(&own.operation)) {
            return None;
        }
        let (slots, cycles) = (Slots::of(function), Cycles::of(&program.code));
        let mut before = vec![Some(slots.none()); program.code.len()];
        loop {
            let mut has_changed = false;
            for (pc, own) in program.code.iter().enumerate().rev() {
                let found = before[pc].as_ref().and_then(|_| {
                    let next = next_places(&program.code, pc as u32);
                    let mut after = slots.none();
                    for next in next.into_iter().filter(|next| cycles.are_together(pc as u32, *next)) {
                        after.unite(before[next as usize].as_ref()?);
                    }
                    slots.before(own, after, memory)
                });
                has_changed |= before[pc] != found;
                before[pc] = found;
            }
            if !has_changed {
                return Some(Self { slots, before });
            }
        }
    }

    /// The slots whose values decide what lanes do that are at an instruction, for as long as they stay in its loop; `None` where something else may
    /// decide, too.
    pub(crate) fn at(&self, pc: u32) -> Option<impl Iterator<Item = (Kind, usize)> + '_> {
        Some(self.before(pc)?.iter().map(|number| self.slots.slot(number)))
    }

    /// The same slots by their numbers.
    pub(super) fn before(&self, pc: u32) -> Option<&Set> {
        self.before.get(pc as usize)?.as_ref()
    }
}

impl Slots {
    /// Those that decide before an instruction, of those that do `after` it. With `memory`, so does what memory holds.
    fn before(self, own: &Instruction, mut after: Set, memory: bool) -> Option<Set> {
        let is_computed = is_computed(&own.operation);
        let mut is_asked = false;
        for register in &own.writes {
            let number = self.number(key(*register));
            is_asked |= after.contains(number);
            if own.guard.is_none() && is_asked {
                after.remove(number);
            }
        }
        let is_of_memory = memory && matches!(own.operation, Operation::Load { .. } | Operation::Atomic(_));
        if is_asked && !is_computed && !is_constant(&own.operation) && !is_of_memory {
            return None;
        }
        let mut add = |slot: (Kind, u32)| after.insert(self.number(slot));
        if is_asked || !is_computed {
            guard(own).into_iter().for_each(&mut add);
        }
        match &own.operation {
            _ if is_asked => own.reads.iter().copied().map(key).for_each(add),
            _ if is_computed => {}
            Operation::Store { .. } | Operation::Atomic(_) if memory => {
                own.reads.iter().copied().map(key).for_each(add);
            }
            Operation::Load { access, .. } | Operation::Store { access, .. } => {
                base(&access.address).into_iter().for_each(add);
            }
            Operation::Atomic(atomic) => base(&atomic.address).into_iter().for_each(add),
            Operation::Shuffle { sources: [_, _, _, members], .. } => {
                if let WordSource::Register(slot) = members {
                    add((Kind::Word, *slot));
                }
            }
            _ => own.reads.iter().copied().map(key).for_each(add),
        }
        Some(after)
    }
}

pub(super) fn key(register: Register) -> (Kind, u32) {
    (register.kind, register.slot)
}

fn guard(instruction: &Instruction) -> Option<(Kind, u32)> {
    instruction.guard.map(|guard| (Kind::Predicate, guard.predicate))
}

/// The register that an address begins with.
pub(super) fn base(address: &Address) -> Option<(Kind, u32)> {
    match address.base {
        Base::Word(WordSource::Register(slot)) => Some((Kind::Word, slot)),
        Base::Long(LongSource::Register(slot)) => Some((Kind::Long, slot)),
        Base::Word(WordSource::Constant(_)) | Base::Long(LongSource::Constant(_)) | Base::Frame | Base::Zero => None,
    }
}

/// Whether what it does may depend on what is kept elsewhere than in registers, or on others.
pub(super) fn is_of_others(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Phase(_) | Operation::BulkCopy(_) | Operation::Call(_) | Operation::ClusterBarrier { .. }
    )
}

/// Whether it does nothing but make registers of registers, perhaps those of other lanes that are there.
fn is_computed(operation: &Operation) -> bool {
    is_only_arithmetic(operation) || matches!(operation, Operation::Product(_) | Operation::ActiveMask { .. })
}

/// Whether it makes the same of the same registers whenever it is executed, if the same lanes of its warp take part.
pub(super) fn is_constant(operation: &Operation) -> bool {
    match operation {
        Operation::Load { access, .. } => matches!(access.space, Space::Constant | Space::Parameter),
        // A shuffle may read what lanes on other ways have.
        Operation::Vote { .. } | Operation::Match { .. } | Operation::Elect { .. } | Operation::Reduce { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snippet::{kernel, program};

    /// How many slots decide at the first instruction of a loop, the label `L`; `None` where something else may decide.
    fn deciding(body: &str) -> Option<usize> {
        let program = program(&kernel("", body));
        let deciding = Deciding::of(&program)?;
        Some(deciding.at(loop_of(&program))?.count())
    }

    /// Where the first loop of a program begins.
    fn loop_of(program: &Program) -> u32 {
        let backwards = |(pc, own): (u32, &Instruction)| match own.operation {
            Operation::Branch { target } if target <= pc => Some(target),
            _ => None,
        };
        (0..).zip(&program.code).find_map(backwards).expect("it has a loop")
    }

    #[test]
    fn what_is_summed_up_does_not_decide() {
        let count = "L:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;";
        assert_eq!(deciding(count), Some(1));
        let sum = "L:\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r2, %r1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;\n\
                   st.global.u32 [%rd1], %r2;";
        assert_eq!(deciding(sum), Some(1), "the counter; what is behind the loop decides there");
        let stored = sum.replace("@%p1 bra L;\n", "").replace("%r2;", "%r2;\n@%p1 bra L;");
        assert_eq!(deciding(&stored), Some(2), "the counter, and the address");
        let guarded = "L:\n@%p2 add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;";
        assert_eq!(deciding(guarded), Some(2), "the counter, and whether it counts");
    }

    #[test]
    fn beside_memory_what_is_stored_decides_and_what_is_loaded_may() {
        for (body, is_told) in [
            ("L:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", true),
            ("L:\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;", true),
            ("L:\nmov.u32 %r1, %clock;\nst.global.u32 [%rd1], %r1;\nbra L;", false),
            ("L:\nshfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;", false),
        ] {
            let program = program(&kernel("", body));
            let deciding = Deciding::beside_memory(&program).expect("others do not decide");
            assert_eq!(deciding.at(loop_of(&program)).is_some(), is_told, "{body}");
        }
        let counting = program(&kernel("", "L:\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\nbra L;"));
        let deciding = Deciding::beside_memory(&counting).expect("nothing else decides");
        assert!(
            (0..8).any(|pc| deciding.at(pc).is_some_and(|mut own| own.any(|(kind, _)| kind == Kind::Word))),
            "the counter is stored"
        );
    }

    #[test]
    fn what_memory_holds_and_the_time_may_decide() {
        for (body, is_told) in [
            ("ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;", true),
            ("ld.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 ret;", false),
            ("atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1], %r1;", true),
            ("atom.global.add.u32 %r1, [%rd1], 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 ret;", false),
            ("mov.u32 %r1, %clock;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 ret;", false),
            ("mov.u32 %r1, %ctaid.x;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 ret;", true),
            ("shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nst.global.u32 [%rd1], %r1;", true),
            ("shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 ret;", false),
        ] {
            assert_eq!(deciding(&format!("L:\n{body}\nbra L;")).is_some(), is_told, "{body}");
        }
    }
}
