//! Constants of fences.

use super::read::CYCLES_MAX;
use super::table::Table;
use located_toml::problem::Problems;

/// What fences take.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fences {
    /// A fence for the block, once the accesses before it are on their way.
    pub block_cycles: f64,
    /// A fence for the device, once the stores before it have been taken.
    pub device_cycles: f64,
    /// A fence for the whole system, whatever is before it.
    pub system_cycles: f64,
    /// What a fence takes more behind loads and atomics of its warp.
    pub behind_access_cycles: f64,
    /// How much later a warp sees that all blocks have come to a word, where some are farther from it than others.
    pub farthest_block_cycles: f64,
    /// For how long each block keeps a word that all come to, with its atomic and its looks.
    pub meeting_cycles_per_block: f64,
}

impl Fences {
    /// What a profile does not say is nothing, and a fence of the system takes as long as one of the device.
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let device_cycles = table.number("device_cycles", 270.0, 0.0, CYCLES_MAX);
        let mut optional = |key: &'static str, example: f64, otherwise: Option<f64>| {
            if table.optional(key) { table.number(key, example, 0.0, CYCLES_MAX) } else { otherwise }
        };
        let block_cycles = optional("block_cycles", 9.0, Some(0.0));
        let system_cycles = optional("system_cycles", 1022.0, device_cycles);
        let behind_access_cycles = optional("behind_access_cycles", 195.0, Some(0.0));
        let farthest_block = optional("farthest_block_cycles", 470.0, Some(0.0));
        let meeting = optional("meeting_cycles_per_block", 4.0, Some(0.0));
        table.finish(problems);
        Some(Self {
            block_cycles: block_cycles?,
            device_cycles: device_cycles?,
            system_cycles: system_cycles?,
            behind_access_cycles: behind_access_cycles?,
            farthest_block_cycles: farthest_block?,
            meeting_cycles_per_block: meeting?,
        })
    }
}
