//! A kernel as it is loaded here: with the registers that ptxas gives it, where these are known.

use gpu_simulator::{Kernel, Machine, Profile, Registers};

use crate::device::occupancy::{ClusterOccupancy, KernelOccupancy, Spilled};
use crate::kernel::{self, Ptx, RegistersFrom};
use crate::workload::Launch;
use gpu_simulator::hardware::occupancy::Residency;

/// A kernel, and how its registers are known.
pub(super) struct LoadedKernel {
    pub(super) kernel: Kernel,
    registers_from: RegistersFrom,
    /// Local memory of a thread, where ptxas says it.
    local_bytes: Option<u64>,
    spilled: Option<Spilled>,
}

impl LoadedKernel {
    /// The kernel, which is of the PTX `text`.
    pub(super) fn new(kernel: Kernel, (ptx, text): (Ptx, &str), profile: &Profile) -> Self {
        let (name, capability) = (kernel.name(), profile.compute_capability);
        let assembled = ptx.source().and_then(|source| source.assembled.as_ref()?.kernel(name, capability));
        if let Some(own) = assembled {
            let (stores, loads) = (own.spill_store_bytes, own.spill_load_bytes);
            return Self {
                kernel: kernel.with_registers(Registers { per_thread: own.registers, is_estimate: false }),
                registers_from: RegistersFrom::Ptxas,
                local_bytes: Some(own.local_bytes),
                spilled: (stores + loads > 0).then_some(Spilled::Bytes { stores, loads }),
            };
        }
        let is_embedded = kernel::embedded_module(text).is_some();
        let known = is_embedded.then(|| kernel::registers_per_thread(name, capability)).flatten();
        let compiled = kernel::compiled(name, capability).filter(|_| known.is_some());
        let registers = known.map(|per_thread| Registers { per_thread, is_estimate: compiled.is_none() });
        let bound = Some(kernel.registers_spilled()).filter(|count| *count > 0).map(Spilled::Registers);
        Self {
            registers_from: if compiled.is_some() { RegistersFrom::Ptxas } else { RegistersFrom::Estimate },
            local_bytes: compiled.map(|own| own.local_bytes),
            spilled: bound.filter(|_| compiled.is_none()),
            kernel: match registers {
                Some(registers) => kernel.with_registers(registers),
                None => kernel,
            },
        }
    }

    /// What a launch of it takes of a multiprocessor, and how many of its blocks that holds.
    pub(super) fn occupancy(&self, machine: &Machine, (launch, launches): (&Launch, usize)) -> KernelOccupancy {
        let Self { kernel, registers_from, local_bytes, spilled } = self;
        let asked = kernel.resources(launch.threads_per_block(), launch.shared_bytes);
        let residency = machine.residency(kernel, asked);
        KernelOccupancy {
            kernel: kernel.name().to_owned(),
            launches,
            grid: launch.grid,
            block: launch.block,
            resources: residency.as_ref().map_or(asked, |(_, resources)| *resources),
            static_shared_bytes: u64::from(kernel.static_shared_bytes()),
            dynamic_shared_bytes: u64::from(launch.shared_bytes),
            local_bytes: *local_bytes,
            registers_from: *registers_from,
            spilled: *spilled,
            clusters: residency.as_ref().ok().and_then(|(residency, _)| clusters(machine.profile(), launch, residency)),
            residency: residency.map(|(residency, _)| residency),
            driver_blocks: None,
        }
    }
}

/// The clusters of a launch, where they have several blocks.
fn clusters(profile: &Profile, launch: &Launch, residency: &Residency) -> Option<ClusterOccupancy> {
    let blocks = launch.cluster_blocks;
    (blocks > 1).then(|| ClusterOccupancy {
        blocks,
        at_once: profile.clusters.resident(profile.sm_count, residency.blocks, blocks),
    })
}
