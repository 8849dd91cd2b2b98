//! Instructions that a profile's GPU does not have. PTX for today's GPUs runs on profiles of old ones too, as far as the
//! old one could have done the same.

use super::profile::Profile;
use super::program::{Program, Requirement};

/// Refuses a program with instructions that the profile's GPU cannot execute.
///
/// # Errors
/// Each kind of them once, with its line and the compute capability that has it.
pub(crate) fn check(program: &Program, profile: &Profile) -> Result<(), String> {
    let mut missing: Vec<(&str, String)> = Vec::new();
    for instruction in &program.code {
        let Some(Requirement { what, capability }) = instruction.row.requirement else { continue };
        let (major, minor) = capability;
        if profile.compute_capability < capability && !missing.iter().any(|(known, _)| *known == what) {
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
