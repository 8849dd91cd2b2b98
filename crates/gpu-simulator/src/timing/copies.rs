//! When copies are done that go on while their warp does something else. They are executed at once, and whoever waits for them waits until then.

use std::collections::{BTreeMap, VecDeque};

use crate::program::{Copied, CopyGroups, CopyKind, GroupsOf, Operation};

/// How an instruction copies between global and shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It does not, or its warp waits for it.
    Waits,
    /// Its lanes ask for what is copied, and the warp goes on (`cp.async`).
    Lanes,
    /// A unit beside the warps does it (`cp.async.bulk`).
    Bulk,
    /// The same, of a tile of a matrix (`cp.async.bulk.tensor`).
    Tile,
    /// The same, from shared to global memory.
    BulkFromShared,
}

impl Way {
    /// That of an instruction.
    pub(super) fn of(operation: &Operation) -> Self {
        match operation {
            Operation::CopyAsync { .. } => Self::Lanes,
            Operation::BulkCopy(own) => match own.copied {
                _ if !own.to_shared => Self::BulkFromShared,
                Copied::Bytes(_) => Self::Bulk,
                Copied::Tile(_) => Self::Tile,
            },
            _ => Self::Waits,
        }
    }

    /// Whether a unit beside the warps copies.
    pub(super) fn is_in_bulk(self) -> bool {
        matches!(self, Self::Bulk | Self::Tile | Self::BulkFromShared)
    }
}

/// A resident block: its number, and how far from where it says the memory is that it accesses.
type BlockPlace = (u64, u64);

/// The copies of a warp of one kind that it has not waited for.
#[derive(Debug, Default)]
struct OfWarp {
    /// When the latest of those is done that are in no group.
    open_cycle: f64,
    /// When each group is done, the oldest first. None is done before an older one.
    groups: VecDeque<f64>,
    /// When all copies so far are done.
    all_cycle: f64,
}

impl OfWarp {
    /// Those in no group are one from now on.
    fn commit(&mut self) {
        let before = self.groups.back().copied().unwrap_or(0.0);
        self.groups.push_back(std::mem::take(&mut self.open_cycle).max(before));
    }
}

/// The phases of a barrier.
#[derive(Debug, Default)]
struct OfBarrier {
    /// When everything is there that counted for the phase so far.
    counted_cycle: f64,
    /// When the last complete phase was complete.
    complete_cycle: f64,
}

/// When the copies of the resident blocks are done.
#[derive(Debug, Default)]
pub(super) struct Copies {
    warps: BTreeMap<(BlockPlace, u32, CopyKind), OfWarp>,
    barriers: BTreeMap<(BlockPlace, u32), OfBarrier>,
}

impl Copies {
    /// A warp has begun copies that are done at this cycle.
    pub(super) fn begun(&mut self, block: BlockPlace, warp: u32, copies: CopyKind, done_cycle: f64) {
        let own = self.warps.entry((block, warp, copies)).or_default();
        own.open_cycle = own.open_cycle.max(done_cycle);
        own.all_cycle = own.all_cycle.max(done_cycle);
    }

    /// What becomes of a warp's groups: the cycle until which it waits, where it does.
    pub(super) fn groups(&mut self, block: BlockPlace, warp: u32, of: GroupsOf) -> Option<f64> {
        let GroupsOf { groups, copies } = of;
        let left = match groups {
            CopyGroups::Commit => {
                let kinds: &[CopyKind] = match copies {
                    CopyKind::Lanes => &[CopyKind::Lanes],
                    CopyKind::BulkRead | CopyKind::BulkWritten => &[CopyKind::BulkRead, CopyKind::BulkWritten],
                };
                for copies in kinds {
                    self.warps.entry((block, warp, *copies)).or_default().commit();
                }
                return None;
            }
            CopyGroups::Await(left) => left as usize,
            CopyGroups::AwaitAll => {
                let own = self.warps.entry((block, warp, copies)).or_default();
                own.groups.clear();
                own.open_cycle = 0.0;
                return Some(own.all_cycle);
            }
        };
        let own = self.warps.entry((block, warp, copies)).or_default();
        let done = own.groups.len().saturating_sub(left);
        own.groups.drain(..done).next_back()
    }

    /// When all copies of a warp's lanes are done that it has begun.
    pub(super) fn all_cycle(&self, block: BlockPlace, warp: u32) -> f64 {
        self.warps.get(&(block, warp, CopyKind::Lanes)).map_or(0.0, |own| own.all_cycle)
    }

