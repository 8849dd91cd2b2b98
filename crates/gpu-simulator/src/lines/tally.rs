//! Counts of the accesses of an instruction while they are made.

use super::Accesses;
use crate::execute::AccessKind;
use crate::hardware::lanes::{Longs, Mask, lanes_of};

/// Counts of accesses while they are made.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    loads: bool,
    stores: bool,
    requests: u64,
    parts: u64,
    least: u64,
    /// The least where elements are of fewer bytes than a word.
    least_of_narrow: u64,
    /// The bytes of a word at which accesses began: a bit for each.
    begins: u8,
    bytes_per_lane: u32,
    strides: Strides,
    /// The first address.
    first: Option<u64>,
}

/// The stride that most requests have, by the majority vote of Boyer and Moore (1991).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Strides {
    candidate: i64,
    votes: u64,
}

impl Strides {
    pub(super) fn add(&mut self, stride: i64, count: u64) {
        if self.candidate == stride {
            self.votes += count;
        } else if self.votes >= count {
            self.votes -= count;
        } else {
            (self.candidate, self.votes) = (stride, count - self.votes);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.add(other.candidate, other.votes);
    }

    /// The stride of most requests; `None` where none has clearly more than half of them, or lanes are not evenly apart.
    pub(super) fn of_most(self, requests: u64) -> Option<i64> {
        (self.candidate != IRREGULAR && MAJORITY * self.votes >= requests.max(1)).then_some(self.candidate)
    }
}

/// A stride is that of most requests where it has so many times fewer votes left than there are requests: that of five in eight.
const MAJORITY: u64 = 4;

/// Bytes of a word.
pub(super) const WORD_BYTES: u32 = 4;

/// No stride: lanes' addresses are not evenly apart, or there is one lane.
pub(super) const IRREGULAR: i64 = i64::MIN;

impl Tally {
    pub(super) fn add(&mut self, kind: AccessKind, (parts, least): (u32, u32), bytes: u32, stride: i64) {
        self.least_of_narrow += u64::from(least);
        self.loads |= kind != AccessKind::Store;
        self.stores |= kind != AccessKind::Load;
        self.requests += 1;
        self.parts += u64::from(parts);
        self.least += u64::from(least);
        self.bytes_per_lane = self.bytes_per_lane.max(bytes);
        self.strides.add(stride, 1);
    }

    /// Notes where the first lane of an access is that was added.
    pub(super) fn add_first(&mut self, address: u64) {
        self.first = self.first.or(Some(address));
    }

    /// Notes of an access that was added where in their words its lanes begin, and by how much the least by its bytes is below that by words.
    pub(super) fn add_narrow(&mut self, addresses: &Longs, mask: Mask, less: u32) {
        self.least_of_narrow -= u64::from(less);
        lanes_of(mask).for_each(|lane| self.begins |= 1 << (addresses[lane] % u64::from(WORD_BYTES)));
    }

    /// Whether its elements are of fewer bytes than a word: compilers narrow loads of words of which a byte is used, always the same one, and no
    /// stores.
    fn is_narrow(&self) -> bool {
        self.bytes_per_lane < WORD_BYTES && (!self.loads || self.begins.count_ones() > 1)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.loads |= other.loads;
        self.stores |= other.stores;
        self.requests += other.requests;
        self.parts += other.parts;
        self.least += other.least;
        self.least_of_narrow += other.least_of_narrow;
        self.begins |= other.begins;
        self.bytes_per_lane = self.bytes_per_lane.max(other.bytes_per_lane);
        self.strides.merge(other.strides);
        self.first = self.first.or(other.first);
    }

    pub(super) fn add_to(&self, all: &mut Accesses, joined: u32, scale: f64) {
        all.loads |= self.loads;
        all.stores |= self.stores;
        if all.requests == 0.0 {
            all.stride_bytes = self.strides.of_most(self.requests);
            all.address = self.first;
        }
        all.requests += self.requests as f64 * scale;
        all.parts += self.parts as f64 * scale;
        let least = if self.is_narrow() { self.least_of_narrow } else { self.least };
        all.least += least as f64 * scale;
        all.bytes_per_lane = all.bytes_per_lane.max(self.bytes_per_lane);
        all.written_bytes_per_lane = all.written_bytes_per_lane.max(self.bytes_per_lane / joined);
    }
}
