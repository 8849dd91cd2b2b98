//! What is not in a register yet: parameters, constants, where shared memory begins, the descriptor of global memory.
//!
//! GPUs of compute capability 7 and 8 take parameters as operands; from 9 on they are loaded before they are used. What is loaded is
//! used again where the block that loads it dominates, but in a loop with other loops inside, registers are too scarce for that. Where shared memory
//! begins is read anew in a part of a loop that not every turn comes to (`cuobjdump -sass` of `atomic_types` by block).

use std::collections::{HashMap, HashSet};

use super::Target;
use super::body::{Body, Root};
use super::folding::Weights;
use super::predication::Predication;
use super::shape::{Shape, Source};
use crate::program::operand::Kind;
use crate::program::{Base, Operation, Register, Space, Special};

/// Machine instructions that find where shared memory begins: the number of the block in its cluster, the window, and their sum.
pub(super) const SHARED_INSTRUCTIONS: usize = 3;

/// Something that must be in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Wanted {
    /// A 64-bit parameter in two registers that an address is computed in, so that they are lost.
    Pair(u32),
    /// A parameter.
    Parameter(u32),
    /// An extent of the block or the grid.
    Extent(u8),
    Constant(u64),
    /// Where the block's shared memory begins.
    Shared,
}

/// Adds what it costs to load what instructions want.
pub(super) fn load(body: &Body<'_>, weights: &mut Weights, target: Target) {
    let shared = SharedAddresses::of(body);
    let mut loader = Loader { body, weights, target, loaded: HashMap::new() };
    for pc in body.all().filter(|pc| body.is_alive(*pc)) {
        for wanted in wanted_by(body, loader.weights, &shared, pc) {
            loader.load(wanted, pc);
        }
    }
    if target.has_descriptors() {
        load_descriptor(body, loader.weights);
    }
}

struct Loader<'a, 'code> {
    body: &'a Body<'code>,
    weights: &'a mut Weights,
    target: Target,
    /// Blocks in which each is loaded.
    loaded: HashMap<Wanted, Vec<usize>>,
}

impl Loader<'_, '_> {
    fn load(&mut self, wanted: Wanted, pc: u32) {
        let graph = &self.body.graph;
        let around = graph.innermost(graph.block_of(pc));
        let is_read_anew = wanted == Wanted::Shared
            && self.target.has_clusters()
            && around.is_some_and(|own| !graph.comes_in_every_turn(own, graph.block_of(pc)));
        let leaf = around.filter(|own| graph.is_leaf(own) && !is_read_anew);
        let place = leaf.and_then(|own| graph.before(own)).unwrap_or(pc);
        let block = graph.block_of(place);
        let is_scarce = graph.innermost(block).is_some();
        let is_kept = match wanted {
            Wanted::Pair(_) => false,
            Wanted::Parameter(_) | Wanted::Extent(_) | Wanted::Constant(_) => !is_scarce,
            Wanted::Shared => true,
        };
        let blocks = self.loaded.entry(wanted).or_default();
        let is_there = |own: &usize| {
            *own != block && graph.dominates(*own, block) && around.is_some_and(|around| around.contains[*own])
        };
        if is_scarce
            && leaf.is_none()
            && self.target.loads_parameters()
            && matches!(wanted, Wanted::Parameter(_) | Wanted::Extent(_))
            && !blocks.iter().any(is_there)
        {
            // What this turn has loaded is there for the rest of it.
            self.weights.waits_mut(pc).parameter = true;
        }
        if blocks.iter().any(|own| *own == block || is_kept && graph.dominates(*own, block)) {
            return;
        }
        blocks.push(block);
        if let Wanted::Parameter(offset) = wanted
            && self.loaded.get(&Wanted::Parameter(offset ^ 4)).is_some_and(|blocks| blocks.contains(&block))
        {
            // Neighbours come with one load.
            return;
        }
        if is_read_anew {
            self.weights.waits_mut(place).shared_memory = true;
        }
        self.weights.add(place, self.cost(wanted));
    }

    fn cost(&self, wanted: Wanted) -> f32 {
        match wanted {
            Wanted::Pair(_) | Wanted::Constant(_) => 1.0,
            Wanted::Parameter(_) | Wanted::Extent(_) if self.target.loads_parameters() => 1.0,
            Wanted::Shared if self.target.has_clusters() => SHARED_INSTRUCTIONS as f32,
            Wanted::Parameter(_) | Wanted::Extent(_) | Wanted::Shared => 0.0,
        }
    }
}

