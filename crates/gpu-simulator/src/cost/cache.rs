//! The tags of a cache: which sectors it has, and since when. It holds no data.

use std::ops::Range;

use crate::hardware::caching::Keeping;
use crate::hardware::coalescing::{LINE_BYTES, SECTOR_BYTES};

/// Sectors of a line.
const SECTORS: usize = (LINE_BYTES / SECTOR_BYTES) as usize;

/// Bits of a tag that say which line it is: addresses have at most 49 bits, lines 7 fewer.
const TAG_BITS: u32 = 44;

/// The largest cache that there is; more than that is taken for this much.
const MOST_BYTES: u64 = 1 << 30;

/// The part of a set's lines that can be kept after others, in quarters: what the CUDA C++ Programming Guide lets persist of L2 at most.
const KEPT_QUARTERS: usize = 3;

/// Sectors of a line as bits, the lowest address first.
pub(crate) type SectorMask = u8;

/// A set-associative cache of 128-byte lines of four sectors. The least recently used line of a set goes first, unless accesses asked for some to
/// go before others or after them.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    sets: u64,
    ways: usize,
    /// Accesses so far.
    clock: u64,
    /// Whether lines that are to go first leave half of a set to those of them that came before.
    holds_streams: bool,
    /// How often what it held was forgotten. Part of the tags, so that lines of before are not found.
    forgotten: u64,
    /// The number of each line in memory plus one; 0 if there is none. Apart from the rest, as every access looks here.
    tags: Vec<u64>,
    /// Access that used each line last; 0 if there is none.
    used: Vec<u64>,
    /// How soon each line goes; all as usual as long as this is empty.
    keeping: Vec<Keeping>,
    valid: Vec<SectorMask>,
    dirty: Vec<SectorMask>,
    /// Bytes of each sector that are known, up to all of it: what was written to it, where it was not brought in before.
    known_bytes: Vec<[u8; SECTORS]>,
    /// Cycle from which on each sector of each line is there.
    ready_cycles: Vec<[f64; SECTORS]>,
}

/// A line that goes to device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenBack {
    /// Its address.
    pub address: u64,
    /// Sectors that had been written to.
    pub sectors: u32,
    /// Those of them that are known only in part: the rest has to be read first.
    pub partial: SectorMask,
}

/// What an access found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lookup {
    /// Sectors that were there, or on their way.
    pub hits: SectorMask,
    /// Sectors that were not. They now are, from cycle 0 on if [`Cache::set_ready`] is not told better.
    pub misses: SectorMask,
    /// Cycle at which the last of `hits` is there.
    pub ready_cycle: f64,
    /// The line that had to go and had been written to.
    pub written_back: Option<WrittenBack>,
    /// Where in the cache the line is, for [`Cache::set_ready`] and [`Cache::set_dirty`].
    pub place: usize,
}

impl Cache {
    /// An empty cache of `bytes`, rounded down to whole sets of `ways` lines. `None` if that is nothing.
    pub(crate) fn new(bytes: u64, ways: u32) -> Option<Self> {
        let sets = bytes.min(MOST_BYTES) / (u64::from(LINE_BYTES) * u64::from(ways.max(1)));
        let ways = ways.max(1) as usize;
        (sets > 0).then(|| {
            let lines = sets as usize * ways;
            Self {
                sets,
                ways,
                clock: 0,
                holds_streams: false,
                forgotten: 0,
                tags: vec![0; lines],
                used: vec![0; lines],
                keeping: Vec::new(),
                valid: vec![0; lines],
                dirty: vec![0; lines],
                known_bytes: vec![[0; SECTORS]; lines],
                // All zero, so that the host gives memory only for lines in use.
                ready_cycles: vec![[0.0; SECTORS]; lines],
            }
        })
    }

