//! What a GPU's compiler makes of a function: how many machine instructions each PTX instruction becomes where it stands.
//!
//! The table of instructions says what each costs on its own. ptxas sees more: sums become parts of addresses and products, parameters
//! are loaded where they are used, short branches disappear. Nothing here changes what is executed; only what it counts for.

mod body;
mod comparisons;
mod constants;
mod expansion;
mod flow;
mod folding;
mod graph;
mod members;
mod merged;
mod predication;
mod shape;
#[cfg(test)]
mod tests;
mod uniform;
mod within;

use std::collections::HashMap;
use std::ops::Range;

use super::control::ControlFlow;
use super::decode::Constants;
use super::{Instruction, Merged, Operation};
use crate::class::{Class, Cost, Unit};
use body::Body;
pub(crate) use flow::Meeting;
use folding::Weights;
use graph::Graph;
use predication::Predication;
pub(super) use shape::{Shape, Source, shape_of, sources_of};
pub(crate) use within::Within;

/// A kind of GPU that code is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Compute capability 7.
    Volta,
    /// Compute capability 8.
    Ampere,
    /// Compute capability 9 and later.
    Hopper,
}

impl Target {
    const ALL: [Self; 3] = [Self::Volta, Self::Ampere, Self::Hopper];

    fn of(capability: (u32, u32)) -> Option<Self> {
        match capability.0 {
            0..7 => None,
            7 => Some(Self::Volta),
            8 => Some(Self::Ampere),
            _ => Some(Self::Hopper),
        }
    }

    fn capability(self) -> (u32, u32) {
        match self {
            Self::Volta => (7, 0),
            Self::Ampere => (8, 0),
            Self::Hopper => (9, 0),
        }
    }

    /// Whether accesses to global memory take a descriptor.
    fn has_descriptors(self) -> bool {
        self != Self::Volta
    }

    /// Whether shared memory begins where the block's place in its cluster says.
    fn has_clusters(self) -> bool {
        self == Self::Hopper
    }

    /// Whether parameters are loaded into registers, and are no operands.
    fn loads_parameters(self) -> bool {
        self == Self::Hopper
    }
}

/// What an instruction becomes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lowering {
    /// Machine instructions on each [`Target`]; none before the pass.
    weights: Option<[f32; Target::ALL.len()]>,
    /// Those that come before it: loads of what it wants, and where lanes meet again.
    besides: [f32; Target::ALL.len()],
    /// What it waits for because of these, on each target.
    waits: [Waits; Target::ALL.len()],
    /// Those that are counted and not timed, on each target.
    within: [Within; Target::ALL.len()],
    /// Whether it has become a multiply-add.
    multiplies: bool,
    /// The instruction whose issues are its own: where a branch is none, that branch.
    issued_with: Option<u32>,
    /// Whether it loads constant memory at a place that may differ from lane to lane, for all that a compiler can know.
    pub(crate) is_indexed: bool,
    /// What lanes that part here wait at for each other, where they come there one way after the other.
    pub(crate) meeting: Option<Meeting>,
    /// Whether it leads back to the begin of a loop that waits: what is loaded before it stays loaded.
    pub(crate) waits_in_loop: bool,
}

/// What a warp waits for before an instruction: for what some of the moves before it find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Waits {
    /// Where shared memory begins, in a part of a loop that not every turn comes to: a special register says it.
    pub shared_memory: bool,
    /// A parameter that is loaded since the last branch.
    pub parameter: bool,
    /// Its lanes.
    pub lanes: Gathering,
    /// Lanes that may have parted, whether they have or not: they meet at a point of their own (BSYNC).
    pub meets: bool,
}

/// What a warp does to have all of its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Gathering {
    /// Nothing.
    #[default]
    No,
    /// A branch checks that they are there.
    Checks,
    /// It waits for all.
    Waits,
}

/// What an instruction costs where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MachineCost {
    /// What the machine instructions are.
    pub class: Class,
    /// What executes them.
    pub unit: Unit,
    /// How many they are; a part of one where an unrolled loop has one for several.
    pub weight: f32,
    /// Moves that come before it.
    pub besides: f32,
    /// Instructions of floats around that of an approximate function: what brings its operand into its range, and its result back.
    pub around: f32,
    /// What it waits for because of these.
    pub waits: Waits,
}

impl MachineCost {
    /// All machine instructions.
    pub(crate) fn total(self) -> f32 {
        self.weight + self.besides + self.around
    }

    /// Whether a predicate guards what brings the operand into its range, once that is compared; where more is around the function, the factor is
    /// selected. Source: disassembly of kernels of one such instruction (`ptxas -arch sm_90` of CUDA 13.0, `nvdisasm`).
    pub(crate) fn guards_operand(self) -> bool {
        (2.5..4.5).contains(&self.around)
    }
}

