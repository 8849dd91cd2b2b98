//! Blocks come to their places on the multiprocessor and leave them.

use super::{Arrival, Multiprocessor};
use crate::execute::{Fault, GlobalMemory};
use crate::hardware::lanes::LANES;
use crate::timing::bound::Cause;
use crate::timing::overlap::Overlapping;
use crate::timing::scheduler::TimedWarp;
use crate::timing::scoreboard::Scoreboard;

impl Multiprocessor<'_> {
    pub(super) fn end_block<M: GlobalMemory>(&mut self, slot: usize, now: f64, memory: &mut M) -> Result<(), Fault> {
        let blocks = self.profile.blocks;
        let begin = now.max(self.end_free_cycle);
        let clusters = self.profile.clusters;
        self.end_free_cycle = begin + blocks.end_cycles + clusters.start_cycles_of(self.launch.cluster_blocks());
        self.ends.push(begin);
        self.end_cycle = self.end_cycle.max(self.end_free_cycle);
        let ended = self.slots[slot].take().map(|block| block.number());
        self.load_store.block_ended(ended, self.apart_bytes[slot]);
        self.peers.outlive(slot);
        self.overlapping.iter_mut().for_each(Overlapping::block_ends);
        self.schedulers.iter_mut().for_each(|scheduler| scheduler.remove(slot));
        let warps = self.launch.threads().div_ceil(LANES as u32);
        let of_cluster = clusters.turnover_cycles_of(self.launch.cluster_blocks());
        let turnover = blocks.turnover_cycles + blocks.turnover_cycles_per_warp * f64::from(warps) + of_cluster;
        self.place_block(slot, begin + turnover, memory)
    }

    /// Puts the next block into a free place.
    pub(super) fn place_block<M: GlobalMemory>(&mut self, slot: usize, now: f64, memory: &mut M) -> Result<(), Fault> {
        let Some((number, apart_bytes)) = self.queue.pop() else { return Ok(()) };
        self.apart_bytes[slot] = apart_bytes;
        self.waves[slot] = number / (u64::from(self.profile.sm_count.max(1)) * self.slots.len() as u64);
        let Some(mut block) = self.peers.place(slot, number, self.program, self.launch) else { return Ok(()) };
        if let Some(order) = self.sorted.and_then(|sorted| sorted.order(number)) {
            block.arrange(order);
        }
        let warps = block.warps.len();
        self.slots[slot] = Some(block);
        // The first warps of blocks take turns on the schedulers, also where the warps of each are a multiple of them.
        let schedulers = self.schedulers.len();
        if self.warps_placed > 0 && warps.is_multiple_of(schedulers) {
            self.warps_placed += 1;
        }
        for warp in 0..warps {
            let scheduler = self.warps_placed % schedulers;
            self.warps_placed += 1;
            let own = &mut self.schedulers[scheduler];
            own.add(TimedWarp {
                slot,
                warp,
                resume_cycle: now,
                resume_cause: Cause::Start,
                pc: 0,
                barriers: 0,
                scoreboard: Scoreboard::default(),
                loaded_cycle: None,
                changed_cycle: None,
                told_cycle: 0.0,
                settled_cycle: 0.0,
                branch_cycle: 0.0,
                turn_cycle: now,
                arrival: Arrival::default(),
                is_suspended: false,
                is_woken: false,
            });
            let index = own.warps.len() - 1;
            self.refresh(scheduler, index, memory)?;
        }
        Ok(())
    }
}
