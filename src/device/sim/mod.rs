//! Simulated devices: they interpret the PTX that GPUs run.

use self::profile::Profile;
use super::{Device, DeviceError, Prepared, Properties};
use crate::workload::Workload;

pub mod profile;

/// A simulated device.
pub struct Sim {
    profile: Profile,
    properties: Properties,
}

impl Sim {
    /// The device of a profile.
    pub fn open(profile: Profile) -> Self {
        Self { properties: profile.properties(), profile }
    }

    /// The profile that it follows.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }
}

impl Device for Sim {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        Ok(self.properties.memory_bytes)
    }

    fn prepare<'device>(
        &'device mut self,
        _workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        Err(DeviceError::Failed("simulated devices do not run kernels yet".to_owned()))
    }
}