    /// The same cache, where what is read in turn and goes first pushes out the newer half of itself, so that the older one is found again: an H200 reads
    /// 128 MiB by `ld.global.cs` 4.0 us faster each time than past L1 (`results/nvidia-h200/l2-residency`, 1024 threads a block), which are 136 KiB of a
    /// multiprocessor's 256.
    #[must_use]
    pub(crate) fn holding_streams(self) -> Self {
        Self { holds_streams: true, ..self }
    }

    /// The same cache for another time that begins at cycle 0: what it has is there.
    #[must_use]
    pub(crate) fn at_rest(self) -> Self {
        // Made anew, so that the host gives memory only for lines in use.
        Self { ready_cycles: vec![[0.0; SECTORS]; self.tags.len()], ..self }
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.tags.len() as u64 * u64::from(LINE_BYTES)
    }

    /// Looks for these sectors of the line of `address`, and takes those in that it has not.
    pub(crate) fn access_sectors(&mut self, address: u64, wanted: SectorMask) -> Lookup {
        self.access_kept(address, wanted, Keeping::Normal)
    }

    /// The same of an access that asks for its line to go sooner or later than others. One that asks for nothing leaves that as it was.
    pub(crate) fn access_kept(&mut self, address: u64, wanted: SectorMask, keeping: Keeping) -> Lookup {
        if keeping != Keeping::Normal && self.keeping.is_empty() {
            self.keeping = vec![Keeping::Normal; self.tags.len()];
        }
        let number = address / u64::from(LINE_BYTES);
        self.clock += 1;
        // Lines one behind the other fill the sets evenly, and strides that are powers of two do not pile up in one.
        let set = (number % self.sets + number / self.sets) % self.sets;
        let first = set as usize * self.ways;
        let set = first..first + self.ways;
        let tag = (number + 1) ^ self.forgotten << TAG_BITS;
        if let Some(way) = self.tags[set.clone()].iter().position(|&other| other == tag) {
            let place = first + way;
            // What goes first is not the newer for being found.
            if !(self.holds_streams && keeping == Keeping::First) {
                self.used[place] = self.clock;
            }
            if keeping == Keeping::First || keeping == Keeping::Last && !self.keeps_no_more(set) {
                self.keeping[place] = keeping;
            }
            let hits = self.valid[place] & wanted;
            let misses = wanted & !hits;
            self.valid[place] |= wanted;
            let mut ready_cycle = 0.0_f64;
            for (sector, ready) in self.ready_cycles[place].iter_mut().enumerate() {
                if hits >> sector & 1 == 1 {
                    ready_cycle = ready_cycle.max(*ready);
                } else if misses >> sector & 1 == 1 {
                    *ready = 0.0;
                }
            }
            return Lookup { hits, misses, ready_cycle, written_back: None, place };
        }
        let place = first + self.way_that_goes(set, keeping);
        if !self.keeping.is_empty() {
            self.keeping[place] = keeping;
        }
        let dirty = self.dirty[place];
        let written_back = (dirty != 0).then(|| WrittenBack {
            address: (self.tags[place] & ((1 << TAG_BITS) - 1)).saturating_sub(1) * u64::from(LINE_BYTES),
            sectors: dirty.count_ones(),
            partial: (0..SECTORS)
                .filter(|sector| dirty >> sector & 1 == 1 && u32::from(self.known_bytes[place][*sector]) < SECTOR_BYTES)
                .fold(0, |mask, sector| mask | 1 << sector),
        });
        self.tags[place] = tag;
        self.used[place] = self.clock;
        self.valid[place] = wanted;
        self.dirty[place] = 0;
        self.known_bytes[place] = [0; SECTORS];
        self.ready_cycles[place] = [0.0; SECTORS];
        Lookup { hits: 0, misses: wanted, ready_cycle: 0.0, written_back, place }
    }

    /// Whether as many lines of a set are kept after others as can be.
    fn keeps_no_more(&self, set: Range<usize>) -> bool {
        let kept = self.keeping[set].iter().filter(|own| **own == Keeping::Last).count();
        kept >= (self.ways * KEPT_QUARTERS / 4).max(1)
    }

