//! One multiprocessor's share of the caches and of what is below them: when loads arrive and stores are taken.
//!
//! All multiprocessors are taken to do what this one does. Each has its part of the bandwidth and of L2's capacity, and
//! where memory is partitioned by address bits, the others ask the partitions that it is told, and else those that this one asks.
//! Where several blocks load a line, one of them brings it into L2: how many
//! do so on average is told from outside.
//!
//! Stores go into L2 by one way, loads come out of it by another; what comes from device memory takes a part of the way of stores. Written
//! lines go to device memory when they have to make room; the rest of a sector that was written in part is read before.
//!
//! Bandwidths are leaky buckets: an access waits for the backlog that it finds and adds its bytes to it. Everything is
//! cold and idle at the beginning, unless L2 is handed over from a launch before. Times never go back from call to call.

use super::bucket::Bucket;
use super::cache::{Cache, SectorMask};
use super::device_memory::{DeviceMemory, Way};
use super::lines::by_line;
use super::merging::{Merging, Sent};
use super::spread::Spread;
use super::together::Together;
use super::window::PersistingWindow;
use crate::hardware::caching::{CacheHint, Keeping};
use crate::hardware::coalescing::{GlobalAccess, LINE_BYTES, SECTOR_BYTES};
use crate::profile::Profile;

mod below_l2;

/// Lines of a set of L1: our choice.
const L1_WAYS: u32 = 8;

/// Lines of a set of L2: our choice.
const L2_WAYS: u32 = 16;

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

/// An empty L1 of so many bytes.
fn l1(bytes: u64) -> Option<Cache> {
    Cache::new(bytes, L1_WAYS).map(Cache::holding_streams)
}

/// What becomes of an access below L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Load,
    Store,
    Atomic,
}

/// What asks L2 for lines.
#[derive(Debug, Clone, Copy)]
struct Asker {
    /// Bytes of a warp's load that one of its bytes takes as long as, on the way out of L2.
    weight: f64,
    /// How much further or nearer than the mean the halves of L2 are.
    half_distance_cycles: f64,
}

impl Asker {
    /// Warps of one of `active` multiprocessors, and its unit that copies.
    fn of(profile: &Profile, active: u32) -> (Self, Self) {
        let (global, own) = (&profile.global, &profile.bulk_copies);
        let of_all = global.slices.map_or(f64::INFINITY, |slices| slices.load_bytes_per_cycle / f64::from(active));
        let most = global.l2_bytes_per_cycle_per_sm;
        let half_distance_cycles = global.slices.map_or(0.0, |slices| slices.half_distance_cycles);
        let weight = own.bytes_per_cycle.map_or(1.0, |copied| of_all.min(most) / of_all.min(copied));
        let of_copies = own.half_distance_cycles.unwrap_or(half_distance_cycles);
        (Self { weight: 1.0, half_distance_cycles }, Self { weight, half_distance_cycles: of_copies })
    }
}

/// One multiprocessor's share of the memory system.
#[derive(Debug, Clone)]
pub(crate) struct MemoryShare {
    l1: Option<Cache>,
    l2: Option<Cache>,
    l2_bucket: Bucket,
    /// What goes into L2 has a way of its own.
    l2_store_bucket: Bucket,
    /// Bytes of a load that a line takes as long as, at least.
    load_line_bytes: f64,
    /// Bytes that a line adds of which a store writes only parts of sectors.
    partial_line_bytes: f64,
    /// Bytes that a sector adds of which other blocks write the rest at another time, and the share of those that are.
    completed_sector_bytes: f64,
    completed_share: f64,
    /// Bytes of stores that a sector of an atomic takes as long as; 0: as a store.
    atomic_sector_bytes: f64,
    acknowledge_cycles: f64,
    /// What the first load takes more where L2 has its value, and where device memory has it.
    first_load_cycles: [f64; 2],
    /// Cycle before which no load gets below L1, once there was one.
    translated_cycle: Option<f64>,
    /// Sectors that are read at once, as a number.
    fetched_sectors: u32,
    merging: Merging,
    /// The cycle of the load-store unit for the line that is stored.
    unit_cycle: f64,
    spread: Spread,
    /// Neighbouring bytes that come together.
    piece_bytes: u64,
    warps: Asker,
    copies: Asker,
    /// Which of them asks.
    asker: Asker,
    /// Standard deviation of a load's latency where device memory is idle, and at most.
    latency_spread_cycles: [f64; 2],
    /// What a byte that comes from device memory takes of the way by which a stored byte goes into L2.
    fill_weight: f64,
    /// Cycle at which what had to make room in L2 has been written.
    written_back_cycle: f64,
    device: DeviceMemory,
    l1_latency_cycles: f64,
    l2_latency_cycles: f64,
    dram_latency_cycles: f64,
    atomic_latency_cycles: f64,
    /// What the instruction says of its lines, and the memory that the launch asks L2 to keep.
    hint: CacheHint,
    window: Option<PersistingWindow>,
    /// Accesses so far.
    turn: u64,
    traffic: Traffic,
}

