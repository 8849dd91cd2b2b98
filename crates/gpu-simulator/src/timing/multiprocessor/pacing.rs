//! What the issue of an instruction takes from its scheduler, and how long its last machine instruction comes behind the first.

use crate::class::Unit;
use crate::profile::Profile;
use crate::program::MachineCost;
use crate::timing::scheduler::{Scheduler, pace_of, unit_place};

/// Of an instruction, or the part of it that a warp executes itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pacing {
    /// Machine instructions, and those of floats around an approximate function.
    pub(super) weight: f64,
    around: f64,
    /// Issue slots that they take.
    pub(super) slots: f64,
    /// Whether each waits for the one before.
    pub(super) is_chained: bool,
    /// When the last one begins.
    pub(super) last_cycles: f64,
}

impl Pacing {
    /// That of so large a part of an instruction.
    pub(super) fn of(cost: MachineCost, part: f64, profile: &Profile) -> Self {
        let pace = pace_of(&profile.units, cost.unit);
        let weight = f64::from(cost.total()) * part;
        // On compute capability 1 each machine instruction of an expansion waits for the one before it: a product of 32 bits takes 96
        // cycles, four times an addition's 24 (Wong et al. 2010, table of the arithmetic pipeline).
        let is_chained = profile.compute_capability.0 < 2 && weight > 1.0 && cost.unit != Unit::LoadStore;
        let step_cycles = if is_chained { pace.latency_cycles } else { pace.interval_cycles };
        let around = f64::from(cost.around) * part;
        let own_cycles = (weight - around - 1.0).max(0.0) * step_cycles;
        let guard_cycles = if cost.guards_operand() { profile.warps.guard_cycles } else { 0.0 };
        let last_cycles = own_cycles + around * profile.units.float.latency_cycles + guard_cycles;
        Self { weight, around, slots: weight / profile.issues_per_cycle, is_chained, last_cycles }
    }
}

impl Scheduler {
    /// Its warp with this index issues an instruction, of which it executes so large a part itself.
    pub(super) fn issues(
        &mut self,
        index: usize,
        now: f64,
        (cost, part, pacing): (MachineCost, f64, Pacing),
        profile: &Profile,
    ) {
        self.cycle = now + pacing.slots;
        self.next_cycle = self.cycle;
        let interval_cycles = pace_of(&profile.units, cost.unit).interval_cycles;
        self.occupy(unit_place(cost.unit), now, f64::from(cost.weight) * part, interval_cycles);
        if pacing.around > 0.0 {
            self.occupy(unit_place(Unit::Float), now, pacing.around, profile.units.float.interval_cycles);
        }
        self.slots_taken += pacing.slots;
        self.last = index;
        if cost.unit == Unit::LoadStore {
            self.served_cycle = now;
            self.last_in_line = index;
        }
    }
}
