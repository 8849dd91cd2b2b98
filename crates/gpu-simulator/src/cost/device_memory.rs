//! One multiprocessor's share of device memory: partitions with their rates, reads and writes that get in each other's way, and what
//! loads wait for because it is in use.

use super::bucket::Bucket;
use super::pieces::Pieces;
use super::together::Together;
use crate::hardware::coalescing::{LINE_BYTES, SECTOR_BYTES};
use crate::profile::Profile;

/// Cycles over which the use of device memory is averaged: about two loads.
const WINDOW_CYCLES: f64 = 1500.0;

/// More partitions than this are taken for this many.
const MOST_PARTITIONS: u32 = 1 << 10;

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To a load.
    Load,
    /// To an atomic.
    Atomic,
    /// To what is written back.
    Read,
    /// Into device memory.
    Write,
    /// The same of sectors that were written in part.
    WriteOfParts,
}

#[derive(Debug, Clone)]
pub(super) struct DeviceMemory {
    /// One for each partition.
    partitions: Vec<Bucket>,
    interleave_bytes: u64,
    scattered_store_pct: u32,
    /// Of all multiprocessors, the part that this one is.
    own_part: f64,
    /// Parts by partition of what the others move with the access that is under way; none where they go where this one goes.
    others: Vec<f64>,
    /// Bytes of reads that a byte of a write takes as long as.
    write_weight: f64,
    mixed_pct: f64,
    mixed_queue_pct: f64,
    read_bytes: f64,
    written_bytes: f64,
    /// What a load waits for where it is in use for half of the time, and at most.
    queue_cycles: [f64; 2],
    /// Share of the time for which it was in use, of the last whole window, and when this window began and how busy it was.
    in_use: f64,
    window: (f64, f64),
    /// Multiprocessors that load a line which this one loads: one of them brings it into L2, and the others find it there.
    readers_of_a_line: f64,
    /// The same of atomics on a sector.
    atomics_on_a_sector: f64,
    /// Multiprocessors that write to a sector that this one writes in part, and the share of those it leaves incomplete which others complete.
    writers_of_a_sector: f64,
    completed_sectors: f64,
    read_pieces: Pieces,
    written_pieces: Pieces,
    /// Bytes read and written.
    pub(super) bytes: u64,
}

impl DeviceMemory {
    /// The share of one of `active_sms` multiprocessors, idle.
    pub(super) fn new(profile: &Profile, active_sms: u32) -> Self {
        let global = &profile.global;
        let bytes_per_cycle = global.gb_per_s * 1e9 / (f64::from(active_sms) * profile.sm_clock_mhz * 1e6);
        let (count, interleave_bytes) = match global.partitions {
            Some(partitions) => (partitions.count.clamp(1, MOST_PARTITIONS), partitions.interleave_bytes.max(1)),
            None => (1, 1),
        };
        let (short_bytes, written_half_bytes) =
            global.writes.map_or((0.0, 0.0), |writes| (writes.short_piece_bytes, writes.written_half_piece_bytes));
        Self {
            partitions: vec![Bucket::new(bytes_per_cycle / f64::from(count)); count as usize],
            interleave_bytes,
            scattered_store_pct: global.partitions.map_or(100, |partitions| partitions.scattered_store_pct),
            own_part: f64::from(active_sms).recip(),
            others: Vec::new(),
            write_weight: global.writes.map_or(1.0, |writes| global.gb_per_s / writes.gb_per_s),
            mixed_pct: global.writes.map_or(0.0, |writes| writes.mixed_with_reads_pct),
            mixed_queue_pct: global.writes.map_or(0.0, |writes| writes.mixed_queue_pct),
            read_bytes: 0.0,
            written_bytes: 0.0,
            queue_cycles: global.writes.map_or([0.0; 2], |writes| [writes.queue_cycles, writes.queue_cycles_most]),
            in_use: 0.0,
            window: (0.0, 0.0),
            readers_of_a_line: 1.0,
            atomics_on_a_sector: 1.0,
            writers_of_a_sector: 1.0,
            completed_sectors: 0.0,
            read_pieces: Pieces::new(short_bytes, short_bytes),
            written_pieces: Pieces::new(short_bytes, written_half_bytes),
            bytes: 0,
        }
    }

    /// The same share where blocks do this together.
    #[must_use]
    pub(super) fn with_others(self, together: Together) -> Self {
        let [read, written] = together.completed_pieces;
        Self {
            readers_of_a_line: together.readers_of_a_line.max(1.0),
            atomics_on_a_sector: together.atomics_on_a_sector.max(1.0),
            writers_of_a_sector: together.writers_of_a_sector.max(1.0),
            completed_sectors: together.completed_sectors.clamp(0.0, 1.0),
            read_pieces: self.read_pieces.with_completed(read),
            written_pieces: self.written_pieces.with_completed(written),
            ..self
        }
    }

