//! Sectors that a block writes in part, and which others write the rest of: L2 does not read what is missing of a sector that is complete before it
//! has no room left for incomplete ones, and writes it to device memory once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::hash::mixed;
use super::visits::{Clock, Enclosed, Shares, Visitor, Visits};
use crate::hardware::coalescing::{GlobalAccess, SECTOR_BYTES};
use crate::hardware::lanes::{Longs, Mask, lanes_of};

/// One in so many sectors is watched, picked by a hash.
const WATCHED: u64 = 16;

/// A watched sector.
#[derive(Debug, Clone, Copy)]
struct Sector {
    /// The block that came to it first.
    block: u64,
    /// Watched sectors that were begun before it.
    begun: u64,
    /// Bytes that the first block wrote, and all did.
    own_bytes: u32,
    all_bytes: u32,
    writes: Visits,
    /// Whether a block came to it that did not begin right behind the one before.
    is_far: bool,
}

/// Watched sectors of stores that write some in part.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartlyWritten {
    /// Watched sectors that can be incomplete at once.
    room: u64,
    enclosed: Enclosed,
    visitor: Visitor,
    sectors: HashMap<u64, Sector, RandomState>,
    begun: Clock,
    /// Sectors that stores of enclosed blocks wrote to, as often as they did.
    stored: u64,
    ended: Ended,
}

/// What became of sectors.
#[derive(Debug, Clone, Copy, Default)]
struct Ended {
    writers: Shares,
    /// Times that a block left one incomplete, and those at which others completed it.
    left: u64,
    completed: u64,
    /// Those of the latter at which the others did not begin right before or behind it.
    completed_far: u64,
}

impl Ended {
    fn add(&mut self, sector: &Sector) {
        self.writers.add(&sector.writes, true);
        if sector.own_bytes < SECTOR_BYTES {
            self.left += sector.writes.enclosed();
            let completed = if sector.all_bytes >= SECTOR_BYTES { sector.writes.enclosed() } else { 0 };
            self.completed += completed;
            self.completed_far += if sector.is_far { completed } else { 0 };
        }
    }
}

/// The sectors of a store that are watched, with the bytes that lanes write to them; none where it writes nothing in part.
pub(crate) fn watched_parts(
    access: &GlobalAccess,
    addresses: &Longs,
    mask: Mask,
    bytes: u32,
    parts: &mut Vec<(u64, u32)>,
) {
    parts.clear();
    if access.bytes_asked >= access.bytes_moved {
        return;
    }
    let sector_of = |address: u64| address / u64::from(SECTOR_BYTES);
    for transaction in access.transactions.iter() {
        let sector = sector_of(transaction.address);
        if mixed(sector).is_multiple_of(WATCHED) {
            let lanes = lanes_of(mask).filter(|lane| sector_of(addresses[*lane]) == sector).count();
            parts.push((sector, (lanes as u32 * bytes).min(SECTOR_BYTES)));
        }
    }
}

impl PartlyWritten {
    /// Those of an L2 in which so many sectors can be incomplete.
    pub(crate) fn new(incomplete_sectors: u64, enclosed: Enclosed) -> Self {
        Self { room: incomplete_sectors / WATCHED, enclosed, ..Self::default() }
    }

    /// What follows is of this block.
    pub(crate) fn block_runs(&mut self, number: u64) {
        self.visitor = Visitor::new(number, &self.enclosed);
        self.begun.block_runs(number);
    }

    /// The block writes these, as [`watched_parts`] has them.
    pub(crate) fn add(&mut self, parts: &[(u64, u32)]) {
        let (block, writes) = (self.visitor.block, Visits::first(self.visitor));
        self.stored += if self.visitor.is_enclosed { parts.len() as u64 } else { 0 };
        for (number, bytes) in parts {
            let begun = self.begun.now();
            let is_new = self
                .meets(*number, Sector { block, begun, own_bytes: *bytes, all_bytes: *bytes, writes, is_far: false });
            self.begun.advance(u64::from(is_new));
        }
    }

