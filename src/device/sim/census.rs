//! What each launch of a workload asks of a device, counted launch by launch.
//!
//! Unlike a point that is measured, nothing is checked here, so that blocks which do as others do need not all be
//! executed.

use gpu_simulator::LaunchCensus;

use super::Sim;
use super::prepared::PreparedSim;
use crate::device::DeviceError;
use crate::workload::{Step, Workload};

impl Sim {
    /// Counts the launches of a workload, in order. Of a launch that would execute more than `instructions_most` warp
    /// instructions only blocks spread over the grid are executed, and the others taken to do the same.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] for transfers, streams and work of the host, and for cooperative launches, whose blocks wait for each
    /// other and cannot be executed one after another; else what a kernel did wrong.
    pub fn census(&self, workload: &Workload, instructions_most: u64) -> Result<Vec<LaunchCensus>, DeviceError> {
        let kernels = self.kernels(workload)?;
        let mut prepared = PreparedSim::new(&self.machine, workload, kernels.clone())?;
        let mut kernels = kernels.iter();
        let mut found = Vec::new();
        for step in &workload.steps {
            match step {
                Step::Launch(launch) => {
                    let Some(kernel) = kernels.next() else { break };
                    if launch.cooperative {
                        let problem =
                            "blocks of a cooperative launch wait for each other, so they cannot be counted one by one";
                        return Err(DeviceError::Unsupported(problem.to_owned()));
                    }
                    found.push(prepared.census(launch, kernel, instructions_most)?);
                }
                Step::Copy { from, to } => {
                    prepared.copy(*from, *to)?;
                }
                Step::Upload(_) | Step::Download(_) | Step::Host(_) | Step::Streams(_) => {
                    return Err(DeviceError::Unsupported("transfers and work of the host are not counted".to_owned()));
                }
            }
        }
        Ok(found)
    }
}
