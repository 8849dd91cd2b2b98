//! Simulated devices: they interpret the PTX that GPUs run, count what it does, and time it by a profile.

mod census;
mod columns;
#[cfg(test)]
mod fixtures;
mod phased;
mod prepared;
mod resources;
mod submission;

use std::cell::RefCell;
use std::sync::Arc;

use gpu_simulator::profile::Profile;
use gpu_simulator::program::Program;
use gpu_simulator::{LaunchError, Machine};

pub use self::columns::COLUMNS as COUNTERS;
use self::columns::COLUMNS;
use self::prepared::PreparedSim;
use super::occupancy::{KernelOccupancy, distinct_launches};
use super::{Device, DeviceError, Prepared};
use crate::properties::Properties;
use crate::workload::{Launch, Workload};
use ptx_syntax::Module;

/// A simulated device.
pub struct Sim {
    machine: Machine,
    properties: Properties,
    modules: RefCell<Vec<(&'static str, Arc<Module>)>>,
    programs: RefCell<Vec<(&'static str, Arc<Program>)>>,
}

impl Sim {
    /// The device of a profile.
    pub fn open(profile: Profile) -> Self {
        Self {
            properties: Properties::simulated(&profile),
            machine: Machine::new(profile),
            modules: RefCell::default(),
            programs: RefCell::default(),
        }
    }

    /// The profile that it follows.
    pub fn profile(&self) -> &Profile {
        self.machine.profile()
    }

    fn module(&self, text: &'static str) -> Result<Arc<Module>, DeviceError> {
        if let Some((_, module)) = self.modules.borrow().iter().find(|(loaded, _)| std::ptr::eq(*loaded, text)) {
            return Ok(Arc::clone(module));
        }
        let module =
            Arc::new(ptx_syntax::parse(text).map_err(|errors| DeviceError::Failed(format!("the PTX:\n{errors}")))?);
        self.modules.borrow_mut().push((text, Arc::clone(&module)));
        Ok(module)
    }

    /// The kernel `entry` of a PTX text, decoded once.
    fn program(&self, text: &'static str, entry: &str) -> Result<Arc<Program>, DeviceError> {
        let is_it = |(loaded, program): &&(&str, Arc<Program>)| std::ptr::eq(*loaded, text) && program.name == entry;
        if let Some((_, program)) = self.programs.borrow().iter().find(is_it) {
            return Ok(Arc::clone(program));
        }
        let module = self.module(text)?;
        let program = Arc::new(self.machine.load(&module, entry)?);
        self.programs.borrow_mut().push((text, Arc::clone(&program)));
        Ok(program)
    }
}

impl From<LaunchError> for DeviceError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Unsupported(problem) => Self::Unsupported(problem),
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

    fn counter_columns(&self) -> &'static [&'static str] {
        &COLUMNS
    }

    fn repeats_exactly(&self) -> bool {
        true
    }

    fn occupancy(&self, workload: &Workload) -> Result<Vec<KernelOccupancy>, DeviceError> {
        if let Some(problem) = workload.refusal(&self.properties) {
            return Err(DeviceError::Unsupported(problem));
        }
        let of = |launch: (&Launch, usize)| {
            let program = self.program(workload.ptx, launch.0.entry)?;
            Ok(resources::occupancy(self.machine.profile(), &program, workload.ptx, launch))
        };
        distinct_launches(workload).into_iter().map(of).collect()
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        if let Some(problem) = workload.refusal(&self.properties) {
            return Err(DeviceError::Unsupported(problem));
        }
        let programs: Vec<Arc<Program>> =
            workload.launches().map(|launch| self.program(workload.ptx, launch.entry)).collect::<Result<_, _>>()?;
        Ok(Box::new(PreparedSim::new(&self.machine, workload, programs)?))
    }
}
