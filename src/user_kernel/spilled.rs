//! Registers of kernels of the user's that ptxas spills, which no simulated time has.

use std::collections::BTreeSet;

use super::Compiled;
use crate::kernel::{AssembledKernel, demangled};

impl Compiled {
    /// What is told of kernels whose registers are spilled, a sentence each.
    pub fn spilled_kernels(&self) -> Vec<String> {
        let kernels = self.modules.iter().filter_map(|module| module.assembled.as_ref()).flat_map(|own| &own.kernels);
        let spills = kernels.filter(|own| own.spill_store_bytes + own.spill_load_bytes > 0);
        let told = |own: &AssembledKernel| {
            let name = demangled(&own.name).unwrap_or_else(|| own.name.clone());
            format!(
                "note: {}: ptxas spills registers of {name}: a thread stores {} and loads {} bytes of local memory for them, which is not simulated, so \
                 on a GPU it takes longer",
                self.source_name, own.spill_store_bytes, own.spill_load_bytes
            )
        };
        spills.map(told).collect::<BTreeSet<String>>().into_iter().collect()
    }
}
