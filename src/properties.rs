//! What is known of a device that runs or ran workloads, and where its times come from.

use gpu_simulator::TIMING_MODEL;
use gpu_simulator::hardware::Rules;
use gpu_simulator::hardware::occupancy::Limits;
use gpu_simulator::profile::Profile;
use serde::{Deserialize, Serialize};

/// Where a time comes from. Times of different origins never share a column, a chart line or a verdict unlabelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// Schedulers of a multiprocessor. This and what follows, down to the rules, are 0 in runs of versions that did not ask.
    #[serde(default)]
    pub schedulers_per_sm: u32,
    /// Most blocks resident on a multiprocessor.
    #[serde(default)]
    pub blocks_per_sm: u32,
    /// 32-bit registers of a multiprocessor.
    #[serde(default)]
    pub registers_per_sm: u32,
    /// Registers of a thread at most.
    #[serde(default)]
    pub registers_per_thread: u32,
    /// Shared memory of a multiprocessor.
    #[serde(default)]
    pub shared_bytes_per_sm: u64,
    /// Most shared memory of a block that opts in to more than is usual.
    #[serde(default)]
    pub shared_bytes_per_block_opt_in: u64,
    /// Shared memory that every block takes beyond what it asks for.
    #[serde(default)]
    pub reserved_shared_bytes_per_block: u64,
    /// By which rules accesses to memory become work.
    #[serde(default)]
    pub rules: Rules,
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
    /// How well its times agree with the real GPU, as far as that was checked.
    pub validation: String,
    /// The version of the simulator's timing model; 0 where a run does not tell.
    #[serde(default)]
    pub timing_model: u32,
}

impl Properties {
    /// Compute capability, major and minor; 0.0 where it is none.
    pub fn capability(&self) -> (u32, u32) {
        let parts = self.compute_capability.split_once('.');
        parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?))).unwrap_or((0, 0))
    }

    /// What is known of a simulated device that follows `profile`.
    pub fn simulated(profile: &Profile) -> Self {
        let (major, minor) = profile.compute_capability;
        Self {
            spec: format!("sim:{}", profile.spec),
            name: format!("{} (simulated)", profile.title),
            origin: Origin::Simulated,
            uuid: None,
            driver_version: None,
            cuda_version: None,
            compute_capability: format!("{major}.{minor}"),
            sm_count: profile.sm_count,
            sm_clock_mhz: profile.sm_clock_mhz,
            memory_clock_mhz: None,
            memory_bus_bits: None,
            memory_bytes: profile.global.bytes,
            l2_bytes: profile.global.l2_bytes,
            threads_per_sm: profile.occupancy.threads_per_sm,
            threads_per_block: profile.occupancy.threads_per_block,
            shared_bytes_per_block: u32::try_from(profile.shared.bytes_per_block).unwrap_or(u32::MAX),
            ecc: None,
            schedulers_per_sm: profile.schedulers_per_sm,
            blocks_per_sm: profile.occupancy.blocks_per_sm,
            registers_per_sm: profile.occupancy.registers_per_sm,
            registers_per_thread: profile.occupancy.registers_per_thread,
            shared_bytes_per_sm: profile.shared.bytes_per_sm,
            shared_bytes_per_block_opt_in: profile.shared.bytes_per_block_opt_in,
            reserved_shared_bytes_per_block: profile.shared.reserved_bytes_per_block,
            rules: Rules { coalescing: profile.global.coalescing, banks: profile.shared.banks },
            profile: Some(ProfileRecord {
                sha256: profile.sha256.clone(),
                validation: profile.validation.clone(),
                timing_model: TIMING_MODEL,
            }),
        }
    }

    /// What its multiprocessors have.
    pub fn limits(&self) -> Limits {
        Limits {
            compute_capability: self.capability(),
            schedulers_per_sm: self.schedulers_per_sm,
            threads_per_sm: self.threads_per_sm,
            blocks_per_sm: self.blocks_per_sm,
            threads_per_block: self.threads_per_block,
            registers_per_sm: self.registers_per_sm,
            registers_per_thread: self.registers_per_thread,
            shared_bytes_per_sm: self.shared_bytes_per_sm,
            shared_bytes_per_block: self.shared_bytes_per_block_opt_in,
            reserved_shared_bytes_per_block: self.reserved_shared_bytes_per_block,
            shared_holds_arguments: self.capability().0 == 1,
        }
    }

    /// The peak bandwidth of the device memory, in 10^9 bytes a second: two transfers a clock. `None` where the memory's clock or
    /// the width of its bus is not known.
    pub fn peak_gb_per_s(&self) -> Option<f64> {
        let (clock_mhz, bits) = (self.memory_clock_mhz?, self.memory_bus_bits?);
        let peak = 2.0 * clock_mhz * 1e6 * f64::from(bits) / 8.0 / 1e9;
        (peak > 0.0).then_some(peak)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_properties_are_those_of_the_gpu_and_say_that_it_is_simulated() {
        let properties = Properties::simulated(&Profile::load("h200").expect("valid"));
        assert_eq!((properties.spec.as_str(), properties.origin), ("sim:h200", Origin::Simulated));
        assert_eq!(properties.name, "NVIDIA H200 (simulated)");
        assert_eq!((properties.sm_count, properties.compute_capability.as_str()), (132, "9.0"));
        assert_eq!((properties.l2_bytes, properties.threads_per_sm), (60 << 20, 2048));
        assert_eq!(properties.shared_bytes_per_block, 48 << 10);
        assert_eq!(
            (properties.shared_bytes_per_block_opt_in, properties.limits().shared_bytes_per_block),
            (232_448, 232_448)
        );
        assert!(properties.driver_version.is_none() && properties.uuid.is_none());
    }

    #[test]
    fn the_peak_is_that_of_both_edges() {
        let mut properties = Properties::simulated(&Profile::load("h200").expect("valid"));
        assert_eq!(properties.peak_gb_per_s(), None);
        // An H200: 3201 MHz, 6144 bits, 4.9 TB/s by its clock.
        (properties.memory_clock_mhz, properties.memory_bus_bits) = (Some(3201.0), Some(6144));
        assert!((properties.peak_gb_per_s().unwrap() - 4916.736).abs() < 1e-9);
    }
}
