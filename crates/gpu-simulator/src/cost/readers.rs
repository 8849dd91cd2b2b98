//! How many blocks read the same lines of memory, or the same parts of them that come into L2 at once, or do atomics on the same sectors, while these are in L2: what one brings there, others find.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::hash::mixed;
use super::visits::{Clock, Enclosed, Shares, Visitor, Visits};
use crate::hardware::coalescing::{GlobalAccess, LINE_BYTES, SECTOR_BYTES};

/// One in so many lines is watched, picked by a hash.
const WATCHED: u64 = 16;

/// A watched unit, a part of a line or two of them, while it is in L2.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// When it was used first and last, in bytes of lines that had come into L2 before.
    first: u64,
    last: u64,
    /// Whether a load brought it in.
    is_brought: bool,
    loads: Visits,
}

/// Readers of watched lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineReaders {
    /// Bytes of watched lines that L2 has room for.
    room: u64,
    /// Sectors of the smallest unit.
    least_sectors: u64,
    enclosed: Enclosed,
    visitor: Visitor,
    units: HashMap<u64, Used, RandomState>,
    /// Bytes of watched lines that came into L2 so far.
    clock: Clock,
    /// Of lines that had to make room.
    gone: Shares,
}

/// Sectors of a line.
const SECTORS: u64 = (LINE_BYTES / SECTOR_BYTES) as u64;

/// The units of an access that are watched, in its order. A unit is `unit_bytes` that come into L2 at once: a sector or several, a line, or two. It has
/// the number of its first sector. Of a line all units are watched, or none.
pub(crate) fn watched_units(access: &GlobalAccess, unit_bytes: u32, units: &mut Vec<u64>) {
    units.clear();
    let mut last = None;
    for transaction in access.transactions.iter() {
        let unit = transaction.address / u64::from(unit_bytes) * u64::from(unit_bytes / SECTOR_BYTES);
        if last.replace(unit) != Some(unit) && mixed(unit / SECTORS).is_multiple_of(WATCHED) {
            units.push(unit);
        }
    }
}

impl LineReaders {
    /// Those of an L2 of so many bytes, of which so many come in at once at least.
    pub(crate) fn new(l2_bytes: u64, least_unit_bytes: u32, enclosed: Enclosed) -> Self {
        let least_sectors = u64::from(least_unit_bytes / SECTOR_BYTES);
        Self { room: l2_bytes / WATCHED, least_sectors, enclosed, ..Self::default() }
    }

    /// What follows is of this block.
    pub(crate) fn block_runs(&mut self, number: u64) {
        self.visitor = Visitor::new(number, &self.enclosed);
        self.clock.block_runs(number);
    }

    /// The block loads these of so many bytes, as [`watched_units`] has them.
    pub(crate) fn load(&mut self, units: &[u64], unit_bytes: u32) {
        self.touch(units, unit_bytes, Visits::first(self.visitor), true);
    }

    /// The block stores these, which takes room in L2.
    pub(crate) fn store(&mut self, units: &[u64], unit_bytes: u32) {
        self.touch(units, unit_bytes, Visits::none_after(self.visitor), false);
    }

    fn touch(&mut self, units: &[u64], unit_bytes: u32, loads: Visits, is_brought: bool) {
        let mut before = None;
        for unit in units {
            let now = self.clock.now();
            let is_of_last_line = before.replace(unit / SECTORS) == Some(unit / SECTORS);
            let is_new = self.meets(*unit, Used { first: now, last: now, is_brought, loads });
            if is_new && !is_of_last_line && !self.has_rest_of_line(*unit) {
                self.clock.advance(u64::from(unit_bytes.max(LINE_BYTES)));
            }
        }
    }

    /// Whether L2 has another unit of its line, so that it has a place for it.
    fn has_rest_of_line(&self, unit: u64) -> bool {
        let is_there = |other: u64| self.units.get(&other).is_some_and(|own| self.clock.now() - own.last <= self.room);
        let line = unit / SECTORS * SECTORS;
        (line..line + SECTORS).step_by(self.least_sectors.max(1) as usize).any(|other| other != unit && is_there(other))
    }

    /// A unit is used. Tells whether it comes into L2.
    fn meets(&mut self, unit: u64, used: Used) -> bool {
        let own = match self.units.entry(unit) {
            Entry::Vacant(place) => {
                place.insert(used);
                return true;
            }
            Entry::Occupied(place) => place.into_mut(),
        };
        if used.first - own.last <= self.room {
            own.loads.add(used.loads);
            own.last = used.last;
            return false;
        }
        self.gone.add(&own.loads, own.is_brought);
        *own = used;
        true
    }

