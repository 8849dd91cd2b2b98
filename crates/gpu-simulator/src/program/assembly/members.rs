//! Instructions that the lanes of a warp do together, and the lanes that take part: their members.

use super::body::{Body, Root};
use super::shape::Source;
use crate::program::operand::Kind;
use crate::program::{Operation, Register, WordSource};

/// Machine instructions of `match`, `vote`, `redux` and `shfl` whose members are computed: they are brought together first. Source:
/// disassembly of kernels of one such instruction (`ptxas -arch sm_90` of CUDA 13.0, `nvdisasm`).
pub(super) fn machine_instructions(body: &Body<'_>, pc: u32) -> Option<f32> {
    let are_computed = members(&body.instruction(pc).operation).is_some_and(|members| !is_number(body, members));
    let count = if matches!(body.instruction(pc).operation, Operation::Shuffle { .. }) { 2.0 } else { 4.0 };
    let is_barrier = matches!(body.instruction(pc).operation, Operation::WarpBarrier { .. });
    (are_computed && !is_barrier).then_some(count)
}

/// Whether the instruction waits for members that a number in the text says.
pub(super) fn are_waited_for(body: &Body<'_>, pc: u32) -> bool {
    members(&body.instruction(pc).operation).is_some_and(|members| is_number(body, members))
}

fn members(operation: &Operation) -> Option<WordSource> {
    match *operation {
        Operation::Match { members, .. }
        | Operation::Vote { waits: true, members, .. }
        | Operation::Reduce { members, .. }
        | Operation::WarpBarrier { members }
        | Operation::Shuffle { waits: true, sources: [.., members], .. } => Some(members),
        _ => None,
    }
}

fn is_number(body: &Body<'_>, members: WordSource) -> bool {
    let WordSource::Register(slot) = members else { return true };
    let register = Source::Register(Register { kind: Kind::Word, slot });
    matches!(body.root(register), Root::Constant(_))
}
