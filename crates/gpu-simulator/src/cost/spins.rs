//! Atomics that are loops of compare-and-swap: of the lanes that try at an address at the same time one succeeds.

use std::collections::HashMap;

use crate::hardware::lanes::{LANES, Mask, Words, lanes_of};
use crate::profile::SharedFloat;

/// The least part of a turn that passes from one success at an address to the next, however many warps try there. Source:
/// `shared_f32` of `constants/merged_atomics.csv`: 43 to 50 cycles with 8 to 32 warps at a word where a turn takes 95 to 111, 92 with
/// 64 warps where it takes 221.
const LEAST_PART: f64 = 0.43;
/// How much less of a turn that is for each warp besides the first. Source: the same, 89, 69 to 84 and 46 to 53 of 95 cycles with 2, 4
/// and 8 warps.
const PART_OF_WARP: f64 = 0.07;

/// The warps of a multiprocessor that are in such loops. Those at one place get through by turns, so that they have done at about
/// the same time.
#[derive(Debug, Default)]
pub(crate) struct Spins {
    /// By block and offset.
    places: HashMap<(u64, u32), Place>,
}

/// What lanes try to change.
#[derive(Debug, Default)]
struct Place {
    /// Lanes that had not succeeded at `since_cycle`.
    lanes: f64,
    since_cycle: f64,
    interval_cycles: f64,
    /// When all of them have.
    end_cycle: f64,
    /// The warps that have tried, each once however often it comes back, and whether it tries nowhere for longer.
    warps: HashMap<u32, bool>,
}

impl Place {
    /// So many lanes of a warp begin to try; when they have done.
    fn join(&mut self, warp: u32, now: f64, lanes: u32, turn_cycles: f64) -> f64 {
        self.warps.remove(&warp);
        let succeeded = (now - self.since_cycle) / self.interval_cycles.max(1.0);
        self.lanes = (self.lanes - succeeded).max(0.0) + f64::from(lanes);
        self.since_cycle = now;
        self.interval_cycles = turn_cycles * (1.0 - PART_OF_WARP * self.warps.len() as f64).max(LEAST_PART);
        self.end_cycle = now + self.lanes * self.interval_cycles;
        self.warps.insert(warp, false);
        self.end_cycle
    }
}

impl SharedFloat {
    /// Cycles of a turn at a word of another block's shared memory: the load and the compare-and-swap of each go there and back.
    pub(crate) fn remote_turn_cycles(&self, own_latency_cycles: f64, remote_latency_cycles: f64) -> f64 {
        self.turn_cycles + 2.0 * (remote_latency_cycles - own_latency_cycles).max(0.0)
    }
}

/// The most of these lanes that have the same place: so many turns they take.
pub(crate) fn most_at_a_word(offsets: &Words, mask: Mask) -> u32 {
    let at = |offset: u32| lanes_of(mask).filter(|lane| offsets[*lane] == offset).count() as u32;
    lanes_of(mask).map(|lane| at(offsets[lane])).max().unwrap_or(0)
}

/// How long a warp is in its loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spin {
    /// Turns that it takes where no other warp tries.
    pub turns: u32,
    /// When its last lane has succeeded.
    pub end_cycle: f64,
}