/// What is under a predicate is executed in every turn that comes to its branch: where all do, shared memory's begin is read before the loop.
pub(super) fn read_early(body: &Body<'_>, weights: &mut Weights, predication: &Predication) {
    let graph = &body.graph;
    for pc in body.all().filter(|pc| body.is_alive(*pc) && predication.issued_with(*pc) != *pc) {
        let block = graph.block_of(predication.issued_with(pc));
        let around = graph.innermost(block).filter(|own| graph.comes_in_every_turn(own, block));
        if let Some(before) = around.and_then(|own| graph.before(own))
            && std::mem::take(&mut weights.waits_mut(pc).shared_memory)
        {
            weights.add(pc, -(SHARED_INSTRUCTIONS as f32));
            weights.add(before, SHARED_INSTRUCTIONS as f32);
        }
    }
}

/// The descriptor is loaded once, where all accesses can use it.
fn load_descriptor(body: &Body<'_>, weights: &mut Weights) {
    let graph = &body.graph;
    let is_global = |pc: &u32| matches!(body.space(*pc), Some(Space::Global | Space::Generic));
    let blocks: Vec<usize> = body.all().filter(is_global).map(|pc| graph.block_of(pc)).collect();
    let all_dominated = |block: &usize| blocks.iter().all(|own| graph.dominates(*block, *own));
    let candidates = (0..graph.blocks.len()).filter(all_dominated);
    let outside = candidates.filter(|block| graph.innermost(*block).is_none());
    if let Some(last) = outside.max().and_then(|block| graph.blocks[block].clone().last())
        && !blocks.is_empty()
    {
        weights.add(last, 1.0);
    }
}

/// Registers that addresses of shared memory are made of.
struct SharedAddresses(HashSet<(Kind, u32)>);

impl SharedAddresses {
    fn of(body: &Body<'_>) -> Self {
        let mut all = HashSet::new();
        let mut left: Vec<Register> =
            body.all().filter(|pc| body.space(*pc) == Some(Space::Shared)).filter_map(|pc| body.base(pc)).collect();
        while let Some(register) = left.pop() {
            if !all.insert((register.kind, register.slot)) {
                continue;
            }
            for pc in body.graph.value(register).map_or(&[][..], |value| &value.writes) {
                if matches!(
                    body.shape(*pc),
                    Shape::Add { .. }
                        | Shape::Subtract { .. }
                        | Shape::Copy
                        | Shape::MultiplyAdd
                        | Shape::Select { .. }
                ) {
                    left.extend(body.sources(*pc).iter().filter_map(|source| source.register()));
                }
            }
        }
        Self(all)
    }

    /// Whether the source is the address of a variable.
    fn has(&self, body: &Body<'_>, source: Source) -> bool {
        let Some(register) = source.register() else { return false };
        self.0.contains(&(register.kind, register.slot)) && matches!(body.root(source), Root::Constant(_))
    }
}

fn wanted_by(body: &Body<'_>, weights: &Weights, shared: &SharedAddresses, pc: u32) -> Vec<Wanted> {
    let shape = body.shape(pc);
    let mut all = Vec::new();
    if matches!(shape, Shape::Copy | Shape::Parameter | Shape::Bank) {
        return all;
    }
    let base = body.base(pc);
    let is_sum = shape == Shape::Add { long: true } && weights.is_multiply(pc);
    for register in body.graph.reads(pc).iter().filter(|own| own.kind != Kind::Predicate) {
        let source = Source::Register(*register);
        let is_lost = is_sum || base == Some(*register);
        match body.root(source) {
            Root::Parameter { offset } if is_lost && register.kind == Kind::Long => all.push(Wanted::Pair(offset)),
            Root::Parameter { offset } => all.push(Wanted::Parameter(offset)),
            Root::Bank(Special::BlockExtent(axis)) => all.push(Wanted::Extent(axis)),
            Root::Bank(Special::GridExtent(axis)) => all.push(Wanted::Extent(4 + axis)),
            Root::Constant(_) if shared.has(body, source) => all.push(Wanted::Shared),
            _ => {}
        }
        // The upper half of a 32-bit number that is added to a product.
        if is_sum && body.is_widened(source) {
            all.push(Wanted::Constant(0));
        }
    }
    if body.space(pc) == Some(Space::Shared) && is_at_constant(&body.instruction(pc).operation) {
        all.push(Wanted::Shared);
    }
    all.extend(constant_wanted_by(body, pc).map(Wanted::Constant));
    all
}

fn is_at_constant(operation: &Operation) -> bool {
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => access.address.base == Base::Zero,
        Operation::Atomic(own) => own.address.base == Base::Zero,
        _ => false,
    }
}

/// An instruction has place for one number; one that stores has none. Zero is a register.
fn constant_wanted_by(body: &Body<'_>, pc: u32) -> Option<u64> {
    let mut constants = body.sources(pc).iter().filter_map(|source| match body.root(*source) {
        Root::Constant(value) if value != 0 => Some(value),
        _ => None,
    });
    match body.shape(pc) {
        Shape::MultiplyAdd | Shape::FusedMultiplyAdd { .. } | Shape::Select { .. } => {
            constants.next().filter(|_| constants.next().is_some())
        }
        Shape::Memory => constants.next(),
        _ => None,
    }
}
