//! Stand-in.

use std::time::Instant;

use super::point::measure_point;
use crate::device::{Device, Guard};
use crate::family::Family;
use crate::record::{Measured, TimeSpent};
use crate::scenario::{MeasureSettings, Point};

/// Session.
pub struct Session<'device> {
    device: &'device dyn Device,
    family: &'static Family,
    settings: MeasureSettings,
    time_spent: TimeSpent,
}

/// Outcome.
pub struct GroupOutcome {
    /// Done.
    pub measured: Vec<Measured>,
    /// Lost.
    pub lost: Vec<Point>,
}

impl<'device> Session<'device> {
    /// Opens.
    pub fn open(device: &'device dyn Device, family: &'static Family, settings: MeasureSettings) -> Self {
        Self { device, family, settings, time_spent: TimeSpent::default() }
    }

    /// Measures.
    pub fn measure(&mut self, group: &[Point], _next: Option<&[Point]>) -> GroupOutcome {
        let began = Instant::now();
        let measured =
            group.iter().map(|point| measure_point(self.device, self.family, point, &self.settings)).collect();
        self.time_spent.sampling_s += began.elapsed().as_secs_f64();
        GroupOutcome { measured, lost: Vec::new() }
    }

    /// Guards.
    pub fn guards(&self) -> Vec<Guard> {
        self.device.guards()
    }

    /// Time.
    pub fn time_spent(&self) -> TimeSpent {
        self.time_spent
    }
}