impl Spins {
    /// A warp, by its block and its number there, begins its loop at the cycle `now`, which never goes back.
    pub(crate) fn begin(
        &mut self,
        float: SharedFloat,
        now: f64,
        (block, warp): (u64, u32),
        offsets: &Words,
        mask: Mask,
    ) -> Spin {
        self.places.retain(|_, place| place.end_cycle > now);
        let is_other = |of: u64, number: u32| (of, number) != (block, warp);
        let stay = |(of, place): (u64, &Place)| {
            place.warps.iter().filter(|(own, stays)| **stays && is_other(of, **own)).count()
        };
        let others: usize = self.places.iter().map(|((of, _), place)| stay((*of, place))).sum();
        let turn_cycles = float.turn_cycles.max(float.busy_cycles * (others + 1) as f64);
        let (mut turns, mut end_cycle, mut last) = (0, now, None);
        let mut seen = 0;
        for lane in lanes_of(mask) {
            if seen >> lane & 1 == 1 {
                continue;
            }
            let same = (lane..LANES).filter(|other| mask >> other & 1 == 1 && offsets[*other] == offsets[lane]);
            let lanes = same.inspect(|other| seen |= 1 << other).count() as u32;
            turns = turns.max(lanes);
            let place = (block, offsets[lane]);
            let end = self.places.entry(place).or_default().join(warp, now, lanes, turn_cycles);
            if end > end_cycle {
                (end_cycle, last) = (end, Some(place));
            }
        }
        if let Some(place) = last.and_then(|last| self.places.get_mut(&last)) {
            place.warps.insert(warp, true);
        }
        Spin { turns, end_cycle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::lanes::ALL_LANES;

    const FLOAT: SharedFloat = SharedFloat { turn_cycles: 95.0, busy_cycles: 3.5 };

    /// Cycles of an addition at a word, with so many warps at each of so many words.
    fn cycles_at_a_word(warps: u64, words: u64) -> f64 {
        let mut spins = Spins::default();
        let ends = (0..warps as u32)
            .flat_map(|warp| (0..words).map(move |block| (block, warp)))
            .map(|place| spins.begin(FLOAT, 0.0, place, &[0; LANES], ALL_LANES).end_cycle);
        ends.fold(0.0, f64::max) / (warps * LANES as u64) as f64
    }

    /// Against `shared_f32` of results/nvidia-h200/constants/merged_atomics.csv, in cycles for each lane.
    #[test]
    fn additions_at_a_word_take_as_long_as_on_the_gpu() {
        let measured = [
            (1, 1, 95.1),
            (2, 1, 88.7),
            (4, 1, 69.0),
            (8, 1, 46.3),
            (16, 1, 45.5),
            (32, 1, 43.2),
            (32, 2, 92.2),
            (16, 4, 95.1),
        ];
        for (warps, words, cycles) in measured {
            let simulated = cycles_at_a_word(warps, words);
            assert!(
                (simulated / cycles - 1.0).abs() < 0.2,
                "{warps} warps, {words} words: {simulated}, {cycles} measured"
            );
        }
    }

    #[test]
    fn lanes_at_words_of_their_own_take_one_turn() {
        let offsets = std::array::from_fn(|lane| lane as u32 * 4);
        let spin = Spins::default().begin(FLOAT, 10.0, (0, 0), &offsets, ALL_LANES);
        assert_eq!(spin, Spin { turns: 1, end_cycle: 105.0 });
    }

    /// Warps that come to a word again and again, each when it has done, as loops of additions do.
    #[test]
    fn additions_one_after_another_take_as_long_each() {
        for warps in [1_u32, 2, 8, 32] {
            let cycles_of = |rounds: u32| {
                let mut spins = Spins::default();
                let mut ends = vec![0.0_f64; warps as usize];
                for _ in 0..rounds * warps {
                    let next = (0..ends.len()).min_by(|one, other| ends[*one].total_cmp(&ends[*other])).unwrap();
                    let spin = spins.begin(FLOAT, ends[next], (0, next as u32), &[0; LANES], ALL_LANES);
                    ends[next] = spin.end_cycle;
                }
                ends.into_iter().fold(0.0, f64::max)
            };
            let (few, many) = (cycles_of(20), cycles_of(80));
            assert!((3.6..=4.4).contains(&(many / few)), "{warps} warps: {few} and {many} cycles");
        }
    }

    #[test]
    fn words_of_other_blocks_do_not_wait() {
        let mut spins = Spins::default();
        let first = spins.begin(FLOAT, 0.0, (0, 0), &[0; LANES], ALL_LANES);
        assert_eq!(spins.begin(FLOAT, 0.0, (1, 0), &[0; LANES], ALL_LANES), first);
        // Nobody is left of those who have done.
        spins.begin(FLOAT, first.end_cycle, (2, 0), &[0; LANES], 1);
        assert_eq!(spins.places.len(), 1);
    }
}
