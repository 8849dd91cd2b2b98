//! A device without a GPU, for tests: its outputs are right unless told otherwise, its times an exact formula.

use std::cell::Cell;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::clocks::ClockTarget;
use super::energy::{EnergyCounter, EnergyReading};
use super::occupancy::{self, KernelOccupancy};
use super::{Device, DeviceError, Flush, Phases, Prepared, Sample, Telemetry};
use crate::properties::{Origin, Properties};
use crate::workload::{Expected, Workload};
use gpu_simulator::hardware::Rules;

mod clocks;
mod energy;
mod settings;

pub use clocks::MockClocks;
pub use settings::MockSettings;

/// The clock after it has dropped, relative to the one before.
const DROPPED_CLOCK: f64 = 0.8;
/// Registers that every kernel is taken to have.
const REGISTERS_PER_THREAD: u32 = 32;
/// What its hardware counts: a thousand warp instructions for each unit of the last predictor, and as many sectors as it took samples before.
const COUNTERS: [&str; 2] = ["warp_instructions", "hw_l2_read_sectors"];
/// How many times through the launches a hot sample goes.
const HOT_REPEATS: u32 = 100;

/// The mock device.
pub struct Mock {
    settings: MockSettings,
    properties: Properties,
    prepared: Cell<usize>,
    /// Samples of all workloads so far.
    samples: Cell<usize>,
    /// Whether its hardware is to count.
    counts: bool,
    /// Its counter of energy, or why there is none; `None` where nobody asked.
    energy: Option<Result<EnergyCounter, String>>,
}

impl Mock {
    /// A mock that behaves as `settings` say.
    pub fn new(settings: MockSettings) -> Self {
        let properties = Properties {
            spec: "mock".to_owned(),
            name: "mock device".to_owned(),
            origin: Origin::Mock,
            uuid: None,
            driver_version: None,
            cuda_version: None,
            compute_capability: "9.0".to_owned(),
            sm_count: 1,
            sm_clock_mhz: 1000.0,
            memory_clock_mhz: None,
            memory_bus_bits: None,
            memory_bytes: settings.memory_mib << 20,
            l2_bytes: 1 << 20,
            threads_per_sm: 2048,
            shared_bytes_per_block: 48 << 10,
            ecc: None,
            schedulers_per_sm: 4,
            blocks_per_sm: 32,
            registers_per_sm: 65_536,
            registers_per_thread: 255,
            shared_bytes_per_sm: 228 << 10,
            shared_bytes_per_block_opt_in: 227 << 10,
            reserved_shared_bytes_per_block: 1 << 10,
            rules: Rules::default(),
            profile: None,
            threads_per_block: 1024,
        };
        Self { settings, properties, prepared: Cell::new(0), samples: Cell::new(0), counts: false, energy: None }
    }
}

impl Device for Mock {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        Ok(self.properties.memory_bytes)
    }

    fn counter_columns(&self) -> &'static [&'static str] {
        if self.counts { &COUNTERS } else { &[] }
    }

    fn count_by_hardware(&mut self) -> Result<String, String> {
        if !self.settings.counters {
            return Err("the mock was told to have none".to_owned());
        }
        self.counts = true;
        Ok("the mock".to_owned())
    }

    fn clock_target(&self) -> Option<ClockTarget> {
        self.settings.clocks().map(ClockTarget::Mock)
    }

    fn measure_energy(&mut self) {
        let told = self.settings.energy.then_some(()).ok_or_else(|| "the mock was told to have none".to_owned());
        self.energy = Some(told.and_then(|()| energy::look(&self.settings)));
    }

    fn energy_counter(&self) -> Result<EnergyCounter, String> {
        self.energy.clone().unwrap_or_else(|| Err("nobody asked for energies".to_owned()))
    }

    fn null_cost_us(&self) -> Result<Option<f64>, DeviceError> {
        Ok(self.settings.null_us)
    }

    fn telemetry(&self) -> Option<Telemetry> {
        let reasons = if self.settings.throttle { vec!["power_cap".to_owned()] } else { Vec::new() };
        Some(Telemetry { temperature_c: Some(40.0), throttle_reasons: Some(reasons), ..Telemetry::default() })
    }

    fn occupancy(&self, workload: &Workload) -> Result<Vec<KernelOccupancy>, DeviceError> {
        Ok(occupancy::assumed(workload, &self.properties, REGISTERS_PER_THREAD))
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        let index = self.prepared.replace(self.prepared.get() + 1);
        std::thread::sleep(Duration::from_millis(self.settings.delay_ms));
        let mut generator = ChaCha8Rng::seed_from_u64(self.settings.seed);
        generator.set_stream(index as u64);
        Ok(Box::new(PreparedMock { device: self, workload, index, samples: 0, counted: false, generator }))
    }
}

struct PreparedMock<'a> {
    device: &'a Mock,
    workload: &'a Workload,
    index: usize,
    samples: usize,
    /// Whether its hardware has counted it.
    counted: bool,
    generator: ChaCha8Rng,
}

