//! How the mock behaves, from `--device mock:KEY=VALUE,...`.

use std::path::PathBuf;
use std::str::FromStr;

use super::MockClocks;
use crate::device::clocks::ClockRefusal;

/// How the mock behaves. Points are counted from 0 as they are prepared; those that a setting ending in `_at` names by
/// the value of their last predictor are the same ones after a new start.
#[derive(Debug, Clone, PartialEq)]
pub struct MockSettings {
    /// Time at a predictor of zero.
    pub outside_us: f64,
    /// Time for each unit of the workload's last predictor.
    pub slope_us: f64,
    /// Time for each million of the workload's operations.
    pub mop_us: f64,
    /// What a kernel takes that does nothing.
    pub null_us: Option<f64>,
    /// Time of a hot sample, in percent of a cold one's; 0 where there are no hot samples.
    pub hot_pct: f64,
    /// Cycles that kernels read from their clock, in percent of what their time says.
    pub cycles_pct: f64,
    /// Times alternate by this much around the formula.
    pub noise_pct: f64,
    /// Times deviate from the formula at random, by this standard deviation.
    pub jitter_pct: f64,
    /// All times rise by this much over each thousand samples, whichever points they are of.
    pub drift_pct: f64,
    /// Seeds the deviations at random.
    pub seed: u64,
    /// The clock drops to 80 % at the sample of this number, counted over all points.
    pub clock_drop: Option<usize>,
    /// Whether the sensors say that the power cap holds the clock down.
    pub throttle: bool,
    /// The first so many samples of each point are not gated.
    pub ungated: usize,
    /// The point whose output has one wrong element.
    pub wrong: Option<usize>,
    /// The point whose launch fails.
    pub fail: Option<usize>,
    /// The same by its last predictor.
    pub fail_at: Option<f64>,
    /// The point whose launch aborts the process.
    pub abort: Option<usize>,
    /// The same by its last predictor.
    pub abort_at: Option<f64>,
    /// The point whose launch never ends, by its last predictor.
    pub hang_at: Option<f64>,
    /// Device memory.
    pub memory_mib: u64,
    /// How long each point takes to prepare.
    pub delay_ms: u64,
    /// Whether it has counters of hardware.
    pub counters: bool,
    /// The point that cannot be counted, by its last predictor.
    pub uncounted_at: Option<f64>,
    /// Whether it has a counter of energy.
    pub energy: bool,
    /// Energy of a launch at a predictor of zero.
    pub energy_outside_mj: f64,
    /// Energy of a launch for each unit of the workload's last predictor.
    pub energy_slope_mj: f64,
    /// Power that it draws whatever it does.
    pub idle_w: f64,
    /// How long its counter of energy stands still.
    pub energy_period_ms: f64,
    /// By how much its power readings are too large.
    pub power_off_pct: f64,
    /// The point whose energy cannot be measured, by its last predictor.
    pub no_energy_at: Option<f64>,
    /// Other processes that use it.
    pub others: usize,
    /// The file that its locked clock is in; where there is none, its clock cannot be locked.
    pub clock_file: Option<PathBuf>,
    /// What locking the clock is refused with.
    pub clock_refusal: Option<ClockRefusal>,
}

impl Default for MockSettings {
    fn default() -> Self {
        Self {
            outside_us: 10.0,
            slope_us: 20.0,
            mop_us: 0.0,
            null_us: None,
            hot_pct: 80.0,
            cycles_pct: 100.0,
            noise_pct: 0.0,
            jitter_pct: 0.0,
            drift_pct: 0.0,
            seed: 1,
            clock_drop: None,
            throttle: false,
            ungated: 0,
            wrong: None,
            fail: None,
            fail_at: None,
            abort: None,
            abort_at: None,
            hang_at: None,
            memory_mib: 1024,
            delay_ms: 0,
            counters: true,
            uncounted_at: None,
            energy: true,
            energy_outside_mj: 1.0,
            energy_slope_mj: 4.0,
            idle_w: 100.0,
            energy_period_ms: 20.0,
            power_off_pct: 0.0,
            no_energy_at: None,
            others: 0,
            clock_file: None,
            clock_refusal: None,
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
            settings.set(key, value)?;
        }
        Ok(settings)
    }
}

impl MockSettings {
    /// Its clocks, where they can be locked.
    pub(super) fn clocks(&self) -> Option<MockClocks> {
        Some(MockClocks { file: self.clock_file.clone()?, refusal: self.clock_refusal.clone() })
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || number(key, value);
        match key {
            "outside_us" => self.outside_us = number()?,
            "slope_us" => self.slope_us = number()?,
            "mop_us" => self.mop_us = number()?,
            "null_us" => self.null_us = Some(number()?),
            "hot_pct" => self.hot_pct = number()?,
            "cycles_pct" => self.cycles_pct = number()?,
            "noise_pct" => self.noise_pct = number()?,
            "jitter_pct" => self.jitter_pct = number()?,
            "drift_pct" => self.drift_pct = number()?,
            "seed" => self.seed = count(key, value)?,
            "clock_drop" => self.clock_drop = Some(count(key, value)?),
            "throttle" => self.throttle = count::<u8>(key, value)? > 0,
            "ungated" => self.ungated = count(key, value)?,
            "wrong" => self.wrong = Some(count(key, value)?),
            "fail" => self.fail = Some(count(key, value)?),
            "fail_at" => self.fail_at = Some(number()?),
            "abort" => self.abort = Some(count(key, value)?),
            "abort_at" => self.abort_at = Some(number()?),
            "hang_at" => self.hang_at = Some(number()?),
            "memory_mib" => self.memory_mib = count(key, value)?,
            "delay_ms" => self.delay_ms = count(key, value)?,
            "counters" => self.counters = count::<u8>(key, value)? > 0,
            "uncounted_at" => self.uncounted_at = Some(number()?),
            "energy" => self.energy = count::<u8>(key, value)? > 0,
            "energy_outside_mj" => self.energy_outside_mj = number()?,
            "energy_slope_mj" => self.energy_slope_mj = number()?,
            "idle_w" => self.idle_w = number()?,
            "energy_period_ms" => self.energy_period_ms = number()?,
            "power_off_pct" => self.power_off_pct = number()?,
            "no_energy_at" => self.no_energy_at = Some(number()?),
            "others" => self.others = count(key, value)?,
            "clock_file" => self.clock_file = Some(PathBuf::from(value)),
            "clock_refusal" => {
                self.clock_refusal = Some(match value {
                    "permission" => ClockRefusal::NoPermission,
                    "unsupported" => ClockRefusal::Unsupported,
                    other => ClockRefusal::Other(other.to_owned()),
                });
            }
            _ => return Err(format!("the mock has no setting `{key}`")),
        }
        Ok(())
    }
}

fn number(key: &str, value: &str) -> Result<f64, String> {
    let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("`{value}` is not a value of `{key}`"))
}

fn count<T: FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{value}` is not a value of `{key}`"))
}
