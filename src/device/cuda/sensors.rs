//! What the management library (NVML) tells of a GPU. Where it is absent, nothing is known, and nothing fails.

use std::ffi::CStr;

use cudarc::driver::sys;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::symbols::{Driver, Feature};
use crate::device::Telemetry;

/// What holds a clock down, with the word for it. A clock that is idle or was set by somebody is as it should be.
const REASONS: [(ThrottleReasons, &str); 6] = [
    (ThrottleReasons::SW_POWER_CAP, "power_cap"),
    (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power_brake"),
    (ThrottleReasons::SW_THERMAL_SLOWDOWN, "thermal"),
    (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hardware_thermal"),
    (ThrottleReasons::HW_SLOWDOWN, "hardware"),
    (ThrottleReasons::SYNC_BOOST, "sync_boost"),
];

/// The library and which of its devices is ours, or why there is none.
pub(super) struct Sensors {
    library: Result<(Nvml, String), String>,
    /// Processes that were on the GPU before this one; `None` where that is not told.
    pub(super) others: Option<usize>,
}

impl Sensors {
    /// The sensors of the CUDA device with this ordinal. The two libraries number devices differently: the address on the bus
    /// tells which is which.
    pub(super) fn open(ordinal: usize, driver: &Driver) -> Self {
        let library = match (Nvml::init(), driver.has(Feature::Identity).then(|| bus_address(ordinal)).flatten()) {
            (Ok(nvml), Some(address)) => Ok((nvml, address)),
            (Err(error), _) => Err(error.to_string()),
            (_, None) => Err("the device's address on the bus is not known".to_owned()),
        };
        let mut sensors = Self { library, others: None };
        sensors.others = sensors.processes().map(|running| running.len());
        sensors
    }

    /// The numbers of the processes that are on the GPU; `None` where that is not told.
    pub(super) fn processes(&self) -> Option<Vec<u32>> {
        self.ask(|device| {
            let mut running = device.running_compute_processes()?;
            running.extend(device.running_graphics_processes().unwrap_or_default());
            Ok(running.into_iter().map(|process| process.pid).collect())
        })
        .ok()
    }

    /// Asks the device's sensors something.
    ///
    /// # Errors
    /// Why it cannot be told.
    pub(super) fn ask<T>(&self, question: impl FnOnce(&Device<'_>) -> Result<T, NvmlError>) -> Result<T, String> {
        let (nvml, address) = self.library.as_ref().map_err(String::clone)?;
        let device = nvml.device_by_pci_bus_id(address.as_str()).map_err(|error| error.to_string())?;
        question(&device).map_err(|error| error.to_string())
    }

    /// What the sensors say now.
    pub(super) fn telemetry(&self) -> Option<Telemetry> {
        self.ask(|device| {
            let reasons = device.current_throttle_reasons().ok();
            let milliwatts = device.power_usage().ok();
            Ok(Telemetry {
                temperature_c: device.temperature(TemperatureSensor::Gpu).ok().map(f64::from),
                power_w: milliwatts.map(|milliwatts| f64::from(milliwatts) / 1000.0),
                sm_clock_mhz: device.clock_info(Clock::SM).ok().map(f64::from),
                memory_clock_mhz: device.clock_info(Clock::Memory).ok().map(f64::from),
                throttle_reasons: reasons.map(words),
            })
        })
        .ok()
    }
}

fn words(reasons: ThrottleReasons) -> Vec<String> {
    REASONS.iter().filter(|(reason, _)| reasons.contains(*reason)).map(|(_, word)| (*word).to_owned()).collect()
}

/// The address of a CUDA device on the PCI bus. The driver must have been initialised.
fn bus_address(ordinal: usize) -> Option<String> {
    let mut device = 0;
    let mut address = [0; 32];
    // SAFETY: both calls write to locals, the second no more than the length that it is given.
    unsafe {
        sys::cuDeviceGet(&raw mut device, ordinal as i32).result().ok()?;
        sys::cuDeviceGetPCIBusId(address.as_mut_ptr(), address.len() as i32, device).result().ok()?;
    }
    let bytes = address.map(|byte| byte as u8);
    Some(CStr::from_bytes_until_nul(&bytes).ok()?.to_str().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_the_clock_down_is_a_reason() {
        assert_eq!(words(ThrottleReasons::NONE), Vec::<String>::new());
        assert_eq!(
            words(ThrottleReasons::GPU_IDLE | ThrottleReasons::APPLICATIONS_CLOCKS_SETTING),
            Vec::<String>::new()
        );
        let hot = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::SW_THERMAL_SLOWDOWN;
        assert_eq!(words(hot), ["power_cap", "thermal"]);
    }
}
