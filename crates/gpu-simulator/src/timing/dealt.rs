//! Which blocks of a grid the timed multiprocessor gets.

use crate::execute::Launch;
use crate::profile::Profile;

/// How the blocks of a grid are dealt out to the multiprocessors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dealt {
    /// Blocks, or clusters where those have several: then it gets the first block of each cluster that it has one of.
    units: u64,
    /// Of so many in a row it gets one.
    abreast: u64,
    every_one: bool,
}

impl Dealt {
    /// Those of a launch.
    pub(crate) fn of(launch: &Launch, profile: &Profile) -> Self {
        Self {
            units: launch.clusters(),
            abreast: if launch.cluster_blocks() > 1 {
                launch.clusters_abreast.max(1)
            } else {
                u64::from(profile.sm_count).max(1)
            },
            every_one: profile.global.partitions.is_some() && !launch.conduct.waits(),
        }
    }

    /// How many the multiprocessor gets that gets most.
    pub(crate) fn own(self) -> u64 {
        self.units.div_ceil(self.abreast)
    }

    /// Whether those are of all multiprocessors in turn. Where partitions can be camped on, blocks of a single one are a fixed distance
    /// apart, which may be in step with the partitions where all blocks together are not.
    pub(crate) fn is_of_every_one(self) -> bool {
        self.every_one
    }

    /// Of so many blocks, or clusters, in a row it gets one.
    pub(crate) fn abreast(self) -> u64 {
        self.abreast
    }

    /// The number of one of them.
    pub(crate) fn number(self, launch: &Launch, index: u64) -> u64 {
        let turn = if self.every_one { index % self.abreast } else { 0 };
        let unit = (index * self.abreast + turn).min(self.units.saturating_sub(1));
        launch.first_of_cluster(unit)
    }
}
