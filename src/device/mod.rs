//! Devices that run workloads: CUDA GPUs, simulated ones, and a mock whose times are an exact formula.

mod clock_claim;
pub mod clocks;
pub mod cuda;
mod driver;
pub mod energy;
mod guard;
pub mod mock;
pub mod occupancy;
mod phases;
mod races;
pub mod select;
pub mod sim;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::properties::Properties;
use crate::workload::Workload;
use clocks::ClockTarget;
use energy::{EnergyCounter, EnergyReading};
use located_toml::DocumentErrors;
use occupancy::KernelOccupancy;

pub use guard::{Guard, GuardOutcome, HAND_OVER, merge_guards};
pub use phases::Phases;
pub use races::{Finding, RaceReport, UnwatchedLaunches};

/// Why a device could not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeviceError {
    /// No such device on this machine. Nothing was run.
    #[error("{0}")]
    Missing(String),
    /// The profile of a simulated device is wrong. Nothing was run.
    #[error("{0}")]
    Profile(DocumentErrors),
    /// The workload needs more memory than is free. Nothing was built or allocated.
    #[error("needs {} of device memory, {} are free", crate::unit::bytes(*.need_bytes), crate::unit::bytes(*.free_bytes))]
    OutOfMemory {
        /// What the workload's buffers need.
        need_bytes: u64,
        /// What the device has free.
        free_bytes: u64,
    },
    /// The device is of a kind that cannot run the workload: too old, or with too small a limit. Nothing was run.
    #[error("this device cannot run it: {0}")]
    Unsupported(String),
    /// Nobody knows what the kernel would do: it was not run, or not to its end, for a reason that is not its own.
    #[error("{0}")]
    NotRun(String),
    /// The driver refused, or the kernel failed.
    #[error("{0}")]
    Failed(String),
    /// Its clock was to be locked, and is not. Nothing was measured.
    #[error("{0}")]
    Clocks(String),
    /// The kernel ran for so long that it is taken to have no end.
    #[error("{0}")]
    Endless(String),
}

impl DeviceError {
    /// The file and the line of its source at which a kernel failed, or why it was not run: a message about them begins with both.
    pub fn place(&self) -> Option<(&str, u32)> {
        let (Self::Failed(message) | Self::Endless(message) | Self::NotRun(message)) = self else { return None };
        let (file, line) = message.split_once(": ")?.0.rsplit_once(':')?;
        Some((file, line.parse().ok()?)).filter(|(file, line)| !file.is_empty() && *line > 0)
    }
}

/// Of a workload whose PTX has not the kernel that it launches.
fn no_kernel(entry: &str) -> DeviceError {
    DeviceError::Failed(format!("the PTX has no kernel {entry}"))
}

/// The state of the caches when a sample begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// Cold: the data of the workload was evicted.
    Cold,
    /// Hot: the caches hold what the launch before left there.
    Hot,
}

impl Cache {
    /// The word in the `cache` column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Hot => "hot",
        }
    }
}

/// How a workload's data is evicted from the L2 cache before a cold sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flush {
    /// By reading other memory, which leaves lines that need not be written back.
    Clean,
    /// By writing zeros, as other harnesses do: the lines are dirty, and the kernel pays for writing them back.
    Memset,
}

impl Flush {
    /// The word in scenarios and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Memset => "memset",
        }
    }
}

/// One timing of a workload's launches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// From the first launch's start to the last one's end; of a hot sample, for one time through the launches.
    pub time_us: f64,
    /// The host's time for the whole sample, eviction included.
    pub host_us: Option<f64>,
    /// The multiprocessors' median clock around the sample; `None` where it could not be told.
    pub clock_mhz: Option<f64>,
    /// How many times through the launches the time was taken over: 1 where cold.
    pub repeats: u32,
    /// Whether everything was queued before the device began, so that the time holds no launch latency. Always so for a workload with phases: what
    /// handing over its steps takes is part of what its user waits for.
    pub gated: bool,
    /// What the time went into, for a workload with phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
}

