//! Counting what the blocks of a launch do, and what its variations would ask of memory, in one execution.

use super::running::Variation;
use crate::counters::{Counters, Meetings, WatchedAccess};
use crate::execute::{AccessKind, Observer};
use crate::hardware::lanes::{Longs, Mask, Words};
use crate::profile::Profile;
use crate::program::Program;
use crate::what_if::{Alterations, Pattern, coalesced};

/// Which variations are counted beside the launch as it is: those whose blocks ask the same of device memory together count as one.
pub(super) struct Counting {
    distinct: Vec<Alterations>,
    /// The place among the distinct ones of each variation; `None` where its blocks ask what those of the launch as it is do.
    of_variations: Vec<Option<usize>>,
}

/// What was counted.
pub(super) struct Counted {
    /// Of the launch as it is.
    pub(super) counters: Counters,
    /// Of each of the distinct variations.
    meetings: Vec<Meetings>,
}

impl Counting {
    pub(super) fn of(program: &Program, asked: &[Variation<'_>]) -> Self {
        let mut distinct: Vec<Alterations> = Vec::new();
        let mut place = |own: &Variation<'_>| {
            let own = Alterations::of(program, own.without).of_global_memory();
            (own != Alterations::default()).then(|| {
                distinct.iter().position(|other| *other == own).unwrap_or_else(|| {
                    distinct.push(own);
                    distinct.len() - 1
                })
            })
        };
        let of_variations = asked.iter().map(&mut place).collect();
        Self { distinct, of_variations }
    }

    /// Who counts some blocks of the launch with what counts it as it is.
    pub(super) fn observer(&self, counters: Counters, program: &Program, profile: &Profile) -> Variations<'_> {
        let of = |alterations| Varied { meetings: counters.meetings().clone(), alterations, count: 0 };
        let varied = self.distinct.iter().map(of).collect();
        let [plain, coalesced, own] = [(); 3].map(|()| WatchedAccess::new(program, profile));
        Variations { counters, varied, pc: 0, plain, coalesced, own }
    }

    /// What all counted, in the order of their blocks, with `counters` that have counted nothing.
    pub(super) fn merged(&self, mut counters: Counters, observers: &[Variations<'_>]) -> Counted {
        let mut meetings = vec![counters.meetings().clone(); self.distinct.len()];
        for own in observers {
            counters.merge(&own.counters);
            meetings.iter_mut().zip(&own.varied).for_each(|(all, own)| all.merge(&own.meetings));
        }
        Counted { counters, meetings }
    }

    /// What was counted of each variation.
    pub(super) fn of_each<'a>(&'a self, counted: &'a Counted) -> impl ExactSizeIterator<Item = &'a Meetings> {
        let of = |place: &Option<usize>| place.map_or(counted.counters.meetings(), |place| &counted.meetings[place]);
        self.of_variations.iter().map(of)
    }
}

/// What a variation asks of memory.
struct Varied<'a> {
    meetings: Meetings,
    alterations: &'a Alterations,
    count: u64,
}

/// Counts some blocks of a launch, and what its variations ask of memory. Most variations have most accesses as they are, so that those are looked at
/// once.
pub(super) struct Variations<'a> {
    counters: Counters,
    varied: Vec<Varied<'a>>,
    pc: u32,
    plain: WatchedAccess,
    coalesced: WatchedAccess,
    own: WatchedAccess,
}

impl Variations<'_> {
    /// What the access that is held comes to together with those of other blocks, in each variation.
    fn vary(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        let mut of_coalesced = None;
        for Varied { meetings, alterations, count } in &mut self.varied {
            if !kind.is_atomic() && alterations.has(Pattern::UncoalescedAccess, self.pc) {
                let altered = of_coalesced.get_or_insert_with(|| {
                    let altered = coalesced(addresses, mask, bytes);
                    self.coalesced.set(kind, &altered, mask, bytes);
                    altered
                });
                meetings.add(&self.coalesced, altered, mask);
            } else if let Some((altered, mask)) = alterations.global(self.pc, kind, addresses, mask, bytes, count) {
                self.own.set(kind, &altered, mask, bytes);
                meetings.add(&self.own, &altered, mask);
            } else {
                meetings.add(&self.plain, addresses, mask);
            }
        }
    }

    /// Atomics that are taken apart are numbered, those on shared memory too.
    fn number(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        for Varied { alterations, count, .. } in &mut self.varied {
            if kind.is_atomic() {
                alterations.shared(self.pc, kind, offsets, mask, bytes, count);
            }
        }
    }
}

impl Observer for Variations<'_> {
    fn warp_runs(&mut self, block: u64, warp: u32) {
        self.counters.warp_runs(block, warp);
        self.varied.iter_mut().for_each(|own| own.meetings.block_runs(block));
    }

    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask) {
        self.pc = pc;
        [&mut self.plain, &mut self.coalesced, &mut self.own].into_iter().for_each(|own| own.instruction(pc));
        self.counters.instruction(pc, active, executed);
    }

    fn divergence(&mut self, pc: u32) {
        self.counters.divergence(pc);
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        self.plain.set(kind, addresses, mask, bytes);
        self.counters.global_access(&self.plain, addresses, mask);
        self.vary(kind, addresses, mask, bytes);
    }

    fn copied(&mut self, (addresses, reading): (&Longs, Mask), to: (&Words, Mask), bytes: u32) {
        self.global(AccessKind::Load, addresses, reading, bytes);
        self.counters.copied_to_shared((addresses, reading), to, bytes);
    }

    fn bulk_copied(&mut self, (far, addresses): (AccessKind, &Longs), near: (AccessKind, &Words), mask: Mask) {
        self.counters.bulk_copied((far, addresses), near, mask);
        self.plain.set(far, addresses, mask, 4);
        self.vary(far, addresses, mask, 4);
    }

    fn barrier_accessed(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.counters.barrier_accessed(kind, offsets, mask, bytes);
        self.number(kind, offsets, mask, bytes);
    }

    fn remote(&mut self, rank: u32) {
        self.counters.remote(rank);
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.counters.shared(kind, offsets, mask, bytes);
        self.number(kind, offsets, mask, bytes);
    }

    fn local(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.counters.local(kind, offsets, mask, bytes);
    }

    fn barrier_passed(&mut self, warps: u32) {
        self.counters.barrier_passed(warps);
    }

    fn cluster_barriers_passed(&mut self, blocks: u32) {
        self.counters.cluster_barriers_passed(blocks);
    }
}
