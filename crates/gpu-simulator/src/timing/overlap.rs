//! How a launch overlaps those before and after it: when it lets the next one begin, and what its warps do before they wait.

use std::collections::HashMap;

use crate::program::{Dependence, Operation, Program};

/// What a launch does that lets the next one begin before its own end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// From its first instruction until all its warps have let the next launch begin, in microseconds.
    pub signalled_us: f64,
    /// What its warps do from there until they wait for the launch before, in microseconds: that of the warp that takes longest, of
    /// the blocks that begin first.
    pub preamble_us: f64,
}

/// Where a warp is that has let the next launch begin.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Signalled,
    /// In its preamble, since this cycle.
    Prepares(f64),
    Waited,
}

/// What is seen of that while a launch is timed.
#[derive(Debug, Default)]
pub(super) struct Overlapping {
    /// By the place of the block and the number of the warp.
    warps: HashMap<(usize, usize), Stage>,
    signalled_cycle: Option<f64>,
    preamble_cycles: f64,
    /// Whether a block has ended: those that follow begin too late to prepare anything beside the launch before.
    is_over: bool,
}

impl Overlapping {
    /// For a program that has to do with the launches before and after it; `None` of others.
    pub(super) fn of(program: &Program) -> Option<Self> {
        let depends = program.code.iter().any(|own| matches!(own.operation, Operation::Dependence(_)));
        depends.then(Self::default)
    }

    /// A warp issues an instruction.
    pub(super) fn issues(&mut self, warp: (usize, usize), operation: &Operation, now: f64) {
        if self.is_over {
            return;
        }
        let before = self.warps.get(&warp).copied();
        let stage = match (operation, before) {
            (Operation::Dependence(Dependence::Signals), None) => {
                self.signalled_cycle = Some(self.signalled_cycle.map_or(now, |cycle| cycle.max(now)));
                Stage::Signalled
            }
            (Operation::Dependence(Dependence::Waits), Some(Stage::Prepares(since))) => {
                self.preamble_cycles = self.preamble_cycles.max(now - since);
                Stage::Waited
            }
            (Operation::Dependence(Dependence::Waits), _) => Stage::Waited,
            (_, Some(Stage::Signalled)) => Stage::Prepares(now),
            _ => return,
        };
        self.warps.insert(warp, stage);
    }

    /// A block has ended.
    pub(super) fn block_ends(&mut self) {
        self.is_over = true;
    }

    /// What was seen, where a cycle takes so long; `None` of a launch that lets none begin before its end.
    pub(super) fn seen(&self, us_per_cycle: f64) -> Option<Overlap> {
        let signalled_cycle = self.signalled_cycle?;
        let (signalled_us, preamble_us) = (signalled_cycle * us_per_cycle, self.preamble_cycles * us_per_cycle);
        Some(Overlap { signalled_us, preamble_us })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNALS: Operation = Operation::Dependence(Dependence::Signals);
    const WAITS: Operation = Operation::Dependence(Dependence::Waits);

    fn seen(issues: &[(usize, Operation, f64)]) -> Option<Overlap> {
        let mut overlapping = Overlapping::default();
        issues.iter().for_each(|(warp, operation, now)| overlapping.issues((0, *warp), operation, *now));
        overlapping.seen(0.5)
    }

    #[test]
    fn a_preamble_lies_between_signal_and_wait_and_that_of_the_slowest_warp_counts() {
        let issues = [
            (0, SIGNALS, 2.0),
            (1, SIGNALS, 3.0),
            (0, Operation::Nothing, 4.0),
            (1, Operation::Nothing, 6.0),
            (0, WAITS, 10.0),
            (1, Operation::Nothing, 11.0),
            (1, WAITS, 16.0),
            (0, Operation::Nothing, 90.0),
        ];
        assert_eq!(seen(&issues), Some(Overlap { signalled_us: 1.5, preamble_us: 5.0 }));
    }

    #[test]
    fn nothing_is_prepared_where_a_warp_waits_at_once_and_nothing_overlaps_without_a_signal() {
        let at_once = [(0, SIGNALS, 2.0), (0, WAITS, 8.0), (0, Operation::Nothing, 9.0)];
        assert_eq!(seen(&at_once), Some(Overlap { signalled_us: 1.0, preamble_us: 0.0 }));
        assert_eq!(seen(&[(0, Operation::Nothing, 2.0), (0, WAITS, 8.0)]), None);
    }

    #[test]
    fn blocks_that_begin_when_others_have_ended_prepare_nothing() {
        let mut overlapping = Overlapping::default();
        overlapping.issues((0, 0), &SIGNALS, 1.0);
        overlapping.block_ends();
        overlapping.issues((0, 1), &SIGNALS, 7.0);
        assert_eq!(overlapping.seen(1.0), Some(Overlap { signalled_us: 1.0, preamble_us: 0.0 }));
    }
}
