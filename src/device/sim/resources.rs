//! A kernel as it is loaded here: with the registers that ptxas gives it, where these are known.

use gpu_simulator::{Kernel, Machine, Profile, Registers};
use ptx_syntax::module::Item;

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
    /// Blocks of its clusters, where the kernel itself says how large they are.
    cluster_blocks: Option<u32>,
}

impl LoadedKernel {
    /// The kernel, which is of the PTX `text`.
    pub(super) fn new(kernel: Kernel, (ptx, text): (Ptx, &str), profile: &Profile) -> Self {
        let (name, capability) = (kernel.name(), profile.compute_capability);
        let cluster_blocks = cluster_blocks(text, name);
        let assembled = ptx.source().and_then(|source| source.assembled.as_ref()?.kernel(name, capability));
        if let Some(own) = assembled {
            let (stores, loads) = (own.spill_store_bytes, own.spill_load_bytes);
            return Self {
                kernel: kernel.with_registers(Registers { per_thread: own.registers, is_estimate: false }),
                registers_from: RegistersFrom::Ptxas,
                local_bytes: Some(own.local_bytes),
                spilled: (stores + loads > 0).then_some(Spilled::Bytes { stores, loads }),
                cluster_blocks,
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
            cluster_blocks,
            kernel: match registers {
                Some(registers) => kernel.with_registers(registers),
                None => kernel,
            },
        }
    }

    /// What a launch of it takes of a multiprocessor, and how many of its blocks that holds.
    pub(super) fn occupancy(&self, machine: &Machine, (launch, launches): (&Launch, usize)) -> KernelOccupancy {
        let Self { kernel, registers_from, local_bytes, spilled, cluster_blocks } = self;
        let cluster_blocks = cluster_blocks.unwrap_or(launch.cluster_blocks);
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
            clusters: residency
                .as_ref()
                .ok()
                .and_then(|(residency, _)| clusters(machine.profile(), cluster_blocks, residency)),
            residency: residency.map(|(residency, _)| residency),
            driver_blocks: None,
        }
    }
}

/// Blocks of a kernel's clusters by the `.reqnctapercluster` of its PTX, as `__cluster_dims__` leaves it.
fn cluster_blocks(text: &str, name: &str) -> Option<u32> {
    const DIRECTIVE: &str = "reqnctapercluster";
    // Most modules have no such kernel, and need not be read.
    let module = text.contains(DIRECTIVE).then(|| ptx_syntax::parse(text).ok())??;
    let mut functions = module.items.iter().filter_map(|item| match item {
        Item::Function(own) if own.entry && own.name == name => Some(own),
        _ => None,
    });
    let (_, extents) = functions.next()?.directives.iter().find(|(own, _)| own == DIRECTIVE)?;
    u32::try_from(extents.iter().fold(1_u64, |all, own| all.saturating_mul(*own))).ok()
}

/// The clusters of a launch, where they have several blocks.
fn clusters(profile: &Profile, blocks: u32, residency: &Residency) -> Option<ClusterOccupancy> {
    (blocks > 1).then(|| ClusterOccupancy {
        blocks,
        at_once: profile.clusters.resident(profile.sm_count, residency.blocks, blocks),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_says_how_large_its_clusters_are() {
        let text = ".version 8.0\n.target sm_90\n.address_size 64\n\
                    .visible .entry own() .reqnctapercluster 4, 2, 1 { ret; }\n.visible .entry other() { ret; }\n";
        assert_eq!(cluster_blocks(text, "own"), Some(8));
        assert_eq!(cluster_blocks(text, "other"), None);
    }
}
