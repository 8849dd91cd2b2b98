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
    /// The warps that have tried, each once however often it comes back.
    warps: HashMap<u32, Trying>,
}

/// A warp that tries.
#[derive(Debug, Clone, Copy)]
struct Trying {
    until_cycle: f64,
    /// Whether it tries nowhere for longer.
    stays: bool,
}

impl Place {
    /// So many lanes of a warp begin to try; when they have done.
    fn join(&mut self, warp: u32, now: f64, lanes: u32, turn_cycles: f64) -> f64 {
        let is_there = |(other, own): &(&u32, &Trying)| **other != warp && own.until_cycle > now;
        let others = self.warps.iter().filter(is_there).count();
        let succeeded = (now - self.since_cycle) / self.interval_cycles.max(1.0);
        self.lanes = (self.lanes - succeeded).max(0.0) + f64::from(lanes);
        self.since_cycle = now;
        self.interval_cycles = turn_cycles * (1.0 - PART_OF_WARP * others as f64).max(LEAST_PART);
        // Its own lanes take turns, whoever else tries.
        let until_cycle = now + (self.lanes * self.interval_cycles).max(f64::from(lanes) * turn_cycles);
        self.end_cycle = self.end_cycle.max(until_cycle);
        self.warps.insert(warp, Trying { until_cycle, stays: false });
        until_cycle
    }
}

/// How long shared memory takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    /// A turn of words of so many bytes, and for how much of it the memory is busy.
    pub turn_cycles: f64,
    pub busy_cycles: f64,
    pub bytes: u32,
    /// A pass over its banks, as long as it keeps the warp, and the memory.
    pub warp_pass_cycles: f64,
    pub pass_cycles: f64,
}

impl SharedFloat {
    pub(crate) fn pace(&self, bytes: u32, (warp_pass_cycles, pass_cycles): (f64, f64)) -> Pace {
        let (turn_cycles, busy_cycles) = if bytes > 4 {
            (self.wide_turn_cycles, self.wide_busy_cycles)
        } else {
            (self.turn_cycles, self.busy_cycles)
        };
        Pace { turn_cycles, busy_cycles, bytes, warp_pass_cycles, pass_cycles }
    }

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

/// The turns of lanes that try by themselves: of those whose words lie in the same place of a row of 32 words, one succeeds in each turn, whether
/// their words are the same or not. And the passes that such turns take more where words differ: every turn one less.
fn turns(offsets: &Words, mask: Mask, bytes: u32) -> (u32, f64) {
    let words = offsets.map(|offset| offset / bytes.max(4));
    let mut lanes = [0_u32; LANES];
    let mut rows = [0_u32; LANES];
    for lane in lanes_of(mask) {
        let place = words[lane] as usize % LANES;
        lanes[place] += 1;
        let is_new = lanes_of(mask).take_while(|other| *other < lane).all(|other| words[other] != words[lane]);
        rows[place] += u32::from(is_new);
    }
    let turns = lanes.into_iter().max().unwrap_or(0);
    let most_rows = rows.into_iter().max().unwrap_or(0);
    let more_passes = f64::from(most_rows.saturating_sub(1) * turns) / 2.0 * f64::from(bytes.div_ceil(4));
    (turns, more_passes)
}

/// How long a warp is in its loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spin {
    /// How long it keeps shared memory busy.
    pub busy_cycles: f64,
    /// When its last lane has succeeded.
    pub end_cycle: f64,
}

