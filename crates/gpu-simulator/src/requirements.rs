//! Instructions that a profile's GPU does not have. PTX for today's GPUs runs on profiles of old ones too, as far as the
//! old one could have done the same.

use super::class::Class;
use super::profile::Profile;
use super::program::{AtomicFunction, BarrierKind, Instruction, Operation, Program, Space, VoteMode};

/// Refuses a program with instructions that the profile's GPU cannot execute.
///
/// # Errors
/// Each kind of them once, with its line and the compute capability that has it.
pub fn check(program: &Program, profile: &Profile) -> Result<(), String> {
    let mut missing: Vec<(&str, String)> = Vec::new();
    for instruction in &program.code {
        let Some((what, (major, minor))) = requirement(instruction) else { continue };
        if profile.compute_capability < (major, minor) && !missing.iter().any(|(known, _)| *known == what) {
            missing.push((what, format!("line {}: {what} needs compute capability {major}.{minor}", instruction.line)));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let (major, minor) = profile.compute_capability;
    let lines: Vec<String> = missing.into_iter().map(|(_, line)| line).collect();
    Err(format!(
        "{} cannot run on {} (compute capability {major}.{minor}): {}",
        program.name,
        profile.title,
        lines.join("; ")
    ))
}

/// What is special about an instruction, and the first compute capability that has it.
///
/// Source: CUDA C Programming Guide 4, appendix F.1, and the PTX ISA's target notes.
fn requirement(instruction: &Instruction) -> Option<(&'static str, (u32, u32))> {
    if instruction.class == Class::Double {
        return Some(("double precision", (1, 3)));
    }
    Some(match &instruction.operation {
        Operation::Atomic(atomic) => match (atomic.function, atomic.space, atomic.long) {
            (AtomicFunction::AddFloat, _, true) => ("a double-precision atomic addition", (6, 0)),
            (AtomicFunction::AddFloat, _, false) => ("a floating-point atomic addition", (2, 0)),
            (_, Space::Shared, true) => ("a 64-bit atomic on shared memory", (2, 0)),
            (_, Space::Shared, false) => ("an atomic on shared memory", (1, 2)),
            (_, Space::Generic, _) => ("an atomic on a generic address", (2, 0)),
            (_, _, true) => ("a 64-bit atomic", (1, 2)),
            (_, _, false) => ("an atomic", (1, 1)),
        },
        Operation::Shuffle { .. } => ("a shuffle", (3, 0)),
        Operation::Vote { mode: VoteMode::Ballot, .. } => ("a ballot", (2, 0)),
        Operation::Vote { .. } => ("a vote", (1, 2)),
        Operation::Match { .. } => ("a match", (7, 0)),
        Operation::Reduce { .. } => ("a reduction over the warp", (8, 0)),
        Operation::CopyAsync { .. } => ("an asynchronous copy", (8, 0)),
        Operation::Sleep => ("nanosleep", (7, 0)),
        Operation::Call(_) => ("a call", (2, 0)),
        Operation::Barrier(barrier) if barrier.kind != BarrierKind::Synchronise || barrier.threads.is_some() => {
            ("a barrier for some of the warps, or with a result", (2, 0))
        }
        Operation::Load { access, .. } | Operation::Store { access, .. } if access.space == Space::Generic => {
            ("a generic address", (2, 0))
        }
        _ => return None,
    })
}
