//! The tags of a cache: which sectors it has, and since when. It holds no data.

use super::coalescing::{LINE_BYTES, SECTOR_BYTES};

/// Sectors of a line.
const SECTORS: usize = (LINE_BYTES / SECTOR_BYTES) as usize;

/// Sectors of a line as bits, the lowest address first.
pub type SectorMask = u8;

/// A set-associative cache of 128-byte lines of four sectors, the least recently used line of a set going first.
#[derive(Debug, Clone)]
pub struct Cache {
    sets: u64,
    ways: usize,
    /// Accesses so far.
    clock: u64,
    lines: Vec<Line>,
}

/// A line; all zero is an empty one.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// The number of the line in memory.
    number: u64,
    /// Access that used it last, from 1; 0 if the line is empty.
    used: u64,
    valid: SectorMask,
    dirty: SectorMask,
    /// Cycle from which on each sector is there.
    ready_cycles: [f64; SECTORS],
}

/// What an access found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lookup {
    /// Sectors that were there, or on their way.
    pub hits: SectorMask,
    /// Sectors that were not. They now are, from cycle 0 on if [`Cache::set_ready`] is not told better.
    pub misses: SectorMask,
    /// Cycle at which the last of `hits` is there.
    pub ready_cycle: f64,
    /// Address of the line that had to go, and how many of its sectors had been written to.
    pub written_back: Option<(u64, u32)>,
    /// Where in the cache the line is, for [`Cache::set_ready`] and [`Cache::set_dirty`].
    pub place: usize,
}

impl Cache {
    /// An empty cache of `bytes`, rounded down to whole sets of `ways` lines. `None` if that is nothing.
    pub fn new(bytes: u64, ways: u32) -> Option<Self> {
        let sets = bytes / (u64::from(LINE_BYTES) * u64::from(ways.max(1)));
        let ways = ways.max(1) as usize;
        let empty = Line::default();
        (sets > 0).then(|| Self { sets, ways, clock: 0, lines: vec![empty; sets as usize * ways] })
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> u64 {
        self.lines.len() as u64 * u64::from(LINE_BYTES)
    }

    /// Looks for the sectors of `address..address + bytes`, which are in one line, and takes those in that it has not.
    pub fn access(&mut self, address: u64, bytes: u32) -> Lookup {
        self.access_sectors(address, sectors(address, bytes))
    }

    /// The same of given sectors of the line of `address`.
    pub fn access_sectors(&mut self, address: u64, wanted: SectorMask) -> Lookup {
        let number = address / u64::from(LINE_BYTES);
        self.clock += 1;
        // Lines one behind the other fill the sets evenly, and strides that are powers of two do not pile up in one.
        let set = (number % self.sets + number / self.sets) % self.sets;
        let first = set as usize * self.ways;
        let ways = &mut self.lines[first..first + self.ways];
        let mut oldest = 0;
        for way in 0..ways.len() {
            if ways[way].used != 0 && ways[way].number == number {
                let line = &mut ways[way];
                line.used = self.clock;
                let hits = line.valid & wanted;
                line.valid |= wanted;
                let misses = wanted & !hits;
                let mut ready_cycle = 0.0_f64;
                for sector in 0..SECTORS {
                    if hits >> sector & 1 == 1 {
                        ready_cycle = ready_cycle.max(line.ready_cycles[sector]);
                    } else if misses >> sector & 1 == 1 {
                        line.ready_cycles[sector] = 0.0;
                    }
                }
                return Lookup { hits, misses, ready_cycle, written_back: None, place: first + way };
            }
            if ways[way].used < ways[oldest].used {
                oldest = way;
            }
        }
        let gone = ways[oldest];
        ways[oldest] = Line { number, used: self.clock, valid: wanted, ..Line::default() };
        let written_back = (gone.dirty != 0).then(|| (gone.number * u64::from(LINE_BYTES), gone.dirty.count_ones()));
        Lookup { hits: 0, misses: wanted, ready_cycle: 0.0, written_back, place: first + oldest }
    }

    /// Says from which cycle on the sectors of the line at [`Lookup::place`] are there.
    pub fn set_ready(&mut self, place: usize, sectors: SectorMask, ready_cycle: f64) {
        if let Some(line) = self.lines.get_mut(place) {
            for (sector, ready) in line.ready_cycles.iter_mut().enumerate() {
                if sectors >> sector & 1 == 1 {
                    *ready = ready_cycle;
                }
            }
        }
    }

    /// Says that the sectors of the line at [`Lookup::place`] have been written to.
    pub fn set_dirty(&mut self, place: usize, sectors: SectorMask) {
        if let Some(line) = self.lines.get_mut(place) {
            line.dirty |= sectors;
        }
    }
}

/// The sectors of `address..address + bytes` as bits, as far as they are in the line of `address`.
pub fn sectors(address: u64, bytes: u32) -> SectorMask {
    let first = address % u64::from(LINE_BYTES);
    let end = (first + u64::from(bytes)).min(u64::from(LINE_BYTES));
    let below = |sector: u64| (1_u32 << sector) - 1;
    let mask = below(end.div_ceil(u64::from(SECTOR_BYTES))) & !below(first / u64::from(SECTOR_BYTES));
    mask as SectorMask
}

#[cfg(test)]
mod tests;
