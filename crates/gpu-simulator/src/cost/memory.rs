//! One multiprocessor's share of device memory and its caches: when loads arrive and stores are taken.
//!
//! All multiprocessors are taken to do what this one does. Each has its part of the bandwidth and of L2's capacity, and
//! where memory is partitioned by address bits, the partitions that this one asks are those that all of them ask: camping
//! on one partition slows every multiprocessor down alike. What one multiprocessor brings into L2 for another is not seen.
//!
//! Bandwidths are leaky buckets: an access waits for the backlog that it finds and adds its bytes to it. Everything is
//! cold and idle at the beginning, unless L2 is handed over from a launch before. Times never go back from call to call.

use super::cache::{Cache, SectorMask, sectors};
use crate::hardware::coalescing::{GlobalAccess, LINE_BYTES, SECTOR_BYTES, Transaction};
use crate::profile::Profile;

/// Lines of a set of L1: our choice.
const L1_WAYS: u32 = 8;

/// Lines of a set of L2: our choice.
const L2_WAYS: u32 = 16;

/// More partitions than this are taken for this many.
const MOST_PARTITIONS: u32 = 1 << 10;

/// What has gone through a multiprocessor's share of memory. Loads, stores and atomics alike.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Traffic {
    /// Sectors that loads asked L1 for.
    pub l1_sectors: u64,
    /// Those that L1 had.
    pub l1_hit_sectors: u64,
    /// Sectors that L2 was asked for.
    pub l2_sectors: u64,
    /// Those that L2 had.
    pub l2_hit_sectors: u64,
    /// Bytes between the multiprocessor and L2.
    pub l2_bytes: u64,
    /// Bytes read from and written to device memory.
    pub dram_bytes: u64,
    /// Cycles that this share of L2's bandwidth was in use.
    pub l2_busy_cycles: f64,
    /// Cycles that this share of device memory's bandwidth was in use; of the busiest partition where there are several.
    pub dram_busy_cycles: f64,
}

/// A bandwidth: what it has taken leaks out at a fixed rate.
#[derive(Debug, Clone)]
struct Bucket {
    cycles_per_byte: f64,
    /// Cycle at which it is empty.
    empty_cycle: f64,
    busy_cycles: f64,
    /// The line that was moved last.
    line: u64,
    /// Access that came last, and how long it waits.
    turn: u64,
    wait_cycles: f64,
}

impl Bucket {
    /// An empty bucket; without a bandwidth it takes everything at once.
    fn new(bytes_per_cycle: f64) -> Self {
        let cycles_per_byte = if bytes_per_cycle > 0.0 { bytes_per_cycle.recip() } else { 0.0 };
        Self { cycles_per_byte, empty_cycle: 0.0, busy_cycles: 0.0, line: u64::MAX, turn: 0, wait_cycles: 0.0 }
    }

    /// Takes some of the bytes of the access `turn`, and gives the backlog that this access found, in cycles.
    fn take(&mut self, turn: u64, now: f64, bytes: f64) -> f64 {
        if self.turn != turn {
            self.turn = turn;
            self.wait_cycles = (self.empty_cycle - now).max(0.0);
        }
        let cycles = self.cycles_per_byte * bytes;
        self.empty_cycle = self.empty_cycle.max(now) + cycles;
        self.busy_cycles += cycles;
        self.wait_cycles
    }
}

/// What becomes of an access below L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Load,
    Store,
    Atomic,
}

/// One multiprocessor's share of the memory system.
#[derive(Debug, Clone)]
pub(crate) struct MemoryShare {
    l1: Option<Cache>,
    l2: Option<Cache>,
    l2_bucket: Bucket,
    /// One for each partition.
    dram_buckets: Vec<Bucket>,
    interleave_bytes: u64,
    scattered_store_pct: u32,
    l1_latency_cycles: f64,
    l2_latency_cycles: f64,
    dram_latency_cycles: f64,
    /// Accesses so far.
    turn: u64,
    traffic: Traffic,
}

