//! What the launches of a workload take of a simulated multiprocessor.

use gpu_simulator::profile::Profile;
use gpu_simulator::program::Program;
use gpu_simulator::residency::{Registers, residency, resources};

use crate::device::occupancy::KernelOccupancy;
use crate::kernel::{self, RegistersFrom};
use crate::workload::Launch;

/// Registers of a thread of a program that was decoded from `text`, and how they are known.
pub(super) fn registers(program: &Program, text: &str, profile: &Profile) -> (Registers, RegistersFrom) {
    let (name, capability) = (&program.name, profile.compute_capability);
    let known = if kernel::is_embedded(text) { kernel::registers_per_thread(name, capability) } else { None };
    let per_thread = known.unwrap_or_else(|| program.estimated_registers());
    match known.and_then(|_| kernel::compiled(name, capability)) {
        Some(_) => (Registers { per_thread, is_estimate: false }, RegistersFrom::Ptxas),
        None => (Registers { per_thread, is_estimate: true }, RegistersFrom::Estimate),
    }
}

/// What a launch takes of a multiprocessor, and how many of its blocks that holds.
pub(super) fn occupancy(
    profile: &Profile,
    program: &Program,
    text: &str,
    (launch, launches): (&Launch, usize),
) -> KernelOccupancy {
    let (registers, registers_from) = registers(program, text, profile);
    let asked = resources(program, registers, launch.threads_per_block(), launch.shared_bytes);
    let residency = residency(profile, program, registers, asked);
    let compiled = kernel::compiled(&program.name, profile.compute_capability);
    KernelOccupancy {
        kernel: program.name.clone(),
        launches,
        grid: launch.grid,
        block: launch.block,
        resources: residency.as_ref().map_or(asked, |(_, resources)| *resources),
        static_shared_bytes: u64::from(program.shared_bytes),
        dynamic_shared_bytes: u64::from(launch.shared_bytes),
        local_bytes: compiled.filter(|_| registers_from == RegistersFrom::Ptxas).map(|compiled| compiled.local_bytes),
        registers_from,
        residency: residency.map(|(residency, _)| residency),
        driver_blocks: None,
    }
}