impl Spins {
    /// A warp, by its block and its number there, begins its loop at the cycle `now`, which never goes back.
    pub(crate) fn begin(
        &mut self,
        speed: Pace,
        now: f64,
        (block, warp): (u64, u32),
        offsets: &Words,
        mask: Mask,
    ) -> Spin {
        self.places.retain(|_, place| place.end_cycle > now);
        let is_other = |of: u64, number: u32| (of, number) != (block, warp);
        let stay = |(of, place): (u64, &Place)| {
            place.warps.iter().filter(|(number, own)| own.stays && is_other(of, **number)).count()
        };
        let others: usize = self.places.iter().map(|((of, _), place)| stay((*of, place))).sum();
        let turn_cycles = speed.turn_cycles.max(speed.busy_cycles * (others + 1) as f64);
        let (turns, more_passes) = turns(offsets, mask, speed.bytes);
        let (mut end_cycle, mut last) = (now, None);
        let mut seen = 0;
        for lane in lanes_of(mask) {
            if seen >> lane & 1 == 1 {
                continue;
            }
            let same = (lane..LANES).filter(|other| mask >> other & 1 == 1 && offsets[*other] == offsets[lane]);
            let lanes = same.inspect(|other| seen |= 1 << other).count() as u32;
            let place = (block, offsets[lane]);
            let end = self.places.entry(place).or_default().join(warp, now, lanes, turn_cycles);
            if end > end_cycle {
                (end_cycle, last) = (end, Some(place));
            }
        }
        let end_cycle = end_cycle.max(now + f64::from(turns) * turn_cycles + more_passes * speed.warp_pass_cycles);
        if let Some(place) = last.and_then(|last| self.places.get_mut(&last)) {
            place.end_cycle = place.end_cycle.max(end_cycle);
            place.warps.insert(warp, Trying { until_cycle: end_cycle, stays: true });
        }
        let busy_cycles = f64::from(turns) * speed.busy_cycles + more_passes * speed.pass_cycles;
        Spin { busy_cycles, end_cycle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::lanes::ALL_LANES;

    const FLOAT: Pace = Pace { turn_cycles: 95.0, busy_cycles: 3.5, bytes: 4, warp_pass_cycles: 2.0, pass_cycles: 1.0 };
    const WIDE: Pace = Pace { turn_cycles: 117.0, busy_cycles: 6.0, bytes: 8, ..FLOAT };

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

    /// Against results/nvidia-h200/constants/shared_loops.csv, one warp: cycles of a step less the 16 of its loop, by the words between lanes.
    #[test]
    fn lanes_that_meet_in_a_bank_take_turns() {
        let measured = [
            (FLOAT, [(1, 96.0), (2, 193.0), (4, 393.0), (8, 817.0)]),
            (WIDE, [(2, 117.0), (4, 237.0), (8, 489.0), (16, 1040.0)]),
        ];
        for (pace, steps) in measured {
            for (apart, cycles) in steps {
                let offsets = std::array::from_fn(|lane| lane as u32 * apart * 4);
                let simulated = Spins::default().begin(pace, 0.0, (0, 0), &offsets, ALL_LANES).end_cycle;
                assert!((simulated / cycles - 1.0).abs() < 0.03, "{apart} words apart: {simulated}, {cycles} measured");
            }
        }
    }

    /// Warps of which one lane each adds to one word, and which do something else for some time before they come back, against the same file: `f32`,
    /// `lanes=1` and 0, 5 and 10 shuffles. A step of a warp alone takes 130, 357 and 586 cycles, 95 of them in the loop.
    #[test]
    fn warps_that_are_away_are_not_in_the_way() {
        let measured = [
            (1, [130.4, 357.2, 586.3]),
            (2, [130.7, 357.5, 586.6]),
            (4, [176.9, 358.4, 587.5]),
            (8, [351.3, 498.7, 639.4]),
            (16, [722.0, 793.6, 980.2]),
            (32, [1350.3, 1408.5, 1411.4]),
        ];
        for (warps, steps) in measured {
            for ((away, at_once), cycles) in [(35.0, true), (262.0, false), (491.0, false)].into_iter().zip(steps) {
                // Two and four warps that come back at once keep out of each other's way, which simulated ones do not.
                let most_apart = if at_once && (warps == 2 || warps == 4) { 0.75 } else { 0.25 };
                let simulated = cycles_of_a_step(warps, 1, away, 40);
                assert!(
                    (simulated / cycles - 1.0).abs() < most_apart,
                    "{warps} warps, away for {away}: {simulated}, {cycles} measured"
                );
            }
        }
    }

    #[test]
    fn lanes_at_words_of_their_own_take_one_turn() {
        let offsets = std::array::from_fn(|lane| lane as u32 * 4);
        let spin = Spins::default().begin(FLOAT, 10.0, (0, 0), &offsets, ALL_LANES);
        assert_eq!(spin, Spin { busy_cycles: 3.5, end_cycle: 105.0 });
    }

    /// Cycles between two additions of a warp's lanes to one word, each when the warp has done and was away for some time, as in loops of additions.
    fn cycles_of_a_step(warps: u32, lanes: u32, away_cycles: f64, rounds: u32) -> f64 {
        let (mut spins, mask) = (Spins::default(), Mask::MAX >> (LANES as u32 - lanes));
        let mut ends = vec![0.0_f64; warps as usize];
        for _ in 0..rounds * warps {
            let next = (0..ends.len()).min_by(|one, other| ends[*one].total_cmp(&ends[*other])).unwrap();
            let spin = spins.begin(FLOAT, ends[next], (0, next as u32), &[0; LANES], mask);
            ends[next] = spin.end_cycle + away_cycles;
        }
        ends.into_iter().fold(0.0, f64::max) / f64::from(rounds)
    }

    #[test]
    fn additions_one_after_another_take_as_long_each() {
        for warps in [1_u32, 2, 8, 32] {
            let (few, many) = (cycles_of_a_step(warps, 32, 0.0, 20), cycles_of_a_step(warps, 32, 0.0, 80));
            assert!((0.9..=1.1).contains(&(many / few)), "{warps} warps: {few} and {many} cycles");
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