/// What a device's sensors say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Telemetry {
    /// Temperature of the GPU.
    pub temperature_c: Option<f64>,
    /// Power that the board draws.
    pub power_w: Option<f64>,
    /// Clock of the multiprocessors, as the driver reports it.
    pub sm_clock_mhz: Option<f64>,
    /// Clock of the memory.
    pub memory_clock_mhz: Option<f64>,
    /// Why the clock is lower than it could be, in words such as `power_cap`, `thermal` or `hardware`; empty where
    /// nothing holds it down, `None` where that is not told.
    pub throttle_reasons: Option<Vec<String>>,
}

/// Something that runs workloads.
pub trait Device {
    /// What is known of it.
    fn properties(&self) -> &Properties;

    /// Device memory that is free now.
    ///
    /// # Errors
    /// What the driver says.
    fn free_bytes(&self) -> Result<u64, DeviceError>;

    /// Columns of `points.csv` for what [`Prepared::counters`] tells.
    fn counter_columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Counts, from now on, what its hardware counts of each point. Tells by what, such as `CUPTI 13.0`.
    ///
    /// # Errors
    /// Why it cannot, in a sentence: everything else is as before then.
    fn count_by_hardware(&mut self) -> Result<String, String> {
        Err("this device has no counters of hardware".to_owned())
    }

    /// Looks, while the device is idle, for a counter of the energy that it draws, and measures energies from now on:
    /// [`Self::energy_counter`] tells what came of it.
    fn measure_energy(&mut self) {}

    /// The counter of energy that was found.
    ///
    /// # Errors
    /// Why there is none, in a sentence; also where nobody asked for energies.
    fn energy_counter(&self) -> Result<EnergyCounter, String> {
        Err("this device has no counter of energy".to_owned())
    }

    /// Its clocks, where they may be locked.
    fn clock_target(&self) -> Option<ClockTarget> {
        None
    }

    /// Whether a workload takes exactly as long every time, so that one sample is enough.
    fn repeats_exactly(&self) -> bool {
        self.side_by_side().is_some()
    }

    /// The same device for several threads at once. It takes a workload exactly as long every time, whatever else it does meanwhile.
    fn side_by_side(&self) -> Option<&(dyn Device + Sync)> {
        None
    }

    /// What could spoil measurements on this device, looked at before the first point.
    fn guards(&self) -> Vec<Guard> {
        Vec::new()
    }

    /// What the kernels that were measured so far do that the device's times leave out.
    fn guards_of_kernels(&self) -> Vec<Guard> {
        Vec::new()
    }

    /// The time of a cold sample of an empty kernel, in microseconds; `None` on devices without such a cost.
    ///
    /// # Errors
    /// What the driver says.
    fn null_cost_us(&self) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// What each kernel adds of many that do nothing and are launched one after the other, in microseconds; `None` where
    /// that means nothing.
    ///
    /// # Errors
    /// What the driver says.
    fn launch_cost_us(&self) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// The rate of a copy in device memory that no cache holds, in 10^9 bytes read and written a second; `None` where
    /// that means nothing.
    ///
    /// # Errors
    /// What the driver says.
    fn copy_gb_per_s(&self) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// What the sensors say now; `None` where there are none to ask.
    fn telemetry(&self) -> Option<Telemetry> {
        None
    }

    /// What limits how many blocks of the workload's kernels a multiprocessor holds; launches that are alike together. Nothing runs.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] where the device cannot run the workload, else what the driver says.
    fn occupancy(&self, workload: &Workload) -> Result<Vec<KernelOccupancy>, DeviceError>;

    /// Which accesses of the workload's launches race; `None` on devices that cannot tell.
    ///
    /// # Errors
    /// What a kernel did wrong.
    fn races(&self, _workload: &Workload) -> Result<Option<RaceReport>, DeviceError> {
        Ok(None)
    }

