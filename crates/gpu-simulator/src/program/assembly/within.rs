//! Machine instructions that are counted and not timed by themselves: what an instruction takes was measured with them.
//!
//! They were read from the machine code of kernels that were made for this, and of those of the families (`ptxas` of CUDA 13.0, then
//! `cuobjdump -sass`):
//!
//! | PTX | machine code |
//! | --- | --- |
//! | `fence` and `membar` of more than a block | MEMBAR, ERRBAR, CCTL.IVALL; from compute capability 9 on CGAERRBAR, too |
//! | `barrier.cluster.arrive` | in clusters BRA, MEMBAR, ERRBAR, CGAERRBAR, UCGABAR_ARV, BRA, of which `.relaxed` has no MEMBAR, ERRBAR, CGAERRBAR; else BRA, NOP |
//! | `barrier.cluster.wait` | in clusters BRA, UCGABAR_WAIT, CCTL.IVALL, BRA; else BRA, BAR.SYNC |
//! | the first of them in a function | LDC and ISETP: whether blocks are in clusters |
//! | accesses to `shared::cluster` | two MOV, the halves of a generic address; for the first in a function S2R of the window |
//! | a bulk copy of bytes | for each lane that copies ELECT, three R2UR, their two moves, UBLKCP, BRA: places are in uniform registers |
//! | `fence.proxy.async` | MEMBAR.ALL.CTA and FENCE.VIEW.ASYNC |
//! | an atomic on a vector in which a value stands several times | MOV: registers of a vector lie side by side |

use std::collections::{HashMap, HashSet};

use super::Target;
use super::body::{Body, Root};
use super::shape::Source;
use crate::program::operand::Kind;
use crate::program::{Atomic, Copied, FenceScope, Operation, Register, SharedOf, WordSource};

/// Machine instructions of an instruction, besides those that are timed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Within {
    /// Of a warp whose block is in a cluster, and of one whose block is alone.
    in_cluster: f32,
    alone: f32,
    /// For each lane that the guard lets through.
    pub(crate) of_lane: f32,
}

impl Within {
    fn of(count: f32) -> Self {
        Self { in_cluster: count, alone: count, of_lane: 0.0 }
    }

    /// Those of a warp.
    pub(crate) fn of_warp(self, is_in_cluster: bool) -> f32 {
        if is_in_cluster { self.in_cluster } else { self.alone }
    }
}

/// What is counted besides of each instruction of a function that has such.
pub(super) fn find(body: &Body<'_>, target: Target) -> HashMap<u32, Within> {
    let mut all = HashMap::new();
    let (mut asks_for_cluster, mut reaches_out) = (true, true);
    // The values of vectors that have their place already, of each block.
    let mut placed: HashMap<usize, HashSet<u32>> = HashMap::new();
    for pc in body.all() {
        let instruction = body.instruction(pc);
        let within = match &instruction.operation {
            Operation::Fence(fence) if fence.scope != FenceScope::Block => {
                Within::of(if target.has_clusters() { 3.0 } else { 2.0 })
            }
            Operation::ClusterBarrier { arrives, releases } => {
                let first = if std::mem::take(&mut asks_for_cluster) { 2.0 } else { 0.0 };
                // One of those of a wait is timed.
                let (in_cluster, alone) = match (arrives, releases) {
                    (true, true) => (6.0, 2.0),
                    (true, false) => (3.0, 2.0),
                    (false, _) => (3.0, 1.0),
                };
                Within { in_cluster: first + in_cluster, alone: first + alone, of_lane: 0.0 }
            }
            Operation::BulkCopy(own) if matches!(own.copied, Copied::Bytes(_)) => {
                // One of them is the instruction's own.
                Within { in_cluster: -1.0, alone: -1.0, of_lane: 8.0 }
            }
            Operation::Nothing if instruction.row.form.starts_with("fence.proxy") => Within::of(1.0),
            operation if is_of_cluster(operation) => {
                Within::of(2.0 + if std::mem::take(&mut reaches_out) { 1.0 } else { 0.0 })
            }
            Operation::Atomic(own) if !own.more.is_empty() => {
                Within::of(moves(body, own, placed.entry(body.graph.block_of(pc)).or_default()))
            }
            _ => continue,
        };
        all.insert(pc, within);
    }
    all
}

fn is_of_cluster(operation: &Operation) -> bool {
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => access.shared_of == SharedOf::Cluster,
        Operation::Atomic(own) => own.of_cluster,
        _ => false,
    }
}

/// Elements of a vector that are moved to their place: all of one in which a value stands several times, but for the first place of each value.
fn moves(body: &Body<'_>, atomic: &Atomic, placed: &mut HashSet<u32>) -> f32 {
    let words = std::iter::once(atomic.word).chain(atomic.more.iter().map(|own| own.word));
    let roots: Option<Vec<u32>> = words.map(|word| root(body, word)).collect();
    // Constants are made where they are wanted.
    let Some(roots) = roots else { return 0.0 };
    let distinct: HashSet<u32> = roots.iter().copied().collect();
    if distinct.len() == roots.len() {
        return 0.0;
    }
    let first = distinct.into_iter().filter(|own| placed.insert(*own)).count();
    (roots.len() - first) as f32
}

/// The register that a word is a copy of.
fn root(body: &Body<'_>, word: WordSource) -> Option<u32> {
    let WordSource::Register(slot) = word else { return None };
    match body.root(Source::Register(Register { kind: Kind::Word, slot })) {
        Root::Register(register) => Some(register.slot),
        _ => None,
    }
}
