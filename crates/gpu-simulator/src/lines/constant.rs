//! What loads of a line read from constant memory.

use crate::hardware::constants::places;
use crate::hardware::lanes::{Mask, Words, lanes_of};

/// What warps loaded from constant memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ConstantLoads {
    /// Loads of warps.
    pub loads: f64,
    /// The different places that the lanes of a warp came to at once, all loads together.
    pub places: f64,
    /// Bytes of constant memory from the first that was read to the last, of a load's instruction.
    pub span_bytes: u32,
}

impl ConstantLoads {
    /// With others; the longer span of both.
    pub fn add(&mut self, other: &Self) {
        self.loads += other.loads;
        self.places += other.places;
        self.span_bytes = self.span_bytes.max(other.span_bytes);
    }

    /// Places of a load, on average; 1 where there is none.
    pub fn places_each(&self) -> f64 {
        if self.loads > 0.0 { self.places / self.loads } else { 1.0 }
    }
}

/// What an instruction loaded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ConstantTally {
    loads: u64,
    places: u64,
    /// The first byte that was read, and the one behind the last.
    read: Option<(u32, u32)>,
}

impl ConstantTally {
    pub(super) fn add(&mut self, offsets: &Words, mask: Mask, bytes: u32) {
        self.loads += 1;
        self.places += u64::from(places(offsets, mask));
        for lane in lanes_of(mask) {
            self.reads(offsets[lane], offsets[lane].saturating_add(bytes));
        }
    }

    fn reads(&mut self, begin: u32, end: u32) {
        self.read = Some(self.read.map_or((begin, end), |(first, last)| (first.min(begin), last.max(end))));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.loads += other.loads;
        self.places += other.places;
        if let Some((begin, end)) = other.read {
            self.reads(begin, end);
        }
    }

    /// Of so many times as many.
    pub(super) fn scaled(&self, scale: f64) -> ConstantLoads {
        let span_bytes = self.read.map_or(0, |(begin, end)| end - begin);
        ConstantLoads { loads: self.loads as f64 * scale, places: self.places as f64 * scale, span_bytes }
    }
}