    /// Loads the kernels, allocates the buffers and fills them. Several workloads can be prepared at once.
    ///
    /// # Errors
    /// What the driver says.
    fn prepare<'device>(&'device self, workload: &'device Workload)
    -> Result<Box<dyn Prepared + 'device>, DeviceError>;

    /// The same for a run whose outputs are checked and whose time is not asked for. A device that runs only a part of large launches to time them runs
    /// all of them here, up to a limit: [`Prepared::in_part`] tells.
    ///
    /// # Errors
    /// What the driver says.
    fn prepare_to_check<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        self.prepare(workload)
    }
}

/// The buffers of a workload that was run.
pub trait Buffers {
    /// How many words the buffer with this index in the workload has; 0 where there is none.
    fn words(&self, buffer: usize) -> usize;

    /// Fills `words` with those of a buffer from the one numbered `first` on. `None` where not all are there.
    fn read(&self, buffer: usize, first: usize, words: &mut [u32]) -> Option<()>;

    /// Whether these words are known to be as they were before the launches.
    fn are_as_before(&self, buffer: usize, words: Range<usize>) -> bool;
}

/// How many blocks of a workload's launches ran where not all did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InPart {
    /// Blocks that ran.
    pub executed: u64,
    /// All blocks.
    pub blocks: u64,
}

/// What of a workload's outputs is what its kernels make of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkable {
    /// Every element: all blocks were executed.
    Everything,
    /// What the executed blocks of the only launch wrote. The outputs of the others are as they were before.
    ExecutedBlocks,
    /// Nothing: launches used what blocks that were not executed would have written, or outputs are sums that these would have added to.
    Nothing,
}

/// A workload that is loaded on a device, ready to run any number of times.
pub trait Prepared {
    /// Runs the launches once, untimed, and waits for them.
    ///
    /// # Errors
    /// What the driver says.
    fn run(&mut self) -> Result<(), DeviceError>;

    /// Puts the words of the buffer with this index in the workload into `words`, in place of what it holds: a vector that
    /// was filled before need not be made anew.
    ///
    /// # Errors
    /// What the driver says.
    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError>;

    /// Evicts the workload's data from the caches, runs the launches once and times them.
    ///
    /// # Errors
    /// What the driver says.
    fn cold_sample(&mut self, flush: Flush) -> Result<Sample, DeviceError>;

    /// Runs the launches many times over in one go, without evicting anything, and times one time through them.
    /// `None` where the device cannot do that.
    ///
    /// # Errors
    /// What the driver says.
    fn hot_sample(&mut self) -> Result<Option<Sample>, DeviceError> {
        Ok(None)
    }

    /// The buffers, to be read a part at a time; `None` where the device does not give them so.
    fn buffers(&self) -> Option<&dyn Buffers> {
        None
    }

    /// What was counted while the launches ran, in the order of [`Device::counter_columns`]; empty before.
    fn counters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Runs the launches again and counts what the hardware does, in the order of [`Device::counter_columns`]; `None` where nobody asked for
    /// that. Launches take longer while they are counted, so times are taken before.
    ///
    /// # Errors
    /// Why it cannot be counted.
    fn count(&mut self) -> Result<Option<Vec<(&'static str, String)>>, DeviceError> {
        Ok(None)
    }

    /// Runs the launches again and again, for seconds, and measures the energy of one time through them; `None` where nobody asked for that.
    ///
    /// # Errors
    /// Why it cannot be measured.
    fn energy(&mut self) -> Result<Option<EnergyReading>, DeviceError> {
        Ok(None)
    }

    /// What the kernels printed; empty where that goes elsewhere.
    fn printed(&self) -> String {
        String::new()
    }

    /// How many blocks the last run executed, where these were not all.
    fn in_part(&self) -> Option<InPart> {
        None
    }

    /// What of the outputs is what the kernels make of the inputs.
    fn checkable(&self) -> Checkable {
        Checkable::Everything
    }
}