impl PreparedMock<'_> {
    fn predictor(&self) -> f64 {
        self.workload.predictors.last().map_or(0.0, |(_, value)| *value)
    }

    /// Whether a setting names this workload by its last predictor.
    fn is_at(&self, setting: Option<f64>) -> bool {
        setting.is_some_and(|value| (value - self.predictor()).abs() < 1e-9)
    }

    /// A GPU that counts is slower: what is measured is measured before, and once counted it is done with.
    fn not_counted_yet(&self, what: &str) -> Result<(), DeviceError> {
        if self.counted {
            return Err(DeviceError::Failed(format!("the mock's hardware has counted this point, and then {what}")));
        }
        Ok(())
    }

    /// The time by the formula.
    fn exact_us(&self) -> f64 {
        let (settings, operations) = (&self.device.settings, self.workload.operations as f64);
        settings.outside_us + settings.slope_us * self.predictor() + settings.mop_us * operations / 1e6
    }

    /// The next sample, whose time is the formula's times `scale`.
    fn sample(&mut self, scale: f64, repeats: u32) -> Sample {
        let settings = &self.device.settings;
        let taken = self.device.samples.replace(self.device.samples.get() + 1);
        let exact_us = self.exact_us();
        let deviation_pct = [0.0, 1.0, -1.0, 0.5, -0.5][self.samples % 5] * settings.noise_pct
            + settings.jitter_pct * normal(&mut self.generator)
            + settings.drift_pct * taken as f64 / 1000.0;
        let locked_mhz = settings.clocks().and_then(|clocks| clocks.locked_mhz());
        let clock_mhz = locked_mhz.map_or(self.device.properties.sm_clock_mhz, f64::from);
        let clock = if settings.clock_drop.is_some_and(|from| taken >= from) { DROPPED_CLOCK } else { 1.0 };
        let gated = self.samples >= settings.ungated;
        self.samples += 1;
        let time_us = exact_us * scale * (1.0 + deviation_pct / 100.0);
        Sample {
            time_us,
            host_us: None,
            clock_mhz: Some(clock_mhz * clock),
            repeats,
            gated,
            phases: self.workload.has_phases().then(|| phases(time_us)),
        }
    }
}

impl Prepared for PreparedMock<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        let settings = &self.device.settings;
        if settings.abort == Some(self.index) || self.is_at(settings.abort_at) {
            std::process::abort();
        }
        if self.is_at(settings.hang_at) {
            loop {
                std::thread::park();
            }
        }
        if settings.fail == Some(self.index) || self.is_at(settings.fail_at) {
            return Err(DeviceError::Failed("the mock was told to fail here".to_owned()));
        }
        Ok(())
    }

    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError> {
        words.clear();
        if self.workload.cycles_buffer() == Some(buffer) {
            let settings = &self.device.settings;
            let loop_us = (self.exact_us() - settings.outside_us) * settings.cycles_pct / 100.0;
            words.push((loop_us * self.device.properties.sm_clock_mhz) as u32);
            return Ok(());
        }
        words.extend(self.workload.buffers[buffer].expected.iter().flat_map(Expected::example));
        if self.device.settings.wrong == Some(self.index)
            && let Some(last) = words.last_mut()
        {
            *last = !*last;
        }
        Ok(())
    }

    fn cold_sample(&mut self, _: Flush) -> Result<Sample, DeviceError> {
        self.not_counted_yet("a cold time was taken")?;
        Ok(self.sample(1.0, 1))
    }

    fn count(&mut self) -> Result<Option<Vec<(&'static str, String)>>, DeviceError> {
        if !self.device.counts {
            return Ok(None);
        }
        self.not_counted_yet("counted it again")?;
        self.counted = true;
        if self.is_at(self.device.settings.uncounted_at) {
            return Err(DeviceError::Failed("the mock was told not to count here".to_owned()));
        }
        let values = [format!("{}", 1000.0 * self.predictor()), self.samples.to_string()];
        Ok(Some(COUNTERS.into_iter().zip(values).collect()))
    }

    fn energy(&mut self) -> Result<Option<EnergyReading>, DeviceError> {
        let Some(Ok(counter)) = &self.device.energy else { return Ok(None) };
        self.not_counted_yet("its energy was measured")?;
        let settings = &self.device.settings;
        if self.is_at(settings.no_energy_at) {
            return Err(DeviceError::Failed("the mock was told to have no energy here".to_owned()));
        }
        let energy_mj = settings.energy_outside_mj + settings.energy_slope_mj * self.predictor();
        let time_us = self.exact_us() * settings.hot_pct / 100.0;
        energy::measure(settings, counter, energy_mj, time_us).map(Some)
    }

    fn hot_sample(&mut self) -> Result<Option<Sample>, DeviceError> {
        self.not_counted_yet("a hot time was taken")?;
        let hot = self.device.settings.hot_pct / 100.0;
        Ok((hot > 0.0).then(|| self.sample(hot, HOT_REPEATS)))
    }
}

/// Half of the time goes into the device, a quarter into kernels, an eighth out of it, an eighth into the host.
fn phases(total_us: f64) -> Phases {
    Phases {
        transfer_in_us: total_us / 2.0,
        kernel_us: total_us / 4.0,
        transfer_out_us: total_us / 8.0,
        host_us: Some(total_us / 8.0),
        kernel_hidden_us: 0.0,
        total_us,
    }
}

/// A number of the standard normal distribution, by Box's and Muller's method.
fn normal(generator: &mut ChaCha8Rng) -> f64 {
    let mut uniform = || (f64::from(generator.next_u32()) + 0.5) / 2.0_f64.powi(32);
    let (radius, angle) = (uniform(), uniform());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests;