    /// Adds what others saw, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
        let before = self.clock.append(&other.clock);
        for (unit, used) in &other.units {
            self.meets(*unit, Used { first: before + used.first, last: before + used.last, ..*used });
        }
        self.gone.merge(&other.gone);
    }

    /// Blocks that read a line while it is in L2, in the mean over the times that a line is brought there; 1 where nothing is.
    pub(crate) fn readers_of_a_line(&self) -> f64 {
        let mut all = self.gone;
        self.units.values().for_each(|own| all.add(&own.loads, own.is_brought));
        all.visits_each()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Coalescing;
    use crate::hardware::coalescing::coalesce;
    use crate::hardware::lanes::ALL_LANES;

    const ROOM: u64 = 1 << 20;

    fn read(readers: &mut LineReaders, block: u64, first: u64) {
        read_bringing_in(LINE_BYTES, readers, block, first);
    }

    /// A warp's words from an address on, in units of so many bytes.
    fn read_bringing_in(unit_bytes: u32, readers: &mut LineReaders, block: u64, first: u64) {
        readers.block_runs(block);
        let mut access = GlobalAccess::new();
        coalesce(Coalescing::Sectors, &std::array::from_fn(|lane| first + 4 * lane as u64), ALL_LANES, 4, &mut access);
        let mut units = Vec::new();
        watched_units(&access, unit_bytes, &mut units);
        readers.load(&units, unit_bytes);
    }

    #[test]
    fn every_block_that_reads_a_line_counts_once() {
        let [mut apart, mut together, mut others] =
            [(); 3].map(|()| LineReaders::new(ROOM, SECTOR_BYTES, Enclosed::default()));
        for line in 0..1000 {
            for turn in 0..3 {
                read(&mut apart, line, line * 128);
                read(&mut together, 3 * line + turn, line * 128);
                read(&mut others, 3000 + turn, line * 128);
            }
        }
        assert!((apart.readers_of_a_line() - 1.0).abs() < 1e-9);
        assert!((together.readers_of_a_line() - 3.0).abs() < 1e-9);
        together.merge(&others);
        assert!((together.readers_of_a_line() - 6.0).abs() < 1e-9);
        assert!((LineReaders::default().readers_of_a_line() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_line_that_comes_with_another_is_read_by_the_blocks_of_both() {
        // A block reads two lines. Where they are of one pair nobody else reads it, where they are of two pairs two blocks read each.
        for (first, expected) in [(0, 1.0), (1, 2.0)] {
            let mut readers = LineReaders::new(ROOM, SECTOR_BYTES, Enclosed::default());
            for block in 0..10_000 {
                for line in [2 * block + first, 2 * block + first + 1] {
                    read_bringing_in(2 * LINE_BYTES, &mut readers, block, u64::from(LINE_BYTES) * line);
                }
            }
            assert!((readers.readers_of_a_line() - expected).abs() < 0.01, "{}", readers.readers_of_a_line());
        }
    }

    #[test]
    fn halves_of_a_line_have_readers_of_their_own_but_one_place() {
        // Blocks beside each other begin in the middle of a piece of 64 bytes: of the three that each reads, it shares two.
        let mut readers = LineReaders::new(ROOM, SECTOR_BYTES, Enclosed::default());
        for block in 0..10_000 {
            read_bringing_in(64, &mut readers, block, 128 * block + 32);
        }
        assert!((readers.readers_of_a_line() - 1.5).abs() < 0.01, "{}", readers.readers_of_a_line());
        // The first half of each line, and later the same again: as many lines as bytes are in L2 by their halves.
        for (lines, expected) in [(ROOM / 128 * 9 / 10, 2.0), (ROOM / 128 * 11 / 10, 1.0)] {
            let mut readers = LineReaders::new(ROOM, SECTOR_BYTES, Enclosed::default());
            for block in 0..2 * lines {
                readers.block_runs(block);
                let (mut access, mut units) = (GlobalAccess::new(), Vec::new());
                coalesce(Coalescing::Sectors, &[block % lines * 128; 32], ALL_LANES, 4, &mut access);
                watched_units(&access, 64, &mut units);
                readers.load(&units, 64);
            }
            assert!((readers.readers_of_a_line() - expected).abs() < 0.05, "{}", readers.readers_of_a_line());
        }
    }

    #[test]
    fn a_line_that_had_to_make_room_is_brought_again() {
        // 16 blocks go over all lines one after the other: 2 MiB, of which an L2 of 1 MiB keeps nothing, and one of 4 MiB all, unless blocks that
        // are left out use as much between them.
        for (room, apart, expected) in [(ROOM, 1, 1.0), (4 * ROOM, 1, 16.0), (4 * ROOM, 4, 1.0)] {
            let [mut whole, mut merged] = [(); 2].map(|()| LineReaders::new(room, SECTOR_BYTES, Enclosed::default()));
            for block in 0..16 {
                let mut own = LineReaders::new(room, SECTOR_BYTES, Enclosed::default());
                for line in 0..2 * ROOM / 128 {
                    read(&mut whole, apart * block, line * 128);
                    read(&mut own, apart * block, line * 128);
                }
                merged.merge(&own);
            }
            assert!((whole.readers_of_a_line() - expected).abs() < 0.01, "{}", whole.readers_of_a_line());
            assert!((merged.readers_of_a_line() - expected).abs() < 0.01, "{}", merged.readers_of_a_line());
        }
    }
}
