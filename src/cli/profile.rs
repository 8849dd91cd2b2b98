//! `apbench sweep --profiler-run`: each point once, in this process, for profilers and checkers that watch what it does.

use super::failure::{Failure, Status};
use super::output::{line, tell};
use super::sweep::{Target, of_part};
use super::user_kernel;
use crate::device::{Device, DeviceError};
use crate::family::Request;
use crate::measure::check::{CheckError, run_and_check};
use crate::parameter::Mismatch;
use crate::run::metadata::Part;
use crate::scenario::{Point, Scenario, Sizes};

/// Runs every point of every scenario on each device: no warm-up, nothing evicted, nothing timed, nothing kept.
pub(super) fn run(
    scenarios: &[Scenario],
    targets: &[Target],
    sizes: Option<Sizes>,
    part: Option<Part>,
) -> Result<Status, Failure> {
    let mut status = Status::Success;
    // Whoever stops listening does not stop the running: a profiler is watching.
    let mut output = Ok(());
    for target in targets {
        let device = target.spec.open(tell)?;
        for scenario in scenarios {
            let scenario = &scenario.on(device.properties(), sizes)?;
            let points = of_part(&scenario.points(device.properties())?, part);
            user_kernel::load(scenario, &points, device.properties())?;
            for point in points {
                let (word, problem) = match run_once(&*device, scenario, &point) {
                    Ok(()) => ("ok    ", String::new()),
                    Err(CheckError::Wrong(problem)) => ("wrong ", format!(": {problem}")),
                    Err(CheckError::Device(error)) => ("failed", format!(": {error}")),
                };
                if !problem.is_empty() {
                    status = Status::PointsFailed;
                }
                let name = format!("{}/{} {}", scenario.family.name, point.variant.name, point.parameters);
                output = output.and_then(|()| line(format!("{word} {name}{problem}")));
            }
        }
    }
    status.unless_unheard(output.map_err(Failure::from))
}

fn run_once(device: &dyn Device, scenario: &Scenario, point: &Point) -> Result<(), CheckError> {
    let mismatch = |mismatch: Mismatch| DeviceError::Failed(mismatch.to_string());
    let need_bytes = scenario.family.device_bytes(&point.parameters).map_err(mismatch)?;
    let free_bytes = device.free_bytes()?;
    if need_bytes > free_bytes {
        return Err(DeviceError::OutOfMemory { need_bytes, free_bytes }.into());
    }
    let seed = scenario.measure.seed;
    let (variant, parameters) = (point.variant.name, &point.parameters);
    let request = Request { variant, parameters, device: device.properties(), seed };
    let workload = scenario.family.workload(&request).map_err(mismatch)?;
    let mut prepared = device.prepare(&workload)?;
    run_and_check(&mut *prepared, &workload)
}
