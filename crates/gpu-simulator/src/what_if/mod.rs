//! What a launch would take without a pattern: the same blocks execute the same instructions, and what an access, a branch or a barrier
//! costs is what it would cost if lanes did at best what they do at worst.
//!
//! Only costs change, never what threads compute. So the difference of the two times is what the pattern costs there, with all that
//! overlaps with it: nothing where another limit hides it.

mod accesses;
mod busy;
mod shared_out;
mod sorted;
#[cfg(test)]
mod tests;
mod wide;

pub(crate) use accesses::{coalesced, conflict_free};
pub(crate) use busy::Busy;
pub(crate) use shared_out::SharedOut;
pub(crate) use sorted::{Progress, Sorted, threads_are_alike};
pub(crate) use wide::Widened;

use crate::execute::AccessKind;
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::program::{Instruction, MachineCost, Program};

/// A way of writing a kernel that costs time, of which a launch can be timed without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// Lanes of a warp access global memory in more sectors than their bytes need. Without it lanes access neighbouring elements, of a line that
    /// the access has anyway.
    UncoalescedAccess,
    /// Lanes access different words of a bank of shared memory. Without it they access neighbouring elements.
    BankConflicts,
    /// Lanes of a warp go different ways. Without it each way takes the part of its time that its lanes are of the warp's, as if full warps went
    /// each way.
    Divergence,
    /// The same where the threads of a block are sorted by their way: the lanes of a way fill warps, and access what their threads do. Where
    /// the threads of a warp tell each other something they cannot be sorted; each of a block's `w` warps is taken to have
    /// 1 + (ways - 1) / `w` ways on average then.
    DivergenceWithinBlocks,
    /// Warps wait at a barrier of their block. Without it they go on as soon as they have come, and it takes no time itself.
    BarrierWaits,
    /// Some warps of a block have more to do before a barrier than others. Without it the same instructions are shared out evenly among its warps.
    UnevenWork,
    /// Atomics meet at an address. Without it each lane has an element of its own, next to its neighbours'.
    AtomicContention,
    /// The same where the lanes of a warp that want an address add up first, so that one of them adds for all.
    AtomicContentionWithinWarps,
    /// A warp waits until what it wrote can be seen. Without it the fence costs what any instruction does.
    Fences,
    /// Registers that do not fit, or arrays indexed by data, are in local memory. Without it these accesses cost nothing.
    LocalMemory,
    /// Warps leave without having accessed memory. Without it the launch has only blocks with a warp that does, and what idle warps of those
    /// execute takes no time.
    IdleThreads,
    /// Integers are divided by a number that no compiler knows, in some twenty machine instructions. Without it each of these divisions takes as
    /// long as a mask or a shift.
    Divisions,
    /// A multiprocessor holds fewer warps than it has places, because of registers, shared memory or the number of blocks. Without it, it holds as
    /// many blocks as have room by their threads alone. Of the whole launch.
    LowOccupancy,
    /// The grid leaves places for blocks empty: always, or in its last wave. Without it the same work takes what it takes at the rate of a GPU
    /// whose places are all taken by such blocks. Of the whole launch.
    EmptyPlaces,
    /// Lanes load fewer than 16 bytes at once, again and again. Without it what a lane loads in several turns it loads in one, 16 bytes of it, and
    /// waits once: the turns before are free, and the last has the sectors of all of them.
    NarrowLoads,
    /// Lanes of a warp read different places of constant memory at once. Without it they read one place, which all of them get.
    ConstantPlaces,
    /// The same where what lanes read is in shared memory, with the conflicts that it has there.
    ConstantInShared,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::UncoalescedAccess,
        Self::BankConflicts,
        Self::Divergence,
        Self::DivergenceWithinBlocks,
        Self::BarrierWaits,
        Self::UnevenWork,
        Self::AtomicContention,
        Self::AtomicContentionWithinWarps,
        Self::Fences,
        Self::LocalMemory,
        Self::IdleThreads,
        Self::Divisions,
        Self::LowOccupancy,
        Self::EmptyPlaces,
        Self::NarrowLoads,
        Self::ConstantPlaces,
        Self::ConstantInShared,
    ];

    fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// A pattern that is taken away, and the lines of the PTX where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Without {
    /// The pattern.
    pub pattern: Pattern,
    /// The lines of the instructions, as the module counts them: of the branch where lanes part, of the access, of the barrier. Any lines of the
    /// kernel where the pattern is of the whole launch.
    pub lines: Vec<u32>,
}

