//! The mock's board: what it draws is a formula, and its counter of energy and its clock are made up.

use std::cell::Cell;

use super::MockSettings;
use crate::device::DeviceError;
use crate::device::energy::{self, EnergyCounter, EnergyMeter, EnergyReading, Load};

/// A board with launches that draw some power beside the idle one.
struct Board<'a> {
    settings: &'a MockSettings,
    now_us: Cell<u64>,
    /// When the launches began.
    busy_since_us: Cell<Option<u64>>,
    /// What the launches draw, in watts.
    load_w: f64,
    /// What one time through them takes.
    time_us: f64,
}

struct Meter<'a>(&'a Board<'a>);

struct Launches<'a>(&'a Board<'a>);

impl EnergyMeter for Meter<'_> {
    fn energy_mj(&mut self) -> Result<f64, String> {
        let Board { settings, now_us, busy_since_us, load_w, .. } = self.0;
        let period_us = ((settings.energy_period_ms * 1e3) as u64).max(1);
        let shown_us = now_us.get() / period_us * period_us;
        let busy_us = busy_since_us.get().map_or(0, |since_us| shown_us.saturating_sub(since_us));
        Ok((settings.idle_w * shown_us as f64 + load_w * busy_us as f64) / 1e3)
    }

    fn power_w(&mut self) -> Option<f64> {
        Some((self.0.settings.idle_w + self.0.load_w) * (1.0 + self.0.settings.power_off_pct / 100.0))
    }

    fn others(&mut self) -> Option<usize> {
        Some(self.0.settings.others)
    }

    fn now_s(&self) -> f64 {
        self.0.now_us.get() as f64 / 1e6
    }

    fn pause(&mut self, seconds: f64) {
        self.0.now_us.set(self.0.now_us.get() + (seconds * 1e6).round() as u64);
    }
}

impl Load for Launches<'_> {
    fn keep_busy(&mut self) -> Result<f64, DeviceError> {
        let now_us = self.0.now_us.get();
        let since_us = self.0.busy_since_us.get().unwrap_or(now_us);
        self.0.busy_since_us.set(Some(since_us));
        Ok((now_us - since_us) as f64 / self.0.time_us)
    }

    fn finish(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// What is found of the counter.
pub(super) fn look(settings: &MockSettings) -> Result<EnergyCounter, String> {
    let board = Board { settings, now_us: Cell::new(0), busy_since_us: Cell::new(None), load_w: 0.0, time_us: 1.0 };
    EnergyCounter::look(&mut Meter(&board))
}

/// The energy of launches that take `time_us` and `energy_mj`.
pub(super) fn measure(
    settings: &MockSettings,
    counter: &EnergyCounter,
    energy_mj: f64,
    time_us: f64,
) -> Result<EnergyReading, DeviceError> {
    if time_us <= 0.0 {
        return Err(DeviceError::Unsupported("the mock was told to have no hot samples".to_owned()));
    }
    let load_w = energy_mj / time_us * 1e3;
    let board = Board { settings, now_us: Cell::new(0), busy_since_us: Cell::new(None), load_w, time_us };
    energy::measure(&mut Meter(&board), &mut Launches(&board), counter)
}
