//! What moving the sectors of each line's accesses to global memory takes.

use std::collections::BTreeMap;

use crate::program::Program;

/// What the blocks that were timed moved for the accesses of a line to global memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineTraffic {
    /// Its line in the PTX text.
    pub line: u32,
    /// Sectors of its accesses.
    pub sectors: u64,
    /// Cycles for which they kept the load-store unit, L2's bandwidth and device memory's busy, added up.
    pub cycles: f64,
}

/// The same of each instruction.
#[derive(Debug, Default)]
pub(super) struct Moved {
    of: BTreeMap<u32, (u64, f64)>,
}

impl Moved {
    /// The instruction at `pc` moved so many sectors.
    pub(super) fn add(&mut self, pc: u32, sectors: usize, cycles: f64) {
        let (all, busy) = self.of.entry(pc).or_default();
        *all += sectors as u64;
        *busy += cycles;
    }

    /// Those of the lines of a program.
    pub(super) fn of_lines(&self, program: &Program) -> Vec<LineTraffic> {
        let mut lines: BTreeMap<u32, (u64, f64)> = BTreeMap::new();
        for (pc, (sectors, cycles)) in &self.of {
            let line = program.code.get(*pc as usize).map_or(0, |instruction| instruction.line);
            let of_line = lines.entry(line).or_default();
            *of_line = (of_line.0 + sectors, of_line.1 + cycles);
        }
        lines.into_iter().map(|(line, (sectors, cycles))| LineTraffic { line, sectors, cycles }).collect()
    }
}
