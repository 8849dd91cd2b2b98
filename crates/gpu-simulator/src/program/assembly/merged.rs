//! Atomics that a compiler makes fewer of: lanes add up first what they would add at one address.
//!
//! What ptxas merges was read from the machine code of kernels that were made for this (`ptxas -arch sm_90` of CUDA 13.0, then
//! `cuobjdump -sass`; `sm_80` does the same, `sm_75` has shuffles for REDUX and no ATOMS.POPC.INC). The address is one that all lanes of a
//! warp have for all that the compiler knows, in global or shared memory or generic:
//!
//! | PTX | machine code |
//! | --- | --- |
//! | `add.u32` or `add.u64` of a value that lanes have alike | VOTEU, UFLO, POPC, ISETP, and the atomic of one lane |
//! | the same where the old value is used | besides LOP3, POPC, SHFL, IADD3 |
//! | `add`, `min`, `max`, `and`, `or`, `xor` of 32 bits, the old value is not used | VOTEU, UFLO, ISETP, REDUX, MOV, and the atomic of one lane |
//! | `add.u32` of values that differ, the old value is used | where all lanes are there a scan of SHFL.UP and the atomic of one lane, else one of each |
//! | floats, `exch`, `cas`, `inc`; `min.s64` and other 64-bit functions | one of each lane |
//! | `add.u32` of 1 and `inc` without a bound on shared memory, the old value is not used, any address | ATOMS.POPC.INC.32 |
//! | any of them where only one thread of the block comes | one |

#[cfg(test)]
mod tests;

use super::body::{Body, Root};
use super::comparisons::asks_for_equality;
use super::folding::Weights;
use super::shape::{Source, base_of};
use super::uniform::Differing;
use crate::program::operand::Kind;
use crate::program::{Atomic, AtomicFunction, Merged, Operation, Register, Space, Special};

/// Instructions by which lanes find the one that does it for all: VOTEU, UFLO, ISETP.
const ELECTION: f32 = 3.0;
/// REDUX and MOV.
const SUM: f32 = 2.0;
/// POPC.
const COUNT: f32 = 1.0;
/// IMAD, which has the count by the value.
const PRODUCT: f32 = 1.0;
/// S2R of the lanes below, LOP3, POPC, SHFL and IADD3.
const SHARE: f32 = 5.0;
/// Halves and carries of 64 bits.
const LONG: f32 = 4.0;
/// Six SHFL.UP and one SHFL.IDX, each with an addition and most with a move.
const SCAN: f32 = 20.0;

/// What becomes of each atomic of a function that is merged, by its place.
pub(super) fn find(body: &Body<'_>) -> Vec<(u32, Merged)> {
    let atomics = || body.all().filter(|pc| matches!(body.instruction(*pc).operation, Operation::Atomic(_)));
    if atomics().next().is_none() {
        return Vec::new();
    }
    let differing = Differing::with_loads(body);
    // Where one thread comes, lanes need not agree on one.
    let is_merged = |pc, own| !(own == Merged::Warp && comes_alone(body, pc));
    let of = |pc| Some((pc, merged(body, &differing, pc).filter(|own| is_merged(pc, *own))?));
    atomics().filter_map(of).collect()
}

/// Adds what it costs to merge them.
pub(super) fn weigh(body: &Body<'_>, weights: &mut Weights, all: &[(u32, Merged)]) {
    let mut blocks = Vec::new();
    for &(pc, merged) in all {
        let Operation::Atomic(atomic) = &body.instruction(pc).operation else { continue };
        let block = body.graph.block_of(pc);
        if merged == Merged::Ones || comes_alone(body, pc) {
            continue;
        }
        // Those of a block are done by the same lane, whose number is read once.
        let election = if blocks.contains(&block) { 0.0 } else { ELECTION + 1.0 };
        blocks.push(block);
        let sum = match merged {
            Merged::WholeWarp => SCAN,
            _ if adds(atomic) && value_is_one(body, pc) => COUNT,
            _ if adds(atomic) && value_is_alike(body, pc) => COUNT + PRODUCT,
            _ => SUM,
        };
        let share = if merged == Merged::Warp && is_asked_for(body, atomic) { SHARE } else { 0.0 };
        let long = if atomic.long { LONG } else { 0.0 };
        weights.add(pc, election + sum + share + long);
    }
}

