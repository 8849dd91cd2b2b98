//! A kernel as it is loaded here: with the registers that ptxas gives it, where these are known.

use gpu_simulator::{Kernel, Machine, Profile, Registers};

use crate::device::occupancy::KernelOccupancy;
use crate::kernel::{self, RegistersFrom};
use crate::workload::Launch;

/// A kernel, and how its registers are known.
pub(super) struct LoadedKernel {
    pub(super) kernel: Kernel,
    registers_from: RegistersFrom,
}

impl LoadedKernel {
    /// The kernel, which is of the PTX `text`.
    pub(super) fn new(kernel: Kernel, text: &str, profile: &Profile) -> Self {
        let (name, capability) = (kernel.name(), profile.compute_capability);
        let known =
            if kernel::embedded_module(text).is_some() { kernel::registers_per_thread(name, capability) } else { None };
        let Some(per_thread) = known else { return Self { kernel, registers_from: RegistersFrom::Estimate } };
        let is_compiled = kernel::compiled(name, capability).is_some();
        Self {
            kernel: kernel.with_registers(Registers { per_thread, is_estimate: !is_compiled }),
            registers_from: if is_compiled { RegistersFrom::Ptxas } else { RegistersFrom::Estimate },
        }
    }

    /// What a launch of it takes of a multiprocessor, and how many of its blocks that holds.
    pub(super) fn occupancy(&self, machine: &Machine, (launch, launches): (&Launch, usize)) -> KernelOccupancy {
        let Self { kernel, registers_from } = self;
        let asked = kernel.resources(launch.threads_per_block(), launch.shared_bytes);
        let residency = machine.residency(kernel, asked);
        let compiled = kernel::compiled(kernel.name(), machine.profile().compute_capability);
        let is_compiled = *registers_from == RegistersFrom::Ptxas;
        KernelOccupancy {
            kernel: kernel.name().to_owned(),
            launches,
            grid: launch.grid,
            block: launch.block,
            resources: residency.as_ref().map_or(asked, |(_, resources)| *resources),
            static_shared_bytes: u64::from(kernel.static_shared_bytes()),
            dynamic_shared_bytes: u64::from(launch.shared_bytes),
            local_bytes: compiled.filter(|_| is_compiled).map(|compiled| compiled.local_bytes),
            registers_from: *registers_from,
            registers_spilled: if is_compiled { 0 } else { kernel.registers_spilled() },
            residency: residency.map(|(residency, _)| residency),
            driver_blocks: None,
        }
    }
}
