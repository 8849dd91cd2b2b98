//! The rounds that points are measured in: whose turn it is, how many samples a turn has, and when there are enough.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::record::{ROUND_SAMPLES_MOST, StopReason};
use crate::scenario::MeasureSettings;
use least_squares::order_statistics::Summary;

/// A point's turn ends after this long, but not before its first sample.
pub(super) const SLICE_TIME: Duration = Duration::from_millis(50);
/// Numbers of rounds after which the precision is looked at, above the fewest; beyond them, half as many more each time.
const LOOKS: [usize; 4] = [8, 12, 20, 30];

/// The order of points in each round: at random, and every other round the reverse of the one before, so that what
/// drifts steadily meets all points alike (ABBA).
pub(super) struct Order {
    generator: ChaCha8Rng,
    points: Vec<usize>,
    round: usize,
}

impl Order {
    /// The order of so many points. `stream` tells apart what is ordered with the same seed.
    pub(super) fn new(seed: u64, stream: u64, points: usize) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self { generator, points: (0..points).collect(), round: 0 }
    }

    /// The order of the next round.
    pub(super) fn next_round(&mut self) -> &[usize] {
        if self.round.is_multiple_of(2) {
            for last in (1..self.points.len()).rev() {
                let other = (u64::from(self.generator.next_u32()) * (last as u64 + 1)) >> 32;
                self.points.swap(last, other as usize);
            }
        } else {
            self.points.reverse();
        }
        self.round += 1;
        &self.points
    }
}

/// Samples that a point takes in its turn: no more than bring it to the most it may have, which it reaches in the
/// fewest rounds there must be, not earlier.
pub(super) fn slice(settings: &MeasureSettings, taken: usize, round: usize) -> usize {
    let rounds_left = settings.rounds_min.saturating_sub(round).max(1);
    settings.samples_max.saturating_sub(taken).div_ceil(rounds_left).min(ROUND_SAMPLES_MOST)
}

/// Whether the precision is looked at after so many rounds. Looks are few, because each has its chance to stop at an
/// interval that is narrow by accident.
fn is_look(rounds: usize, rounds_min: usize) -> bool {
    let later = || std::iter::successors(LOOKS.last().copied(), |look| look.checked_mul(3).map(|triple| triple / 2));
    rounds == rounds_min
        || rounds > rounds_min
            && (LOOKS.contains(&rounds) || later().take_while(|look| *look <= rounds).any(|look| look == rounds))
}

/// Whether the median is known as precisely as was asked, from as many samples as were asked for.
pub(super) fn is_precise(settings: &MeasureSettings, summary: Option<&Summary>) -> bool {
    let half_width = summary.and_then(Summary::half_width_pct);
    summary.is_some_and(|summary| summary.samples >= settings.samples_min)
        && half_width.is_some_and(|half_width| half_width <= settings.precision_pct)
}

