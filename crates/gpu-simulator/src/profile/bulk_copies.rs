//! Constants of bulk copies.

use super::read::CYCLES_MAX;
use super::table::Table;
use located_toml::problem::Problems;

/// Bulk copies between global and shared memory, by a unit beside the warps that each multiprocessor has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BulkCopies {
    /// What the bytes of a copy take more than a load, until they have arrived.
    pub latency_cycles: f64,
    /// The same for a tile of a matrix.
    pub tile_latency_cycles: f64,
    /// For how long a warp is held up by an instruction that begins copies, besides those of its lanes.
    pub instruction_cycles: f64,
    /// The same for each of its lanes that begins a copy.
    pub issue_cycles: f64,
    /// For how long each row of a tile keeps the unit busy, at least, and each line of 128 bytes of any copy.
    pub row_cycles: f64,
    /// For how long each line of 128 bytes of shared memory keeps the unit busy, on its way to global memory.
    pub line_from_shared_cycles: f64,
    /// Most bytes a cycle that L2 gives a multiprocessor by copies. `None`: what it gives by loads.
    pub bytes_per_cycle: Option<f64>,
    /// How much further or nearer than the mean the halves of L2 are for copies. `None`: as for loads.
    pub half_distance_cycles: Option<f64>,
}

impl Default for BulkCopies {
    /// For profiles that do not say: as a load, for nothing.
    fn default() -> Self {
        Self {
            latency_cycles: 0.0,
            tile_latency_cycles: 0.0,
            instruction_cycles: 0.0,
            issue_cycles: 0.0,
            row_cycles: 0.0,
            line_from_shared_cycles: 0.0,
            bytes_per_cycle: None,
            half_distance_cycles: None,
        }
    }
}

impl BulkCopies {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let mut cycles = |key: &'static str, example: f64| table.number(key, example, 0.0, CYCLES_MAX);
        let latency_cycles = cycles("latency_cycles", 15.0);
        let tile_latency_cycles = cycles("tile_latency_cycles", 65.0);
        let issue_cycles = cycles("issue_cycles", 52.0);
        let row_cycles = cycles("row_cycles", 1.0);
        let instruction_cycles = optional(&mut table, "instruction_cycles", 20.0);
        let line_from_shared_cycles = optional(&mut table, "line_from_shared_cycles", 4.0);
        let mut or_none = |key, least| {
            if table.optional(key) { table.number(key, least + 1.0, least, CYCLES_MAX).map(Some) } else { Some(None) }
        };
        let bytes_per_cycle = or_none("bytes_per_cycle", 0.001);
        let half_distance_cycles = or_none("half_distance_cycles", 0.0);
        table.finish(problems);
        Some(Self {
            latency_cycles: latency_cycles?,
            tile_latency_cycles: tile_latency_cycles?,
            issue_cycles: issue_cycles?,
            row_cycles: row_cycles?,
            instruction_cycles: instruction_cycles?,
            line_from_shared_cycles: line_from_shared_cycles?,
            bytes_per_cycle: bytes_per_cycle?,
            half_distance_cycles: half_distance_cycles?,
        })
    }
}

/// Cycles that are none where a profile does not say.
fn optional(table: &mut Table<'_>, key: &'static str, example: f64) -> Option<f64> {
    if table.optional(key) { table.number(key, example, 0.0, CYCLES_MAX) } else { Some(0.0) }
}
