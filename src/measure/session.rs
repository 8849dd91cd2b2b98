//! Measuring on one device, group by group, and what is kept from one to the next.

use std::thread;
use std::time::{Duration, Instant};

use ecow::EcoString;

use super::build::{Prefetch, build};
use super::device_clock::CLOCK_COLUMNS;
use super::endless::Endless;
use super::group::{self, End, with_error};
use super::guards::{Tally, guard};
use crate::device::energy::ENERGY_COLUMNS;
use crate::device::{Device, DeviceError, Guard, GuardOutcome, Telemetry};
use crate::family::Family;
use crate::record::{Measured, PointRecord, Status, TimeSpent};
use crate::scenario::{MeasureSettings, Point, Sampling};

/// Sensors are asked no more often than this, because that takes milliseconds.
const SENSORS_EVERY: Duration = Duration::from_millis(100);

/// Everything that measuring on one device keeps from point to point: clock reference, null cost, guards, time spent.
pub struct Session<'device> {
    pub(super) device: &'device dyn Device,
    pub(super) family: &'static Family,
    pub(super) settings: MeasureSettings,
    device_guards: Vec<Guard>,
    pub(super) tally: Tally,
    pub(super) spent: TimeSpent,
    pub(super) last_sample: Option<Instant>,
    /// Tells the orders of groups apart: the index of the first point of the one at hand.
    pub(super) group: u64,
    sensors: Option<(Instant, Option<Telemetry>)>,
    prefetch: Option<Prefetch>,
    /// Vectors that outputs were read into, for the next ones: memory that is new takes long to touch.
    pub(super) spare: Vec<Vec<u32>>,
    /// Where variants did not end, on a device that tells.
    pub(super) endless: Endless,
}

/// What became of the points of a group.
#[derive(Debug)]
pub struct GroupOutcome {
    /// Whatever happened to them, in the order of the group.
    pub measured: Vec<Measured>,
    /// Points to be asked for again, on a device opened anew: another point of their group broke it.
    pub lost: Vec<Point>,
}

impl<'device> Session<'device> {
    /// Looks at the device's guards, and at what a kernel takes that does nothing. What goes wrong there is a guard.
    pub fn open(device: &'device dyn Device, family: &'static Family, settings: MeasureSettings) -> Self {
        let started = Instant::now();
        let mut device_guards = device.guards();
        let null_us = device.null_cost_us().unwrap_or_else(|error| {
            device_guards.push(guard("null_cost", GuardOutcome::Unknown, error.to_string()));
            None
        });
        let opening_s = started.elapsed().as_secs_f64();
        Self {
            device,
            family,
            settings,
            device_guards,
            tally: Tally { null_us, ..Tally::default() },
            spent: TimeSpent { opening_s, total_s: opening_s, ..TimeSpent::default() },
            last_sample: None,
            group: 0,
            sensors: None,
            prefetch: None,
            spare: Vec::new(),
            endless: Endless::default(),
        }
    }

    /// Has the guards say why the device's hardware counts nothing, though that was asked for.
    pub fn note_without_counters(&mut self, why: &str) {
        self.tally.no_counters = Some(why.to_owned());
    }

    /// Measures the points of one group together. While it samples, the workloads of `next` are built on another
    /// thread.
    pub fn measure(&mut self, group: &[Point], next: Option<&[Point]>) -> GroupOutcome {
        if let Some(device) = self.device.side_by_side() {
            return self.measure_side_by_side(device, group);
        }
        let started = Instant::now();
        let mut ends: Vec<Option<End>> = group.iter().map(|_| None).collect();
        let mut together = Vec::new();
        let free_bytes = self.device.free_bytes();
        for (index, point) in group.iter().enumerate() {
            match self.foresee(point, &free_bytes) {
                Ok(()) => together.push(index),
                Err(error) => {
                    let record = with_error(self.blank_record(point), &error.into());
                    ends[index] = Some(End::Measured(Box::new(Measured::of(record))));
                }
            }
        }
        let free_bytes = free_bytes.unwrap_or(0);
        let points = |indexes: &[usize]| -> Vec<Point> { indexes.iter().map(|index| group[*index].clone()).collect() };
        if self.fits(&points(&together), free_bytes) {
            for (index, end) in together.iter().zip(self.measure_together(&points(&together), next, free_bytes)) {
                ends[*index] = Some(end);
            }
        } else {
            for index in together {
                ends[index] = Some(End::TooLargeTogether);
            }
        }
        let mut outcome = GroupOutcome { measured: Vec::new(), lost: Vec::new() };
        let mut broken = false;
        for (point, end) in group.iter().zip(ends) {
            let end = match end {
                Some(End::TooLargeTogether) if broken => End::Lost,
                Some(End::TooLargeTogether) | None => {
                    let alone = self.measure_together(std::slice::from_ref(point), next, free_bytes).pop();
                    alone.unwrap_or(End::Lost)
                }
                Some(end) => end,
            };
            match end {
                End::Measured(measured) => {
                    broken |= measured.record.status == Status::Failed;
                    outcome.measured.push(*measured);
                }
                End::Lost | End::TooLargeTogether => outcome.lost.push(point.clone()),
            }
        }
        self.spent.total_s += started.elapsed().as_secs_f64();
        outcome
    }

    /// The guards: those of the device, and those of the sampling so far.
    pub fn guards(&self) -> Vec<Guard> {
        let mut guards = self.device_guards.clone();
        // What is left out of times of the program's own families is in what is known of their errors.
        if self.family.is_user {
            guards.extend(self.device.guards_of_kernels());
        }
        if self.device.repeats_exactly() {
            guards.extend(Tally::of_a_model(self.settings.sampling != Sampling::Cold));
        } else {
            guards.extend(self.tally.guards());
        }
        guards.extend(self.tally.hardware_counters());
        if self.settings.energy {
            guards.push(self.tally.energies.guard(self.device.energy_counter()));
        }
        guards
    }

