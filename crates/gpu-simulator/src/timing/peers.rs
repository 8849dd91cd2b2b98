//! The other blocks of the clusters that the timed blocks are in. They are on other multiprocessors and are executed, but not timed: they are taken
//! to come to the barrier of their cluster when the timed one does, and behind the turns that additions of floats in another block's memory take.

use std::collections::HashMap;

use crate::execute::{AccessKind, Block, Fault, GlobalMemory, Launch, Observer, Progress};
use crate::hardware::lanes::{Mask, Words, lanes_of};
use crate::program::{Operation, Program};

/// Instructions that each of their warps executes in a turn.
const TURN: u64 = 64;
/// Turns in which they come to a barrier at once: in more they come to it beside what is timed.
const TURNS_MOST: u32 = 256;

/// Floats that the others of a cluster add in the shared memory of one of its blocks.
#[derive(Debug, Default)]
struct Additions {
    /// The rank of the block that the access goes to of which this is told next.
    reaches: Option<u32>,
    /// Lanes that added in this round of the cluster's barrier, by rank and offset.
    lanes: HashMap<(u32, u32), u32>,
    /// The most at a word in the round before, where it was one of the others who completed that.
    complete: Option<u32>,
}

impl Additions {
    fn complete(&mut self) -> u32 {
        let most = self.lanes.values().copied().max().unwrap_or(0);
        self.lanes.clear();
        most
    }

    /// The most lanes at a word in the round that is complete.
    fn of_round(&mut self) -> u32 {
        self.complete.take().unwrap_or_else(|| self.complete())
    }
}

impl Observer for Additions {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}

    fn remote(&mut self, rank: u32) {
        self.reaches = Some(rank);
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, _bytes: u32) {
        let reaches = self.reaches.take().filter(|_| kind == AccessKind::FloatAtomic);
        for (rank, lane) in reaches.into_iter().flat_map(|rank| lanes_of(mask).map(move |lane| (rank, lane))) {
            *self.lanes.entry((rank, offsets[lane])).or_default() += 1;
        }
    }

    fn cluster_barriers_passed(&mut self, blocks: u32) {
        if blocks > 0 {
            self.complete = Some(self.complete());
        }
    }
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
    /// What the others of each cluster add.
    additions: Vec<Additions>,
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
            additions: (0..slots).map(|_| Additions::default()).collect(),
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
        self.additions[slot] = Additions::default();
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

    /// Notes the round of a cluster's barrier. If it is another one than before, warps go on at `cycle` and behind the turns that the others took
    /// to add floats in the round before, one after the other: that cycle.
    pub(super) fn passes(&mut self, slot: usize, round: u64, (cycle, turn_cycles): (f64, f64)) -> Option<f64> {
        (self.rounds[slot].0 != round).then(|| {
            let until = cycle + f64::from(self.additions[slot].of_round()) * turn_cycles;
            self.rounds[slot] = (round, until);
            self.released[slot] = 0.0;
            until
        })
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
            let blocks = &mut self.of_slots[slot];
            if !timed.waits_for_cluster() || !turn(blocks, (program, launch), memory, &mut self.additions[slot])? {
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
        for (blocks, additions) in self.of_slots.iter_mut().zip(&mut self.additions) {
            has_moved |= turn(blocks, (program, launch), memory, additions)?;
        }
        has_moved |= turn(&mut self.rest, (program, launch), memory, &mut Additions::default())?;
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
    additions: &mut Additions,
) -> Result<bool, Fault> {
    let mut has_moved = false;
    for block in blocks.iter_mut().filter(|block| !block.is_done()) {
        has_moved |= block.run(program, launch, memory, additions, TURN)? != Progress::Stuck;
    }
    Ok(has_moved)
}
