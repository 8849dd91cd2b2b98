//! `run.json`: the run's circumstances.

use serde::{Deserialize, Serialize};

use crate::device::Properties;
use crate::kernel::Provenance;
use crate::scenario::MeasureSettings;

/// How far a run got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It is going on, or was killed.
    Running,
    /// Every point has its row.
    Complete,
    /// It was stopped, between two points.
    Interrupted,
}

/// The machine that a run was made on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name on the network.
    pub name: Option<String>,
    /// Operating system and processor architecture.
    pub system: String,
    /// Processor cores that the run could use.
    pub cores: usize,
}

impl Host {
    /// This machine.
    pub fn this() -> Self {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        Self {
            name: name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Everything in `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunMetadata {
    /// Version of the run directory's layout.
    pub schema_version: u32,
    /// Version of apbench.
    pub apbench_version: String,
    /// The scenario's name.
    pub scenario: String,
    /// The command as it was given.
    pub command_line: Vec<String>,
    /// Start, with the time zone's offset (RFC 3339).
    pub started_at: String,
    /// End; absent while the run goes on, or when it was killed.
    pub ended_at: Option<String>,
    /// How far it got.
    pub status: RunStatus,
    /// Points in the grid.
    pub points: usize,
    /// The machine.
    pub host: Host,
    /// The device and where its times come from.
    pub device: Properties,
    /// The kernels.
    pub kernels: Provenance,
    /// How points were measured, with the seed.
    pub measure: MeasureSettings,
}
