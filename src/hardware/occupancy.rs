//! How many blocks a multiprocessor holds at once.
//!
//! Compute capability 1 to 3: CUDA C Programming Guide 4, section 4.2 (granularities of registers and shared memory).
//! Above: what the CUDA occupancy calculator does.

use crate::hardware::lanes::LANES;

/// What a multiprocessor has, and what a block may take of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Compute capability, major and minor, which decides in what portions blocks take registers and shared memory.
    pub compute_capability: (u32, u32),
    /// Schedulers of a multiprocessor, which share its registers evenly.
    pub schedulers_per_sm: u32,
    /// Threads of a multiprocessor.
    pub threads_per_sm: u32,
    /// Blocks of a multiprocessor.
    pub blocks_per_sm: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_sm: u32,
    /// Registers of a thread at most.
    pub registers_per_thread: u32,
    /// Shared memory of a multiprocessor.
    pub shared_bytes_per_sm: u64,
    /// Most shared memory of a block, also where it has to ask for more than is usual.
    pub shared_bytes_per_block: u64,
    /// What every block takes beyond what it asks for.
    pub reserved_shared_bytes_per_block: u64,
    /// Whether kernel arguments take shared memory too (compute capability 1).
    pub shared_holds_arguments: bool,
}

/// What a launch needs of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Threads of a block.
    pub threads_per_block: u32,
    /// 32-bit registers of a thread. More than a thread may have are taken to be spilled.
    pub registers_per_thread: u32,
    /// Shared memory that a block asks for.
    pub shared_bytes_per_block: u64,
    /// Arguments of the kernel.
    pub argument_bytes: u64,
}

/// What keeps a multiprocessor from holding another block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Its threads, and with them its warps.
    Threads,
    /// Its registers.
    Registers,
    /// Its shared memory.
    SharedMemory,
    /// The number of blocks.
    Blocks,
}

/// Blocks resident on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residency {
    /// How many there are at most.
    pub blocks: u32,
    /// What limits them; of several the first in the order of [`Limit`].
    pub limited_by: Limit,
}

/// How many blocks a multiprocessor holds at once.
///
/// # Errors
///
/// Why not even one block can run.
pub fn resident_blocks(limits: &Limits, resources: &Resources) -> Result<Residency, String> {
    let threads = resources.threads_per_block;
    if threads == 0 {
        return Err("a block has no threads".to_owned());
    }
    if threads > limits.threads_per_block {
        return Err(format!("a block has {threads} threads, but at most {} are possible", limits.threads_per_block));
    }
    let lanes = LANES as u32;
    let warps = threads.div_ceil(lanes);
    let by_threads = limits.threads_per_sm / lanes / warps;
    if by_threads == 0 {
        return Err(format!("a block has {warps} warps, but a multiprocessor holds {}", limits.threads_per_sm / lanes));
    }
    let by_registers = blocks_by_registers(limits, warps, resources.registers_per_thread);
    if by_registers == 0 {
        return Err(format!(
            "a block of {threads} threads of {} registers needs more than the {} registers of a multiprocessor",
            resources.registers_per_thread.min(limits.registers_per_thread),
            limits.registers_per_sm
        ));
    }
    let by_shared = blocks_by_shared_memory(limits, resources)?;
    if limits.blocks_per_sm == 0 {
        return Err("a multiprocessor holds no blocks".to_owned());
    }
    let (blocks, limited_by) = [
        (by_threads, Limit::Threads),
        (by_registers, Limit::Registers),
        (by_shared, Limit::SharedMemory),
        (limits.blocks_per_sm, Limit::Blocks),
    ]
    .into_iter()
    .fold((u32::MAX, Limit::Blocks), |least, next| if next.0 < least.0 { next } else { least });
    Ok(Residency { blocks, limited_by })
}

/// Blocks that the registers suffice for.
fn blocks_by_registers(limits: &Limits, warps: u32, registers_per_thread: u32) -> u32 {
    let registers = u64::from(registers_per_thread.min(limits.registers_per_thread));
    let (all, lanes) = (u64::from(limits.registers_per_sm), LANES as u64);
    if registers == 0 {
        return u32::MAX;
    }
    let blocks = match limits.compute_capability {
        // A block's warps, an even number of them, take registers together.
        (0..=1, minor) => {
            let unit = if minor < 2 { 256 } else { 512 };
            all / (u64::from(warps).next_multiple_of(2) * lanes * registers).next_multiple_of(unit)
        }
        // Each warp takes its own, from the registers of its scheduler.
        (major, _) => {
            let unit = if major == 2 { 64 } else { 256 };
            let schedulers = u64::from(limits.schedulers_per_sm.max(1));
            let warps_of_scheduler = all / schedulers / (lanes * registers).next_multiple_of(unit);
            warps_of_scheduler * schedulers / u64::from(warps)
        }
    };
    u32::try_from(blocks).unwrap_or(u32::MAX)
}

/// Blocks that shared memory suffices for.
fn blocks_by_shared_memory(limits: &Limits, resources: &Resources) -> Result<u32, String> {
    let arguments = if limits.shared_holds_arguments { resources.argument_bytes } else { 0 };
    let asked = resources.shared_bytes_per_block.saturating_add(arguments);
    if asked > limits.shared_bytes_per_block {
        let with = if limits.shared_holds_arguments { " with its arguments" } else { "" };
        return Err(format!(
            "a block needs {asked} bytes of shared memory{with}, but at most {} are possible",
            limits.shared_bytes_per_block
        ));
    }
    let unit = match limits.compute_capability.0 {
        0..=1 => 512,
        3..=7 => 256,
        _ => 128,
    };
    let taken =
        asked.saturating_add(limits.reserved_shared_bytes_per_block).checked_next_multiple_of(unit).unwrap_or(u64::MAX);
    match limits.shared_bytes_per_sm.checked_div(taken) {
        None => Ok(u32::MAX),
        Some(0) => Err(format!(
            "a block takes {taken} bytes of shared memory, but a multiprocessor has {}",
            limits.shared_bytes_per_sm
        )),
        Some(blocks) => Ok(u32::try_from(blocks).unwrap_or(u32::MAX)),
    }
}

#[cfg(test)]
mod tests;
