//! How many blocks read the same lines of memory, or do atomics on the same sectors, while these are in L2: what one brings there, others find.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::hash::mixed;
use crate::hardware::coalescing::GlobalAccess;

/// One in so many lines is watched, picked by a hash.
const WATCHED: u64 = 16;

/// When a watched line was used, in bytes of lines that had come into L2 before.
#[derive(Debug, Clone, Copy)]
struct Used {
    by_block: u64,
    first: u64,
    last: u64,
    /// Whether the first use was a load, which L2 did not have.
    first_missed: bool,
}

/// Readers of watched lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineReaders {
    /// Bytes of watched lines that L2 has room for.
    room: u64,
    block: u64,
    lines: HashMap<u64, Used, RandomState>,
    /// Bytes of watched lines that came into L2 so far.
    clock: u64,
    /// Times that a line was read by a block which had not read it before, or not last.
    reads: u64,
    /// Those at which L2 did not have the line.
    misses: u64,
}

/// The units of an access that are watched, in its order. A unit is `unit_bytes` that come into L2 at once: a sector, a line, or two. It has the number
/// of its first sector or line of `key_bytes`.
pub(crate) fn watched_units(access: &GlobalAccess, key_bytes: u32, unit_bytes: u32, units: &mut Vec<u64>) {
    units.clear();
    let mut last = None;
    for transaction in access.transactions.iter() {
        let unit = transaction.address / u64::from(unit_bytes) * u64::from(unit_bytes / key_bytes);
        if last.replace(unit) != Some(unit) && mixed(unit).is_multiple_of(WATCHED) {
            units.push(unit);
        }
    }
}

impl LineReaders {
    /// Those of an L2 of so many bytes. Where only a part of the blocks is watched, `part` says which: the others use as much.
    pub(crate) fn new(l2_bytes: u64, part: f64) -> Self {
        Self { room: (l2_bytes as f64 * part) as u64 / WATCHED, ..Self::default() }
    }

    /// What follows is of this block.
    pub(crate) fn block_runs(&mut self, number: u64) {
        self.block = number;
    }

    /// The block loads these of so many bytes, as [`watched_units`] has them.
    pub(crate) fn load(&mut self, units: &[u64], unit_bytes: u32) {
        self.touch(units, unit_bytes, true);
    }

    /// The block stores these, which takes room in L2.
    pub(crate) fn store(&mut self, units: &[u64], unit_bytes: u32) {
        self.touch(units, unit_bytes, false);
    }

    fn touch(&mut self, units: &[u64], unit_bytes: u32, is_load: bool) {
        for line in units {
            let (clock, block) = (self.clock, self.block);
            let mut is_there = true;
            let used = self.lines.entry(*line).or_insert_with(|| {
                is_there = false;
                Used { by_block: block, first: clock, last: clock, first_missed: is_load }
            });
            let is_new = !is_there || used.by_block != block;
            is_there &= clock - used.last <= self.room;
            (used.by_block, used.last) = (block, clock);
            if !is_there {
                self.clock += u64::from(unit_bytes);
            }
            if is_load && is_new {
                self.reads += 1;
                self.misses += u64::from(!is_there);
            }
        }
    }

    /// Adds what others saw, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.reads += other.reads;
        self.misses += other.misses;
        for (line, used) in &other.lines {
            let (first, last) = (self.clock + used.first, self.clock + used.last);
            if let Some(own) = self.lines.get_mut(line) {
                // The other took it for the first use of all.
                self.misses -= u64::from(used.first_missed && first - own.last <= self.room);
                (own.by_block, own.last) = (used.by_block, last);
            } else {
                self.lines.insert(*line, Used { first, last, ..*used });
            }
        }
        self.clock += other.clock;
    }

    /// Blocks that read a line while it is in L2, in the mean over the times that a line is brought there; 1 where nothing is.
    pub(crate) fn readers_of_a_line(&self) -> f64 {
        if self.misses == 0 { 1.0 } else { (self.reads as f64 / self.misses as f64).max(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Coalescing;
    use crate::hardware::coalescing::{LINE_BYTES, coalesce};
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
        watched_units(&access, LINE_BYTES, unit_bytes, &mut units);
        readers.load(&units, unit_bytes);
    }

    #[test]
    fn every_block_that_reads_a_line_counts_once() {
        let [mut apart, mut together, mut others] = [(); 3].map(|()| LineReaders::new(ROOM, 1.0));
        for line in 0..1000 {
            for turn in 0..3 {
                read(&mut apart, line, line * 128);
                read(&mut together, 10 * line + turn, line * 128);
                read(&mut others, 100_000 + turn, line * 128);
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
            let mut readers = LineReaders::new(ROOM, 1.0);
            for block in 0..10_000 {
                for line in [2 * block + first, 2 * block + first + 1] {
                    read_bringing_in(2 * LINE_BYTES, &mut readers, block, u64::from(LINE_BYTES) * line);
                }
            }
            assert!((readers.readers_of_a_line() - expected).abs() < 0.01, "{}", readers.readers_of_a_line());
        }
    }

    #[test]
    fn a_line_that_had_to_make_room_is_brought_again() {
        // 16 blocks go over all lines one after the other: 2 MiB, of which an L2 of 1 MiB keeps nothing, and one of 4 MiB all.
        for (room, part, expected) in [(ROOM, 1.0, 1.0), (4 * ROOM, 1.0, 16.0), (4 * ROOM, 0.25, 1.0)] {
            let mut whole = LineReaders::new(room, part);
            let mut merged = LineReaders::new(room, part);
            for block in 0..16 {
                let mut own = LineReaders::new(room, part);
                for line in 0..2 * ROOM / 128 {
                    read(&mut whole, block, line * 128);
                    read(&mut own, block, line * 128);
                }
                merged.merge(&own);
            }
            assert!((whole.readers_of_a_line() - expected).abs() < 0.01, "{}", whole.readers_of_a_line());
            assert!((merged.readers_of_a_line() - expected).abs() < 0.01, "{}", merged.readers_of_a_line());
        }
    }
}
