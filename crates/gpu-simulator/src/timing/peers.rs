//! The other blocks of the clusters that the timed blocks are in. They are on other multiprocessors and are executed, but not timed: they are taken
//! to come to the barrier of their cluster when the timed one does.

use crate::execute::{Block, Fault, GlobalMemory, Launch, Observer, Progress};
use crate::hardware::lanes::Mask;
use crate::program::{Operation, Program};

/// Instructions that each of their warps executes in a turn.
const TURN: u64 = 64;
/// Turns in which they come to a barrier at once: in more they come to it beside what is timed.
const TURNS_MOST: u32 = 256;

struct Nobody;

impl Observer for Nobody {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}
}

pub(super) struct Peers {
    /// Of each timed block.
    of_slots: Vec<Vec<Block>>,
    /// Of blocks that have ended.
    rest: Vec<Block>,
    /// The round of each cluster's barrier, and from which cycle on its warps go on behind the one before.
    rounds: Vec<(u64, f64)>,
    /// When what warps wrote was seen that have arrived at each cluster's barrier in this round.
    released: Vec<f64>,
    /// Whether there are such barriers, or such blocks.
    may_meet: bool,
    /// Instructions of turns.
    steps: u64,
}

impl Peers {
    pub(super) fn new(program: &Program, launch: &Launch, slots: usize) -> Self {
        let waits = |operation: &Operation| matches!(operation, Operation::ClusterBarrier { .. });
        Self {
            of_slots: (0..slots).map(|_| Vec::new()).collect(),
            rest: Vec::new(),
            rounds: vec![(0, 0.0); slots],
            released: vec![0.0; slots],
            may_meet: launch.cluster_blocks() > 1 || program.code.iter().any(|own| waits(&own.operation)),
            steps: 0,
        }
    }

    /// Whether blocks may wait at the barrier of a cluster.
    pub(super) fn may_meet(&self) -> bool {
        self.may_meet
    }

    /// A cluster comes into a place of the timed multiprocessor, of which this block is timed.
    pub(super) fn place(&mut self, slot: usize, number: u64, program: &Program, launch: &Launch) -> Option<Block> {
        let mut blocks = Block::of_cluster(program, launch, launch.cluster_of(number), |_| 0);
        let own = blocks.iter().position(|block| block.number() == number)?;
        let own = blocks.remove(own);
        self.of_slots[slot] = blocks;
        self.rounds[slot] = (own.cluster_round(), 0.0);
        self.released[slot] = 0.0;
        Some(own)
    }

    /// The timed block of a cluster has ended; the others go on.
    pub(super) fn outlive(&mut self, slot: usize) {
        self.rest.append(&mut self.of_slots[slot]);
    }

    /// The cycle from which on warps go on that waited for the last round of the cluster's barrier which is complete.
    pub(super) fn passed_cycle(&self, slot: usize) -> f64 {
        self.rounds[slot].1
    }

    /// What a warp wrote that arrived at its cluster's barrier is seen at this cycle.
    pub(super) fn releases(&mut self, slot: usize, cycle: f64) {
        self.released[slot] = self.released[slot].max(cycle);
    }

    /// When what warps wrote was seen that have arrived at its cluster's barrier in this round.
    pub(super) fn released_cycle(&self, slot: usize) -> f64 {
        self.released[slot]
    }

    /// Notes the round of a cluster's barrier. Tells whether it is another one than before, so that warps go on at `cycle`.
    pub(super) fn passes(&mut self, slot: usize, round: u64, cycle: f64) -> bool {
        let is_new = self.rounds[slot].0 != round;
        if is_new {
            self.rounds[slot] = (round, cycle);
            self.released[slot] = 0.0;
        }
        is_new
    }

    /// Lets the others of a cluster come to its barrier, where the timed block is.
    ///
    /// # Errors
    /// What one of them did wrong.
    pub(super) fn come_to_barrier<M: GlobalMemory>(
        &mut self,
        slot: usize,
        timed: &Block,
        (program, launch): (&Program, &Launch),
        memory: &mut M,
    ) -> Result<(), Fault> {
        for _ in 0..TURNS_MOST {
            if !timed.waits_for_cluster() || !turn(&mut self.of_slots[slot], (program, launch), memory)? {
                break;
            }
        }
        Ok(())
    }

    /// Gives all of them a turn. Tells whether anyone got on.
    ///
    /// # Errors
    /// What one of them did wrong, and that they have no end.
    pub(super) fn advance<M: GlobalMemory>(
        &mut self,
        (program, launch): (&Program, &Launch),
        memory: &mut M,
    ) -> Result<bool, Fault> {
        let mut has_moved = false;
        for blocks in self.of_slots.iter_mut().chain([&mut self.rest]) {
            has_moved |= turn(blocks, (program, launch), memory)?;
        }
        self.rest.retain(|block| !block.is_done());
        self.steps += TURN;
        let first = self.of_slots.iter().flatten().chain(&self.rest).next();
        match first.filter(|_| self.steps > launch.steps_of_all()) {
            Some(block) => Err(block.endless(program, self.steps)),
            None => Ok(has_moved),
        }
    }
}

/// Gives blocks a turn. Tells whether anyone got on.
fn turn<M: GlobalMemory>(
    blocks: &mut [Block],
    (program, launch): (&Program, &Launch),
    memory: &mut M,
) -> Result<bool, Fault> {
    let mut has_moved = false;
    for block in blocks.iter_mut().filter(|block| !block.is_done()) {
        has_moved |= block.run(program, launch, memory, &mut Nobody, TURN)? != Progress::Stuck;
    }
    Ok(has_moved)
}
