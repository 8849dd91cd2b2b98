//! What L2 has from device memory, and gives back to it.

use super::super::cache::{SectorMask, WrittenBack, sectors};
use super::super::device_memory::Way;
use super::{LINE_BYTES, MemoryShare, SECTOR_BYTES};

impl MemoryShare {
    /// Reads bytes from device memory into L2: how long they wait for what was asked for before.
    pub(super) fn read_in(&mut self, now: f64, address: u64, bytes: u32, way: Way) -> f64 {
        let wait = self.device.take(self.turn, now, address, bytes, way).0;
        if self.fill_weight == 0.0 {
            return wait;
        }
        // What comes from device memory goes into L2 beside what is stored.
        let taken = self.device.own_share(f64::from(bytes), way) * self.fill_weight;
        wait.max(self.l2_store_bucket.take(self.turn, now, taken))
    }

    /// Brings all of a line into L2 that nobody waits for, which is there with the line that was asked for.
    pub(super) fn bring_in(&mut self, now: f64, address: u64, there: f64) {
        let (all, keeping) = (sectors(address & !u64::from(LINE_BYTES - 1), LINE_BYTES), self.keeping(address));
        let Some(l2) = &mut self.l2 else { return };
        let found = l2.access_kept(address, all, keeping);
        if found.misses == 0 {
            return;
        }
        l2.set_ready(found.place, found.misses, there);
        l2.set_filled(found.place, found.misses);
        self.read_in(now, address, found.misses.count_ones() * SECTOR_BYTES, Way::Load);
        if let Some(old) = found.written_back {
            self.write_back(now, old);
        }
    }

    /// The sectors that device memory gives where these are missing in L2, which takes them all in.
    pub(super) fn fetched(&mut self, address: u64, missing: SectorMask) -> SectorMask {
        let around = self.fetched_around(missing);
        match &mut self.l2 {
            Some(l2) if around != missing => missing | l2.access_sectors(address, around & !missing).misses,
            _ => missing,
        }
    }

    /// The sectors of all pieces, as device memory gives them, that these sectors are in.
    fn fetched_around(&self, sectors: SectorMask) -> SectorMask {
        let promoted_sectors = (self.hint.fetched_bytes / SECTOR_BYTES).min(LINE_BYTES / SECTOR_BYTES);
        let at_once = self.fetched_sectors.max(promoted_sectors);
        let piece = (1_u32 << at_once) - 1;
        (0..LINE_BYTES / SECTOR_BYTES)
            .step_by(at_once as usize)
            .map(|first| (piece << first) as SectorMask)
            .filter(|mask| sectors & mask != 0)
            .fold(0, |around, mask| around | mask)
    }

    /// Writes a line to device memory that had to make room, and gives the cycle at which that is done.
    pub(super) fn write_back(&mut self, now: f64, old: WrittenBack) -> f64 {
        if old.partial != 0 && self.fetched_sectors > 1 {
            let bytes = self.fetched_around(old.partial).count_ones() * SECTOR_BYTES;
            self.device.take(self.turn, now, old.address, bytes, Way::Read);
        }
        let parts = old.partial.count_ones();
        for (sectors, way) in [(parts, Way::WriteOfParts), (old.sectors - parts, Way::Write)] {
            if sectors > 0 {
                self.written_back_cycle = self.device.take(self.turn, now, old.address, sectors * SECTOR_BYTES, way).1;
            }
        }
        self.written_back_cycle
    }
}
