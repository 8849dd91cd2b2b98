//! The way by which schedulers hand over addresses and what is stored: each has its own, and a register of a warp takes as long, whatever its lanes do.

use super::super::copies::Way;
use super::LoadStore;
use crate::execute::AccessKind;
use crate::profile::Profile;

/// Registers of an address of shared memory, and of global memory.
const SHARED_ADDRESS: u32 = 1;
const GLOBAL_ADDRESS: u32 = 2;

/// Registers that an access of so many bytes a lane hands over besides its address.
fn registers_of_value(kind: AccessKind, bytes: u32) -> u32 {
    if kind == AccessKind::Load { 0 } else { bytes.div_ceil(4) }
}

/// When the way of each scheduler is free, and what goes there now.
#[derive(Debug)]
pub(in crate::timing) struct Operands {
    cycles_per_register: f64,
    fence_cycles: f64,
    free: Vec<f64>,
    /// When the instruction that is executed begins to hand over.
    pub(super) begin_cycle: f64,
    /// When it has, and its registers can be written again; `None` where that takes no time.
    pub(in crate::timing) end_cycle: Option<f64>,
}

impl Operands {
    pub(super) fn new(profile: &Profile) -> Self {
        Self {
            cycles_per_register: profile.load_store.operand_cycles,
            fence_cycles: profile.fences.block_cycles,
            free: vec![0.0; profile.schedulers_per_sm.max(1) as usize],
            begin_cycle: 0.0,
            end_cycle: None,
        }
    }

    pub(in crate::timing) fn free_cycle(&self, scheduler: usize) -> f64 {
        self.free[scheduler]
    }

    /// An instruction is issued.
    pub(super) fn next_instruction(&mut self, now: f64) {
        (self.begin_cycle, self.end_cycle) = (now, None);
    }

    /// A fence of the block goes the way of what was handed over before it, and holds up what comes behind it.
    pub(super) fn fence(&mut self, scheduler: usize, now: f64) {
        self.free[scheduler] = self.free[scheduler].max(now) + self.fence_cycles;
    }

    /// It hands over so many registers, in parts where only a part of it counts.
    pub(super) fn hand_over(&mut self, scheduler: usize, now: f64, registers: f64) {
        self.begin_cycle = self.free[scheduler].max(now);
        self.free[scheduler] = self.begin_cycle + registers * self.cycles_per_register;
        self.end_cycle = Some(self.free[scheduler]).filter(|cycle| *cycle > self.begin_cycle);
    }
}

impl LoadStore<'_> {
    /// The scheduler hands over an address of global memory, and what goes with it: of a copy by lanes the address of shared memory that it goes to. One
    /// in bulk has its addresses elsewhere.
    pub(super) fn hand_over_for_global(&mut self, kind: AccessKind, bytes: u32) {
        if !self.way.is_in_bulk() {
            let target = if self.way == Way::Waits { 0 } else { SHARED_ADDRESS };
            self.hand_over(GLOBAL_ADDRESS + target + registers_of_value(kind, bytes));
        }
    }

    /// The same of shared memory, unless that has been done with the address that a copy comes from.
    pub(super) fn hand_over_for_shared(&mut self, kind: AccessKind, bytes: u32) {
        if self.way == Way::Waits {
            self.hand_over(SHARED_ADDRESS + registers_of_value(kind, bytes));
        }
    }

    fn hand_over(&mut self, registers: u32) {
        self.operands.hand_over(self.scheduler, self.now, f64::from(registers) * self.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against constants/operands.csv, four warps of one scheduler: cycles of a store or load, by the words of each lane. Stores of
    /// four words to global memory are by one lane; with 32 lanes L2 takes 16 cycles.
    #[test]
    fn registers_take_as_long_as_on_the_gpu() {
        let measured = [
            (SHARED_ADDRESS, AccessKind::Store, 1, 4.06),
            (SHARED_ADDRESS, AccessKind::Store, 2, 6.0),
            (SHARED_ADDRESS, AccessKind::Store, 4, 10.0),
            (GLOBAL_ADDRESS, AccessKind::Store, 1, 6.01),
            (GLOBAL_ADDRESS, AccessKind::Store, 2, 8.0),
            (GLOBAL_ADDRESS, AccessKind::Store, 4, 12.0),
            (SHARED_ADDRESS, AccessKind::Load, 1, 2.08),
        ];
        let h200 = Profile::load("h200").unwrap();
        for (address, kind, words, cycles) in measured {
            let mut operands = Operands::new(&h200);
            let registers = f64::from(address + registers_of_value(kind, 4 * words));
            operands.hand_over(1, 0.0, registers);
            operands.hand_over(1, 0.0, registers);
            let simulated = operands.begin_cycle;
            assert!((simulated - cycles).abs() < 0.1, "{words} words: {simulated}, {cycles} measured");
            assert_eq!(operands.end_cycle, Some(operands.free_cycle(1)));
            assert_eq!(operands.free_cycle(0).to_bits(), 0.0_f64.to_bits(), "others have their own way");
        }
    }
}
