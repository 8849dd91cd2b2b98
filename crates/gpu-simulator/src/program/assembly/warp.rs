//! Instructions of a warp whose members are computed: the lanes are brought together first.

use super::body::{Body, Root};
use super::shape::Source;
use crate::program::operand::Kind;
use crate::program::{Operation, Register, WordSource};

/// Machine instructions of `match`, `vote`, `redux` and `shfl` whose members no number in the text says. Source: disassembly of kernels of
/// one such instruction (`ptxas -arch sm_90` of CUDA 13.0, `nvdisasm`).
pub(super) fn machine_instructions(body: &Body<'_>, pc: u32) -> Option<f32> {
    let (members, count) = match body.instruction(pc).operation {
        Operation::Match { members, .. }
        | Operation::Vote { waits: true, members, .. }
        | Operation::Reduce { members, .. } => (members, 4.0),
        Operation::Shuffle { waits: true, sources: [.., members], .. } => (members, 2.0),
        _ => return None,
    };
    let WordSource::Register(slot) = members else { return None };
    let members = Source::Register(Register { kind: Kind::Word, slot });
    (!matches!(body.root(members), Root::Constant(_))).then_some(count)
}
