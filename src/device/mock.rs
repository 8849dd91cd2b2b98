//! A device without a GPU, for tests: its outputs are right unless told otherwise, its times an exact formula.

use std::cell::Cell;
use std::str::FromStr;
use std::time::Duration;

use super::{Device, DeviceError, Flush, Origin, Prepared, Properties, Sample};
use crate::workload::Workload;

/// How the mock behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct MockSettings {
    /// Time at a predictor of zero.
    pub outside_us: f64,
    /// Time for each unit of the workload's last predictor.
    pub slope_us: f64,
    /// Times alternate by this much around the formula.
    pub noise_pct: f64,
    /// The point, counted from 0 as they are prepared, whose output has one wrong element.
    pub wrong: Option<usize>,
    /// The point whose launch fails.
    pub fail: Option<usize>,
    /// The last predictor's value at which the process aborts.
    pub abort_at: Option<f64>,
    /// The last predictor's value at which the launch never ends.
    pub hang_at: Option<f64>,
    /// The last predictor's value at which the launch fails.
    pub fail_at: Option<f64>,
    /// Device memory.
    pub memory_mib: u64,
    /// How long each point takes to prepare.
    pub delay_ms: u64,
}

impl Default for MockSettings {
    fn default() -> Self {
        Self {
            outside_us: 10.0,
            slope_us: 20.0,
            noise_pct: 0.0,
            wrong: None,
            fail: None,
            abort_at: None,
            hang_at: None,
            fail_at: None,
            memory_mib: 1024,
            delay_ms: 0,
        }
    }
}

impl FromStr for MockSettings {
    type Err = String;

    /// Reads settings such as `slope_us=5,noise_pct=1`; the empty text gives the defaults.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for setting in text.split(',').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').ok_or_else(|| format!("`{setting}` is not KEY=VALUE"))?;
            let bad = || format!("`{value}` is no value of `{key}`");
            match key {
                "outside_us" => settings.outside_us = value.parse().map_err(|_| bad())?,
                "slope_us" => settings.slope_us = value.parse().map_err(|_| bad())?,
                "noise_pct" => settings.noise_pct = value.parse().map_err(|_| bad())?,
                "wrong" => settings.wrong = Some(value.parse().map_err(|_| bad())?),
                "fail" => settings.fail = Some(value.parse().map_err(|_| bad())?),
                "abort_at" => settings.abort_at = Some(value.parse().map_err(|_| bad())?),
                "hang_at" => settings.hang_at = Some(value.parse().map_err(|_| bad())?),
                "fail_at" => settings.fail_at = Some(value.parse().map_err(|_| bad())?),
                "memory_mib" => settings.memory_mib = value.parse().map_err(|_| bad())?,
                "delay_ms" => settings.delay_ms = value.parse().map_err(|_| bad())?,
                _ => return Err(format!("the mock has no setting `{key}`")),
            }
        }
        Ok(settings)
    }
}

/// The mock device.
pub struct Mock {
    settings: MockSettings,
    properties: Properties,
    prepared: Cell<usize>,
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
            compute_capability: "0.0".to_owned(),
            sm_count: 1,
            sm_clock_mhz: 1000.0,
            memory_clock_mhz: None,
            memory_bus_bits: None,
            memory_bytes: settings.memory_mib << 20,
            l2_bytes: 1 << 20,
            threads_per_sm: 2048,
            shared_bytes_per_block: 48 << 10,
            ecc: None,
            profile: None,
            threads_per_block: 1024,
        };
        Self { settings, properties, prepared: Cell::new(0) }
    }
}

impl Device for Mock {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        Ok(self.properties.memory_bytes)
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        let index = self.prepared.replace(self.prepared.get() + 1);
        std::thread::sleep(Duration::from_millis(self.settings.delay_ms));
        Ok(Box::new(PreparedMock {
            settings: &self.settings,
            clock_mhz: self.properties.sm_clock_mhz,
            workload,
            index,
            samples: 0,
        }))
    }
}

struct PreparedMock<'a> {
    settings: &'a MockSettings,
    clock_mhz: f64,
    workload: &'a Workload,
    index: usize,
    samples: u32,
}

impl Prepared for PreparedMock<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        let predictor = self.workload.predictors.last().map(|(_, value)| *value);
        if predictor.is_some() && self.settings.abort_at == predictor {
            std::process::abort();
        }
        while predictor.is_some() && self.settings.hang_at == predictor {
            std::thread::sleep(Duration::from_secs(1));
        }
        if self.settings.fail == Some(self.index) || (predictor.is_some() && self.settings.fail_at == predictor) {
            return Err(DeviceError::Failed("the mock was told to fail here".to_owned()));
        }
        Ok(())
    }

    fn read(&mut self, buffer: usize) -> Result<Vec<u32>, DeviceError> {
        let mut words = self.workload.buffers[buffer].expected.clone().unwrap_or_default();
        if self.settings.wrong == Some(self.index)
            && let Some(last) = words.last_mut()
        {
            *last = !*last;
        }
        Ok(words)
    }

    fn cold_sample(&mut self, _: Flush) -> Result<Sample, DeviceError> {
        let predictor = self.workload.predictors.last().map_or(0.0, |(_, value)| *value);
        let exact_us = self.settings.outside_us + self.settings.slope_us * predictor;
        let deviation = [0.0, 1.0, -1.0, 0.5, -0.5][self.samples as usize % 5] * self.settings.noise_pct / 100.0;
        self.samples += 1;
        Ok(Sample {
            time_us: exact_us * (1.0 + deviation),
            host_us: None,
            clock_mhz: Some(self.clock_mhz),
            repeats: 1,
            gated: true,
        })
    }
}