    /// Adds what others saw, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
        let before = self.begun.append(&other.begun);
        for (number, sector) in &other.sectors {
            self.meets(*number, Sector { begun: before + sector.begun, ..*sector });
        }
        self.stored += other.stored;
        self.ended.writers.merge(&other.ended.writers);
        self.ended.left += other.ended.left;
        self.ended.completed += other.ended.completed;
        self.ended.completed_far += other.ended.completed_far;
    }

    /// A sector is written that may have been written before. Tells whether it is begun.
    fn meets(&mut self, number: u64, new: Sector) -> bool {
        match self.sectors.get_mut(&number) {
            Some(own) if new.begun - own.begun <= self.room => {
                own.all_bytes += new.all_bytes;
                if new.block == own.block {
                    own.own_bytes += new.own_bytes;
                }
                own.is_far |= new.is_far || new.block.abs_diff(own.writes.last_block()) > 1;
                own.writes.add(new.writes);
                return false;
            }
            Some(own) => {
                self.ended.add(own);
                *own = new;
            }
            None => {
                self.sectors.insert(number, new);
            }
        }
        true
    }

    fn all(&self) -> Ended {
        let mut all = self.ended;
        self.sectors.values().for_each(|sector| all.add(sector));
        all
    }

    /// Blocks that write to a sector while it is in L2, in the mean; 1 where none is written in part.
    pub(crate) fn writers_of_a_sector(&self) -> f64 {
        self.all().writers.visits_each()
    }

    /// Of the times that a block leaves a sector incomplete, the share at which others complete it.
    pub(crate) fn completed(&self) -> f64 {
        let all = self.all();
        all.completed as f64 / all.left.max(1) as f64
    }

    /// Of the sectors that stores write to which write any in part, the share that the block leaves incomplete and blocks that begin at another time
    /// complete.
    pub(crate) fn completed_far(&self) -> f64 {
        self.all().completed_far as f64 / self.stored.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Coalescing;
    use crate::hardware::coalescing::coalesce;
    use crate::hardware::lanes::ALL_LANES;

    const SECTORS: u64 = 1 << 16;

    /// The block writes the 128 bytes from `first` on.
    fn write(written: &mut PartlyWritten, block: u64, first: u64) {
        written.block_runs(block);
        let addresses = std::array::from_fn(|lane| first + 4 * lane as u64);
        let mut access = GlobalAccess::new();
        coalesce(Coalescing::Sectors, &addresses, ALL_LANES, 4, &mut access);
        let mut parts = Vec::new();
        watched_parts(&access, &addresses, ALL_LANES, 4, &mut parts);
        written.add(&parts);
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.01, "{found} is not {expected}");
    }

    #[test]
    fn whole_sectors_are_not_watched() {
        let mut written = PartlyWritten::new(SECTORS, Enclosed::default());
        (0..10_000).for_each(|block| write(&mut written, block, 128 * block));
        assert!(written.sectors.is_empty());
        close(written.writers_of_a_sector(), 1.0);
        close(written.completed(), 0.0);
    }

    #[test]
    fn neighbours_complete_the_ends_of_rows() {
        for merged in [false, true] {
            let (mut first, mut second) =
                (PartlyWritten::new(SECTORS, Enclosed::default()), PartlyWritten::new(SECTORS, Enclosed::default()));
            for block in 0..20_000 {
                let own = if merged && block >= 10_000 { &mut second } else { &mut first };
                write(own, block, 128 * block + 12);
            }
            first.merge(&second);
            // Of four sectors one is written by two blocks, which begin one behind the other.
            close(first.writers_of_a_sector(), 1.25);
            close(first.completed(), 1.0);
            close(first.completed_far(), 0.0);
        }
    }

    #[test]
    fn what_comes_too_late_completes_nothing() {
        // Every other row first, then the rest: as many sectors are incomplete as there are rows.
        for (rows, expected) in [(SECTORS / 10, 1.0), (SECTORS, 0.0)] {
            let mut written = PartlyWritten::new(SECTORS, Enclosed::default());
            for (block, row) in (0..rows).step_by(2).chain((1..rows).step_by(2)).enumerate() {
                write(&mut written, block as u64, 128 * row + 12);
            }
            close(written.completed(), expected);
            // Of five sectors of a store, two.
            close(written.completed_far(), 0.4 * expected);
        }
    }

    #[test]
    fn a_block_completes_its_own() {
        let mut written = PartlyWritten::new(SECTORS, Enclosed::default());
        for row in 0..10_000 {
            write(&mut written, 3, 128 * row + 12);
        }
        close(written.writers_of_a_sector(), 1.0);
        close(written.completed(), 0.0);
        assert!(written.all().left <= 1);
    }
}
