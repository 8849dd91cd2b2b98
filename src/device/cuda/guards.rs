//! What could spoil measurements on a GPU, looked at before the first of them.

use super::known::null_times_us;
use super::sensors::Sensors;
use super::{Cuda, DeviceError};
use crate::device::{Guard, GuardOutcome};

/// Looks at everything.
pub(super) fn look(device: &Cuda) -> Vec<Guard> {
    let sensors = &device.sensors;
    let (null_cost, resolution) = null_cost_and_resolution(device);
    let timer_step_ns = device.instruments.stopwatch.borrow().timer_step_ns;
    vec![
        sensors_there(sensors),
        other_processes(sensors.others),
        device.driver.guard(),
        ecc(device.properties.ecc),
        mig(sensors),
        power_limit(sensors),
        null_cost,
        resolution,
        guard(
            "timer_step",
            GuardOutcome::Ok,
            format!("the device's nanosecond timer moves in steps of {timer_step_ns} ns"),
        ),
    ]
}

fn guard(name: &str, outcome: GuardOutcome, detail: impl Into<String>) -> Guard {
    Guard { guard: name.to_owned(), outcome, detail: detail.into() }
}

fn sensors_there(sensors: &Sensors) -> Guard {
    match sensors.ask(|device| device.name().map(drop)) {
        Ok(()) => guard("sensors", GuardOutcome::Ok, "temperature, power, clocks and throttling are recorded"),
        Err(problem) => {
            let detail = format!("temperature, power, clocks and throttling are not known: {problem}");
            guard("sensors", GuardOutcome::Unknown, detail)
        }
    }
}

fn other_processes(others: Option<usize>) -> Guard {
    let name = "other_processes";
    match others {
        Some(0) => guard(name, GuardOutcome::Ok, "no other process was on the GPU at the start"),
        Some(1) => guard(name, GuardOutcome::Flagged, "another process was on the GPU at the start"),
        Some(count) => {
            guard(name, GuardOutcome::Flagged, format!("{count} other processes were on the GPU at the start"))
        }
        None => guard(name, GuardOutcome::Unknown, "the driver does not report other processes on the GPU"),
    }
}

fn ecc(enabled: Option<bool>) -> Guard {
    match enabled {
        Some(true) => guard("ecc", GuardOutcome::Ok, "error correction of the memory is on"),
        Some(false) => guard("ecc", GuardOutcome::Ok, "error correction of the memory is off"),
        None => guard("ecc", GuardOutcome::Unknown, "the driver does not report whether error correction is on"),
    }
}

fn mig(sensors: &Sensors) -> Guard {
    match sensors.ask(|device| device.mig_mode().map(|mode| mode.current)) {
        Ok(0) => guard("mig", GuardOutcome::Ok, "the GPU is not partitioned (MIG is off)"),
        Ok(_) => guard(
            "mig",
            GuardOutcome::Flagged,
            "the GPU is partitioned (MIG is on): other instances share its clocks and power",
        ),
        // GPUs before compute capability 8.0 cannot be partitioned, and say so.
        Err(problem) => guard(
            "mig",
            GuardOutcome::Unknown,
            format!("the driver does not report whether the GPU is partitioned: {problem}"),
        ),
    }
}

fn power_limit(sensors: &Sensors) -> Guard {
    let name = "power_limit";
    let watts = |milliwatts: u32| f64::from(milliwatts) / 1000.0;
    match sensors.ask(|device| Ok((device.enforced_power_limit()?, device.power_management_limit_default()?))) {
        Ok((now, usual)) if now < usual => {
            guard(name, GuardOutcome::Flagged, format!("{} W, less than the usual {} W", watts(now), watts(usual)))
        }
        Ok((now, _)) => guard(name, GuardOutcome::Ok, format!("{} W", watts(now))),
        Err(problem) => guard(name, GuardOutcome::Unknown, format!("not reported: {problem}")),
    }
}

fn null_cost_and_resolution(device: &Cuda) -> (Guard, Guard) {
    match null_times_us(device) {
        Ok(times_us) => {
            let median_us = times_us[times_us.len() / 2];
            let (least_us, most_us) = (times_us[0], times_us[times_us.len() - 1]);
            let null = format!("a kernel that does nothing takes {median_us:.2} µs ({least_us:.2} to {most_us:.2})");
            let resolution = smallest_step_ns(&times_us).map_or_else(
                || {
                    guard(
                        "event_resolution",
                        GuardOutcome::Unknown,
                        "all times are equal, so the resolution of the events is not known",
                    )
                },
                |step_ns| {
                    guard("event_resolution", GuardOutcome::Ok, format!("events are {step_ns:.0} ns apart or more"))
                },
            );
            (guard("null_cost", GuardOutcome::Ok, null), resolution)
        }
        Err(error @ DeviceError::Failed(_)) => {
            let unknown = |name: &str| guard(name, GuardOutcome::Unknown, format!("not measured: {error}"));
            (unknown("null_cost"), unknown("event_resolution"))
        }
        Err(_) => (
            guard("null_cost", GuardOutcome::Unknown, "not measured"),
            guard("event_resolution", GuardOutcome::Unknown, "not measured"),
        ),
    }
}

/// The smallest difference between sorted times that is none of rounding.
fn smallest_step_ns(sorted_us: &[f64]) -> Option<f64> {
    let steps = sorted_us.windows(2).map(|pair| (pair[1] - pair[0]) * 1000.0).filter(|step_ns| *step_ns > 0.9);
    steps.min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resolution_is_the_smallest_step_between_times() {
        let step_ns = smallest_step_ns(&[2.592, 2.592_000_1, 2.624, 2.688, 2.816]).unwrap();
        assert!((step_ns - 32.0).abs() < 0.1, "{step_ns}");
        assert_eq!(smallest_step_ns(&[2.5, 2.5]), None);
    }

    #[test]
    fn processes_that_were_there_before_are_flagged() {
        assert_eq!(other_processes(Some(0)).outcome, GuardOutcome::Ok);
        assert_eq!(other_processes(Some(2)).outcome, GuardOutcome::Flagged);
        assert_eq!(other_processes(None).outcome, GuardOutcome::Unknown);
    }
}