impl MemoryShare {
    /// The share of one of `active_sms` multiprocessors of a GPU, cold and idle.
    pub(crate) fn new(profile: &Profile, active_sms: u32) -> Self {
        let global = &profile.global;
        let active = active_sms.max(1);
        let bytes_per_cycle = global.gb_per_s * 1e9 / (f64::from(active) * profile.sm_clock_mhz * 1e6);
        let (partitions, interleave_bytes) = match global.partitions {
            Some(partitions) => (partitions.count.clamp(1, MOST_PARTITIONS), partitions.interleave_bytes.max(1)),
            None => (1, 1),
        };
        let has_l2 = global.l2_bytes > 0;
        Self {
            l1: Cache::new(global.l1_bytes, L1_WAYS),
            l2: Cache::new(global.l2_bytes / u64::from(active), L2_WAYS),
            l2_bucket: Bucket::new(if has_l2 { global.l2_bytes_per_cycle_per_sm } else { 0.0 }),
            dram_buckets: vec![Bucket::new(bytes_per_cycle / f64::from(partitions)); partitions as usize],
            interleave_bytes,
            scattered_store_pct: global.partitions.map_or(100, |partitions| partitions.scattered_store_pct),
            l1_latency_cycles: global.l1_latency_cycles,
            l2_latency_cycles: global.l2_latency_cycles,
            dram_latency_cycles: global.latency_cycles,
            turn: 0,
            traffic: Traffic::default(),
        }
    }

    /// The same share, idle, but with what L2 had when a launch before ended. An L2 of another size has nothing of use.
    #[must_use]
    pub(crate) fn with_l2(mut self, l2: Option<Cache>) -> Self {
        if let (Some(own), Some(before)) = (&self.l2, l2)
            && own.bytes() == before.bytes()
        {
            self.l2 = Some(before.at_rest());
        }
        self
    }

    /// What is in L2.
    pub(crate) fn into_l2(self) -> Option<Cache> {
        self.l2
    }

    /// The cycle at which all of a load issued at `now` is there. L1 takes in what it has not.
    pub(crate) fn load(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.turn += 1;
        let mut ready = now;
        for (address, wanted) in by_line(&access.transactions) {
            let Some(l1) = &mut self.l1 else {
                ready = ready.max(self.below_l1(now, address, wanted, Purpose::Load));
                continue;
            };
            let found = l1.access_sectors(address, wanted);
            self.traffic.l1_sectors += u64::from(wanted.count_ones());
            self.traffic.l1_hit_sectors += u64::from(found.hits.count_ones());
            if found.hits != 0 {
                // A sector may still be on its way for an earlier load.
                ready = ready.max(found.ready_cycle).max(now + self.l1_latency_cycles);
            }
            if found.misses != 0 {
                let arrival = self.below_l1(now, address, found.misses, Purpose::Load);
                if let Some(l1) = &mut self.l1 {
                    l1.set_ready(found.place, found.misses, arrival);
                }
                ready = ready.max(arrival);
            }
        }
        ready
    }

    /// The cycle at which all of a store issued at `now` has been taken, so that the next one may follow. It goes through
    /// L1, which keeps what it had of the line and takes nothing in. L2 takes it in without reading the rest of a sector
    /// and writes it to device memory when the line has to go; without L2 it is written at once.
    pub(crate) fn store(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.all_below_l1(now, access, Purpose::Store)
    }

    /// The cycle at which the old values of an atomic issued at `now` are there, as far as bandwidth and latency are
    /// concerned; queues at an address are [`super::atomics::AtomicQueue`]'s. It is done in L2; without one it reads and
    /// writes device memory.
    pub(crate) fn atomic(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.all_below_l1(now, access, Purpose::Atomic)
    }

    /// What has gone through so far.
    pub(crate) fn traffic(&self) -> Traffic {
        let busiest = self.dram_buckets.iter().map(|bucket| bucket.busy_cycles).fold(0.0, f64::max);
        Traffic { l2_busy_cycles: self.l2_bucket.busy_cycles, dram_busy_cycles: busiest, ..self.traffic }
    }

