//! An observer that is told what would happen without a pattern.

use super::{Alterations, Pattern};
use crate::execute::{AccessKind, Observer};
use crate::hardware::lanes::{Longs, Mask, Words};

/// Passes on what it observes, with accesses as they would be.
#[derive(Debug)]
pub(crate) struct Altered<'a, O> {
    observer: O,
    alterations: &'a Alterations,
    pc: u32,
    count: u64,
}

impl<'a, O> Altered<'a, O> {
    /// Tells `observer`.
    pub(crate) fn new(observer: O, alterations: &'a Alterations) -> Self {
        Self { observer, alterations, pc: 0, count: 0 }
    }

    /// Whom it told.
    pub(crate) fn observed(&self) -> &O {
        &self.observer
    }
}

impl<O: Observer> Observer for Altered<'_, O> {
    fn block_begins(&mut self, number: u64) {
        self.observer.block_begins(number);
    }

    fn warp_runs(&mut self, block: u64, warp: u32) {
        self.observer.warp_runs(block, warp);
    }

    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask) {
        self.pc = pc;
        self.observer.instruction(pc, active, executed);
    }

    fn divergence(&mut self, pc: u32) {
        self.observer.divergence(pc);
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        let altered = self.alterations.global(self.pc, kind, addresses, mask, bytes, &mut self.count);
        let (addresses, mask) = altered.as_ref().map_or((addresses, mask), |(addresses, mask)| (addresses, *mask));
        self.observer.global(kind, addresses, mask, bytes);
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        let altered = self.alterations.shared(self.pc, kind, offsets, mask, bytes, &mut self.count);
        let (offsets, mask) = altered.as_ref().map_or((offsets, mask), |(offsets, mask)| (offsets, *mask));
        self.observer.shared(kind, offsets, mask, bytes);
    }

    fn local(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        if !self.alterations.has(Pattern::LocalMemory, self.pc) {
            self.observer.local(kind, offsets, mask, bytes);
        }
    }

    fn matched(&mut self, distinct_values: u32) {
        self.observer.matched(distinct_values);
    }

    fn added_up(&mut self, lanes: u32) {
        self.observer.added_up(lanes);
    }

    fn constant(&mut self, offsets: &Words, mask: Mask, bytes: u32) {
        let altered = self.alterations.constant(self.pc, offsets, mask);
        self.observer.constant(altered.as_ref().unwrap_or(offsets), mask, bytes);
    }

    fn device_fence(&mut self) {
        if !self.alterations.has(Pattern::Fences, self.pc) {
            self.observer.device_fence();
        }
    }

    fn barrier_passed(&mut self, warps: u32) {
        self.observer.barrier_passed(warps);
    }
}
