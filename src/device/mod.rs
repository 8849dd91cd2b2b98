//! Devices that run workloads: CUDA GPUs, simulated ones, and a mock whose times are an exact formula.

pub mod cuda;
pub mod mock;
pub mod select;
pub mod sim;

use serde::{Deserialize, Serialize};

use crate::document::DocumentErrors;
use crate::workload::Workload;

/// Where a time comes from. Times of different origins never share a column, a chart line or a verdict unlabelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A real GPU's events.
    Measured,
    /// A simulated device's timing model.
    Simulated,
    /// The mock's formula: no GPU, real or simulated, was involved.
    Mock,
}

impl Origin {
    /// The word in the `origin` column and in every chart's subtitle.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Simulated => "simulated",
            Self::Mock => "mock",
        }
    }
}

/// What is known of a device. `None` where the device does not tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Properties {
    /// The specification that selects it: `cuda:0`, `sim:h200`, `mock`.
    pub spec: String,
    /// Its name, as the driver gives it.
    pub name: String,
    /// Where its times come from.
    pub origin: Origin,
    /// Its unique identifier.
    pub uuid: Option<String>,
    /// The driver's version, such as `580.95.05`.
    pub driver_version: Option<String>,
    /// The CUDA version that the driver supports, such as `13.0`.
    pub cuda_version: Option<String>,
    /// Compute capability, such as `9.0`.
    pub compute_capability: String,
    /// Streaming multiprocessors.
    pub sm_count: u32,
    /// Highest clock of the streaming multiprocessors.
    pub sm_clock_mhz: f64,
    /// Highest clock of the memory.
    pub memory_clock_mhz: Option<f64>,
    /// Width of the memory bus.
    pub memory_bus_bits: Option<u32>,
    /// Device memory in all.
    pub memory_bytes: u64,
    /// L2 cache.
    pub l2_bytes: u64,
    /// Most threads resident on a multiprocessor.
    pub threads_per_sm: u32,
    /// Most threads of a block.
    #[serde(default = "threads_per_block_today")]
    pub threads_per_block: u32,
    /// Most shared memory of a block without opting in to more.
    pub shared_bytes_per_block: u32,
    /// Whether error correction is on.
    pub ecc: Option<bool>,
    /// The profile of a simulated device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileRecord>,
}

/// That of every GPU since 2010, for runs that do not tell.
fn threads_per_block_today() -> u32 {
    1024
}

/// Which profile a simulated device follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileRecord {
    /// SHA-256 of its text.
    pub sha256: String,
    /// How far its times have been held against the real GPU.
    pub validation: String,
}

impl Properties {
    /// The device in a few words for charts and summaries, with the origin of its times.
    pub fn label(&self) -> String {
        let Self { name, spec, origin, .. } = self;
        // The names of simulated devices say so themselves.
        if *origin == Origin::Simulated {
            format!("{name}, {spec}")
        } else {
            format!("{name} ({spec}), {}", origin.name())
        }
    }
}

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
    /// The driver refused, or the kernel failed.
    #[error("{0}")]
    Failed(String),
}

/// One timing of a workload's launches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// From the first launch's start to the last one's end.
    pub time_us: f64,
    /// The multiprocessors' mean clock around the sample; `None` where it could not be told.
    pub clock_mhz: Option<f64>,
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

    /// Whether a workload takes exactly as long every time, so that one sample is enough.
    fn repeats_exactly(&self) -> bool {
        false
    }

    /// Loads the kernels, allocates the buffers and fills them.
    ///
    /// # Errors
    /// What the driver says.
    fn prepare<'device>(
        &'device mut self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError>;
}

/// A workload that is loaded on a device, ready to run any number of times.
pub trait Prepared {
    /// Runs the launches once, untimed, and waits for them.
    ///
    /// # Errors
    /// What the driver says.
    fn run(&mut self) -> Result<(), DeviceError>;

    /// The words of the buffer with this index in the workload.
    ///
    /// # Errors
    /// What the driver says.
    fn read(&mut self, buffer: usize) -> Result<Vec<u32>, DeviceError>;

    /// Evicts the workload's data from the caches, runs the launches once and times them.
    ///
    /// # Errors
    /// What the driver says.
    fn sample(&mut self) -> Result<Sample, DeviceError>;

    /// What was counted while the launches ran, in the order of [`Device::counter_columns`]; empty before.
    fn counters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What the kernels printed; empty where that goes elsewhere.
    fn printed(&self) -> String {
        String::new()
    }

    /// Whether every block of every launch was executed. Where not, the outputs of the others are as they were before.
    fn executes_all_blocks(&self) -> bool {
        true
    }
}
