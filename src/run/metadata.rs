//! `run.json`: the run's circumstances.

use serde::{Deserialize, Serialize};

pub use super::part::Part;
use crate::device::Guard;
use crate::device::energy::EnergyCounter;
use crate::family::Family;
use crate::kernel::Provenance;
use crate::known_error::Points;
use crate::properties::Properties;
use crate::record::{PointRecord, TimeSpent};
use crate::scenario::{MeasureSettings, Sizes};
use crate::user_kernel::DataFile;
pub use keys::KEYS;

mod keys;

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
    /// Which of the scenario's sizes its points have; absent in runs of versions that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Points in the grid, also where the run has a part of it.
    pub points: usize,
    /// The machine.
    pub host: Host,
    /// The device and where its times come from.
    pub device: Properties,
    /// The kernels.
    pub kernels: Provenance,
    /// The predictors of a kernel of the user's, in the order of their columns; none of the program's families.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_predictors: Vec<String>,
    /// The files that buffers of a kernel of the user's are filled with or compared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_files: Vec<DataFile>,
    /// How points were measured, with the seed.
    pub measure: MeasureSettings,
    /// What the clock of the device was locked at, in MHz; absent where it was left as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_clocks_mhz: Option<u32>,
    /// The counter of energy that energies were measured with; absent where there was none, or nobody asked for energies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyCounter>,
    /// Which part of the grid this run has; absent where it has all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The guards: checks of what can spoil measurements, with their results.
    #[serde(default)]
    pub guards: Vec<Guard>,
    /// The noise floor of the device, if `selfcheck` has measured it.
    #[serde(default)]
    pub noise_floor: Option<NoiseFloor>,
    /// The time spent, by activity, in seconds.
    #[serde(default)]
    pub time_spent: TimeSpent,
    /// When it was continued after it had been interrupted or killed (RFC 3339).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed_at: Vec<String>,
    /// The parts that it was joined from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<MergedFrom>,
}

impl RunMetadata {
    /// These points of the run, as what is known of simulated times is looked up by.
    pub fn for_known_errors<'a>(&'a self, family: &'static Family, points: &'a [PointRecord]) -> Points<'a> {
        Points { scenario: &self.scenario, family, device: &self.device, points, asked: self.sizes() }
    }

    /// Which of the scenario's sizes its points have. Where the run does not say, its command does, or else the device.
    pub fn sizes(&self) -> Sizes {
        let option = self.command_line.iter().position(|word| word == "--sizes");
        let given = option.and_then(|place| match self.command_line.get(place + 1)?.as_str() {
            "gpu" => Some(Sizes::Gpu),
            "simulated" => Some(Sizes::Simulated),
            _ => None,
        });
        self.sizes.or(given).unwrap_or_else(|| Sizes::of_old_run(self.device.origin))
    }
}

/// A run that was joined into another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedFrom {
    /// Where it was, as the command said it.
    pub directory: String,
    /// Its part of the grid.
    pub part: Part,
    /// The command that began it.
    pub command_line: Vec<String>,
    /// The machine that it was made on.
    pub host: Host,
    /// The specification of its device.
    pub device_spec: String,
    /// Its device's unique identifier.
    pub device_uuid: Option<String>,
    /// Its start (RFC 3339).
    pub started_at: String,
    /// When it was gone on with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed_at: Vec<String>,
    /// Its end; absent where it was killed.
    pub ended_at: Option<String>,
    /// Its points.
    pub points: usize,
}

/// The noise floor up to which measurements are trusted, and kept: the least difference that comparisons call one, in percent.
pub const FLOOR_TRUSTED_PCT: f64 = 1.0;

/// What measurements of the same kernel differ by, as `selfcheck` found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// The difference that 95 % of comparisons of a kernel with itself stay below, in percent.
    pub floor_pct: f64,
    /// How many comparisons that rests on.
    pub comparisons: usize,
    /// When it was found (RFC 3339).
    pub measured_at: String,
}
