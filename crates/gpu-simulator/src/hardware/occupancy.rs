//! How many blocks a multiprocessor holds at once.
//!
//! Compute capability 1 to 3: CUDA C Programming Guide 4, section 4.2 (granularities of registers and shared memory), and
//! NVIDIA's CUDA Occupancy Calculator (a spreadsheet), its table of GPU data. From 3 on, the same is in `cuda_occupancy.h` of
//! the CUDA toolkit. A kernel that uses many named barriers may be limited by these, too; that is left out.

use crate::hardware::lanes::LANES;

/// Registers of a thread that compilers do not go below: an estimate.
const REGISTERS_LEAST: u32 = 8;

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

impl Limit {
    /// Every limit, in the order of [`Residency::allowed`].
    pub const ALL: [Self; 4] = [Self::Threads, Self::Registers, Self::SharedMemory, Self::Blocks];

    /// The word for it in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Blocks => "blocks",
        }
    }
}

/// What a block takes of a multiprocessor, rounded up to the portions in which it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Warps.
    pub warps: u32,
    /// 32-bit registers.
    pub registers: u64,
    /// Shared memory.
    pub shared_bytes: u64,
}

/// Blocks resident on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residency {
    /// How many there are at most.
    pub blocks: u32,
    /// What limits them; of several the first in the order of [`Limit`].
    pub limited_by: Limit,
    /// How many each of [`Limit::ALL`] would allow by itself; `None` where the block takes nothing of it.
    pub allowed: [Option<u32>; 4],
    /// What a block takes.
    pub taken: Taken,
}

impl Residency {
    /// Warps resident on a multiprocessor.
    pub fn warps(&self) -> u32 {
        self.blocks * self.taken.warps
    }
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
    let (registers, by_registers) = blocks_by_registers(limits, warps, resources.registers_per_thread);
    if by_registers == Some(0) {
        return Err(format!(
            "a block of {threads} threads of {} registers needs more than the {} registers of a multiprocessor",
            resources.registers_per_thread.min(limits.registers_per_thread),
            limits.registers_per_sm
        ));
    }
    let (shared_bytes, by_shared_memory) = blocks_by_shared_memory(limits, resources)?;
    if limits.blocks_per_sm == 0 {
        return Err("a multiprocessor holds no blocks".to_owned());
    }
    let allowed = [Some(by_threads), by_registers, by_shared_memory, Some(limits.blocks_per_sm)];
    let (blocks, limited_by) = Limit::ALL
        .into_iter()
        .zip(allowed)
        .filter_map(|(limit, blocks)| Some((blocks?, limit)))
        .fold((u32::MAX, Limit::Blocks), |least, next| if next.0 < least.0 { next } else { least });
    Ok(Residency { blocks, limited_by, allowed, taken: Taken { warps, registers, shared_bytes } })
}

/// The same where the registers are an estimate: if they are too few for a single block, the compiler is taken to have kept
/// values in local memory instead, as it does when it is told the size of the blocks. Also what the registers are then.
///
/// # Errors
///
/// Why not even one block can run.
pub fn resident_blocks_spilled(limits: &Limits, resources: &Resources) -> Result<(Residency, Resources), String> {
    let mut fewer = *resources;
    let mut last = resident_blocks(limits, &fewer);
    while last.is_err() && fewer.registers_per_thread > REGISTERS_LEAST {
        fewer.registers_per_thread -= 1;
        last = resident_blocks(limits, &fewer);
    }
    last.map(|residency| (residency, fewer)).or_else(|_| Ok((resident_blocks(limits, resources)?, *resources)))
}

/// The registers that a block takes, and the blocks that the registers suffice for.
fn blocks_by_registers(limits: &Limits, warps: u32, registers_per_thread: u32) -> (u64, Option<u32>) {
    let of_thread = u64::from(registers_per_thread.min(limits.registers_per_thread));
    let (all, lanes, warps) = (u64::from(limits.registers_per_sm), LANES as u64, u64::from(warps));
    if of_thread == 0 {
        return (0, None);
    }
    let (of_block, blocks) = match limits.compute_capability {
        // A block's warps, an even number of them, take registers together.
        (0..=1, minor) => {
            let unit = if minor < 2 { 256 } else { 512 };
            let of_block = (warps.next_multiple_of(2) * lanes * of_thread).next_multiple_of(unit);
            (of_block, all / of_block)
        }
        // Each warp takes its own, from the registers of its scheduler.
        (major, _) => {
            let unit = if major == 2 { 64 } else { 256 };
            let of_warp = (lanes * of_thread).next_multiple_of(unit);
            let schedulers = u64::from(limits.schedulers_per_sm.max(1));
            let warps_of_scheduler = all / schedulers / of_warp;
            (of_warp * warps, warps_of_scheduler * schedulers / warps)
        }
    };
    (of_block, Some(u32::try_from(blocks).unwrap_or(u32::MAX)))
}

/// The shared memory that a block takes, and the blocks that it suffices for.
fn blocks_by_shared_memory(limits: &Limits, resources: &Resources) -> Result<(u64, Option<u32>), String> {
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
        None => Ok((0, None)),
        Some(0) => Err(format!(
            "a block takes {taken} bytes of shared memory, but a multiprocessor has {}",
            limits.shared_bytes_per_sm
        )),
        Some(blocks) => Ok((taken, Some(u32::try_from(blocks).unwrap_or(u32::MAX)))),
    }
}

#[cfg(test)]
mod tests;
