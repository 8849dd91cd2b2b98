//! For how long warps wait at the barriers of their block.

use std::collections::BTreeMap;

use crate::program::Program;

/// For how long warps waited at a barrier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarrierWait {
    /// Its line in the PTX text.
    pub line: u32,
    /// How often a warp came to it, of the blocks that were timed.
    pub arrivals: u64,
    /// From a warp's arrival until it goes on, on average, in microseconds.
    pub mean_us: f64,
}

/// Cycles that warps waited at each instruction, and how many came.
#[derive(Debug, Default)]
pub(super) struct Waits {
    cycles: BTreeMap<u32, (f64, u64)>,
}

impl Waits {
    /// A warp came to the barrier at `pc` and went on so many cycles later.
    pub(super) fn add(&mut self, pc: u32, cycles: f64) {
        let (all, arrivals) = self.cycles.entry(pc).or_default();
        *all += cycles.max(0.0);
        *arrivals += 1;
    }

    /// Those of the lines of a program, where a microsecond has so many cycles.
    pub(super) fn of_lines(&self, program: &Program, cycles_per_us: f64) -> Vec<BarrierWait> {
        let mut lines: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
        for (pc, (cycles, arrivals)) in &self.cycles {
            let line = program.code.get(*pc as usize).map_or(0, |instruction| instruction.line);
            let of_line = lines.entry(line).or_default();
            *of_line = (of_line.0 + cycles, of_line.1 + arrivals);
        }
        let wait = |(line, (cycles, arrivals)): (u32, (f64, u64))| BarrierWait {
            line,
            arrivals,
            mean_us: cycles / arrivals.max(1) as f64 / cycles_per_us,
        };
        lines.into_iter().map(wait).collect()
    }
}
