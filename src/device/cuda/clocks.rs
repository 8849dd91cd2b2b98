//! Clocks that the management library (NVML) locks.

use nvml_wrapper::enums::device::GpuLockedClocksSetting;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use crate::device::clocks::{ClockRefusal, GpuClocks};

/// The library, and which of its GPUs is meant.
struct NvmlClocks {
    nvml: Nvml,
    uuid: String,
}

/// The clocks of the GPU with this identifier.
///
/// # Errors
/// When the library or the GPU is not there.
pub fn open_clocks(uuid: &str) -> Result<Box<dyn GpuClocks + Send>, ClockRefusal> {
    let clocks = NvmlClocks { nvml: Nvml::init().map_err(refusal)?, uuid: uuid.to_owned() };
    clocks.device()?;
    Ok(Box::new(clocks))
}

impl NvmlClocks {
    fn device(&self) -> Result<Device<'_>, ClockRefusal> {
        self.nvml.device_by_uuid(self.uuid.as_str()).map_err(refusal)
    }
}

impl GpuClocks for NvmlClocks {
    fn supported_mhz(&self) -> Result<Vec<u32>, ClockRefusal> {
        let device = self.device()?;
        let memory = device.supported_memory_clocks().map_err(refusal)?;
        let of_memory = |mhz: u32| device.supported_graphics_clocks(mhz).map_err(refusal);
        let all = memory.into_iter().map(of_memory).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }

    fn lock(&mut self, mhz: u32) -> Result<(), ClockRefusal> {
        let setting = GpuLockedClocksSetting::Numeric { min_clock_mhz: mhz, max_clock_mhz: mhz };
        self.device()?.set_gpu_locked_clocks(setting).map_err(refusal)
    }

    fn reset(&mut self) -> Result<(), ClockRefusal> {
        self.device()?.reset_gpu_locked_clocks().map_err(refusal)
    }
}

fn refusal(error: NvmlError) -> ClockRefusal {
    match error {
        NvmlError::NoPermission => ClockRefusal::NoPermission,
        NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_) => ClockRefusal::Unsupported,
        other => ClockRefusal::Other(format!("the driver says: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_administrator_can_do_is_told_from_what_the_gpu_cannot() {
        assert_eq!(refusal(NvmlError::NoPermission), ClockRefusal::NoPermission);
        assert_eq!(refusal(NvmlError::NotSupported), ClockRefusal::Unsupported);
        assert!(
            matches!(refusal(NvmlError::GpuLost), ClockRefusal::Other(told) if told.starts_with("the driver says: "))
        );
    }
}
