//! A workload examined rather than measured: what each line of its kernels does, and how long its launches take without a pattern.

use std::collections::BTreeMap;

use gpu_simulator::{KeptL2, LineCounts, Report, Without};

use super::Sim;
use super::prepared::{PreparedSim, grid};
use super::submission::step_us;
use super::told::told;
use crate::device::DeviceError;
use crate::workload::{Buffer, Step, Workload};

/// What the launches of a workload came to.
#[derive(Debug, Clone)]
pub struct Examined {
    /// From the first launch to the end of the last, as a measured time is.
    pub time_us: f64,
    /// Each launch in order: its kernel and what it came to.
    pub launches: Vec<(&'static str, Report)>,
}

/// A pattern to take away from the launches of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithoutIn {
    /// The kernel's name in its PTX.
    pub kernel: &'static str,
    /// The pattern and its lines.
    pub without: Without,
}

impl Sim {
    /// Runs the launches of a workload, as they would be without these patterns.
    ///
    /// # Errors
    /// What is wrong with a launch, or what a thread did wrong; and that a workload is more than launches.
    pub fn examine(&self, workload: &Workload, without: &[WithoutIn]) -> Result<Examined, DeviceError> {
        let mut prepared = self.prepared_launches(workload)?;
        let bytes = workload.buffers.iter().map(Buffer::bytes).sum();
        let mut l2 = KeptL2::cold(self.profile(), bytes);
        let mut examined = Examined { time_us: 0.0, launches: Vec::new() };
        let kernels = prepared.kernels.clone();
        for (index, (launch, loaded)) in workload.launches().zip(&kernels).enumerate() {
            let (part, arguments) = (prepared.part()?, prepared.arguments(launch));
            let here = without.iter().filter(|own| own.kernel == launch.entry);
            let here: Vec<Without> = here.map(|own| own.without.clone()).collect();
            let asked = (part.extent(), here.as_slice());
            let (machine, memory) = (&self.machine, &mut prepared.memory);
            let report = machine.run_without(&loaded.kernel, grid(launch), &arguments, memory, &mut l2, asked);
            let report = report.map_err(|error| told(error, workload.ptx))?;
            let sooner_us = self.profile().launch_us - step_us(self.profile(), workload.submission, index);
            examined.time_us += report.time_us - sooner_us;
            examined.launches.push((launch.entry, report));
        }
        Ok(examined)
    }

    /// Runs the launches of a workload and counts what each line of each kernel does, all launches of the kernel together.
    ///
    /// # Errors
    /// As of [`Self::examine`].
    pub fn lines(&self, workload: &Workload) -> Result<BTreeMap<&'static str, Vec<LineCounts>>, DeviceError> {
        let mut prepared = self.prepared_launches(workload)?;
        let kernels = prepared.kernels.clone();
        let mut all: BTreeMap<&'static str, BTreeMap<u32, LineCounts>> = BTreeMap::new();
        for (launch, loaded) in workload.launches().zip(&kernels) {
            let (part, arguments) = (prepared.part()?, prepared.arguments(launch));
            let (machine, memory) = (&self.machine, &mut prepared.memory);
            let of_kernel = all.entry(launch.entry).or_default();
            let lines = machine.lines(&loaded.kernel, grid(launch), &arguments, memory, part.extent());
            for line in lines.map_err(|error| told(error, workload.ptx))? {
                of_kernel.entry(line.line).or_default().add(&line);
            }
        }
        Ok(all.into_iter().map(|(kernel, lines)| (kernel, lines.into_values().collect())).collect())
    }

    /// Whether a kernel has a loop that waits for what others write: what such loops take depends on when those run.
    ///
    /// # Errors
    /// As of [`Self::examine`].
    pub fn spins(&self, workload: &Workload) -> Result<bool, DeviceError> {
        let mut prepared = self.prepared_launches(workload)?;
        let kernels = prepared.kernels.clone();
        for (launch, loaded) in workload.launches().zip(&kernels) {
            let arguments = prepared.arguments(launch);
            let foreseen = self.machine.foresee(&loaded.kernel, grid(launch), &arguments, &mut prepared.memory);
            let foreseen = foreseen.map_err(|error| told(error, workload.ptx))?;
            if foreseen.spins {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn prepared_launches<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<PreparedSim<'device>, DeviceError> {
        let prepared = self.prepared(workload)?;
        if workload.has_phases() || workload.steps.iter().any(|step| !matches!(step, Step::Launch(_))) {
            return Err(DeviceError::Unsupported(
                "it has transfers, copies or work of the host beside its launches".to_owned(),
            ));
        }
        Ok(prepared)
    }
}
