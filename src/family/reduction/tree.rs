//! The tree of a block: which warps add in which step, and which places they touch.

use super::rung::Rung;
use gpu_simulator::hardware::Banks;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::lanes::{LANES, Mask};

const WARP: u64 = LANES as u64;

/// The tree of a block of a rung.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    pub(super) rung: Rung,
    pub(super) threads: u64,
}

/// What the steps of a tree come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Steps {
    /// Warps that add, summed over the steps.
    pub(super) warps: u64,
    /// Those of them some of whose lanes do not.
    pub(super) divergent: u64,
    /// Passes over the banks that loads take, reading the sum at the end among them.
    pub(super) load_passes: u64,
}

impl Tree {
    /// Additions one after the other, from a thread's value to the block's sum.
    pub(super) fn additions(self) -> u64 {
        match self.rung {
            Rung::AtomicGlobal => 0,
            Rung::AtomicShared => self.threads,
            Rung::Vectorised | Rung::OneLaunch => 10,
            _ => u64::from(self.threads.ilog2()),
        }
    }

    /// Barriers that the block passes.
    pub(super) fn barriers(self) -> u64 {
        let steps = u64::from(self.threads.ilog2());
        match self.rung {
            Rung::AtomicGlobal => 0,
            Rung::AtomicShared => 2,
            Rung::SharedDivergent | Rung::SharedStrided | Rung::SharedSequential | Rung::DualLoad => 1 + steps,
            // The last six steps are one warp's.
            Rung::UnrolledLastWarp | Rung::UnrolledAll | Rung::WarpShuffle | Rung::GridStride => steps - 5,
            Rung::Vectorised | Rung::OneLaunch => 1,
        }
    }

    /// Its steps, with the banks of this rule.
    pub(super) fn steps(self, rule: Banks) -> Steps {
        let mut steps = Steps::default();
        let distances = (0..self.threads.ilog2()).map(|step| 1_u64 << step);
        match self.rung {
            Rung::AtomicGlobal => {}
            Rung::AtomicShared => steps.load(rule, 0, |lane| (lane == 0).then_some(0)),
            Rung::SharedDivergent => {
                for distance in distances {
                    self.add(&mut steps, rule, distance, |thread| {
                        thread.is_multiple_of(2 * distance).then_some(thread)
                    });
                }
                steps.load(rule, 0, |lane| (lane == 0).then_some(0));
            }
            Rung::SharedStrided => {
                for distance in distances {
                    let place = |thread| 2 * distance * thread;
                    self.add(&mut steps, rule, distance, |thread| {
                        (place(thread) < self.threads).then_some(place(thread))
                    });
                }
                steps.load(rule, 0, |lane| (lane == 0).then_some(0));
            }
            Rung::SharedSequential | Rung::DualLoad => {
                for half in distances.rev() {
                    self.add(&mut steps, rule, half, |thread| (thread < half).then_some(thread));
                }
                steps.load(rule, 0, |lane| (lane == 0).then_some(0));
            }
            Rung::UnrolledLastWarp | Rung::UnrolledAll | Rung::WarpShuffle | Rung::GridStride => {
                for half in distances.rev().filter(|&half| half >= 2 * WARP) {
                    self.add(&mut steps, rule, half, |thread| (thread < half).then_some(thread));
                }
                self.last_places(&mut steps, rule);
            }
            Rung::Vectorised | Rung::OneLaunch => {
                let warps = self.threads.div_ceil(WARP);
                steps.warps = 5 * (warps + 1);
                steps.load(rule, 0, |lane| (lane < warps).then_some(lane));
            }
        }
        steps
    }

    /// A step in which threads add the place `distance` further on to that of theirs.
    fn add(self, steps: &mut Steps, rule: Banks, distance: u64, place: impl Fn(u64) -> Option<u64>) {
        for warp in 0..self.threads / WARP {
            let place = |lane| place(warp * WARP + lane);
            let adding = (0..WARP).filter(|&lane| place(lane).is_some()).count() as u64;
            steps.warps += u64::from(adding > 0);
            steps.divergent += u64::from(adding > 0 && adding < WARP);
            steps.load(rule, 0, place);
            steps.load(rule, distance, place);
        }
    }

    /// One warp adds the last 64 sums: in shared memory, where each step reads one place, or in registers.
    fn last_places(self, steps: &mut Steps, rule: Banks) {
        steps.warps += 6;
        steps.load(rule, 0, Some);
        steps.load(rule, WARP, Some);
        if matches!(self.rung, Rung::UnrolledLastWarp | Rung::UnrolledAll) {
            for half in [16, 8, 4, 2, 1] {
                steps.load(rule, half, Some);
            }
            steps.load(rule, 0, |lane| (lane == 0).then_some(0));
        }
    }
}

impl Steps {
    /// A load of a warp, of the places `offset` further on than each lane's.
    fn load(&mut self, rule: Banks, offset: u64, place: impl Fn(u64) -> Option<u64>) {
        let mut mask: Mask = 0;
        let mut addresses = [0_u32; LANES];
        for (lane, address) in addresses.iter_mut().enumerate() {
            if let Some(place) = place(lane as u64) {
                mask |= 1 << lane;
                *address = 4 * (place + offset) as u32;
            }
        }
        if mask != 0 {
            self.load_passes += u64::from(passes(rule, &addresses, mask, 4, false).passes);
        }
    }
}