    /// What the time went into so far. Writing is not in it, nor what happens between two groups.
    pub fn time_spent(&self) -> TimeSpent {
        self.spent
    }

    /// What a cold sample of a kernel takes that does nothing, in microseconds.
    pub fn null_cost_us(&self) -> Option<f64> {
        self.tally.null_us
    }

    /// The multiprocessors' clock at the start, and the lowest since, in MHz.
    pub fn clock_mhz(&self) -> Option<[f64; 2]> {
        Some([self.tally.clock.reference_mhz?, self.tally.clock.lowest_mhz?])
    }

    /// Measures points at once that fit the device together.
    fn measure_together(&mut self, points: &[Point], next: Option<&[Point]>, free_bytes: u64) -> Vec<End> {
        let building = Instant::now();
        let workloads = match self.prefetch.take() {
            Some(prefetch) if prefetch.is_of(points) => prefetch.wait(),
            other => {
                // What is built ahead for other points may yet be wanted.
                self.prefetch = other;
                build(self.family, points, self.device.properties(), self.settings.seed)
            }
        };
        self.spent.building_s += building.elapsed().as_secs_f64();
        let workloads = match workloads {
            Ok(workloads) => workloads,
            Err(error) => {
                let failed = |point| Measured::of(with_error(self.blank_record(point), &error.clone().into()));
                return points.iter().map(|point| End::Measured(Box::new(failed(point)))).collect();
            }
        };
        self.group = points.first().map_or(0, |point| point.index as u64);
        let records: Vec<PointRecord> = points.iter().map(|point| self.blank_record(point)).collect();
        // Not before the device is loaded, which needs the host's cores too.
        let before_sampling = |session: &mut Self| {
            if let Some(next) = next {
                session.build_ahead(next, free_bytes);
            }
        };
        let ends = group::measure(self, workloads.iter().zip(records).collect(), before_sampling);
        // Giving back what is large takes as long as loading it.
        let _ = thread::Builder::new().name("free".to_owned()).spawn(move || drop(workloads));
        ends
    }

    /// Starts building the points that [`Self::measure`] will measure together, if they fit the device.
    fn build_ahead(&mut self, next: &[Point], free_bytes: u64) {
        let fits = |point: &&Point| self.need_bytes(point).is_ok_and(|need| need <= free_bytes);
        let fitting: Vec<Point> = next.iter().filter(fits).cloned().collect();
        let under_way = self.prefetch.as_ref().is_some_and(|prefetch| prefetch.is_of(&fitting));
        if !under_way && self.fits(&fitting, free_bytes) {
            self.prefetch = Prefetch::start(self.family, fitting, self.device.properties(), self.settings.seed);
        }
    }

    pub(super) fn need_bytes(&self, point: &Point) -> Result<u64, DeviceError> {
        let bytes = self.family.device_bytes(&point.parameters);
        bytes.map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))
    }

    /// Whether there is room for all of these at once.
    fn fits(&self, points: &[Point], free_bytes: u64) -> bool {
        let mut left = Some(free_bytes);
        for point in points {
            left = left.zip(self.need_bytes(point).ok()).and_then(|(left, need)| left.checked_sub(need));
        }
        !points.is_empty() && left.is_some()
    }

    /// Building a large point takes long and needs host memory too, so what cannot fit is not built at all.
    pub(super) fn foresee(&self, point: &Point, free_bytes: &Result<u64, DeviceError>) -> Result<(), DeviceError> {
        if let Some(problem) = point.variant.refusal(self.device.properties()) {
            return Err(DeviceError::Unsupported(problem));
        }
        let free_bytes = *free_bytes.as_ref().map_err(Clone::clone)?;
        let need_bytes = self.need_bytes(point)?;
        if need_bytes > free_bytes {
            return Err(DeviceError::OutOfMemory { need_bytes, free_bytes });
        }
        Ok(())
    }

    /// What the sensors say, or said a short while ago.
    pub(super) fn telemetry(&mut self) -> Option<Telemetry> {
        let fresh = self.sensors.as_ref().filter(|(asked, _)| asked.elapsed() < SENSORS_EVERY);
        if let Some((_, told)) = fresh {
            return told.clone();
        }
        let told = self.device.telemetry();
        self.sensors = Some((Instant::now(), told.clone()));
        told
    }

    /// Whether kernels leave cycles, of a clock that runs as the device's does.
    pub(super) fn has_cycles(&self) -> bool {
        self.family.reads_clock && !self.device.repeats_exactly()
    }

    /// What the device tells of a point beside its time: the cycles of its loop, its energy, then what it counts.
    fn columns(&self) -> Vec<&'static str> {
        let has_energy = self.settings.energy && self.device.energy_counter().is_ok();
        let of_energy: &[&'static str] = if has_energy { &ENERGY_COLUMNS } else { &[] };
        let of_clock: &[&'static str] = if self.has_cycles() { &CLOCK_COLUMNS } else { &[] };
        [of_clock, of_energy, self.device.counter_columns()].concat()
    }

    pub(super) fn blank_record(&self, point: &Point) -> PointRecord {
        PointRecord {
            point: point.index,
            variant: point.variant.name.into(),
            parameters: point.parameters.iter().map(|(name, value)| (name, value.to_string().into())).collect(),
            status: Status::Ok,
            reason: EcoString::new(),
            origin: self.device.properties().origin,
            timing: None,
            bytes: None,
            operations: None,
            predictors: self.family.predictors.iter().map(|own| (own.name, None)).collect(),
            counters: self.columns().into_iter().map(|name| (name, EcoString::new())).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
