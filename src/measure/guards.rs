//! What could have spoilt the samples of a session, in words with figures.

use super::clock::ClockGuard;
use super::device_clock::ClockTally;
use super::energies::EnergyTally;
use super::warm_up::WarmUp;
use crate::device::{Guard, GuardOutcome};
use crate::unit;

/// A time below so many times that of a kernel that does nothing is short.
pub(super) const SHORT_BELOW: f64 = 10.0;

/// What the guards of a session are made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) clock: ClockGuard,
    /// The first warm-up.
    pub(super) warm_up: Option<WarmUp>,
    /// What a cold sample of a kernel that does nothing takes.
    pub(super) null_us: Option<f64>,
    /// Points with cold times.
    pub(super) cold_points: usize,
    /// Those too short for them.
    pub(super) short_points: usize,
    pub(super) samples: usize,
    pub(super) ungated_samples: usize,
    /// Points for which hot samples were wanted.
    pub(super) hot_points: usize,
    /// Those for which the device gave none.
    pub(super) hot_refused: usize,
    /// Why the hardware counts nothing, where that was asked for.
    pub(super) no_counters: Option<String>,
    /// Points that the hardware counted.
    pub(super) counted_points: usize,
    /// Those that it did not, though that was asked for.
    pub(super) uncounted_points: usize,
    /// Why the first of these was not counted.
    pub(super) why_uncounted: Option<String>,
    /// What kernels read from clocks.
    pub(super) clocks: ClockTally,
    /// What was measured of energies.
    pub(super) energies: EnergyTally,
}

pub(super) fn guard(name: &str, outcome: GuardOutcome, detail: String) -> Guard {
    Guard { guard: name.to_owned(), outcome, detail }
}

/// Flagged if more than one in a hundred is affected: fewer do not change a median.
fn flagged_if_many(count: usize, of: usize) -> GuardOutcome {
    if 100 * count > of { GuardOutcome::Flagged } else { GuardOutcome::Ok }
}

impl Tally {
    /// The guards of a device whose times follow from a model: only what was asked for and not done.
    pub(super) fn of_a_model(hot_wanted: bool) -> Vec<Guard> {
        let detail = "hot launches are not simulated; every time is with cold caches";
        hot_wanted.then(|| guard("hot_samples", GuardOutcome::Flagged, detail.to_owned())).into_iter().collect()
    }

    pub(super) fn guards(&self) -> Vec<Guard> {
        let mut guards = vec![self.warm_up(), self.clock(), self.throttling(), self.short_kernels(), self.gate()];
        if self.hot_refused > 0 {
            let detail =
                format!("the device has no hot samples: {} of {} points have none", self.hot_refused, self.hot_points);
            guards.push(guard("hot_samples", GuardOutcome::Flagged, detail));
        }
        guards.extend(self.clocks.guard());
        guards
    }

    /// Whether the hardware counted the points, where that was asked for.
    pub(super) fn hardware_counters(&self) -> Option<Guard> {
        let name = "hardware_counters";
        if let Some(why) = &self.no_counters {
            return Some(guard(name, GuardOutcome::Unknown, format!("the hardware counted no point: {why}")));
        }
        let points = self.counted_points + self.uncounted_points;
        let counted = format!("{} of {points} points were counted, after their times were taken", self.counted_points);
        let (outcome, detail) = match &self.why_uncounted {
            None => (GuardOutcome::Ok, counted),
            Some(why) => (GuardOutcome::Flagged, format!("{counted}; the first that was not: {why}")),
        };
        (points > 0).then(|| guard(name, outcome, detail))
    }

    fn warm_up(&self) -> Guard {
        let name = "warm_up";
        let Some(warm_up) = &self.warm_up else {
            return guard(name, GuardOutcome::Unknown, "nothing was sampled".to_owned());
        };
        let busy = unit::time_us(warm_up.busy_us);
        match (warm_up.is_steady(), warm_up.clock_mhz()) {
            (Some(true), Some(clock_mhz)) => {
                let detail = format!("the device ran for {busy} until its clock was steady at {clock_mhz:.0} MHz");
                guard(name, GuardOutcome::Ok, detail)
            }
            (Some(false), Some(clock_mhz)) => {
                let detail = format!(
                    "after {busy} the clock was not steady yet, at {clock_mhz:.0} MHz; does something else run on the GPU?"
                );
                guard(name, GuardOutcome::Flagged, detail)
            }
            _ => guard(name, GuardOutcome::Unknown, format!("the device ran for {busy}; its clock cannot be read")),
        }
    }

    fn clock(&self) -> Guard {
        let ClockGuard { reference_mhz, lowest_mhz, rounds_with_clock, rounds_slow, .. } = &self.clock;
        let (Some(reference), Some(lowest)) = (reference_mhz, lowest_mhz) else {
            return guard("clock", GuardOutcome::Unknown, "the clock cannot be read".to_owned());
        };
        let detail = format!(
            "reference {reference:.0} MHz, lowest {lowest:.0} MHz; {rounds_slow} of {rounds_with_clock} rounds were \
             more than 3 % below the reference"
        );
        guard("clock", flagged_if_many(*rounds_slow, *rounds_with_clock), detail)
    }

