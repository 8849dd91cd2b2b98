//! Slices of L2, which share the work of atomics by address.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::hash::mixed;
use crate::hardware::coalescing::GlobalAccess;
use crate::profile::Profile;

/// How long each slice is busy with atomics.
///
/// A slice does its atomics one after the other, and an addition of floats waits for the one before it where that is in the same sector: of
/// sectors whose turns come in any order, a part `p` of all turns each, one has waited in `p` of its turns. On an H200 warps whose lanes want a word
/// of 1, 2, 4, 8 sectors of a slice take 56.1, 40.5, 31.0, 25.8 ns so (`constants/atomics.csv`, `red.f32`, `sectors_N_by_warp`), where turns of 1.45
/// and 3.5 cycles give 56.6, 40.0, 31.7, 27.6; integers take 22 to 23.
#[derive(Debug, Clone)]
pub(crate) struct SliceLoads {
    interleave_bytes: u64,
    sector_cycles: f64,
    lane_cycles: f64,
    /// What an addition of floats takes longer behind one in the same sector.
    wait_cycles: f64,
    /// Turns of additions of floats, by their sector.
    float_turns: HashMap<u64, f64, RandomState>,
    /// Turns of all atomics in each slice.
    turns: Vec<f64>,
    /// Of each slice; empty where the profile has none.
    cycles: Vec<f64>,
}

impl SliceLoads {
    /// Idle ones.
    pub(crate) fn new(profile: &Profile) -> Self {
        let slices = profile.global.slices;
        Self {
            interleave_bytes: slices.map_or(1, |slices| slices.interleave_bytes.max(1)),
            sector_cycles: profile.atomics.sector_cycles,
            lane_cycles: profile.atomics.same_address_integer_cycles,
            wait_cycles: (profile.atomics.same_address_cycles - profile.atomics.same_address_integer_cycles).max(0.0),
            float_turns: HashMap::default(),
            turns: vec![0.0; slices.map_or(0, |slices| slices.count as usize)],
            cycles: vec![0.0; slices.map_or(0, |slices| slices.count as usize)],
        }
    }

    /// Adds an atomic of a warp: each sector takes its time, or that of the lanes that take turns at the word most wanted in it.
    pub(crate) fn add(&mut self, access: &GlobalAccess, adds_floats: bool) {
        if self.cycles.is_empty() {
            return;
        }
        // A sector is there as often as its most wanted word is, one time after the other.
        for sector in access.transactions.chunk_by(|left, right| left.address == right.address) {
            let turns = sector.len() as f64;
            let slice = self.slice_of(sector[0].address);
            self.cycles[slice] += self.sector_cycles.max(self.lane_cycles * turns);
            self.turns[slice] += turns;
            if adds_floats {
                *self.float_turns.entry(sector[0].address).or_default() += turns;
            }
        }
    }

    /// Adds what others counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.cycles.iter_mut().zip(&other.cycles).for_each(|(own, other)| *own += other);
        self.turns.iter_mut().zip(&other.turns).for_each(|(own, other)| *own += other);
        for (sector, turns) in &other.float_turns {
            *self.float_turns.entry(*sector).or_default() += turns;
        }
    }

    /// What the busiest has to do.
    pub(crate) fn busiest_cycles(&self) -> f64 {
        let mut cycles = self.cycles.clone();
        // In the order of the sectors, so that a sum is the same each time.
        let mut sectors: Vec<(u64, f64)> = self.float_turns.iter().map(|(sector, turns)| (*sector, *turns)).collect();
        sectors.sort_unstable_by_key(|(sector, _)| *sector);
        for (sector, turns) in sectors {
            let slice = self.slice_of(sector);
            cycles[slice] += self.wait_cycles * turns * turns / self.turns[slice];
        }
        cycles.into_iter().fold(0.0, f64::max)
    }

    /// The slice of an address: GPUs hash addresses, so that no stride meets one slice alone (which hash is not known).
    fn slice_of(&self, address: u64) -> usize {
        (mixed(address / self.interleave_bytes) % self.cycles.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::coalescing::coalesce_atomic;
    use crate::hardware::lanes::ALL_LANES;

    /// `results/nvidia-h200/constants/atomics.csv`, patterns `sectors_N_by_warp` and `words_8_of_a_sector_by_warp`: the lanes of each warp want a word,
    /// those of the next one that of another sector, or another word of the same.
    #[test]
    fn turns_at_sectors_of_a_slice_take_what_an_h200_takes() {
        let profile = Profile::load("h200").expect("it is built in");
        let ns_per_warp = |words: u64, apart: u64, adds_floats: bool| {
            let mut loads = SliceLoads::new(&profile);
            let mut access = GlobalAccess::new();
            let warps = 4096;
            for warp in 0..warps {
                let address = [(mixed(warp) % words) * apart; 32];
                coalesce_atomic(profile.global.coalescing, &address, ALL_LANES, 4, &mut access);
                loads.add(&access, adds_floats);
            }
            loads.busiest_cycles() / warps as f64 * 1e3 / profile.sm_clock_mhz
        };
        for (words, apart, floats_ns, integers_ns) in
            [(1, 4, 56.1, 23.4), (8, 4, 56.1, 23.4), (2, 32, 40.5, 22.4), (4, 32, 31.0, 21.6), (8, 32, 25.8, 22.2)]
        {
            for (adds_floats, measured_ns) in [(true, floats_ns), (false, integers_ns)] {
                let ns = ns_per_warp(words, apart, adds_floats);
                let told =
                    format!("{words} words {apart} bytes apart, floats {adds_floats}: {ns}, {measured_ns} measured");
                assert!((ns / measured_ns - 1.0).abs() < 0.1, "{told}");
            }
        }
    }
}
