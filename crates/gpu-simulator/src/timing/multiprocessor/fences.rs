//! What fences wait for.

use super::super::scheduler::TimedWarp;
use crate::profile::Fences;
use crate::program::{Fence, FenceOrder, FenceScope};

/// The cycle at which a fence is over that its warp comes to at `now`, where everything that was stored and reduced has settled at `settled`.
///
/// A fence that is sequentially consistent goes out while loads are under way, and one that acquires or releases waits for them first
/// (`results/nvidia-h200/fences-loads`: 221 and 323 ns a round behind a load, which takes 161 by itself). Both wait for atomics.
pub(super) fn fence_ends(fence: Fence, fences: Fences, now: f64, settled: f64, warp: &mut TimedWarp) -> f64 {
    if fence.scope == FenceScope::Block {
        let loaded = warp.loaded_cycle.filter(|_| fence.order != FenceOrder::Sequential);
        return now.max(loaded.unwrap_or(now)) + fences.block_cycles;
    }
    // The accesses before it are behind the warp then.
    let (loaded, changed) = (warp.loaded_cycle.take(), warp.changed_cycle.take());
    let is_sequential = fence.order == FenceOrder::Sequential;
    let stores =
        if is_sequential || settled <= now { settled } else { settled + fences.acquire_release_behind_store_cycles };
    let loads = match loaded {
        Some(_) if is_sequential => now + fences.behind_access_cycles,
        Some(loaded) => loaded,
        None => now,
    };
    let atomics = changed.map_or(now, |changed| changed.max(now) + fences.behind_access_cycles);
    let end = now.max(stores).max(loads).max(atomics) + fences.device_cycles;
    let end = end.max(loaded.unwrap_or(now));
    if fence.scope == FenceScope::System { end.max(now + fences.system_cycles) } else { end }
}