impl MemoryShare {
    /// The share of one of `active_sms` multiprocessors of a GPU, cold and idle.
    pub(crate) fn new(profile: &Profile, active_sms: u32) -> Self {
        let global = &profile.global;
        let active = active_sms.max(1);
        let has_l2 = global.l2_bytes > 0;
        let of_all = |bytes_per_cycle: f64| (bytes_per_cycle / f64::from(active)).min(global.l2_bytes_per_cycle_per_sm);
        let own = global.l2_bytes_per_cycle_per_sm;
        let (loads, stores) = match global.slices {
            Some(slices) => (of_all(slices.load_bytes_per_cycle), of_all(slices.store_bytes_per_cycle)),
            None => (own, own),
        };
        let partial_line_cycles = global.slices.map_or(0.0, |slices| slices.partial_line_cycles * f64::from(active));
        // Of two blocks each has a half.
        let completed_sector_cycles =
            global.slices.map_or(0.0, |slices| slices.completed_sector_cycles / 2.0 * f64::from(active));
        let (warps, copies) = Asker::of(profile, active);
        let atomic_sector_cycles = profile.atomics.l2_sector_cycles * f64::from(active);
        Self {
            l1: l1(global.l1_bytes),
            l2: Cache::new(global.l2_bytes / u64::from(active), L2_WAYS),
            l2_bucket: Bucket::new(if has_l2 { loads } else { 0.0 }),
            l2_store_bucket: Bucket::new(if has_l2 { stores } else { 0.0 }),
            load_line_bytes: global.slices.map_or(0.0, |slices| slices.load_line_cycles * f64::from(active) * loads),
            partial_line_bytes: if has_l2 { partial_line_cycles * stores } else { 0.0 },
            completed_sector_bytes: if has_l2 { completed_sector_cycles * stores } else { 0.0 },
            completed_share: 0.0,
            atomic_sector_bytes: if has_l2 { atomic_sector_cycles * stores } else { 0.0 },
            acknowledge_cycles: global.slices.map_or(0.0, |slices| slices.acknowledge_cycles),
            first_load_cycles: global
                .slices
                .map_or([0.0; 2], |slices| [slices.first_load_cycles, slices.first_load_from_memory_cycles]),
            translated_cycle: None,
            fetched_sectors: (global.fetched_bytes() / SECTOR_BYTES).clamp(1, LINE_BYTES / SECTOR_BYTES),
            merging: Merging::new(
                global.slices.map_or(0.0, |slices| slices.merged_within_cycles),
                global.slices.map_or(0.0, |slices| slices.merged_spread_cycles),
            ),
            unit_cycle: 0.0,
            spread: Spread::new(),
            piece_bytes: global.slices.map_or(1, |slices| slices.interleave_bytes.max(1)),
            warps,
            copies,
            asker: warps,
            latency_spread_cycles: global
                .writes
                .map_or([0.0; 2], |writes| [writes.latency_spread_cycles, writes.latency_spread_cycles_most]),
            fill_weight: global.slices.map_or(0.0, |slices| slices.fill_pct / 100.0),
            written_back_cycle: 0.0,
            device: DeviceMemory::new(profile, active),
            l1_latency_cycles: global.l1_latency_cycles,
            l2_latency_cycles: global.l2_latency_cycles,
            dram_latency_cycles: global.latency_cycles,
            atomic_latency_cycles: profile.atomics.latency_cycles.unwrap_or(global.l2_latency_cycles),
            hint: CacheHint::default(),
            window: None,
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

    /// The same share where so much of the multiprocessor's memory is shared memory, and the rest L1.
    #[must_use]
    pub(crate) fn with_l1_beside(self, profile: &Profile, shared_bytes: u64) -> Self {
        if profile.global.l1_shared_step_bytes == 0 {
            return self;
        }
        let taken = shared_bytes.next_multiple_of(profile.global.l1_shared_step_bytes);
        Self { l1: l1(profile.global.l1_bytes.saturating_sub(taken)), ..self }
    }

    /// The same share where L2 is asked to keep this.
    #[must_use]
    pub(crate) fn with_window(self, window: Option<PersistingWindow>) -> Self {
        Self { window, ..self }
    }

    /// The accesses that follow say this of their lines.
    pub(crate) fn treats(&mut self, hint: CacheHint) {
        self.hint = hint;
    }

    /// How soon L2 is to let go of a line.
    fn keeping(&self, address: u64) -> Keeping {
        if self.hint.keeping != Keeping::Normal {
            return self.hint.keeping;
        }
        self.window.and_then(|window| window.keeping(address)).unwrap_or_default()
    }

    /// What is in L2.
    pub(crate) fn into_l2(self) -> Option<Cache> {
        self.l2
    }

    /// Forgets what is in L1, so that loads find what other multiprocessors have written.
    pub(crate) fn forget_l1(&mut self) {
        if let Some(l1) = &mut self.l1 {
            l1.forget();
        }
    }

    /// The other multiprocessors are at the accesses that follow, too, and so much of theirs goes to each partition.
    pub(crate) fn others_go_to(&mut self, parts: &[f64]) {
        self.device.others_go_to(parts);
    }

    /// The cycle at which all of a load issued at `now` is there. L1 takes in what it has not.
    pub(crate) fn load(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.load_by_way(now, access, false)
    }

    /// The same of a load that passes L1 by.
    pub(crate) fn load_past_l1(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.load_by_way(now, access, true)
    }

    /// The same of a line of a bulk copy.
    pub(crate) fn load_in_bulk(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.asker = self.copies;
        let ready = self.load_by_way(now, access, true);
        self.asker = self.warps;
        ready
    }

    fn load_by_way(&mut self, now: f64, access: &GlobalAccess, past_l1: bool) -> f64 {
        self.turn += 1;
        let mut ready = now;
        for (address, wanted) in by_line(&access.transactions) {
            let Some(l1) = self.l1.as_mut().filter(|_| !past_l1) else {
                ready = ready.max(self.below_l1(now, address, wanted, Purpose::Load, SECTOR_BYTES));
                continue;
            };
            let keeping = if self.hint.leaves_l1_first { Keeping::First } else { Keeping::Normal };
            let found = l1.access_kept(address, wanted, keeping);
            self.traffic.l1_sectors += u64::from(wanted.count_ones());
            self.traffic.l1_hit_sectors += u64::from(found.hits.count_ones());
            if found.hits != 0 {
                // A sector may still be on its way for an earlier load.
                ready = ready.max(found.ready_cycle).max(now + self.l1_latency_cycles);
            }
            if found.misses != 0 {
                let arrival = self.below_l1(now, address, found.misses, Purpose::Load, SECTOR_BYTES);
                if let Some(l1) = &mut self.l1 {
                    l1.set_ready(found.place, found.misses, arrival);
                }
                ready = ready.max(arrival);
            }
        }
        ready
    }

    /// Brings what a prefetch asks for into L2, which nobody waits for.
    pub(crate) fn prefetch(&mut self, now: f64, access: &GlobalAccess) {
        self.turn += 1;
        self.hint = CacheHint::default();
        if self.l2.is_some() {
            for (address, wanted) in by_line(&access.transactions) {
                self.below_l1(now, address, wanted, Purpose::Load, SECTOR_BYTES);
            }
        }
    }

    /// The same share with room in L2 for a part of the grid's blocks only, where the others are taken to do as they do: what the
    /// whole launch would push out of L2, a part of it pushes out of as small a part.
    #[must_use]
    pub(crate) fn with_part_of_l2(mut self, profile: &Profile, active_sms: u32, part: f64) -> Self {
        let bytes = (profile.global.l2_bytes as f64 / f64::from(active_sms.max(1)) * part) as u64;
        self.l2 = self.l2.and_then(|_| Cache::new(bytes.max(u64::from(LINE_BYTES * L2_WAYS)), L2_WAYS));
        self
    }

    /// The same share where blocks do this together.
    #[must_use]
    pub(crate) fn with_others(self, together: Together) -> Self {
        Self { device: self.device.with_others(together), completed_share: together.completed_far, ..self }
    }

    /// From the cycle at which a store has been taken until the multiprocessor knows: later from the further half of L2, as a load is.
    pub(crate) fn acknowledge_cycles(&self, access: &GlobalAccess) -> f64 {
        let half = |address: u64| Spread::half(address / self.piece_bytes) * self.warps.half_distance_cycles;
        let furthest = access.transactions.iter().map(|own| half(own.address)).reduce(f64::max);
        self.acknowledge_cycles + furthest.unwrap_or(0.0)
    }

    /// The cycle at which every store so far has been taken by L2, or by device memory where there is none.
    pub(crate) fn stores_taken_cycle(&self) -> f64 {
        self.l2_store_bucket.empty_cycle.max(self.written_back_cycle)
    }

    /// The cycle at which all of a store issued at `now` has been taken, so that the next one may follow. It goes through
    /// L1, which keeps what it had of the line, or has a line for it from then on, with nothing in it. L2 takes it in without reading the rest of a sector
    /// and writes it to device memory when the line has to go; without L2 it is written at once. The load-store unit began with it at
    /// its cycle `unit_cycle`, which does not go on while the unit is held up.
    pub(crate) fn store(&mut self, now: f64, unit_cycle: f64, access: &GlobalAccess) -> f64 {
        self.unit_cycle = unit_cycle;
        if let Some(l1) = &mut self.l1 {
            by_line(&access.transactions).for_each(|(address, _)| {
                l1.access_sectors(address, 0);
            });
        }
        self.all_below_l1(now, access, Purpose::Store)
    }

    /// The cycle at which the old values of an atomic issued at `now` are there, as far as bandwidth and latency are
    /// concerned; queues at an address are [`super::atomics::AtomicQueue`]'s. It is done in L2; without one it reads and
    /// writes device memory.
    pub(crate) fn atomic(&mut self, now: f64, access: &GlobalAccess) -> f64 {
        self.all_below_l1(now, access, Purpose::Atomic)
    }

    /// Cycles for which L2's bandwidth and device memory's were in use so far, added up.
    pub(crate) fn used_cycles(&self) -> f64 {
        self.l2_bucket.busy_cycles + self.l2_store_bucket.busy_cycles + self.device.busy_cycles()
    }

    /// What has gone through so far.
    pub(crate) fn traffic(&self) -> Traffic {
        let l2_busy_cycles = self.l2_bucket.busy_cycles.max(self.l2_store_bucket.busy_cycles);
        Traffic {
            l2_busy_cycles,
            dram_busy_cycles: self.device.busy_cycles(),
            dram_bytes: self.device.bytes,
            ..self.traffic
        }
    }

    fn all_below_l1(&mut self, now: f64, access: &GlobalAccess, purpose: Purpose) -> f64 {
        self.turn += 1;
        // What lanes write to a sector in the mean, rounded up: stores that write all of it together must not leave a byte out.
        let sectors = access.transactions.len().max(1) as u64;
        let bytes_of_each = access.bytes_asked.div_ceil(sectors).clamp(1, u64::from(SECTOR_BYTES)) as u32;
        let mut done = now;
        let mut sent = (u64::MAX, 0);
        for (address, mut wanted) in by_line(&access.transactions) {
            // Lanes that meet at a word take turns in L2, but are sent once. Transactions of a line follow each other.
            if purpose == Purpose::Atomic && self.l2.is_some() {
                let line = address / u64::from(LINE_BYTES);
                let before = if sent.0 == line { sent.1 } else { 0 };
                wanted &= !before;
                sent = (line, before | wanted);
                if wanted == 0 {
                    continue;
                }
            }
            done = self.below_l1(now, address, wanted, purpose, bytes_of_each).max(done);
        }
        done
    }

    /// Asks L2 and what is below it for some sectors of a line: the cycle at which they are there or, of a store, taken.
    fn below_l1(&mut self, now: f64, address: u64, wanted: SectorMask, purpose: Purpose, bytes_of_each: u32) -> f64 {
        let bytes = wanted.count_ones() * SECTOR_BYTES;
        let keeping = self.keeping(address);
        let Some(l2) = &mut self.l2 else {
            let moved = if purpose == Purpose::Atomic { 2 * bytes } else { bytes };
            let way = if purpose == Purpose::Store { Way::Write } else { Way::Read };
            let (wait, taken) = self.device.take(self.turn, now, address, moved, way);
            if purpose != Purpose::Store {
                return now + self.dram_latency_cycles + wait;
            }
            // Nothing between takes it in: stores wait for device memory itself.
            self.written_back_cycle = self.written_back_cycle.max(taken);
            return taken;
        };
        let mut arrival = now;
        if purpose == Purpose::Load {
            let taken = f64::from(bytes).max(self.load_line_bytes) * self.asker.weight;
            arrival += self.l2_bucket.take(self.turn, now, taken);
        } else {
            let sent = if purpose == Purpose::Store {
                self.unit_cycle += 1.0;
                self.merging.sent(self.unit_cycle, address / u64::from(LINE_BYTES), wanted, bytes_of_each)
            } else {
                Sent { sectors: wanted, partial_lines: if bytes_of_each < SECTOR_BYTES { 1.0 } else { 0.0 } }
            };
            let sent_bytes = f64::from(sent.sectors.count_ones() * SECTOR_BYTES);
            let mut extra_bytes = sent.partial_lines * self.partial_line_bytes;
            if purpose == Purpose::Store && bytes_of_each < SECTOR_BYTES {
                let completed = f64::from(sent.sectors.count_ones()) * self.completed_share;
                extra_bytes += completed * self.completed_sector_bytes;
            }
            let taken_as = if purpose == Purpose::Atomic && self.atomic_sector_bytes > 0.0 {
                f64::from(sent.sectors.count_ones()) * self.atomic_sector_bytes
            } else {
                sent_bytes + extra_bytes
            };
            arrival += self.l2_store_bucket.take(self.turn, now, taken_as);
        }
        let found = l2.access_kept(address, wanted, keeping);
        if purpose != Purpose::Load {
            // An atomic reads the sector.
            let written = if purpose == Purpose::Atomic { SECTOR_BYTES } else { bytes_of_each };
            l2.set_dirty(found.place, wanted, written);
        }
        self.traffic.l2_bytes += u64::from(bytes);
        self.traffic.l2_sectors += u64::from(wanted.count_ones());
        self.traffic.l2_hit_sectors += u64::from(found.hits.count_ones());
        let mut taken = self.l2_store_bucket.empty_cycle;
        if let Some(old) = found.written_back {
            taken = self.write_back(arrival, old).max(taken);
        }
        if purpose == Purpose::Store {
            return taken;
        }
        if purpose == Purpose::Load {
            let first = self.first_load_cycles[usize::from(found.misses != 0)];
            arrival = arrival.max(*self.translated_cycle.get_or_insert(now + first));
        }
        let mut ready = arrival;
        let piece = address / self.piece_bytes;
        if found.hits != 0 {
            let latency_cycles = match purpose {
                Purpose::Atomic => self.atomic_latency_cycles,
                _ => self.l2_latency_cycles + self.asker.half_distance_cycles * Spread::half(piece),
            };
            ready = found.ready_cycle.max(arrival + latency_cycles);
        }
        if found.misses != 0 {
            let fetched = self.fetched(address, found.misses);
            let fetched_bytes = fetched.count_ones() * SECTOR_BYTES;
            let way = if purpose == Purpose::Load { Way::Load } else { Way::Atomic };
            let wait = self.read_in(arrival, address, fetched_bytes, way);
            let latency_cycles =
                if purpose == Purpose::Atomic { self.atomic_latency_cycles - self.l2_latency_cycles } else { 0.0 };
            let queue_cycles = self.device.queue_cycles(arrival);
            let spread_cycles = (self.latency_spread_cycles[0] + queue_cycles).min(self.latency_spread_cycles[1]);
            let later_cycles = spread_cycles * (self.spread.exponential(piece) - 1.0);
            let there = arrival + self.dram_latency_cycles + latency_cycles + wait.max(queue_cycles) + later_cycles;
            if let Some(l2) = &mut self.l2 {
                l2.set_ready(found.place, fetched, there);
                l2.set_filled(found.place, fetched);
            }
            ready = ready.max(there);
            if self.hint.fetched_bytes > LINE_BYTES {
                self.bring_in(arrival, address ^ u64::from(LINE_BYTES), there);
            }
        }
        ready
    }
}

#[cfg(test)]
mod tests;