    /// The other multiprocessors are at the accesses that follow, too, and so much of theirs goes to each partition.
    pub(super) fn others_go_to(&mut self, parts: &[f64]) {
        self.others.clear();
        self.others.extend_from_slice(parts);
    }

    /// What bytes that are brought into L2 or written back count for, as others do it, too.
    pub(super) fn own_share(&self, bytes: f64, way: Way) -> f64 {
        match way {
            Way::Load => bytes / self.readers_of_a_line,
            Way::Atomic => bytes / self.atomics_on_a_sector,
            Way::Read => bytes * (1.0 - self.completed_sectors),
            Way::Write => bytes,
            Way::WriteOfParts => bytes / self.writers_of_a_sector,
        }
    }

    /// Cycles for which the bandwidth was in use; of the busiest partition where there are several.
    pub(super) fn busy_cycles(&self) -> f64 {
        self.partitions.iter().map(|partition| partition.busy_cycles).fold(0.0, f64::max)
    }

    /// Moves bytes of one partition: the backlog found, in cycles, and the cycle at which they have been moved.
    pub(super) fn take(&mut self, turn: u64, now: f64, address: u64, bytes: u32, way: Way) -> (f64, f64) {
        let partition = (address / self.interleave_bytes % self.partitions.len() as u64) as usize;
        self.bytes += u64::from(bytes);
        let line = address / u64::from(LINE_BYTES);
        let elsewhere = std::mem::replace(&mut self.partitions[partition].line, line) != line;
        let mut taken_as = f64::from(bytes);
        if matches!(way, Way::Write | Way::WriteOfParts) {
            taken_as = self.own_share(taken_as, way);
            self.written_bytes += taken_as;
            taken_as = (taken_as + self.written_pieces.more_bytes(address, bytes)) * self.write_weight;
            if bytes == SECTOR_BYTES && elsewhere {
                taken_as *= f64::from(self.scattered_store_pct) / 100.0;
            }
        } else {
            if way == Way::Load {
                taken_as += self.read_pieces.more_bytes(address, bytes);
            }
            taken_as = self.own_share(taken_as, way);
            self.read_bytes += taken_as;
        }
        taken_as *= 1.0 + self.mixed_share() * self.mixed_pct / 100.0;
        if self.others.len() == self.partitions.len() {
            let others = taken_as * (1.0 - self.own_part);
            taken_as *= self.own_part;
            for (bucket, part) in self.partitions.iter_mut().zip(&self.others) {
                bucket.take(turn, now, others * part);
            }
        }
        let bucket = &mut self.partitions[partition];
        (bucket.take(turn, now, taken_as), bucket.empty_cycle)
    }

    /// What a load waits in queues that are shorter than the backlog tells: the busier device memory is, the more.
    pub(super) fn queue_cycles(&mut self, now: f64) -> f64 {
        let [of_half, most] = self.queue_cycles;
        if of_half <= 0.0 {
            return 0.0;
        }
        let busy = self.partitions[0].busy_cycles;
        if now >= self.window.0 + WINDOW_CYCLES {
            self.in_use = ((busy - self.window.1) / (now - self.window.0)).clamp(0.0, 1.0);
            self.window = (now, busy);
        }
        // Memory that turns from reading to writing and back keeps loads waiting for longer.
        let longer = 1.0 + self.mixed_share() * self.mixed_queue_pct / 100.0;
        (of_half * longer * self.in_use / (1.0 - self.in_use).max(1e-3)).min(most * longer)
    }

    /// How far reads and writes are mixed: 1 where they are as many, 0 where there are reads or writes alone.
    fn mixed_share(&self) -> f64 {
        2.0 * self.read_bytes.min(self.written_bytes) / (self.read_bytes + self.written_bytes).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against 128 bytes that are read and written alone, in results/nvidia-h200/constants/pieces.csv.
    #[test]
    fn a_line_that_is_written_alone_takes_more_than_one_that_is_read_alone() {
        let profile = Profile::load("h200").unwrap();
        let writes = profile.global.writes.unwrap();
        let busy_cycles = |way: Way, apart: u64| {
            let mut memory = DeviceMemory::new(&profile, 132);
            (0..64).for_each(|line| _ = memory.take(0, 0.0, line * apart, LINE_BYTES, way));
            memory.busy_cycles() / 64.0
        };
        let more_of_a_line = |way| 128.0 * (busy_cycles(way, 1024) / busy_cycles(way, 128) - 1.0);
        let (read, written) = (more_of_a_line(Way::Load), more_of_a_line(Way::Write));
        assert!((read - writes.short_piece_bytes).abs() < 1e-6, "{read}");
        assert!((written - writes.written_half_piece_bytes).abs() < 1e-6, "{written}");
    }
}
