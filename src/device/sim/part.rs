//! How much of a workload's launches is executed, and what that means for its outputs.

use std::sync::Arc;

use gpu_simulator::{Argument, Extent, Foreseen, Grid, LaunchError, Machine, Memory, Report};

use super::resources::LoadedKernel;
use crate::workload::{Launch, Workload};

/// Warp instructions of a launch up to which all its blocks are executed: about half a second's.
const INSTRUCTIONS_OF_ONE: u64 = 16_000_000;
/// Warp instructions of all launches of a workload of several up to which all their blocks are executed.
const INSTRUCTIONS_OF_SEVERAL: u64 = 64_000_000;

/// Which part of a workload's launches is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All blocks of all launches.
    All,
    /// All blocks of the only launch, or some of them where they are many. Blocks do not use what others write.
    OfOneLaunch,
    /// Some blocks of each launch where they are many. What the others would have written is missing in blocks and launches that use it,
    /// and whose threads do the same without it.
    OfEachLaunch,
}

impl Part {
    /// That of a workload: where the host, another block or a later launch uses what blocks write, all are executed, unless the launches have many
    /// instructions and no thread follows what memory holds.
    ///
    /// # Errors
    /// What is wrong with a launch.
    pub(super) fn of(
        machine: &Machine,
        workload: &Workload,
        kernels: &[Arc<LoadedKernel>],
        mut prepare: impl FnMut(&Launch) -> (Grid, Vec<Argument>),
        memory: &mut Memory,
    ) -> Result<Self, LaunchError> {
        let mut instructions = 0_u64;
        let mut seen: Vec<(&Launch, Foreseen)> = Vec::new();
        for (launch, loaded) in workload.launches().zip(kernels) {
            let own = if let Some((_, own)) = seen.iter().find(|(other, _)| *other == launch) {
                *own
            } else {
                let (grid, arguments) = prepare(launch);
                let own = machine.foresee(&loaded.kernel, grid, &arguments, memory)?;
                seen.push((launch, own));
                own
            };
            if kernels.len() == 1 && !workload.has_phases() && !own.communicates {
                return Ok(Self::OfOneLaunch);
            }
            let (false, Some(of_launch)) = (own.follows_data, own.instructions) else { return Ok(Self::All) };
            instructions = instructions.saturating_add(of_launch);
        }
        Ok(if instructions > INSTRUCTIONS_OF_SEVERAL { Self::OfEachLaunch } else { Self::All })
    }

    /// Which blocks of a launch are executed.
    pub(super) fn extent(self) -> Extent {
        match self {
            Self::All => Extent::AllBlocks,
            Self::OfOneLaunch | Self::OfEachLaunch => Extent::UpTo(INSTRUCTIONS_OF_ONE),
        }
    }
}

/// Reports of launches that found nothing in L2 and left nothing there, where no thread follows what memory holds: the same launch
/// again comes to the same.
#[derive(Debug, Default)]
pub(super) struct Repeated<'workload> {
    reports: Vec<(&'workload Launch, Report)>,
}

impl<'workload> Repeated<'workload> {
    /// What the same launch came to before.
    pub(super) fn find(&self, launch: &Launch) -> Option<&Report> {
        self.reports.iter().find(|(other, _)| *other == launch).map(|(_, report)| report)
    }

    /// Keeps what a launch came to.
    pub(super) fn keep(&mut self, launch: &'workload Launch, report: Report) {
        self.reports.push((launch, report));
    }
}