    fn throttling(&self) -> Guard {
        let ClockGuard { rounds_with_sensors, rounds_throttled, throttled, .. } = &self.clock;
        if *rounds_with_sensors == 0 {
            return guard("throttling", GuardOutcome::Unknown, "no sensor reports throttling".to_owned());
        }
        let reasons: Vec<String> =
            throttled.iter().map(|(reason, rounds)| format!("{reason} in {rounds} rounds")).collect();
        let words = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
        let detail = format!("the clock was throttled in {rounds_throttled} of {rounds_with_sensors} rounds{words}");
        guard("throttling", flagged_if_many(*rounds_throttled, *rounds_with_sensors), detail)
    }

    fn short_kernels(&self) -> Guard {
        let Some(null_us) = self.null_us else {
            let detail = "the time of an empty kernel is not known";
            return guard("short_kernels", GuardOutcome::Unknown, detail.to_owned());
        };
        let detail = format!(
            "{} of {} cold points are shorter than {}, ten times an empty kernel",
            self.short_points,
            self.cold_points,
            unit::time_us(SHORT_BELOW * null_us)
        );
        guard("short_kernels", flagged_if_many(self.short_points, self.cold_points), detail)
    }

    fn gate(&self) -> Guard {
        if self.samples == 0 {
            return guard("gate", GuardOutcome::Unknown, "nothing was sampled".to_owned());
        }
        let detail = format!(
            "{} of {} samples began before everything was queued; they are excluded if the point has others",
            self.ungated_samples, self.samples
        );
        guard("gate", flagged_if_many(self.ungated_samples, self.samples), detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Telemetry;

    fn outcome(tally: &Tally, name: &str) -> (GuardOutcome, String) {
        let guard = tally.guards().into_iter().find(|guard| guard.guard == name).unwrap();
        (guard.outcome, guard.detail)
    }

    #[test]
    fn nothing_is_known_before_anything_was_sampled() {
        for guard in Tally::default().guards() {
            assert_eq!(guard.outcome, GuardOutcome::Unknown, "{}: {}", guard.guard, guard.detail);
        }
        assert_eq!(Tally::default().guards().len(), 5);
    }

    #[test]
    fn more_than_one_in_a_hundred_is_flagged() {
        let mut tally = Tally { samples: 1000, ungated_samples: 10, ..Tally::default() };
        assert_eq!(outcome(&tally, "gate").0, GuardOutcome::Ok);
        tally.ungated_samples = 11;
        let (flagged, detail) = outcome(&tally, "gate");
        assert_eq!(flagged, GuardOutcome::Flagged);
        assert!(detail.starts_with("11 of 1000 samples"), "{detail}");
    }

    #[test]
    fn clocks_and_reasons_are_told_in_figures() {
        let mut tally = Tally::default();
        tally.clock.reference_mhz = Some(1980.0);
        tally.clock.judge(
            Some(1600.4),
            Some(&Telemetry { throttle_reasons: Some(vec!["thermal".to_owned()]), ..Telemetry::default() }),
        );
        let free = Telemetry { throttle_reasons: Some(Vec::new()), ..Telemetry::default() };
        tally.clock.judge(Some(1975.0), Some(&free));
        let clock = "reference 1980 MHz, lowest 1600 MHz; 1 of 2 rounds were more than 3 % below the reference";
        assert_eq!(outcome(&tally, "clock"), (GuardOutcome::Flagged, clock.to_owned()));
        let throttling = "the clock was throttled in 1 of 2 rounds: thermal in 1 rounds";
        assert_eq!(outcome(&tally, "throttling"), (GuardOutcome::Flagged, throttling.to_owned()));
        let mut silent = Tally::default();
        silent.clock.judge(Some(1975.0), Some(&Telemetry { power_w: Some(90.0), ..Telemetry::default() }));
        assert_eq!(outcome(&silent, "throttling").0, GuardOutcome::Unknown, "sensors that do not tell the reasons");
    }

    #[test]
    fn short_kernels_are_told_against_ten_times_nothing() {
        let tally = Tally { null_us: Some(2.5), cold_points: 4, short_points: 1, ..Tally::default() };
        let detail = "1 of 4 cold points are shorter than 25.0 µs, ten times an empty kernel";
        assert_eq!(outcome(&tally, "short_kernels"), (GuardOutcome::Flagged, detail.to_owned()));
        assert_eq!(outcome(&Tally { short_points: 0, ..tally }, "short_kernels").0, GuardOutcome::Ok);
    }

    #[test]
    fn hot_samples_that_were_refused_are_told() {
        let tally = Tally { hot_points: 3, hot_refused: 3, ..Tally::default() };
        assert_eq!(outcome(&tally, "hot_samples").0, GuardOutcome::Flagged);
        assert_eq!(Tally::of_a_model(true)[0].guard, "hot_samples");
        assert!(Tally::of_a_model(false).is_empty());
    }
}
