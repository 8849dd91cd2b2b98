//! Taking turns: which path of a warp goes on, and where paths meet.

use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::paths::Wait;
use super::warp::{Outcome, Warp};
use crate::profile::Reconvergence;

/// Backward branches of a waiting loop, none of which a lane left, after which the other paths of the warp have a turn.
pub(super) const SPINS_UNTIL_YIELD: u32 = 16;
/// The same until lanes that wait at joins go on alone: one of them may be what the loop waits for.
const SPINS_UNTIL_RELEASE: u32 = 128;

/// A number of spins after which a warp does the same as after so many.
pub(super) fn spins_that_count(spins: u32) -> u32 {
    let beyond = spins.saturating_sub(SPINS_UNTIL_RELEASE);
    spins.min(SPINS_UNTIL_RELEASE) + beyond % SPINS_UNTIL_YIELD
}

impl Warp {
    /// Brings the warp to its next instruction: lanes that have come to a join meet, and a path that can go on is chosen.
    pub(super) fn settle<M: GlobalMemory, O: Observer>(&mut self, around: &mut Surroundings<'_, M, O>) -> Outcome {
        loop {
            match self.choose_path(around) {
                Outcome::Ready => {}
                other => return other,
            }
            let pc = self.paths.list[self.current].pc;
            if pc != self.paths.join_pc(self.current) {
                return Outcome::Ready;
            }
            self.paths.arrive(self.current);
            if around.program.code[pc as usize].ends {
                self.tell_live(around);
            }
            self.select_top();
        }
    }

    /// Makes sure that the current path is one that can go on.
    fn choose_path<M: GlobalMemory, O: Observer>(&mut self, around: &mut Surroundings<'_, M, O>) -> Outcome {
        if self.live == 0 {
            return Outcome::Done;
        }
        if self.current < self.paths.list.len() && self.try_path(self.current, around) {
            return Outcome::Ready;
        }
        // Under a plain stack only the top may run; whoever waits there holds up all others.
        if around.reconvergence == Reconvergence::Stack {
            self.select_top();
            return if self.try_path(self.current, around) { Outcome::Ready } else { Outcome::Waiting };
        }
        for index in (0..self.paths.list.len()).rev() {
            if self.try_path(index, around) {
                return Outcome::Ready;
            }
        }
        Outcome::Waiting
    }

    /// Makes a path the current one if it can go on.
    fn try_path<M: GlobalMemory, O: Observer>(&mut self, index: usize, around: &mut Surroundings<'_, M, O>) -> bool {
        match self.paths.list[index].wait {
            Wait::Ready => self.current = index,
            Wait::Barrier { number, generation } => {
                if around.block.barriers[number as usize].generation <= generation {
                    return false;
                }
                self.current = self.leave_barrier(index, number, around);
            }
            Wait::Cluster { round, .. } => {
                if around.block.seat.round() <= round {
                    return false;
                }
                self.current = self.leave_cluster(index, around);
            }
            Wait::Lanes { members, lanes } => {
                let path = self.paths.list[index];
                let operation = &around.program.code[path.pc as usize].operation;
                if members
                    & around.block.live[self.number as usize]
                    & !self.gathered(index, lanes, operation, around.program)
                    != 0
                {
                    return false;
                }
                self.paths.list[index].wait = Wait::Ready;
                self.current = index;
            }
        }
        true
    }

    pub(super) fn select_top(&mut self) {
        self.current = self.paths.list.len().saturating_sub(1);
    }

    /// Lets the other paths of the warp have a turn, where the hardware would.
    pub(super) fn yield_path<M: GlobalMemory, O: Observer>(&mut self, around: &mut Surroundings<'_, M, O>) {
        if around.reconvergence != Reconvergence::StackYield {
            return;
        }
        let alone = self.paths.list.len() == 1 && self.spins >= SPINS_UNTIL_YIELD;
        if (alone || self.spins >= SPINS_UNTIL_RELEASE) && self.paths.release_joined() {
            self.spins = 0;
            self.tell_live(around);
        }
        let path = self.paths.list.remove(self.current);
        self.paths.list.insert(0, path);
        self.select_top();
    }
}
