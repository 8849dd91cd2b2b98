//! Loops that no counter ends, told before the limits of other loops: those that have no way out, and those that nothing but memory can end.

use super::block::Block;
use super::fault::{Fault, Problem};
use super::launch::Launch;
use super::paths::Wait;
use super::standstill::{BETWEEN_LOOKS, FIRST_LOOK};
use crate::program::{Lead, Leads, Program};

/// What blocks were doing at the last look, in which all that matters is whether anyone has left a loop since.
#[derive(Debug, Default)]
pub(super) struct Spinning {
    /// `None` before the first look, and where nothing is known of the program's loops.
    leads: Option<Leads>,
    has_looked: bool,
    /// Instructions at the last look, and when a lane left a loop last, as far as looks tell.
    steps: u64,
    since: u64,
    /// Lanes of atomics at that time.
    lanes_since: u64,
    kept: Vec<u64>,
    now: Vec<u64>,
}

impl Spinning {
    /// Looks at the blocks of a launch between two turns, if it is time to. `steps` are instructions of all, also of blocks that have ended.
    ///
    /// # Errors
    /// That they are taken to have no end.
    pub(super) fn look(
        &mut self,
        program: &Program,
        launch: &Launch,
        blocks: &[Block],
        steps: u64,
    ) -> Result<(), Fault> {
        // Looking takes less than what is executed in between.
        let between = BETWEEN_LOOKS.max(self.now.len() as u64);
        if steps < FIRST_LOOK || steps - self.steps < between {
            return Ok(());
        }
        self.steps = steps;
        if !std::mem::replace(&mut self.has_looked, true) {
            self.leads = Leads::of(program);
        }
        let Some(leads) = &self.leads else { return Ok(()) };
        self.now.clear();
        let mut is_waiting = true;
        for block in blocks {
            let (lead, all_wait) = block.tell_loops(leads, &mut self.now);
            if lead == Some(Lead::Nothing) {
                return Err(block.endless_by(program, |positions| Problem::NoWayOut { positions }));
            }
            is_waiting &= all_wait;
        }
        // Each lane of an atomic takes as long as an instruction.
        let lanes = blocks.iter().flat_map(|block| &block.warps).map(|warp| warp.lanes_of_atomics).sum::<u64>();
        if !is_waiting || self.now != self.kept {
            (self.since, self.lanes_since) = (steps, lanes);
            std::mem::swap(&mut self.kept, &mut self.now);
            return Ok(());
        }
        let passed = steps - self.since;
        match blocks.first() {
            Some(block) if passed + (lanes - self.lanes_since) > launch.step_limit => {
                Err(block.endless_by(program, |positions| Problem::MemoryLimit { steps: passed, positions }))
            }
            _ => Ok(()),
        }
    }
}

impl Block {
    /// The loops that its lanes are in. Tells what leads least far out of one, and whether all lanes wait for others or are in loops that memory
    /// alone can end.
    fn tell_loops(&self, leads: &Leads, loops: &mut Vec<u64>) -> (Option<Lead>, bool) {
        let (mut least, mut all_wait) = (None, true);
        for warp in &self.warps {
            loops.push(self.number() << 8 | u64::from(warp.number));
            for path in &warp.paths.list {
                let known = leads.at(path.pc);
                let lead = known.map(|(_, lead)| lead);
                least = least.max(lead);
                // Of those that wait at a barrier, its round tells whether they have waited since.
                let (is_held, round) = match path.wait {
                    Wait::Ready => (false, 0),
                    Wait::Barrier { generation, .. } => (true, generation + 1),
                    Wait::Cluster { round, .. } => (true, round + 1),
                    Wait::Lanes { .. } => (lead.is_none(), 0),
                };
                all_wait &= is_held || lead >= Some(Lead::Memory);
                let of_loop = known.map_or(u64::from(path.pc) << 32, |(cycle, _)| cycle as u64);
                loops.extend([of_loop, round]);
            }
        }
        (least, all_wait)
    }
}
