//! Branches, the points at which lanes meet again, and ends.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::body::Body;
use super::folding::Weights;
use super::members;
use super::predication::Predication;
use super::uniform::Differing;
use super::{Gathering, Target};
use crate::program::{NO_PC, Operation, Space};

/// What the flow of control costs.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// Branches whose lanes come to the point where they meet one way after the other, and wait there each time, with what makes them wait.
    pub(super) rejoining: HashMap<u32, Meeting>,
    /// Ends of which not all warps come to the instruction itself, with those that they are issued with.
    pub(super) ends: HashMap<u32, u32>,
    /// Loads of constant memory at places that may differ from lane to lane.
    pub(super) indexed: HashSet<u32>,
}

/// What lanes that parted wait at for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// A point of their own.
    Own,
    /// The next barrier of the block.
    Barrier,
    /// An exchange of values on one of the ways.
    Exchange,
}

/// Sets what branches cost, and adds what it costs to meet again.
pub(super) fn weigh(body: &Body<'_>, weights: &mut Weights, predication: &Predication, target: Target) -> Flow {
    let differing = Differing::of(body);
    let mut flow = Flow::default();
    // Branches by the point where their lanes meet.
    let mut meetings: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for pc in body.all() {
        let instruction = body.instruction(pc);
        match instruction.operation {
            Operation::Branch { target } => {
                if predication.removes(pc) || target == pc + 1 {
                    weights.set(pc, 0.0);
                    continue;
                }
                let meet = instruction.reconvergence;
                if meet != NO_PC && !body.instruction(meet).ends && differing.parts(body, pc) {
                    meetings.entry(meet).or_default().push(pc);
                }
            }
            Operation::Load { ref access, .. } if access.space == Space::Constant && differing.is_read_by(body, pc) => {
                flow.indexed.insert(pc);
            }
            Operation::Exit if instruction.guard.is_none() => flow.ends.extend(end(body, pc).map(|with| (pc, with))),
            _ => {}
        }
    }
    let apart = Apart::of(body, &meetings);
    for pc in &apart.checked {
        // The mask that is checked is an operand before compute capability 9.
        weights.add(*pc, if target.has_clusters() { 2.0 } else { 1.0 });
        weights.waits_mut(*pc).lanes = Gathering::Checks;
    }
    for pc in &apart.gathered {
        weights.add(*pc, 1.0);
        weights.waits_mut(*pc).lanes = Gathering::Waits;
    }
    for (meet, branches) in meetings {
        let meeting = apart.meeting(body, meet, &branches);
        if meeting == Meeting::Own {
            weights.add(meet, 1.0);
            weights.waits_mut(meet).meets = true;
            weights.add(place_of_meeting(body, meet, branches[0]), 1.0);
        }
        flow.rejoining.extend(branches.into_iter().map(|branch| (branch, meeting)));
    }
    flow
}

/// Instructions that lanes may come to one way after the other, though all of a warp must be there. Source: kernels that grow by an
/// instruction (`ptxas -arch sm_90` of CUDA 13.0), and `cuobjdump -sass` of this repository's.
struct Apart {
    /// The first of each block that checks whether all are there, by a branch (BRA.DIV).
    checked: BTreeSet<u32>,
    /// Those that the warp gathers its lanes for (WARPSYNC.ALL): barriers of the block, and an exchange that is the only one.
    gathered: BTreeSet<u32>,
}

impl Apart {
    fn of(body: &Body<'_>, meetings: &BTreeMap<u32, Vec<u32>>) -> Self {
        let graph = &body.graph;
        let waits = |pc: &u32| members::are_waited_for(body, *pc);
        let left_out: BTreeSet<usize> =
            meetings.iter().flat_map(|(meet, branches)| left_out(body, *meet, branches)).collect();
        let first: Vec<usize> =
            left_out.into_iter().filter(|block| graph.blocks[*block].clone().any(|pc| waits(&pc))).collect();
        let behind = graph.reachable(&first, None);
        let all = || body.all().filter(|pc| behind[graph.block_of(*pc)]);
        let barriers = all().filter(|pc| is_block_barrier(body, *pc));
        let exchanges: Vec<u32> = all().filter(waits).collect();
        if let [only] = exchanges[..] {
            return Self { checked: BTreeSet::new(), gathered: barriers.chain([only]).collect() };
        }
        let first_of_block =
            |pc: &u32| !exchanges.iter().any(|own| own < pc && graph.block_of(*own) == graph.block_of(*pc));
        Self { checked: exchanges.iter().copied().filter(first_of_block).collect(), gathered: barriers.collect() }
    }

    /// What the lanes of these branches wait for each other at.
    fn meeting(&self, body: &Body<'_>, meet: u32, branches: &[u32]) -> Meeting {
        let graph = &body.graph;
        let mut block = meet..graph.blocks[graph.block_of(meet)].end;
        // Arithmetic is done by each way for itself.
        let is_first = |pc: &u32| !super::super::control::is_only_arithmetic(&body.instruction(*pc).operation);
        let first = block.find(is_first);
        let is_inside = |pc: &u32| left_out(body, meet, branches).contains(&graph.block_of(*pc));
        if first.is_some_and(|first| self.gathered.contains(&first) && is_block_barrier(body, first)) {
            Meeting::Barrier
        } else if self.gathered.iter().any(|pc| is_inside(pc) && !is_block_barrier(body, *pc)) {
            Meeting::Exchange
        } else {
            Meeting::Own
        }
    }
}

fn is_block_barrier(body: &Body<'_>, pc: u32) -> bool {
    matches!(body.instruction(pc).operation, Operation::Barrier(_))
}

/// Blocks that some lanes leave out.
fn left_out(body: &Body<'_>, meet: u32, branches: &[u32]) -> Range<usize> {
    let first = branches.iter().map(|branch| branch + 1).min().unwrap_or(meet);
    body.graph.block_of(first)..body.graph.block_of(meet)
}

/// Where a point of meeting is announced: at the first branch to it, before any loop that the branch leaves.
fn place_of_meeting(body: &Body<'_>, meet: u32, branch: u32) -> u32 {
    let graph = &body.graph;
    let (block, behind) = (graph.block_of(branch), graph.block_of(meet));
    let left = graph.loops.iter().rev().find(|own| own.contains[block] && !own.contains[behind]);
    left.and_then(|own| graph.before(own)).unwrap_or(branch)
}

/// Lanes that branch to an end have ended there, so the end is issued with what stands before it.
fn end(body: &Body<'_>, pc: u32) -> Option<u32> {
    let graph = &body.graph;
    let block = graph.block_of(pc);
    let is_alone = graph.blocks[block].start == pc || body.instruction(graph.blocks[block].start).ends;
    let before = graph.blocks[block].start.checked_sub(1).filter(|before| body.all().contains(before))?;
    let falls_through = !matches!(
        body.instruction(before).operation,
        Operation::Branch { .. }
            | Operation::Exit
            | Operation::Return
            | Operation::BranchIndexed { .. }
            | Operation::Trap
    );
    (is_alone && falls_through && graph.predecessors[block].len() > 1).then_some(before)
}
