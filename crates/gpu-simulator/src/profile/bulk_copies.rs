//! Constants of bulk copies.

use super::read::CYCLES_MAX;
use super::table::Table;
use located_toml::problem::Problems;

/// Bulk copies from global to shared memory, by a unit beside the warps that each multiprocessor has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BulkCopies {
    /// What the bytes of a copy take more than a load, until they have arrived.
    pub latency_cycles: f64,
    /// The same for a tile of a matrix.
    pub tile_latency_cycles: f64,
    /// For how long a warp is held up for each of its lanes that begins a copy.
    pub issue_cycles: f64,
    /// For how long each row of a tile keeps the unit busy, at least, and each line of 128 bytes of any copy.
    pub row_cycles: f64,
}

impl Default for BulkCopies {
    /// For profiles that do not say: as a load, for nothing.
    fn default() -> Self {
        Self { latency_cycles: 0.0, tile_latency_cycles: 0.0, issue_cycles: 0.0, row_cycles: 0.0 }
    }
}

impl BulkCopies {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let mut cycles = |key: &'static str, example: f64| table.number(key, example, 0.0, CYCLES_MAX);
        let latency_cycles = cycles("latency_cycles", 15.0);
        let tile_latency_cycles = cycles("tile_latency_cycles", 65.0);
        let issue_cycles = cycles("issue_cycles", 52.0);
        let row_cycles = cycles("row_cycles", 1.0);
        table.finish(problems);
        Some(Self {
            latency_cycles: latency_cycles?,
            tile_latency_cycles: tile_latency_cycles?,
            issue_cycles: issue_cycles?,
            row_cycles: row_cycles?,
        })
    }
}