    /// Something that is there at this cycle counts for the phase of a barrier, and may complete it.
    pub(super) fn counts(&mut self, block: BlockPlace, barrier: u32, cycle: f64, completes: bool) {
        let own = self.barriers.entry((block, barrier)).or_default();
        own.counted_cycle = own.counted_cycle.max(cycle);
        if completes {
            own.complete_cycle = std::mem::take(&mut own.counted_cycle);
        }
    }

    /// When the last complete phase of a barrier was complete.
    pub(super) fn complete_cycle(&self, block: BlockPlace, barrier: u32) -> f64 {
        self.barriers.get(&(block, barrier)).map_or(0.0, |own| own.complete_cycle)
    }

    /// A block has ended.
    pub(super) fn forget(&mut self, block: BlockPlace) {
        self.warps.retain(|(own, ..), _| *own != block);
        self.barriers.retain(|(own, _), _| *own != block);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "cycles are handed on as they are")]

    use super::*;

    const BLOCK: BlockPlace = (3, 0);

    fn of_lanes(groups: CopyGroups) -> GroupsOf {
        GroupsOf { groups, copies: CopyKind::Lanes }
    }

    #[test]
    fn groups_are_awaited_from_the_oldest_on() {
        let mut copies = Copies::default();
        let commit = |copies: &mut Copies, cycle| {
            copies.begun(BLOCK, 1, CopyKind::Lanes, cycle);
            assert_eq!(copies.groups(BLOCK, 1, of_lanes(CopyGroups::Commit)), None);
        };
        let awaits = |copies: &mut Copies, warp, left| copies.groups(BLOCK, warp, of_lanes(CopyGroups::Await(left)));
        commit(&mut copies, 500.0);
        // One that is asked for later may come sooner, but its group is not done before the older one.
        commit(&mut copies, 400.0);
        commit(&mut copies, 900.0);
        assert_eq!(awaits(&mut copies, 1, 3), None);
        assert_eq!(awaits(&mut copies, 1, 1), Some(500.0));
        assert_eq!(awaits(&mut copies, 1, 1), None);
        assert_eq!(awaits(&mut copies, 1, 0), Some(900.0));
        // Of another warp nothing is under way.
        assert_eq!(awaits(&mut copies, 2, 0), None);
    }

    #[test]
    fn whoever_waits_for_all_waits_for_what_is_in_no_group_too() {
        let mut copies = Copies::default();
        copies.begun(BLOCK, 0, CopyKind::Lanes, 700.0);
        assert_eq!(copies.groups(BLOCK, 0, of_lanes(CopyGroups::Await(0))), None);
        assert_eq!(copies.all_cycle(BLOCK, 0), 700.0);
        assert_eq!(copies.groups(BLOCK, 0, of_lanes(CopyGroups::AwaitAll)), Some(700.0));
    }

    #[test]
    fn bulk_copies_have_groups_of_their_own_which_are_read_before_they_are_written() {
        let mut copies = Copies::default();
        copies.begun(BLOCK, 0, CopyKind::BulkRead, 300.0);
        copies.begun(BLOCK, 0, CopyKind::BulkWritten, 900.0);
        copies.groups(BLOCK, 0, GroupsOf { groups: CopyGroups::Commit, copies: CopyKind::BulkWritten });
        let mut awaits = |kind| copies.groups(BLOCK, 0, GroupsOf { groups: CopyGroups::Await(0), copies: kind });
        assert_eq!([CopyKind::Lanes, CopyKind::BulkRead].map(&mut awaits), [None, Some(300.0)]);
        assert_eq!(awaits(CopyKind::BulkWritten), Some(900.0));
    }

    #[test]
    fn a_phase_is_complete_when_the_last_is_there_that_counts() {
        let mut copies = Copies::default();
        copies.counts(BLOCK, 64, 900.0, false);
        assert_eq!(copies.complete_cycle(BLOCK, 64), 0.0);
        copies.counts(BLOCK, 64, 20.0, true);
        assert_eq!((copies.complete_cycle(BLOCK, 64), copies.complete_cycle(BLOCK, 72)), (900.0, 0.0));
        copies.counts(BLOCK, 64, 950.0, true);
        assert_eq!(copies.complete_cycle(BLOCK, 64), 950.0);
        copies.forget(BLOCK);
        assert_eq!(copies.complete_cycle(BLOCK, 64), 0.0);
    }
}
