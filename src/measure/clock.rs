//! Watches the clock of the multiprocessors, and decides how long to wait if it is too low.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::device::Telemetry;
use crate::record::Flag;
use least_squares::order_statistics::median;

/// Rounds whose median clock is the reference.
const REFERENCE_ROUNDS: usize = 2;
/// A clock below this part of the reference is flagged.
const FLAGGED_BELOW: f64 = 0.97;
const BACK_OFF_FIRST: Duration = Duration::from_millis(50);
const BACK_OFF_LONGEST: Duration = Duration::from_secs(2);
/// The part of the budget that backing off may take.
const BACK_OFF_PART: f64 = 0.2;

/// The clock's reference, and how the rounds since compared with it.
#[derive(Debug, Clone, Default)]
pub(super) struct ClockGuard {
    first_clocks_mhz: Vec<f64>,
    first_rounds: usize,
    /// The median clock of the first rounds.
    pub(super) reference_mhz: Option<f64>,
    /// The lowest median clock of a point in a round.
    pub(super) lowest_mhz: Option<f64>,
    /// Rounds of points.
    pub(super) rounds: usize,
    /// Those whose clock could be told.
    pub(super) rounds_with_clock: usize,
    /// Those whose clock was too low.
    pub(super) rounds_slow: usize,
    /// Those with sensors to ask.
    pub(super) rounds_with_sensors: usize,
    /// Those that something held down, by what did.
    pub(super) throttled: BTreeMap<String, usize>,
    /// Those that anything held down.
    pub(super) rounds_throttled: usize,
}

impl ClockGuard {
    /// A guard whose reference is known.
    #[cfg(test)]
    pub(super) fn with_reference(reference_mhz: f64) -> Self {
        Self { reference_mhz: Some(reference_mhz), ..Self::default() }
    }

    /// Takes the clocks of all samples of a round, of which the first ones become the reference.
    pub(super) fn observe(&mut self, clocks_mhz: &[f64]) {
        if self.reference_mhz.is_some() || clocks_mhz.is_empty() {
            return;
        }
        self.first_clocks_mhz.extend(clocks_mhz);
        self.first_rounds += 1;
        if self.first_rounds == REFERENCE_ROUNDS {
            self.reference_mhz = median(&self.first_clocks_mhz);
            self.first_clocks_mhz = Vec::new();
        }
    }

    /// The flags of a point's round with this median clock, behind which the sensors said this.
    pub(super) fn judge(&mut self, clock_mhz: Option<f64>, told: Option<&Telemetry>) -> Vec<Flag> {
        let mut flags = Vec::new();
        self.rounds += 1;
        if let Some(clock_mhz) = clock_mhz {
            self.rounds_with_clock += 1;
            self.lowest_mhz = Some(self.lowest_mhz.map_or(clock_mhz, |lowest| lowest.min(clock_mhz)));
            if self.reference_mhz.is_some_and(|reference| clock_mhz < FLAGGED_BELOW * reference) {
                self.rounds_slow += 1;
                flags.push(Flag::Clock);
            }
        }
        if let Some(reasons) = told.and_then(|told| told.throttle_reasons.as_ref()) {
            self.rounds_with_sensors += 1;
            if !reasons.is_empty() {
                self.rounds_throttled += 1;
                flags.push(Flag::Throttled);
            }
            for reason in reasons {
                *self.throttled.entry(reason.clone()).or_default() += 1;
            }
        }
        flags
    }
}

/// How long to wait after rounds whose clock was low: longer each time, and no longer than a part of the budget in all.
#[derive(Debug, Clone)]
pub(super) struct BackOff {
    next: Duration,
    left: Duration,
}

impl BackOff {
    /// Within a fifth of this budget.
    pub(super) fn within(budget: Duration) -> Self {
        Self { next: BACK_OFF_FIRST, left: budget.mul_f64(BACK_OFF_PART) }
    }

    /// How long to wait after a round that was flagged or was not.
    pub(super) fn after(&mut self, flagged: bool) -> Duration {
        if !flagged {
            self.next = BACK_OFF_FIRST;
            return Duration::ZERO;
        }
        let wait = self.next.min(self.left);
        self.left -= wait;
        self.next = (self.next * 2).min(BACK_OFF_LONGEST);
        wait
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "the very digits are meant")]

    use super::*;

    fn throttled(reasons: &[&str]) -> Telemetry {
        Telemetry {
            throttle_reasons: Some(reasons.iter().map(|&reason| reason.to_owned()).collect()),
            ..Telemetry::default()
        }
    }

    #[test]
    fn the_reference_is_the_median_of_the_first_two_rounds() {
        let mut guard = ClockGuard::default();
        guard.observe(&[1000.0, 1010.0]);
        assert_eq!(guard.reference_mhz, None);
        assert_eq!(guard.judge(Some(1.0), None), [], "there is nothing yet to compare with");
        guard.observe(&[]);
        assert_eq!(guard.reference_mhz, None, "a round without clocks is none");
        guard.observe(&[1020.0]);
        assert_eq!(guard.reference_mhz, Some(1010.0));
        guard.observe(&[500.0; 9]);
        assert_eq!(guard.reference_mhz, Some(1010.0), "it stays");
    }

    #[test]
    fn low_clocks_and_throttle_reasons_are_flagged_and_counted() {
        let mut guard = ClockGuard::with_reference(1000.0);
        assert_eq!(guard.judge(Some(970.0), None), []);
        assert_eq!(guard.judge(Some(969.9), Some(&throttled(&[]))), [Flag::Clock]);
        assert_eq!(guard.judge(None, Some(&throttled(&["power_cap", "thermal"]))), [Flag::Throttled]);
        assert_eq!(guard.judge(Some(900.0), Some(&throttled(&["thermal"]))), [Flag::Clock, Flag::Throttled]);
        assert_eq!((guard.rounds, guard.rounds_with_clock, guard.rounds_slow), (4, 3, 2));
        assert_eq!((guard.rounds_with_sensors, guard.rounds_throttled, guard.lowest_mhz), (3, 2, Some(900.0)));
        assert_eq!(guard.throttled, BTreeMap::from([("power_cap".to_owned(), 1), ("thermal".to_owned(), 2)]));
    }

    #[test]
    fn waiting_doubles_starts_again_and_ends() {
        let mut back_off = BackOff::within(Duration::from_secs(5));
        let wait = |back_off: &mut BackOff, flagged| back_off.after(flagged).as_millis();
        assert_eq!(wait(&mut back_off, false), 0);
        assert_eq!([true; 3].map(|flagged| wait(&mut back_off, flagged)), [50, 100, 200]);
        assert_eq!(wait(&mut back_off, false), 0);
        // 50 + 100 + 200 of the 1000 ms are spent.
        assert_eq!([true; 5].map(|flagged| wait(&mut back_off, flagged)), [50, 100, 200, 300, 0]);
        let mut back_off = BackOff::within(Duration::from_secs(100));
        let waits: Vec<u128> = (0..9).map(|_| wait(&mut back_off, true)).collect();
        assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000]);
    }
}
