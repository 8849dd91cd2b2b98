//! Branches, and lanes that exit.

use super::block::Surroundings;
use super::fault::Problem;
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::step::Flow;
use super::turns::SPINS_UNTIL_YIELD;
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{Mask, lanes_of};
use crate::profile::Reconvergence;
use crate::program::{Instruction, WordSource};

impl Warp {
    pub(super) fn branch<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        instruction: &Instruction,
        pc: u32,
        active: Mask,
        taken: Mask,
        target: u32,
    ) -> Flow {
        around.observer.way(pc, target, taken);
        around.observer.way(pc, pc + 1, active & !taken);
        if taken == 0 {
            return Flow::Next;
        }
        if taken == active {
            self.paths.list[self.current].pc = target;
            self.spins += u32::from(instruction.spins);
            self.spun |= instruction.spins;
        } else {
            // Whichever lanes leave the loop, it was not for nothing.
            self.spins = 0;
            around.observer.divergence(pc);
            let ways = [(pc + 1, active & !taken), (target, taken)];
            self.paths.diverge(self.current, instruction.reconvergence, &ways);
            self.select_top();
        }
        if instruction.spins && self.spins > 0 && self.spins.is_multiple_of(SPINS_UNTIL_YIELD) {
            self.yield_path(around);
        }
        Flow::Moved
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn branch_indexed<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        instruction: &Instruction,
        pc: u32,
        frame: &Frame,
        (active, executed): (Mask, Mask),
        index: WordSource,
        targets: &[u32],
    ) -> Result<Flow, (Problem, Option<usize>)> {
        let indices = *self.word(around.program, frame, index);
        // Lanes that the guard holds back fall through.
        let mut ways: Vec<(u32, Mask)> = Vec::new();
        if active != executed {
            ways.push((pc + 1, active & !executed));
        }
        for lane in lanes_of(executed) {
            let target = targets.get(indices[lane] as usize);
            let target = *target.ok_or((Problem::BadTarget(u64::from(indices[lane])), Some(lane)))?;
            match ways.iter_mut().find(|(pc, _)| *pc == target) {
                Some((_, mask)) => *mask |= 1 << lane,
                None => ways.push((target, 1 << lane)),
            }
        }
        ways.iter().for_each(|(target, lanes)| around.observer.way(pc, *target, *lanes));
        if let [(target, _)] = ways[..] {
            self.paths.list[self.current].pc = target;
            return Ok(Flow::Moved);
        }
        around.observer.divergence(pc);
        // The lowest lane's way is taken first.
        ways.reverse();
        self.paths.diverge(self.current, instruction.reconvergence, &ways);
        self.select_top();
        Ok(Flow::Moved)
    }

    pub(super) fn exit<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        active: Mask,
        executed: Mask,
    ) -> Flow {
        if executed != active {
            self.paths.list[self.current].pc += 1;
        }
        self.live &= !executed;
        self.paths.exit(executed);
        self.end_frames();
        self.tell_live(around);
        self.select_top();
        Flow::Moved
    }

    /// Tells the block which lanes are left for others to wait for.
    pub(super) fn tell_live<M: GlobalMemory, O: Observer>(&self, around: &mut Surroundings<'_, M, O>) {
        let live = self.live & !self.paths.ending(around.program);
        around.block.live[self.number as usize] = live;
        let blocks = around.block.seat.tell_live(self.number, live);
        around.observer.cluster_barriers_passed(blocks);
        around.block.complete_barriers(around.observer, around.reconvergence == Reconvergence::Stack);
    }
}
