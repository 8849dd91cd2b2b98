//! What a launch takes of a simulated multiprocessor.

use super::profile::Profile;
use super::program::Program;
use crate::device::occupancy::KernelOccupancy;
use crate::hardware::occupancy::{Residency, Resources, resident_blocks, resident_blocks_spilled};
use crate::kernel::{self, RegistersFrom};
use crate::ptx;
use crate::workload::Launch;

/// Registers of a thread, and how they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Registers {
    pub(super) per_thread: u32,
    pub(super) from: RegistersFrom,
}

impl Registers {
    /// Those of a program that was decoded from `text`.
    pub(super) fn of(program: &Program, text: &str, profile: &Profile) -> Self {
        let (name, capability) = (&program.name, profile.compute_capability);
        let known = if kernel::is_embedded(text) { kernel::registers_per_thread(name, capability) } else { None };
        let by_ptxas = known.is_some() && kernel::compiled(name, capability).is_some();
        Self {
            per_thread: known.unwrap_or_else(|| program.estimated_registers()),
            from: if by_ptxas { RegistersFrom::Ptxas } else { RegistersFrom::Estimate },
        }
    }
}

/// The estimate for the kernel `entry` of a PTX text; `None` where it cannot be decoded.
pub(crate) fn estimated_registers(text: &str, entry: &str) -> Option<u32> {
    let module = ptx::parse(text).ok()?;
    super::program::decode(&module, entry).ok().map(|program| program.estimated_registers())
}

/// What a block of a launch takes.
pub(super) fn resources(program: &Program, registers: Registers, launch: &Launch) -> Resources {
    Resources {
        threads_per_block: launch.threads_per_block(),
        registers_per_thread: registers.per_thread,
        shared_bytes_per_block: u64::from(program.shared_bytes) + u64::from(launch.shared_bytes),
        argument_bytes: u64::from(program.parameter_bytes),
    }
}

/// How many blocks of a launch a multiprocessor holds, and what a block takes then: where the registers are an estimate, no more
/// than let one block run.
pub(super) fn residency(
    profile: &Profile,
    program: &Program,
    registers: Registers,
    launch: &Launch,
) -> Result<(Residency, Resources), String> {
    let resources = resources(program, registers, launch);
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
    match registers.from {
        RegistersFrom::Estimate => resident_blocks_spilled(&profile.limits(), &resources),
        _ => Ok((resident_blocks(&profile.limits(), &resources)?, resources)),
    }
}

/// What a launch takes of a multiprocessor, and how many of its blocks that holds.
pub(super) fn occupancy(
    profile: &Profile,
    program: &Program,
    text: &str,
    (launch, launches): (&Launch, usize),
) -> KernelOccupancy {
    let registers = Registers::of(program, text, profile);
    let residency = residency(profile, program, registers, launch);
    let resources = residency.as_ref().map_or(resources(program, registers, launch), |(_, resources)| *resources);
    let compiled = kernel::compiled(&program.name, profile.compute_capability);
    KernelOccupancy {
        kernel: program.name.clone(),
        launches,
        grid: launch.grid,
        block: launch.block,
        resources,
        static_shared_bytes: u64::from(program.shared_bytes),
        dynamic_shared_bytes: u64::from(launch.shared_bytes),
        local_bytes: compiled.filter(|_| registers.from == RegistersFrom::Ptxas).map(|compiled| compiled.local_bytes),
        registers_from: registers.from,
        residency: residency.map(|(residency, _)| residency),
        driver_blocks: None,
    }
}
