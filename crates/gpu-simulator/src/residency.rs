//! What a launch takes of a multiprocessor, and how many of its blocks that holds.

use crate::hardware::occupancy::{Residency, Resources, resident_blocks, resident_blocks_spilled};
use crate::profile::Profile;
use crate::program::Program;

/// 32-bit registers of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// How many.
    pub per_thread: u32,
    /// Whether that is an estimate, which may be too high for a block that runs on the GPU.
    pub is_estimate: bool,
}

impl Registers {
    /// The estimate for a program: the values that its PTX has alive at once.
    pub fn estimated(program: &Program) -> Self {
        Self { per_thread: program.estimated_registers(), is_estimate: true }
    }
}

/// What a block of `threads_per_block` threads takes that asks for so many bytes of dynamic shared memory.
pub fn resources(
    program: &Program,
    registers: Registers,
    threads_per_block: u32,
    dynamic_shared_bytes: u32,
) -> Resources {
    Resources {
        threads_per_block,
        registers_per_thread: registers.per_thread,
        shared_bytes_per_block: u64::from(program.shared_bytes) + u64::from(dynamic_shared_bytes),
        argument_bytes: u64::from(program.parameter_bytes),
    }
}

/// How many blocks of a launch a multiprocessor holds, and what a block takes then: where the registers are an estimate, no more
/// than let one block run.
///
/// # Errors
/// Why not even one block can run, as a phrase.
pub fn residency(
    profile: &Profile,
    program: &Program,
    registers: Registers,
    resources: Resources,
) -> Result<(Residency, Resources), String> {
    let static_bytes = u64::from(program.shared_bytes);
    if static_bytes > profile.shared.bytes_per_block {
        let most = profile.shared.bytes_per_block;
        return Err(format!("a block needs {static_bytes} bytes of static shared memory, {most} are allowed"));
    }
    if resources.shared_bytes_per_block > profile.shared.bytes_per_block_opt_in {
        let (asked, most) = (resources.shared_bytes_per_block, profile.shared.bytes_per_block_opt_in);
        return Err(format!("a block needs {asked} bytes of shared memory, {most} are allowed"));
    }
    let threads = resources.threads_per_block;
    if let Some(most) = program.threads_max.filter(|most| u64::from(threads) > *most) {
        return Err(format!("a block has {threads} threads, its .maxntid allows {most}"));
    }
    if registers.is_estimate {
        resident_blocks_spilled(&profile.limits(), &resources)
    } else {
        Ok((resident_blocks(&profile.limits(), &resources)?, resources))
    }
}
