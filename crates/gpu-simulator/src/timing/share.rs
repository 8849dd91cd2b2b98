//! What one multiprocessor has of a GPU and of a launch.

use super::camping::Camping;
use crate::cost::cache::Cache;
use crate::cost::together::Together;
use crate::cost::window::PersistingWindow;
use crate::what_if::{Alterations, Busy, SharedOut, Sorted};

/// What a multiprocessor has of what all share.
pub(super) struct Share<'a> {
    /// Multiprocessors that are at work.
    pub(super) active: u32,
    /// Shared memory that its resident blocks take, which L1 has not.
    pub(super) shared_bytes: u64,
    /// What a launch before left in L2, and the memory that L2 is asked to keep.
    pub(super) l2: (Option<Cache>, Option<PersistingWindow>),
    /// The part of its share of L2 that the timed ones of its blocks have.
    pub(super) part_of_l2: f64,
    /// What the blocks of the grid do together.
    pub(super) together: Together,
    /// Where the accesses of the others go.
    pub(super) camping: &'a Camping,
    /// What its instructions cost otherwise than they do.
    pub(super) alterations: &'a Alterations,
    /// Its blocks in another order of their threads.
    pub(super) sorted: Option<&'a Sorted>,
    /// Work before barriers in other parts for its warps.
    pub(super) shared_out: Option<&'a SharedOut>,
    /// Which warps do something, where the others cost nothing.
    pub(super) busy: Option<&'a Busy>,
}

impl<'a> Share<'a> {
    /// That of the only one at work.
    pub(super) fn whole(camping: &'a Camping) -> Self {
        Self {
            active: 1,
            shared_bytes: 0,
            l2: (None, None),
            part_of_l2: 1.0,
            together: Together::default(),
            camping,
            alterations: Alterations::NONE,
            sorted: None,
            shared_out: None,
            busy: None,
        }
    }
}
