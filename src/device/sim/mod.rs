//! Simulated devices: they interpret the PTX that GPUs run, count what it does, and time it by a profile.

mod census;
mod columns;
mod examine;
#[cfg(test)]
mod fixtures;
mod part;
mod phased;
mod prepared;
mod races;
mod resources;
mod submission;
mod told;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use gpu_simulator::{LaunchError, Machine, Profile};

pub use self::columns::{columns, numbers};
pub use self::examine::{AT_ONCE, Behaviour, Examined, KernelLines, Lessened, WithoutIn};
use self::prepared::PreparedSim;
use self::resources::LoadedKernel;
use self::told::not_loaded;
use super::energy::EnergyCounter;
use super::occupancy::{KernelOccupancy, distinct_launches};
use super::{Device, DeviceError, Guard, GuardOutcome, HAND_OVER, Prepared, RaceReport, no_kernel};
use crate::kernel::{Ptx, demangled};
use crate::properties::Properties;
use crate::workload::{Launch, Workload};
use located_toml::words::and_list;
use ptx_syntax::Module;

/// A simulated device.
pub struct Sim {
    machine: Machine,
    properties: Properties,
    modules: Mutex<Vec<LoadedModule>>,
    /// Kernels that were prepared whose blocks wait for what other blocks write.
    waiting: Mutex<BTreeSet<String>>,
}

/// A PTX text that was read, and the kernels of it that were loaded.
struct LoadedModule {
    text: &'static str,
    module: Module,
    kernels: Vec<Arc<LoadedKernel>>,
}

impl Sim {
    /// The device of a profile.
    pub fn open(profile: Profile) -> Self {
        Self {
            properties: Properties::simulated(&profile),
            machine: Machine::new(profile),
            modules: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    /// The profile that it follows.
    pub fn profile(&self) -> &Profile {
        self.machine.profile()
    }

    fn prepared<'device>(&'device self, workload: &'device Workload) -> Result<PreparedSim<'device>, DeviceError> {
        if let Some(problem) = workload.refusal(&self.properties) {
            return Err(DeviceError::Unsupported(problem));
        }
        let kernels = self.kernels(workload)?;
        let are_several = |launch: &Launch| launch.grid.iter().any(|extent| *extent > 1);
        let waits = |(launch, loaded): &(&Launch, &Arc<LoadedKernel>)| are_several(launch) && loaded.kernel.waits();
        let waiting = workload
            .launches()
            .zip(&kernels)
            .filter(waits)
            .map(|(launch, _)| demangled(launch.entry).unwrap_or_else(|| launch.entry.to_owned()));
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(waiting);
        PreparedSim::new(&self.machine, workload, kernels)
    }

    /// The kernels of a workload's launches, in order. Each is loaded once.
    fn kernels(&self, workload: &Workload) -> Result<Vec<Arc<LoadedKernel>>, DeviceError> {
        workload.launches().map(|launch| self.kernel(workload.ptx, launch.entry)).collect()
    }

    fn kernel(&self, ptx: Ptx, entry: &str) -> Result<Arc<LoadedKernel>, DeviceError> {
        let text = ptx.text_of(entry, self.profile().compute_capability).ok_or_else(|| no_kernel(entry))?;
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let known = modules.iter().position(|loaded| std::ptr::eq(loaded.text, text));
        let index = if let Some(index) = known {
            index
        } else {
            let module = ptx_syntax::parse(text).map_err(LaunchError::Ptx)?;
            modules.push(LoadedModule { text, module, kernels: Vec::new() });
            modules.len() - 1
        };
        let LoadedModule { module, kernels, .. } = &mut modules[index];
        if let Some(kernel) = kernels.iter().find(|loaded| loaded.kernel.name() == entry) {
            return Ok(Arc::clone(kernel));
        }
        let loaded = self.machine.load(module, entry).map_err(|error| not_loaded(error, ptx))?;
        let kernel = Arc::new(LoadedKernel::new(loaded, (ptx, text), self.profile()));
        kernels.push(Arc::clone(&kernel));
        Ok(kernel)
    }
}

impl From<LaunchError> for DeviceError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Unsupported(problem) => Self::Unsupported(problem),
            LaunchError::Refused { kernel, problem } => {
                Self::Failed(format!("{}: {problem}", demangled(&kernel).unwrap_or(kernel)))
            }
            LaunchError::Fault(fault) if fault.problem.is_endless() => Self::Endless(fault.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl Device for Sim {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        Ok(self.properties.memory_bytes)
    }

    fn guards_of_kernels(&self) -> Vec<Guard> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let detail = |kernels: &BTreeSet<String>| {
            let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
            let (wait, loops) = if names.len() == 1 { ("waits", "a loop") } else { ("wait", "loops") };
            format!(
                "{} {wait} in {loops} for what other blocks write; simulated times leave out most of what it takes to hand a value from one \
                 multiprocessor to another, so they may be far too short.",
                and_list(&names)
            )
        };
        let own = (!waiting.is_empty()).then(|| detail(&waiting));
        own.map(|detail| Guard { guard: HAND_OVER.to_owned(), outcome: GuardOutcome::Flagged, detail })
            .into_iter()
            .collect()
    }

    fn counter_columns(&self) -> &'static [&'static str] {
        columns::names()
    }

    fn energy_counter(&self) -> Result<EnergyCounter, String> {
        Err("simulated GPUs have no energy; their times are as without --energy".to_owned())
    }

    fn side_by_side(&self) -> Option<&(dyn Device + Sync)> {
        Some(self)
    }

    fn occupancy(&self, workload: &Workload) -> Result<Vec<KernelOccupancy>, DeviceError> {
        if let Some(problem) = workload.refusal(&self.properties) {
            return Err(DeviceError::Unsupported(problem));
        }
        let of = |launch: (&Launch, usize)| {
            let loaded = self.kernel(workload.ptx, launch.0.entry)?;
            Ok(loaded.occupancy(&self.machine, launch))
        };
        distinct_launches(workload).into_iter().map(of).collect()
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        Ok(Box::new(self.prepared(workload)?))
    }

    fn prepare_to_check<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        Ok(Box::new(self.prepared(workload)?.for_checking()))
    }

    fn races(&self, workload: &Workload) -> Result<Option<RaceReport>, DeviceError> {
        self.watched(workload).map(Some)
    }
}
