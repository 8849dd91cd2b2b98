//! Bulk copies: the lanes that begin them hold up their warp, and a unit beside the warps moves line after line.

use super::super::bound::Cause;
use super::super::copies::Way;
use super::LoadStore;
use crate::profile::BulkCopies;
use crate::program::CopyKind;

/// The unit of a multiprocessor that copies in bulk.
#[derive(Debug)]
pub(super) struct BulkUnit {
    constants: BulkCopies,
    /// When it is free.
    free_cycle: f64,
    /// Copies that lanes of the instruction have begun.
    begun: u32,
    /// When all of the copy from shared memory that is being told of has been read.
    from_shared_cycle: f64,
}

impl BulkUnit {
    pub(super) fn new(constants: BulkCopies) -> Self {
        Self { constants, free_cycle: 0.0, begun: 0, from_shared_cycle: 0.0 }
    }

    /// Another instruction is issued.
    pub(super) fn next_instruction(&mut self) {
        self.begun = 0;
    }

    /// A lane's copy has begun in an instruction that was issued at this cycle; until when its warp is held up.
    pub(super) fn one_more(&mut self, issued: f64) -> f64 {
        self.begun += 1;
        self.begins(issued) + self.constants.instruction_cycles
    }

    /// When the copy of the next lane begins: they do so one after the other.
    fn begins(&self, issued: f64) -> f64 {
        issued + f64::from(self.begun) * self.constants.issue_cycles
    }
}

impl LoadStore<'_> {
    /// A line of a bulk copy: the unit that copies asks for all of it at once, and keeps no warp from the way to memory.
    pub(super) fn copy_in_bulk(&mut self) {
        self.memory.others_go_to(self.camping.parts(self.wave, self.pc));
        let used_cycles = self.memory.used_cycles();
        let constants = self.bulk.constants;
        // What lanes begin later is moved as if it began now, and is there as much later: other warps have the unit and memory until then.
        let begin = self.free_cycle.max(self.now).max(self.bulk.free_cycle);
        let later = self.bulk.begins(self.now) - self.now;
        self.bulk.free_cycle = begin + constants.row_cycles * self.part;
        let more = if self.way == Way::Tile { constants.tile_latency_cycles } else { constants.latency_cycles };
        let ready = self.memory.load_in_bulk(begin, &self.access) + more + later;
        self.wait_until(ready, Cause::GlobalLoad);
        let used_cycles = self.memory.used_cycles() - used_cycles;
        self.moved.add(self.pc, self.access.transactions.len(), used_cycles);
    }

    /// A line of a bulk copy from shared memory to global memory.
    pub(super) fn copy_from_shared_in_bulk(&mut self) {
        let used_cycles = self.memory.used_cycles();
        let constants = self.bulk.constants;
        let begin = self.free_cycle.max(self.now).max(self.bulk.free_cycle).max(self.stores_fit_from());
        let later = self.bulk.begins(self.now) - self.now;
        self.bulk.free_cycle = begin + constants.line_from_shared_cycles * self.part;
        let taken = self.memory.store(begin, begin - self.held_up_cycles, &self.access) + later;
        self.stored(taken);
        self.bulk.from_shared_cycle = self.bulk.from_shared_cycle.max(self.bulk.free_cycle + later);
        let used_cycles = self.memory.used_cycles() - used_cycles;
        self.moved.add(self.pc, self.access.transactions.len(), used_cycles);
    }

    /// All lines of a lane's copy from shared memory were told of.
    pub(super) fn begun_from_shared(&mut self) {
        let block = (self.block, self.apart_bytes);
        let read_cycle = std::mem::take(&mut self.bulk.from_shared_cycle);
        // Waiting until all is written takes no longer than until all is read.
        for copies in [CopyKind::BulkRead, CopyKind::BulkWritten] {
            self.copies.begun(block, self.warp, copies, read_cycle);
        }
        self.copied_cycle = Some(self.bulk.one_more(self.now));
    }
}
