//! Constants of barriers in shared memory.

use super::read::CYCLES_MAX;
use super::table::Table;
use located_toml::problem::Problems;

/// Barriers in shared memory (`mbarrier`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseBarriers {
    /// From the end of a phase until a warp knows of it that was suspended until then.
    pub waking_cycles: f64,
    /// For how long a warp is suspended at most that asks for a phase too early (`mbarrier.try_wait`).
    pub suspended_cycles: f64,
}

impl Default for PhaseBarriers {
    /// For profiles that do not say: whoever asks too early is told so at once, and asks again.
    fn default() -> Self {
        Self { waking_cycles: 0.0, suspended_cycles: 0.0 }
    }
}

impl PhaseBarriers {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let mut cycles = |key: &'static str, example: f64| table.number(key, example, 0.0, CYCLES_MAX);
        let waking_cycles = cycles("waking_cycles", 20.0);
        let suspended_cycles = cycles("suspended_cycles", 1_000_000.0);
        table.finish(problems);
        Some(Self { waking_cycles: waking_cycles?, suspended_cycles: suspended_cycles? })
    }
}
