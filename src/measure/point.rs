//! Measuring one grid point: build, prepare, check, warm up, sample until the median is known well enough.

use std::time::{Duration, Instant};

use super::check::{CheckError, run_and_check};
use super::statistics::{Samples, StopReason, StoppingRule, summarise};
use crate::device::{Cache, Device, DeviceError, Origin, Sample};
use crate::family::{Family, Request};
use crate::record::{Measured, Median, PointRecord, SampleRecord, Status, Timing};
use crate::scenario::{MeasureSettings, Point};
use crate::workload::Workload;

/// The clock of an idle GPU needs this long under load to reach its height.
const WARM_UP_DEVICE_TIME_US: f64 = 100_000.0;
/// Warming up ends after this long, however slow the samples are to take.
const WARM_UP_LIMIT: Duration = Duration::from_secs(1);

/// Measures a point.
pub fn measure_point(device: &dyn Device, family: &Family, point: &Point, settings: &MeasureSettings) -> Measured {
    let origin = device.properties().origin;
    let mut record = blank_record(family, point, origin, device.counter_columns());
    if let Err(error) = foresee_memory(device, family, point) {
        return Measured::of(with_error(record, &error));
    }
    let request = Request { variant: point.variant.name, parameters: &point.parameters, seed: settings.seed };
    let workload = (family.workload)(&request);
    record.bytes = Some(workload.bytes);
    record.operations = Some(workload.operations);
    record.predictors = workload.predictors.iter().map(|(name, value)| ((*name).to_owned(), Some(*value))).collect();
    match sample_workload(device, &workload, settings) {
        Ok(Sampled { samples, reason, counters, printed }) => {
            record.timing = timing(&samples, reason);
            if !counters.is_empty() {
                record.counters = counters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            }
            let samples = samples
                .into_iter()
                .enumerate()
                .map(|(order, sample)| SampleRecord { round: 0, order, cache: Cache::Cold, sample, flags: Vec::new() })
                .collect();
            Measured { record, samples, rounds: Vec::new(), printed }
        }
        Err(error) => Measured::of(with_error(record, &error)),
    }
}

/// Building a large point takes long and needs host memory too, so what cannot fit is not built at all.
fn foresee_memory(device: &dyn Device, family: &Family, point: &Point) -> Result<(), CheckError> {
    let free_bytes = device.free_bytes()?;
    let need_bytes = (family.device_bytes)(&point.parameters);
    if need_bytes > free_bytes {
        return Err(DeviceError::OutOfMemory { need_bytes, free_bytes }.into());
    }
    Ok(())
}

fn with_error(mut record: PointRecord, error: &CheckError) -> PointRecord {
    record.status = match error {
        CheckError::Wrong(_) => Status::Wrong,
        CheckError::Device(DeviceError::OutOfMemory { .. }) => Status::Skipped,
        CheckError::Device(_) => Status::Failed,
    };
    record.reason = error.to_string();
    record
}

fn blank_record(family: &Family, point: &Point, origin: Origin, counters: &[&str]) -> PointRecord {
    PointRecord {
        point: point.index,
        variant: point.variant.name.to_owned(),
        parameters: point.parameters.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect(),
        status: Status::Ok,
        reason: String::new(),
        origin,
        timing: None,
        bytes: None,
        operations: None,
        predictors: family.predictors.iter().map(|predictor| (predictor.name.to_owned(), None)).collect(),
        counters: counters.iter().map(|name| ((*name).to_owned(), String::new())).collect(),
    }
}

/// What sampling came to.
struct Sampled {
    samples: Vec<Sample>,
    reason: StopReason,
    counters: Vec<(&'static str, String)>,
    printed: String,
}

fn sample_workload(
    device: &dyn Device,
    workload: &Workload,
    settings: &MeasureSettings,
) -> Result<Sampled, CheckError> {
    let repeats_exactly = device.repeats_exactly();
    let mut prepared = device.prepare(workload)?;
    run_and_check(&mut *prepared, workload)?;
    let (counters, printed) = (prepared.counters(), prepared.printed());
    if repeats_exactly {
        return Ok(Sampled {
            samples: vec![prepared.cold_sample(settings.flush)?],
            reason: StopReason::RepeatsExactly,
            counters,
            printed,
        });
    }

    let warm_up = Instant::now();
    let mut device_time_us = 0.0;
    while device_time_us < WARM_UP_DEVICE_TIME_US && warm_up.elapsed() < WARM_UP_LIMIT {
        device_time_us += prepared.cold_sample(settings.flush)?.time_us.max(1.0);
    }

    let rule = StoppingRule {
        min_samples: settings.samples_min,
        max_samples: settings.samples_max,
        precision_pct: settings.precision_pct,
        budget: Duration::from_secs_f64(settings.budget_s),
    };
    let mut samples = Vec::new();
    let mut times_us = Samples::default();
    let started = Instant::now();
    loop {
        let sample = prepared.cold_sample(settings.flush)?;
        times_us.push(sample.time_us);
        samples.push(sample);
        if let Some(reason) = rule.decide(&times_us, started.elapsed()) {
            return Ok(Sampled { samples, reason, counters, printed });
        }
    }
}

fn timing(samples: &[Sample], reason: StopReason) -> Option<Timing> {
    let times_us: Vec<f64> = samples.iter().map(|sample| sample.time_us).collect();
    let clocks_mhz: Vec<f64> = samples.iter().filter_map(|sample| sample.clock_mhz).collect();
    let summary = summarise(&times_us)?;
    Some(Timing {
        median: Median {
            time_us: summary.median,
            low_us: summary.low,
            high_us: summary.high,
            samples: summary.samples,
        },
        cache: Cache::Cold,
        hot: None,
        rounds: 1,
        flags: Vec::new(),
        clock_mhz: summarise(&clocks_mhz).map(|summary| summary.median),
        stopped_by: reason.name().to_owned(),
    })
}