/// Whether to stop after so many rounds, which took `spent` of `budget`, and why. `summaries` are those of all points.
///
/// Precision goes first, then the number of samples, the number of rounds, and the budget, which is spent even where
/// the fewest samples are not yet reached. Stopping on the width of the interval, not on what it says, does not bias
/// the median.
pub(super) fn decide(
    settings: &MeasureSettings,
    rounds: usize,
    [spent, budget]: [Duration; 2],
    taken: &[usize],
    summaries: impl FnOnce() -> Vec<Option<Summary>>,
) -> Option<StopReason> {
    let at_end = rounds >= settings.rounds_max;
    if (is_look(rounds, settings.rounds_min) || at_end && rounds >= settings.rounds_min)
        && summaries().iter().all(|summary| is_precise(settings, summary.as_ref()))
    {
        Some(StopReason::Precise)
    } else if taken.iter().all(|taken| *taken >= settings.samples_max) {
        Some(StopReason::SamplesMax)
    } else if at_end {
        Some(StopReason::RoundsMax)
    } else if spent >= budget {
        Some(StopReason::Budget)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: MeasureSettings = MeasureSettings {
        sampling: crate::scenario::Sampling::Cold,
        flush: crate::device::Flush::Clean,
        precision_pct: 0.5,
        budget_s: 5.0,
        rounds_min: 5,
        rounds_max: 30,
        samples_min: 10,
        samples_max: 2000,
        seed: 1,
        energy: false,
    };

    #[test]
    fn odd_rounds_are_the_reverse_of_the_round_before_and_every_point_has_its_turn() {
        let mut order = Order::new(1, 0, 7);
        let rounds: Vec<Vec<usize>> = (0..10).map(|_| order.next_round().to_vec()).collect();
        for pair in rounds.chunks(2) {
            let reversed: Vec<usize> = pair[0].iter().rev().copied().collect();
            assert_eq!(pair[1], reversed);
            let mut sorted = pair[0].clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..7).collect::<Vec<_>>());
        }
        assert_ne!(rounds[0], rounds[2], "every pair of rounds is drawn anew");
        assert_eq!(collect(1, 0), rounds, "the same seed gives the same order");
        assert_ne!(collect(2, 0), rounds);
        assert_ne!(collect(1, 1), rounds);
    }

    fn collect(seed: u64, stream: u64) -> Vec<Vec<usize>> {
        let mut order = Order::new(seed, stream, 7);
        (0..10).map(|_| order.next_round().to_vec()).collect()
    }

    /// Each of 4 points comes first about as often as the others: 1000 draws of 250 +- 14.
    #[test]
    fn every_point_comes_first_equally_often() {
        let mut order = Order::new(3, 0, 4);
        let mut firsts = [0; 4];
        for round in 0..2000 {
            let first = order.next_round()[0];
            if round % 2 == 0 {
                firsts[first] += 1;
            }
        }
        assert!(firsts.iter().all(|count| (200..300).contains(count)), "{firsts:?}");
    }

    #[test]
    fn slices_spread_the_samples_over_the_fewest_rounds() {
        assert_eq!(slice(&SETTINGS, 0, 0), 64);
        assert_eq!(slice(&SETTINGS, 1984, 31), 16);
        assert_eq!(slice(&SETTINGS, 2000, 31), 0);
        let few = MeasureSettings { samples_max: 12, ..SETTINGS };
        let mut taken = 0;
        let slices = (0..6).map(|round| {
            let slice = slice(&few, taken, round);
            taken += slice;
            slice
        });
        assert_eq!(slices.collect::<Vec<_>>(), [3, 3, 2, 2, 2, 0]);
    }

    #[test]
    fn looks_get_rarer() {
        let looks = |least| (1..110).filter(|rounds| is_look(*rounds, least)).collect::<Vec<_>>();
        assert_eq!(looks(5), [5, 8, 12, 20, 30, 45, 67, 100]);
        assert_eq!(looks(9), [9, 12, 20, 30, 45, 67, 100]);
        assert_eq!(looks(40), [40, 45, 67, 100]);
    }

    fn summary(half_width: f64, samples: usize) -> Summary {
        Summary { median: 100.0, low: Some(100.0 - half_width), high: Some(100.0), samples }
    }

    fn stop(rounds: usize, spent_s: u64, taken: &[usize], summaries: &[Option<Summary>]) -> Option<StopReason> {
        let spent = [Duration::from_secs(spent_s), Duration::from_secs(5)];
        decide(&SETTINGS, rounds, spent, taken, || summaries.to_vec())
    }

    #[test]
    fn sampling_stops_for_one_reason() {
        let (precise, vague) = (Some(summary(0.5, 320)), Some(summary(0.51, 320)));
        assert_eq!(stop(5, 0, &[320; 2], &[precise, precise]), Some(StopReason::Precise));
        assert_eq!(stop(5, 9, &[320; 2], &[precise, precise]), Some(StopReason::Precise));
        assert_eq!(stop(5, 0, &[320; 2], &[precise, vague]), None);
        assert_eq!(stop(4, 0, &[256; 2], &[precise, precise]), None);
        assert_eq!(stop(6, 0, &[384; 2], &[precise, precise]), None, "it is not looked at after 6 rounds");
        assert_eq!(stop(5, 0, &[9], &[Some(summary(0.0, 9))]), None, "9 samples are too few");
        assert_eq!(stop(5, 0, &[10], &[Some(Summary { low: None, high: None, ..summary(0.0, 320) })]), None);
        assert_eq!(stop(6, 5, &[384; 2], &[precise, vague]), Some(StopReason::Budget));
        assert_eq!(stop(1, 5, &[1; 2], &[None, None]), Some(StopReason::Budget));
        assert_eq!(stop(7, 0, &[2000; 2], &[precise, vague]), Some(StopReason::SamplesMax));
        assert_eq!(stop(7, 0, &[2000, 1999], &[precise, vague]), None);
        assert_eq!(stop(30, 9, &[1920; 2], &[precise, vague]), Some(StopReason::RoundsMax));
        assert_eq!(stop(30, 9, &[1920; 2], &[precise, precise]), Some(StopReason::Precise));
    }
}
