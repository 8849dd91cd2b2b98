//! Constants of barriers in shared memory.

use super::read::CYCLES_MAX;
use super::table::Table;
use located_toml::problem::Problems;

/// Barriers in shared memory (`mbarrier`). Lanes of a warp that do the same to one of them do it together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseBarriers {
    /// From when a warp asks for a phase until it is told.
    pub asking_cycles: f64,
    /// For how long a warp that asks keeps the load-store unit busy.
    pub asking_unit_cycles: f64,
    /// The same of one that arrives.
    pub arriving_unit_cycles: f64,
    /// The same of one that says how many bytes come besides.
    pub expecting_unit_cycles: f64,
    /// For how long one that arrives keeps the others of its scheduler from the unit.
    pub arriving_cycles: f64,
    /// From the end of a phase until a warp knows of it that was suspended until then.
    pub waking_cycles: f64,
    /// For how long a warp is suspended at most that asks for a phase too early (`mbarrier.try_wait`).
    pub suspended_cycles: f64,
    /// From when lanes ask for a phase too early until they are told so, while the other lanes of their warp wait elsewhere. `None`: they are
    /// suspended as a whole warp is.
    pub refusing_cycles: Option<f64>,
}

impl PhaseBarriers {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let mut cycles = |key: &'static str, example: f64| table.number(key, example, 0.0, CYCLES_MAX);
        let asking_cycles = cycles("asking_cycles", 20.0);
        let asking_unit_cycles = cycles("asking_unit_cycles", 4.5);
        let arriving_unit_cycles = cycles("arriving_unit_cycles", 2.0);
        let expecting_unit_cycles = cycles("expecting_unit_cycles", 4.0);
        let arriving_cycles = cycles("arriving_cycles", 9.0);
        let waking_cycles = cycles("waking_cycles", 11.6);
        let suspended_cycles = cycles("suspended_cycles", 8000.0);
        let refusing_cycles = if table.optional("refusing_cycles") {
            table.number("refusing_cycles", 122.0, 0.0, CYCLES_MAX).map(Some)
        } else {
            Some(None)
        };
        table.finish(problems);
        Some(Self {
            asking_cycles: asking_cycles?,
            asking_unit_cycles: asking_unit_cycles?,
            arriving_unit_cycles: arriving_unit_cycles?,
            expecting_unit_cycles: expecting_unit_cycles?,
            arriving_cycles: arriving_cycles?,
            waking_cycles: waking_cycles?,
            suspended_cycles: suspended_cycles?,
            refusing_cycles: refusing_cycles?,
        })
    }
}
