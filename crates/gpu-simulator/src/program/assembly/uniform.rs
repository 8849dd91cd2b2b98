//! Which branches all lanes of a warp take alike, for all that a compiler can know.

use std::collections::HashSet;

use super::body::{Body, Root};
use super::shape::{Shape, Source};
use crate::program::operand::Kind;
use crate::program::{Guard, NO_PC, Operation, Register, ShuffleMode, Space, Special, WordSource};

/// Whether what an instruction writes may differ from lane to lane.
enum Results {
    Differ,
    Alike,
    /// It does where what it reads does.
    AsSources,
}

/// Registers that may differ from lane to lane.
pub(super) struct Differing(HashSet<(Kind, u32)>);

impl Differing {
    /// What is loaded from memory may differ.
    pub(super) fn of(body: &Body<'_>) -> Self {
        Self::from(body, |pc| results(body, pc))
    }

    /// What lanes load from one place does not differ.
    pub(super) fn with_loads(body: &Body<'_>) -> Self {
        Self::from(body, |pc| match &body.instruction(pc).operation {
            Operation::Load { access, .. } if access.space != Space::Local => Results::AsSources,
            _ => results(body, pc),
        })
    }

    fn from(body: &Body<'_>, results: impl Fn(u32) -> Results) -> Self {
        let graph = &body.graph;
        let mut all = Self(HashSet::new());
        let mut parted = vec![false; graph.blocks.len()];
        loop {
            let known = all.0.len();
            for pc in body.all() {
                let differs = match results(pc) {
                    Results::Differ => true,
                    Results::Alike => false,
                    Results::AsSources => graph.reads(pc).iter().any(|register| all.has(*register)),
                };
                if differs {
                    all.0.extend(graph.writes(pc).iter().map(|register| (register.kind, register.slot)));
                }
            }
            for (block, range) in graph.blocks.iter().enumerate() {
                let last = range.clone().last().filter(|last| !parted[block] && all.parts(body, *last));
                if let Some(last) = last {
                    parted[block] = true;
                    all.part_at(body, block, last);
                }
            }
            if known == all.0.len() {
                return all;
            }
        }
    }

    /// What lanes write on some of the ways from the branch `last` of `block` differs where they have met again.
    fn part_at(&mut self, body: &Body<'_>, block: usize, last: u32) {
        let graph = &body.graph;
        let meet = body.instruction(last).reconvergence;
        let meet = (meet != NO_PC).then(|| graph.block_of(meet));
        let on_way = graph.reachable(&graph.successors[block], meet);
        for (inside, _) in on_way.iter().enumerate().filter(|(_, on_way)| **on_way) {
            for pc in graph.blocks[inside].clone() {
                for register in graph.writes(pc) {
                    if graph.readers(*register).iter().any(|reader| !on_way[graph.block_of(*reader)]) {
                        self.0.insert((register.kind, register.slot));
                    }
                }
            }
        }
    }

    pub(super) fn has(&self, register: Register) -> bool {
        self.0.contains(&(register.kind, register.slot))
    }

    /// Whether lanes may part at this instruction.
    pub(super) fn parts(&self, body: &Body<'_>, pc: u32) -> bool {
        let instruction = body.instruction(pc);
        let guard = instruction
            .guard
            .is_some_and(|Guard { predicate, .. }| self.has(Register { kind: Kind::Predicate, slot: predicate }));
        match instruction.operation {
            Operation::Branch { .. } | Operation::Exit | Operation::Return => guard,
            Operation::BranchIndexed { .. } => self.is_read_by(body, pc),
            _ => false,
        }
    }

    /// Whether the instruction reads such a register.
    pub(super) fn is_read_by(&self, body: &Body<'_>, pc: u32) -> bool {
        body.graph.reads(pc).iter().any(|register| self.has(*register))
    }
}

fn results(body: &Body<'_>, pc: u32) -> Results {
    match &body.instruction(pc).operation {
        // All lanes have what one of them has: ptxas moves it to a uniform register (R2UR).
        Operation::Shuffle { mode: ShuffleMode::Index, sources: [_, lane, ..], .. } if is_constant(body, *lane, pc) => {
            Results::Alike
        }
        operation if begins_to_differ(operation) => Results::Differ,
        _ => Results::AsSources,
    }
}

fn begins_to_differ(operation: &Operation) -> bool {
    match operation {
        Operation::ReadSpecial { special, .. } => !matches!(
            special,
            Special::BlockIndex(_)
                | Special::BlockExtent(_)
                | Special::GridExtent(_)
                | Special::BlockOfCluster(_)
                | Special::ClusterIndex(_)
                | Special::ClusterCount(_)
                | Special::Rank
                | Special::Warps
                | Special::Environment(_)
                | Special::Zero
        ),
        Operation::Load { access, .. } => !matches!(access.space, Space::Parameter | Space::Constant),
        Operation::Atomic(_)
        | Operation::Shuffle { .. }
        | Operation::Call(_)
        | Operation::LocalAddress { .. }
        | Operation::Product(_)
        | Operation::Rows(_)
        | Operation::ActiveMask { .. }
        | Operation::Match { .. } => true,
        _ => false,
    }
}

/// Whether it is a number for the instruction at `pc`, or a register that has one there.
fn is_constant(body: &Body<'_>, word: WordSource, pc: u32) -> bool {
    let WordSource::Register(slot) = word else { return true };
    let register = Register { kind: Kind::Word, slot };
    matches!(body.root(Source::Register(register)), Root::Constant(_)) || is_number_just_before(body, register, pc)
}

/// Whether a number was moved to the register before `pc` in the same block, and nothing else since.
fn is_number_just_before(body: &Body<'_>, register: Register, pc: u32) -> bool {
    let block = body.graph.blocks[body.graph.block_of(pc)].start..pc;
    let writer = block.rev().find(|before| body.graph.writes(*before).contains(&register));
    writer.is_some_and(|writer| {
        let is_for_all = body.instruction(writer).guard.is_none();
        is_for_all && body.shape(writer) == Shape::Copy && matches!(body.sources(writer), [Source::Constant(_)])
    })
}