    /// Whether a set is full of lines that go first.
    fn is_of_streams(&self, set: Range<usize>) -> bool {
        let is_known = |place: usize| self.tags[place] >> TAG_BITS == self.forgotten << TAG_BITS >> TAG_BITS;
        set.into_iter().all(|place| self.used[place] > 0 && is_known(place) && self.keeping[place] == Keeping::First)
    }

    /// The way of a set whose line makes room for one that is kept so.
    fn way_that_goes(&self, set: Range<usize>, keeping: Keeping) -> usize {
        let used = self.used[set.clone()].iter().enumerate();
        let way = if self.keeping.is_empty() {
            used.min_by_key(|&(_, used)| *used)
        } else if keeping == Keeping::Last && self.keeps_no_more(set.clone()) {
            let kept = &self.keeping[set];
            used.filter(|&(way, _)| kept[way] == Keeping::Last).min_by_key(|&(_, used)| *used)
        } else if self.holds_streams && keeping == Keeping::First && self.is_of_streams(set.clone()) {
            let mut newest: Vec<(usize, u64)> = used.map(|(way, used)| (way, *used)).collect();
            newest.sort_unstable_by_key(|&(_, used)| used);
            return newest[newest.len() / 2].0;
        } else {
            let kept = &self.keeping[set];
            // Where there is no line yet, nothing has to go.
            used.min_by_key(|&(way, used)| (*used > 0, kept[way], *used))
        };
        way.map_or(0, |(way, _)| way)
    }

    /// Says from which cycle on the sectors of the line at [`Lookup::place`] are there.
    pub(crate) fn set_ready(&mut self, place: usize, sectors: SectorMask, ready_cycle: f64) {
        if let Some(ready_cycles) = self.ready_cycles.get_mut(place) {
            for (sector, ready) in ready_cycles.iter_mut().enumerate() {
                if sectors >> sector & 1 == 1 {
                    *ready = ready_cycle;
                }
            }
        }
    }

    /// Says that so many bytes of each of these sectors of the line at [`Lookup::place`] have been written.
    pub(crate) fn set_dirty(&mut self, place: usize, sectors: SectorMask, bytes_of_each: u32) {
        if let Some(dirty) = self.dirty.get_mut(place) {
            *dirty |= sectors;
        }
        self.add_known(place, sectors, bytes_of_each);
    }

    /// Forgets what it holds: nothing is written back.
    pub(crate) fn forget(&mut self) {
        self.forgotten += 1;
    }

    /// Says that these sectors of the line at [`Lookup::place`] have been read from below.
    pub(crate) fn set_filled(&mut self, place: usize, sectors: SectorMask) {
        self.add_known(place, sectors, SECTOR_BYTES);
    }

    fn add_known(&mut self, place: usize, sectors: SectorMask, bytes_of_each: u32) {
        if let Some(known_bytes) = self.known_bytes.get_mut(place) {
            for (sector, known) in known_bytes.iter_mut().enumerate() {
                if sectors >> sector & 1 == 1 {
                    *known = (u32::from(*known) + bytes_of_each).min(SECTOR_BYTES) as u8;
                }
            }
        }
    }
}

/// The sectors of `address..address + bytes` as bits, as far as they are in the line of `address`.
pub(crate) fn sectors(address: u64, bytes: u32) -> SectorMask {
    let first = address % u64::from(LINE_BYTES);
    let end = (first + u64::from(bytes)).min(u64::from(LINE_BYTES));
    let below = |sector: u64| (1_u32 << sector) - 1;
    let mask = below(end.div_ceil(u64::from(SECTOR_BYTES))) & !below(first / u64::from(SECTOR_BYTES));
    mask as SectorMask
}

#[cfg(test)]
mod tests;
