//! Slices of L2, which share the work of atomics by address.

use super::hash::mixed;
use crate::hardware::coalescing::GlobalAccess;
use crate::profile::Profile;

/// How long each slice is busy with atomics.
#[derive(Debug, Clone)]
pub(crate) struct SliceLoads {
    interleave_bytes: u64,
    sector_cycles: f64,
    lane_cycles: f64,
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
            cycles: vec![0.0; slices.map_or(0, |slices| slices.count as usize)],
        }
    }

    /// Adds an atomic of a warp: each sector takes its time, or that of the lanes that take turns at the word most wanted in it.
    pub(crate) fn add(&mut self, access: &GlobalAccess) {
        if self.cycles.is_empty() {
            return;
        }
        // A sector is there as often as its most wanted word is, one time after the other.
        for sector in access.transactions.chunk_by(|left, right| left.address == right.address) {
            let cycles = self.sector_cycles.max(self.lane_cycles * sector.len() as f64);
            let slice = slice_of(sector[0].address / self.interleave_bytes, self.cycles.len());
            self.cycles[slice] += cycles;
        }
    }

    /// Adds what others counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.cycles.iter_mut().zip(&other.cycles).for_each(|(own, other)| *own += other);
    }

    /// What the busiest has to do.
    pub(crate) fn busiest_cycles(&self) -> f64 {
        self.cycles.iter().copied().fold(0.0, f64::max)
    }
}

/// The slice of a piece of memory: GPUs hash addresses, so that no stride meets one slice alone (which hash is not known).
fn slice_of(piece: u64, count: usize) -> usize {
    (mixed(piece) % count as u64) as usize
}