    fn all_below_l1(&mut self, now: f64, access: &GlobalAccess, purpose: Purpose) -> f64 {
        self.turn += 1;
        by_line(&access.transactions)
            .fold(now, |done, (address, wanted)| self.below_l1(now, address, wanted, purpose).max(done))
    }

    /// Asks L2 and what is below it for some sectors of a line: the cycle at which they are there or, of a store, taken.
    fn below_l1(&mut self, now: f64, address: u64, wanted: SectorMask, purpose: Purpose) -> f64 {
        let bytes = wanted.count_ones() * SECTOR_BYTES;
        let Some(l2) = &mut self.l2 else {
            let moved = if purpose == Purpose::Atomic { 2 * bytes } else { bytes };
            let (wait, taken) = self.dram(now, address, moved, purpose);
            return if purpose == Purpose::Store { taken } else { now + self.dram_latency_cycles + wait };
        };
        let arrival = now + self.l2_bucket.take(self.turn, now, f64::from(bytes));
        let found = l2.access_sectors(address, wanted);
        if purpose != Purpose::Load {
            l2.set_dirty(found.place, wanted);
        }
        self.traffic.l2_bytes += u64::from(bytes);
        self.traffic.l2_sectors += u64::from(wanted.count_ones());
        self.traffic.l2_hit_sectors += u64::from(found.hits.count_ones());
        let mut taken = self.l2_bucket.empty_cycle;
        if let Some((old_address, old_sectors)) = found.written_back {
            taken = self.dram(arrival, old_address, old_sectors * SECTOR_BYTES, Purpose::Store).1.max(taken);
        }
        if purpose == Purpose::Store {
            return taken;
        }
        let mut ready = arrival;
        if found.hits != 0 {
            ready = found.ready_cycle.max(arrival + self.l2_latency_cycles);
        }
        if found.misses != 0 {
            let wait = self.dram(arrival, address, found.misses.count_ones() * SECTOR_BYTES, purpose).0;
            let there = arrival + self.dram_latency_cycles + wait;
            if let Some(l2) = &mut self.l2 {
                l2.set_ready(found.place, found.misses, there);
            }
            ready = ready.max(there);
        }
        ready
    }

    /// Moves bytes of one partition: the backlog found, in cycles, and the cycle at which they have been moved.
    fn dram(&mut self, now: f64, address: u64, bytes: u32, purpose: Purpose) -> (f64, f64) {
        let partition = address / self.interleave_bytes % self.dram_buckets.len() as u64;
        let bucket = &mut self.dram_buckets[partition as usize];
        self.traffic.dram_bytes += u64::from(bytes);
        let line = address / u64::from(LINE_BYTES);
        let elsewhere = std::mem::replace(&mut bucket.line, line) != line;
        let mut taken_as = f64::from(bytes);
        if purpose == Purpose::Store && bytes == SECTOR_BYTES && elsewhere {
            taken_as *= f64::from(self.scattered_store_pct) / 100.0;
        }
        (bucket.take(self.turn, now, taken_as), bucket.empty_cycle)
    }
}

/// Neighbouring transactions of one line together, as its address and its sectors, but none that moves a sector again.
fn by_line(transactions: &[Transaction]) -> impl Iterator<Item = (u64, SectorMask)> {
    let line_of = |transaction: &Transaction| transaction.address / u64::from(LINE_BYTES);
    let mut rest = transactions.iter().peekable();
    std::iter::from_fn(move || {
        let first = rest.next()?;
        let mut wanted = sectors(first.address, first.bytes);
        while let Some(next) =
            rest.next_if(|next| line_of(next) == line_of(first) && sectors(next.address, next.bytes) & wanted == 0)
        {
            wanted |= sectors(next.address, next.bytes);
        }
        Some((first.address, wanted))
    })
}

#[cfg(test)]
mod tests;