impl Lowering {
    /// Whether nothing is left of the instruction.
    pub(crate) fn is_gone(&self) -> bool {
        self.weights.is_some_and(|weights| weights.iter().all(|weight| *weight == 0.0))
    }
}

impl Instruction {
    /// The instruction whose issues are its own on a GPU of this compute capability, if that is another.
    pub(crate) fn issued_with(&self, capability: (u32, u32)) -> Option<u32> {
        self.lowering.issued_with.filter(|_| Target::of(capability).is_some())
    }

    /// Machine instructions that are counted besides those of [`Self::cost_on`], on a GPU of this compute capability.
    pub(crate) fn within(&self, capability: (u32, u32)) -> Within {
        Target::of(capability).map_or(Within::default(), |target| self.lowering.within[target as usize])
    }

    /// Whether it is a branch to one place.
    pub(crate) fn is_branch(&self) -> bool {
        matches!(self.operation, Operation::Branch { .. })
    }

    /// What it costs on a GPU of this compute capability.
    pub(crate) fn cost_on(&self, capability: (u32, u32)) -> MachineCost {
        let cost = self.row.cost_on(capability);
        let plain = MachineCost {
            class: cost.class,
            unit: cost.unit,
            weight: f32::from(cost.weight),
            besides: 0.0,
            around: 0.0,
            waits: Waits::default(),
        };
        let target = Target::of(capability).map(|target| target as usize);
        let Some((target, weights)) = target.zip(self.lowering.weights) else { return plain };
        let (weight, besides) = (weights[target], self.lowering.besides[target]);
        let class = match weight {
            // Of the instruction itself nothing is left.
            0.0 => Cost::of(Class::Move),
            // An address of 64 bits takes all of a product.
            _ if self.lowering.multiplies && cost.weight > 1 => Cost::of(Class::Multiply).on(Unit::WideMultiply),
            _ if self.lowering.multiplies => Cost::of(Class::Multiply),
            _ => cost,
        };
        let Cost { class, unit, .. } = class;
        let is_function = class == Class::Special && unit == Unit::Special && weight > 1.0;
        let (weight, around) = if is_function { (1.0, weight - 1.0) } else { (weight, 0.0) };
        MachineCost { class, unit, weight, besides, around, waits: self.lowering.waits[target] }
    }
}

/// Says of each instruction of the function in `range` what it becomes. Registers must still be virtual.
pub(super) fn lower(
    code: &mut [Instruction],
    range: Range<u32>,
    flow: &ControlFlow,
    constants: &Constants,
    is_kernel: bool,
) {
    if range.is_empty() {
        return;
    }
    let graph = Graph::new(code, range.clone(), flow);
    let body = Body::new(code, graph, constants);
    let merged = merged::find(&body);
    let all = Target::ALL.map(|target| weigh(&body, target, is_kernel, &merged));
    let lowerings: Vec<Lowering> = range.clone().map(|pc| all_of(&all, &body.graph, pc)).collect();
    for (pc, lowering) in range.zip(lowerings) {
        code[pc as usize].lowering = lowering;
    }
    for (pc, merged) in merged {
        if let Operation::Atomic(atomic) = &mut code[pc as usize].operation {
            atomic.merged = merged;
        }
    }
}

/// A function for one target.
struct Weighed {
    weights: Weights,
    predication: Predication,
    flow: flow::Flow,
    within: HashMap<u32, Within>,
}

fn weigh(body: &Body<'_>, target: Target, is_kernel: bool, merged: &[(u32, Merged)]) -> Weighed {
    let mut weights = Weights::of_rows(body, target);
    folding::fold(body, &mut weights, target);
    constants::load(body, &mut weights, target);
    let predication = Predication::of(body, &weights);
    constants::read_early(body, &mut weights, &predication);
    merged::weigh(body, &mut weights, merged);
    let flow = flow::weigh(body, &mut weights, &predication, target);
    if is_kernel {
        // The stack pointer.
        weights.add(body.all().start, 1.0);
    }
    Weighed { weights, predication, flow, within: within::find(body, target) }
}

fn all_of(all: &[Weighed; Target::ALL.len()], graph: &Graph, pc: u32) -> Lowering {
    let [.., Weighed { weights, predication, flow, .. }] = all;
    let end = flow.ends.get(&pc).copied();
    let with = end.unwrap_or_else(|| predication.issued_with(pc));
    Lowering {
        weights: Some(std::array::from_fn(|target| all[target].weights.of(pc))),
        besides: std::array::from_fn(|target| all[target].weights.besides(pc)),
        waits: std::array::from_fn(|target| all[target].weights.waits(pc)),
        within: std::array::from_fn(|target| all[target].within.get(&pc).copied().unwrap_or_default()),
        multiplies: weights.is_multiply(pc),
        issued_with: (with != pc).then_some(with),
        is_indexed: flow.indexed.contains(&pc),
        meeting: flow.rejoining.get(&pc).copied(),
        waits_in_loop: graph.waits_at(pc),
    }
}
