//! What each pattern costs, of what all of them cost together.

use super::{Price, SMALL_PART};
use crate::device::sim::Lessened;

/// The part of what patterns cost alone below which it is told that they share what they cost together.
const SHARED_BELOW: f64 = 0.995;

/// The pattern that alone is told to cost something, if there is one: it shares with none that is told.
fn lone(time_us: f64, alone: &[f64], share: f64) -> Option<usize> {
    let mut told = alone.iter().enumerate().filter(|(_, us)| **us * share >= SMALL_PART * time_us);
    told.next().map(|(place, _)| place).filter(|_| told.next().is_none())
}

/// What each pattern adds to the time. Where they come to more than all of them together, since each of them alone lets the others go, the time is
/// shared out among them; and where they come to less, since each hides what others cost. `last` then has what each saves as the last one: its
/// price is the mean of that and of what it saves alone (Shapley's value, of two patterns).
pub(super) fn prices(time_us: f64, times: &[(Lessened, Option<f64>)], without_all_us: f64, last: &[f64]) -> Vec<Price> {
    let saved = |(place, (own, _)): (usize, &(Lessened, Option<f64>))| {
        let alone = (time_us - own.time_us).max(0.0);
        last.get(place).map_or(alone, |last| 0.5 * (alone + last.max(alone)))
    };
    let alone: Vec<f64> = times.iter().enumerate().map(saved).collect();
    let (sum, together) = (alone.iter().sum::<f64>(), (time_us - without_all_us).max(0.0));
    let most = alone.iter().copied().fold(together, f64::max);
    let share = if sum > most { most / sum } else { 1.0 };
    let (share, lone) = match lone(time_us, &alone, share).filter(|_| last.is_empty()) {
        // The others come to little: they share what it leaves.
        Some(place) if sum > most => ((most - alone[place]).max(0.0) / (sum - alone[place]), Some(place)),
        _ => (share, None),
    };
    let mut place = 0..;
    let price = |((own, remedied_us), us): (&(Lessened, Option<f64>), f64)| {
        let share = if place.next() == lone { 1.0 } else { share };
        Price {
            us: us * share,
            without_us: own.time_us,
            is_shared: (share < SHARED_BELOW || us > (time_us - own.time_us).max(0.0) + SMALL_PART * time_us)
                && us > 0.0,
            bound_without: own.bound.name(),
            remedied_us: *remedied_us,
        }
    };
    times.iter().zip(alone).map(price).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_simulator::Bound;

    fn lessened(time_us: f64) -> (Lessened, Option<f64>) {
        (Lessened { time_us, bound: Bound::Issue }, None)
    }

    #[test]
    fn prices_are_what_is_saved_and_never_more_than_the_time() {
        let of = |times: &[f64], all: f64| {
            let times: Vec<_> = times.iter().copied().map(lessened).collect();
            prices(10.0, &times, all, &[]).into_iter().map(|own| own.us).collect::<Vec<f64>>()
        };
        assert_eq!(of(&[7.0, 9.0], 6.0), [3.0, 1.0]);
        assert_eq!(of(&[10.5], 10.5), [0.0], "what is slower without it costs nothing");
        let lone = prices(10.0, &[7.0, 9.9, 9.9].map(lessened), 6.9, &[]);
        assert!(!lone[0].is_shared && (lone[0].us - 3.0).abs() < 1e-9, "{lone:?}");
        assert!((lone[1].us - 0.05).abs() < 1e-9 && lone[1].is_shared, "the others share what it leaves: {lone:?}");
        let shared = of(&[2.0, 2.0], 2.0);
        assert_eq!(shared, [4.0, 4.0], "either of them would do");
        assert!(of(&[1.0, 2.0, 3.0], 0.5).iter().sum::<f64>() <= 10.0);
        let hidden = prices(10.0, &[lessened(10.0), lessened(9.9), lessened(10.0)], 4.0, &[6.0, 5.9, 0.0]);
        let us: Vec<f64> = hidden.iter().map(|own| own.us).collect();
        assert!(
            (us[0] - 3.0).abs() < 1e-9 && (us[1] - 3.0).abs() < 1e-9 && us[2] == 0.0,
            "each hides the other: {us:?}"
        );
        assert_eq!(hidden.iter().map(|own| own.is_shared).collect::<Vec<_>>(), [true, true, false]);
    }
}
