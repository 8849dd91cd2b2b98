//! Branches, the points at which lanes meet again, and ends.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Target;
use super::body::Body;
use super::folding::Weights;
use super::members;
use super::predication::Predication;
use super::uniform::Differing;
use crate::program::{NO_PC, Operation, Space};

/// What the flow of control costs.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// Branches whose lanes come to the point where they meet one way after the other, and wait there each time.
    pub(super) rejoining: HashSet<u32>,
    /// Ends of which not all warps come to the instruction itself, with those that they are issued with.
    pub(super) ends: HashMap<u32, u32>,
    /// Loads of constant memory at places that may differ from lane to lane.
    pub(super) indexed: HashSet<u32>,
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
    for pc in checked(body, &meetings) {
        // The mask that is checked is an operand before compute capability 9.
        weights.add(pc, if target.has_clusters() { 2.0 } else { 1.0 });
    }
    for (meet, branches) in meetings {
        weights.add(meet, 1.0);
        weights.add(place_of_meeting(body, meet, branches[0]), 1.0);
        flow.rejoining.extend(branches);
    }
    flow
}

/// The first instruction that all lanes of a warp must come to, of each block that some may have left out and that has several such: a branch
/// there checks once that all are there. Source: kernels that grow by an instruction, as in the tests.
fn checked(body: &Body<'_>, meetings: &BTreeMap<u32, Vec<u32>>) -> BTreeSet<u32> {
    let graph = &body.graph;
    let left_out = meetings.iter().flat_map(|(meet, branches)| {
        let first = branches.iter().map(|branch| branch + 1).min().unwrap_or(*meet);
        graph.block_of(first)..graph.block_of(*meet)
    });
    let first_of_several = |block: usize| {
        let mut all = graph.blocks[block].clone().filter(|pc| members::are_waited_for(body, *pc));
        all.next().filter(|_| all.next().is_some())
    };
    left_out.filter_map(first_of_several).collect()
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
