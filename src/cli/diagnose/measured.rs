//! The time that a point takes on a GPU, beside the simulated one.

use super::super::failure::Failure;
use crate::device::{Device, DeviceError, Flush};
use crate::family::Request;
use crate::scenario::{Point, Scenario};

/// Samples with cold caches, of which the median is told.
const SAMPLES: usize = 11;

/// A measured time.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeasuredTime {
    pub(super) median_us: f64,
    pub(super) smallest_us: f64,
    pub(super) largest_us: f64,
    pub(super) samples: usize,
}

/// Measures a point. Outputs are not checked here: `apbench verify` does.
pub(super) fn time(
    device: &dyn Device,
    scenario: &Scenario,
    point: &Point,
    seed: u64,
) -> Result<MeasuredTime, Failure> {
    let request =
        Request { variant: point.variant.name, parameters: &point.parameters, device: device.properties(), seed };
    let mismatch = |problem: crate::parameter::Mismatch| Failure::Device(DeviceError::Failed(problem.to_string()));
    let workload = scenario.family.workload(&request).map_err(mismatch)?;
    let mut prepared = device.prepare(&workload)?;
    prepared.run()?;
    let samples = (0..SAMPLES).map(|_| prepared.cold_sample(Flush::Clean).map(|sample| sample.time_us));
    let mut times = samples.collect::<Result<Vec<f64>, DeviceError>>()?;
    times.sort_by(f64::total_cmp);
    Ok(MeasuredTime {
        median_us: times[SAMPLES / 2],
        smallest_us: times[0],
        largest_us: times[SAMPLES - 1],
        samples: SAMPLES,
    })
}
