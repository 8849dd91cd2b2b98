//! What fences wait for.

use super::super::load_store::LoadStore;
use super::super::scheduler::TimedWarp;
use crate::profile::Fences;
use crate::program::{Fence, FenceOrder, FenceScope};

/// What a fence finds of the accesses before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// When the scheduler has handed over those that were issued.
    pub(super) handed_cycle: f64,
    /// When L2 has taken everything that was stored and reduced.
    pub(super) settled_cycle: f64,
}

impl Before {
    pub(super) fn of(load_store: &LoadStore<'_>, scheduler: usize) -> Self {
        Self { handed_cycle: load_store.operands.free_cycle(scheduler), settled_cycle: load_store.settled_cycle() }
    }
}

/// The cycle at which a fence is over that its warp comes to at `now`.
///
/// One of the block follows stores on their way, and one that acquires or releases waits for loads, too. Of larger scopes `fence.sc` and `fence.acq_rel`
/// take as long (`results/nvidia-h200/constants/fence_rounds.csv`), and go out behind stores and loads alike.
pub(super) fn fence_ends(fence: Fence, fences: Fences, now: f64, before: Before, warp: &mut TimedWarp) -> f64 {
    if fence.scope == FenceScope::Block {
        let passed = now.max(before.handed_cycle) + fences.block_cycles;
        let loaded = warp.loaded_cycle.filter(|_| fence.order != FenceOrder::Sequential);
        return passed.max(loaded.unwrap_or(now));
    }
    // The accesses before it are behind the warp then.
    let (loaded, changed) = (warp.loaded_cycle.take(), warp.changed_cycle.take());
    let loads = loaded.map_or(now, |_| now.max(before.handed_cycle) + fences.behind_access_cycles);
    let atomics = changed.map_or(now, |changed| changed.max(now) + fences.behind_access_cycles);
    let end = now.max(before.settled_cycle).max(loads).max(atomics) + fences.device_cycles;
    let end = end.max(loaded.unwrap_or(now));
    if fence.scope == FenceScope::System { end.max(now + fences.system_cycles) } else { end }
}
