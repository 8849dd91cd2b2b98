//! Simulated devices: they interpret the PTX that GPUs run, count what it does, and time it by a profile.

pub mod arithmetic;
pub mod census;
pub mod class;
mod columns;
pub mod cost;
pub mod counters;
pub mod execute;
mod phased;
mod prepared;
pub mod profile;
pub mod program;
mod requirements;
mod resources;
#[cfg(test)]
mod snippet;
mod submission;
pub mod timing;
pub mod windows;

pub(crate) use resources::estimated_registers;

use std::cell::RefCell;
use std::sync::Arc;

pub use self::columns::COLUMNS as COUNTERS;
use self::columns::COLUMNS;
use self::prepared::PreparedSim;
use self::profile::Profile;
use self::program::{Program, decode};
use super::occupancy::{KernelOccupancy, distinct_launches};
use super::{Device, DeviceError, Prepared, Properties};
use crate::ptx::{self, Module};
use crate::workload::{Launch, Workload};

/// A simulated device.
pub struct Sim {
    profile: Profile,
    properties: Properties,
    modules: RefCell<Vec<(&'static str, Arc<Module>)>>,
    programs: RefCell<Vec<(&'static str, Arc<Program>)>>,
}

impl Sim {
    /// The device of a profile.
    pub fn open(profile: Profile) -> Self {
        Self { properties: profile.properties(), profile, modules: RefCell::default(), programs: RefCell::default() }
    }

    /// The profile that it follows.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    fn module(&self, text: &'static str) -> Result<Arc<Module>, DeviceError> {
        if let Some((_, module)) = self.modules.borrow().iter().find(|(loaded, _)| std::ptr::eq(*loaded, text)) {
            return Ok(Arc::clone(module));
        }
        let module = Arc::new(ptx::parse(text).map_err(|errors| DeviceError::Failed(format!("the PTX:\n{errors}")))?);
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
        let program = decode(&module, entry).map_err(|errors| DeviceError::Failed(format!("the PTX:\n{errors}")))?;
        requirements::check(&program, &self.profile).map_err(DeviceError::Unsupported)?;
        let program = Arc::new(program);
        self.programs.borrow_mut().push((text, Arc::clone(&program)));
        Ok(program)
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
            Ok(resources::occupancy(&self.profile, &program, workload.ptx, launch))
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
        Ok(Box::new(PreparedSim::new(&self.profile, workload, programs)?))
    }
}
