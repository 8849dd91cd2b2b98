//! When a device is warm: enough work done, and the clock steady.

use std::time::Duration;

use crate::device::Sample;
use least_squares::order_statistics::median;

/// The first points of a session are run for this long, since the clock of an idle GPU needs its time.
const FIRST_US: f64 = 300_000.0;
/// Later ones, whose kernels and data are new to a device that is warm already.
const LATER_US: f64 = 20_000.0;
/// After a pause.
const AFTER_PAUSE_US: f64 = 100_000.0;
/// A device that has done nothing for this long is warmed up again.
pub(super) const PAUSE: Duration = Duration::from_millis(100);
/// Warming up ends after this long.
const LONGEST: Duration = Duration::from_secs(2);
/// And after this many samples, however short.
const SAMPLES_MAX: usize = 10_000;
/// The clock is steady where its medians over two such stretches in a row are no further apart than this.
const STRETCH_US: f64 = 100_000.0;
const STEADY_WITHIN: f64 = 0.01;

/// The state of warming up.
#[derive(Debug, Clone)]
pub(super) struct WarmUp {
    wanted_us: f64,
    needs_steady_clock: bool,
    samples_min: usize,
    samples: usize,
    /// Time that the device was busy.
    pub(super) busy_us: f64,
    stretch_us: f64,
    clocks_mhz: Vec<f64>,
    /// The median clock of each stretch.
    medians_mhz: Vec<f64>,
}

impl WarmUp {
    /// The first of a session.
    pub(super) fn first(points: usize) -> Self {
        Self { needs_steady_clock: true, ..Self::new(FIRST_US, points) }
    }

    /// That of other points, after the device has done nothing for this long.
    pub(super) fn later(points: usize, idle: Duration) -> Self {
        Self::new(if idle > PAUSE { AFTER_PAUSE_US } else { LATER_US }, points)
    }

    fn new(wanted_us: f64, points: usize) -> Self {
        Self {
            wanted_us,
            needs_steady_clock: false,
            samples_min: 2 * points,
            samples: 0,
            busy_us: 0.0,
            stretch_us: 0.0,
            clocks_mhz: Vec::new(),
            medians_mhz: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, sample: &Sample) {
        // Evicting data keeps the device busy too.
        let busy_us = sample.host_us.unwrap_or(0.0).max(sample.time_us).max(0.0);
        self.samples += 1;
        self.busy_us += busy_us;
        self.stretch_us += busy_us;
        self.clocks_mhz.extend(sample.clock_mhz);
        if self.stretch_us >= STRETCH_US {
            self.stretch_us = 0.0;
            self.medians_mhz.extend(median(&self.clocks_mhz));
            self.clocks_mhz.clear();
        }
    }

    /// Whether the last two stretches had the same clock; `None` where it could not be told.
    pub(super) fn is_steady(&self) -> Option<bool> {
        let [.., before, last] = self.medians_mhz[..] else { return None };
        Some((last - before).abs() <= STEADY_WITHIN * before)
    }

    /// The last clock known, in MHz.
    pub(super) fn clock_mhz(&self) -> Option<f64> {
        median(&self.clocks_mhz).or(self.medians_mhz.last().copied())
    }

    /// Whether it is done, having taken this long.
    pub(super) fn is_done(&self, elapsed: Duration) -> bool {
        if self.samples < self.samples_min {
            return false;
        }
        let warm = self.busy_us >= self.wanted_us && (!self.needs_steady_clock || self.is_steady() != Some(false));
        warm || self.samples >= SAMPLES_MAX || elapsed >= LONGEST
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "the very digits are meant")]

    use super::*;

    fn sample(time_us: f64, clock_mhz: Option<f64>) -> Sample {
        Sample { time_us, host_us: None, clock_mhz, repeats: 1, gated: true, phases: None }
    }

    /// Samples until it is done.
    fn samples(mut warm_up: WarmUp, time_us: f64, clock_mhz: impl Fn(usize) -> Option<f64>) -> usize {
        let mut taken = 0;
        while !warm_up.is_done(Duration::ZERO) {
            warm_up.push(&sample(time_us, clock_mhz(taken)));
            taken += 1;
        }
        taken
    }

    #[test]
    fn the_first_takes_300_ms_and_until_the_clock_is_steady() {
        assert_eq!(samples(WarmUp::first(1), 1000.0, |_| Some(1000.0)), 300);
        assert_eq!(samples(WarmUp::first(1), 1000.0, |_| None), 300, "no clock, nothing to wait for");
        // The clock rises by 5 % each stretch of 100 ms until the sixth; the seventh is as high as that.
        let rising = |index: usize| Some(1000.0 + 50.0 * (index / 100).min(5) as f64);
        assert_eq!(samples(WarmUp::first(1), 1000.0, rising), 700);
    }

    #[test]
    fn later_ones_are_shorter_and_longer_after_a_pause() {
        let steady = |_| Some(1000.0);
        assert_eq!(samples(WarmUp::later(1, Duration::from_millis(99)), 1000.0, steady), 20);
        assert_eq!(samples(WarmUp::later(1, Duration::from_millis(101)), 1000.0, steady), 100);
        assert_eq!(samples(WarmUp::later(3, Duration::ZERO), 1e6, steady), 6, "two of each point");
    }

    #[test]
    fn it_ends_whatever_the_clock_does() {
        let restless = |index: usize| Some(if (index / 100).is_multiple_of(2) { 500.0 } else { 1000.0 });
        assert_eq!(samples(WarmUp::first(1), 1000.0, restless), SAMPLES_MAX);
        assert_eq!(samples(WarmUp::first(1), 0.0, |_| None), SAMPLES_MAX);
        let mut warm_up = WarmUp::first(1);
        warm_up.push(&sample(1.0, None));
        assert!(!warm_up.is_done(LONGEST), "every point has its two samples");
        warm_up.push(&sample(1.0, Some(800.0)));
        assert!(warm_up.is_done(LONGEST));
        assert_eq!((warm_up.is_steady(), warm_up.clock_mhz()), (None, Some(800.0)));
    }

    #[test]
    fn evicting_data_counts_as_work() {
        let mut warm_up = WarmUp::first(1);
        warm_up.push(&Sample { host_us: Some(300_000.0), ..sample(5.0, None) });
        assert_eq!(warm_up.busy_us, 300_000.0);
    }
}
