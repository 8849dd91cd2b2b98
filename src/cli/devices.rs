//! `apbench devices`: what sweeps can run on.

use serde_json::json;

use super::failure::{Failure, Status};
use super::output::{line, print_table, table};
use crate::device::cuda::{self, Cuda};
use crate::device::{Device, DeviceError, Properties};
use crate::unit;

/// Options of `devices`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let (devices, problem) = match cuda_devices() {
        Ok(devices) => (devices, None),
        Err(error @ DeviceError::Missing(_)) => (Vec::new(), Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    if arguments.json {
        line(format!("{:#}", json!({"devices": devices, "problem": problem})))?;
        return Ok(Status::Success);
    }
    if let Some(problem) = problem {
        line(problem)?;
        return Ok(Status::Success);
    }
    let mut rows = table(&["device", "name", "compute", "SMs", "SM clock", "memory", "L2", "driver"]);
    for device in devices {
        rows.add_row([
            device.spec,
            device.name,
            device.compute_capability,
            device.sm_count.to_string(),
            format!("{:.0} MHz", device.sm_clock_mhz),
            unit::bytes(device.memory_bytes),
            unit::bytes(device.l2_bytes),
            device.driver_version.or(device.cuda_version.map(|version| format!("CUDA {version}"))).unwrap_or_default(),
        ]);
    }
    print_table(&rows)?;
    Ok(Status::Success)
}

fn cuda_devices() -> Result<Vec<Properties>, DeviceError> {
    (0..cuda::device_count()?).map(|ordinal| Cuda::open(ordinal).map(|device| device.properties().clone())).collect()
}