fn merged(body: &Body<'_>, differing: &Differing, pc: u32) -> Option<Merged> {
    let Operation::Atomic(atomic) = &body.instruction(pc).operation else { return None };
    let is_asked_for = is_asked_for(body, atomic);
    if counts_ones(body, pc, atomic) && !is_asked_for {
        return Some(Merged::Ones);
    }
    if base_of(&body.instruction(pc).operation).is_some_and(|base| differing.has(base)) {
        return None;
    }
    let alike = body.sources(pc).iter().filter_map(|source| source.register()).all(|own| !differing.has(own));
    let is_integer = matches!(
        atomic.function,
        AtomicFunction::Add
            | AtomicFunction::Min { .. }
            | AtomicFunction::Max { .. }
            | AtomicFunction::And
            | AtomicFunction::Or
            | AtomicFunction::Xor
    );
    match (is_asked_for, atomic.bytes) {
        (_, 4 | 8) if adds(atomic) && alike => Some(Merged::Warp),
        (false, 4) if is_integer => Some(Merged::Warp),
        (true, 4) if adds(atomic) => Some(Merged::WholeWarp),
        _ => None,
    }
}

fn adds(atomic: &Atomic) -> bool {
    atomic.function == AtomicFunction::Add
}

/// Whether the old value is used.
fn is_asked_for(body: &Body<'_>, atomic: &Atomic) -> bool {
    let kind = if atomic.long { Kind::Long } else { Kind::Word };
    atomic.destinations().any(|slot| !body.graph.readers(Register { kind, slot }).is_empty())
}

fn constant(body: &Body<'_>, pc: u32) -> Option<u64> {
    match body.root(*body.sources(pc).first()?) {
        Root::Constant(value) => Some(value),
        _ => None,
    }
}

fn value_is_one(body: &Body<'_>, pc: u32) -> bool {
    constant(body, pc) == Some(1)
}

fn value_is_alike(body: &Body<'_>, pc: u32) -> bool {
    matches!(
        body.sources(pc).first().map(|source| body.root(*source)),
        Some(Root::Constant(_) | Root::Parameter { .. })
    )
}

/// Whether it adds 1 to a word of shared memory.
fn counts_ones(body: &Body<'_>, pc: u32, atomic: &Atomic) -> bool {
    let counts = match atomic.function {
        AtomicFunction::Add => value_is_one(body, pc),
        AtomicFunction::Increment => constant(body, pc) == Some(u64::from(u32::MAX)),
        _ => false,
    };
    atomic.space == Space::Shared && atomic.bytes == 4 && counts
}

/// Whether only one lane comes: by a guard or a branch that compares the index of the thread with a constant.
fn comes_alone(body: &Body<'_>, pc: u32) -> bool {
    let graph = &body.graph;
    let branch = match graph.predecessors[graph.block_of(pc)][..] {
        [before] => graph.blocks[before].clone().last().and_then(|last| body.instruction(last).guard),
        _ => None,
    };
    body.instruction(pc).guard.into_iter().chain(branch).any(|guard| {
        let predicate = Source::Register(Register { kind: Kind::Predicate, slot: guard.predicate });
        body.maker(predicate).is_some_and(|(comparison, _)| names_a_thread(body, comparison))
    })
}

/// Whether it tells if the index of the thread is a constant.
fn names_a_thread(body: &Body<'_>, comparison: u32) -> bool {
    let [index, constant] = body.sources(comparison) else { return false };
    let Root::Register(register) = body.root(*index) else { return false };
    let is_index = body.writer(register).is_some_and(|(writer, _)| {
        matches!(body.instruction(writer).operation, Operation::ReadSpecial { special: Special::ThreadIndex(_), .. })
    });
    is_index
        && matches!(body.root(*constant), Root::Constant(_))
        && asks_for_equality(&body.instruction(comparison).operation)
}