/// What is taken away at each instruction of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Alterations {
    /// A bit for each pattern, for each instruction; empty where nothing is altered.
    flags: Vec<u32>,
    all: u32,
}

impl Alterations {
    /// Nothing is.
    pub(crate) const NONE: &'static Self = &Self { flags: Vec::new(), all: 0 };

    /// Those of a program.
    pub(crate) fn of(program: &Program, without: &[Without]) -> Self {
        if without.is_empty() {
            return Self::default();
        }
        let bits = |line: u32| {
            let here = without.iter().filter(|own| own.lines.contains(&line));
            here.fold(0, |bits, own| bits | own.pattern.bit())
        };
        let flags: Vec<u32> = program.code.iter().map(|instruction| bits(instruction.line)).collect();
        let all = flags.iter().fold(0, |all, bits| all | bits);
        Self { flags, all }
    }

    /// Only those that change what a launch's blocks ask of global memory together.
    pub(crate) fn of_global_memory(self) -> Self {
        let kept = [Pattern::UncoalescedAccess, Pattern::AtomicContention, Pattern::AtomicContentionWithinWarps];
        let kept = kept.iter().fold(0, |bits, own| bits | own.bit());
        if self.all & kept == 0 {
            return Self::default();
        }
        Self { flags: self.flags.iter().map(|bits| bits & kept).collect(), all: self.all & kept }
    }

    /// Whether the pattern is taken away at the instruction.
    pub(crate) fn has(&self, pattern: Pattern, pc: u32) -> bool {
        self.flags.get(pc as usize).is_some_and(|bits| bits & pattern.bit() != 0)
    }

    /// Whether it is anywhere.
    pub(crate) fn has_any(&self, pattern: Pattern) -> bool {
        self.all & pattern.bit() != 0
    }

    /// What each instruction costs on a GPU of this compute capability.
    pub(crate) fn costs(&self, program: &Program, capability: (u32, u32)) -> Vec<MachineCost> {
        let cost = |(pc, own): (u32, &Instruction)| {
            let is_mask = self.has(Pattern::Divisions, pc) && own.divides();
            if is_mask { own.cost_of_mask() } else { own.cost_on(capability) }
        };
        (0..).zip(&program.code).map(cost).collect()
    }

    /// Where lanes would access global memory instead, and which; `None` where they do as they do.
    pub(crate) fn global(
        &self,
        pc: u32,
        kind: AccessKind,
        addresses: &Longs,
        mask: Mask,
        bytes: u32,
        count: &mut u64,
    ) -> Option<(Longs, Mask)> {
        if self.all == 0 {
            return None;
        }
        if kind.is_atomic() {
            if self.has(Pattern::AtomicContention, pc) {
                return Some((accesses::apart(addresses, mask, bytes, count), mask));
            }
            let one_for_all = self.has(Pattern::AtomicContentionWithinWarps, pc);
            return one_for_all.then(|| (*addresses, accesses::one_of_each(addresses, mask)));
        }
        self.has(Pattern::UncoalescedAccess, pc).then(|| (coalesced(addresses, mask, bytes), mask))
    }

    /// Where lanes would read constant memory instead; `None` where they do as they do.
    pub(crate) fn constant(&self, pc: u32, offsets: &Words, mask: Mask) -> Option<Words> {
        let first = lanes_of(mask).next().filter(|_| self.has(Pattern::ConstantPlaces, pc))?;
        Some([offsets[first]; LANES])
    }

    /// Where lanes would access shared memory instead, and which; `None` where they do as they do.
    pub(crate) fn shared(
        &self,
        pc: u32,
        kind: AccessKind,
        offsets: &Words,
        mask: Mask,
        bytes: u32,
        count: &mut u64,
    ) -> Option<(Words, Mask)> {
        if self.all == 0 {
            return None;
        }
        if kind.is_atomic() {
            let spread = self.has(Pattern::AtomicContention, pc) || self.has(Pattern::BankConflicts, pc);
            if spread {
                return Some((accesses::apart_in_shared(mask, bytes, count), mask));
            }
            let one_for_all = self.has(Pattern::AtomicContentionWithinWarps, pc);
            return one_for_all.then(|| (*offsets, accesses::one_of_each(offsets, mask)));
        }
        self.has(Pattern::BankConflicts, pc).then(|| (conflict_free(bytes), mask))
    }
}
