//! Which blocks of a grid the timed multiprocessor gets.

use crate::execute::Launch;
use crate::profile::Profile;

/// How the blocks of a grid are dealt out to the multiprocessors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dealt {
    blocks: u64,
    multiprocessors: u64,
    every_one: bool,
}

impl Dealt {
    /// Those of a launch.
    pub(crate) fn of(launch: &Launch, profile: &Profile) -> Self {
        Self {
            blocks: launch.blocks(),
            multiprocessors: u64::from(profile.sm_count).max(1),
            every_one: profile.global.partitions.is_some() && !launch.conduct.waits(),
        }
    }

    /// How many the multiprocessor gets that gets most.
    pub(crate) fn own(self) -> u64 {
        self.blocks.div_ceil(self.multiprocessors)
    }

    /// Whether those are of all multiprocessors in turn. Where partitions can be camped on, blocks of a single one are a fixed distance
    /// apart, which may be in step with the partitions where all blocks together are not.
    pub(crate) fn is_of_every_one(self) -> bool {
        self.every_one
    }

    /// The number of one of them.
    pub(crate) fn number(self, index: u64) -> u64 {
        let turn = if self.every_one { index % self.multiprocessors } else { 0 };
        (index * self.multiprocessors + turn).min(self.blocks.saturating_sub(1))
    }
}
