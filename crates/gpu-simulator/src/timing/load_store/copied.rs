//! What asynchronous copies tell: which groups and barriers they belong to, and who waits for them.

use super::super::bound::Cause;
use super::LoadStore;
use crate::execute::{Copying, Counted};
use crate::program::{CopyGroups, CopyKind};

impl LoadStore<'_> {
    /// What copies do to groups and barriers.
    pub(super) fn copies_tell(&mut self, event: Copying) {
        let block = (self.block, self.apart_bytes);
        match event {
            Copying::Begun => self.copies.begun(block, self.warp, CopyKind::Lanes, self.ready_cycle),
            Copying::BegunInBulk => self.begun_from_shared(),
            Copying::Groups(groups) => {
                let until = self.copies.groups(block, self.warp, groups);
                let waits = groups.groups != CopyGroups::Commit;
                self.copied_cycle = waits.then(|| until.unwrap_or(0.0).max(self.now + self.group_cycles));
            }
            Copying::Counts { barrier, what, completes } => {
                let cycle = match what {
                    Counted::Now => self.now,
                    Counted::BehindCopies => self.copies.all_cycle(block, self.warp).max(self.now),
                    Counted::BulkCopy => {
                        self.copied_cycle = Some(self.bulk.one_more(self.now));
                        self.ready_cycle
                    }
                };
                self.copies.counts(block, barrier, cycle, completes);
                if completes {
                    let complete_cycle = self.copies.complete_cycle(block, barrier);
                    self.completed_cycle =
                        Some(self.completed_cycle.map_or(complete_cycle, |before| before.max(complete_cycle)));
                }
            }
            Copying::Passed { barrier } => {
                let complete_cycle = self.copies.complete_cycle(block, barrier);
                // Who waited knows of it some time after it; who asks later is told at once.
                if complete_cycle > 0.0 {
                    let waking_cycles = self.phase_barriers.map_or(0.0, |own| own.waking_cycles);
                    self.wait_until(complete_cycle + waking_cycles, Cause::GlobalLoad);
                }
            }
        }
    }
}
