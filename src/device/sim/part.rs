//! How much of a workload's launches is executed, and what that means for its outputs.

use std::sync::Arc;

use gpu_simulator::{Argument, Extent, Foreseen, Grid, LaunchError, Machine, Memory, Report};

use super::resources::LoadedKernel;
use crate::workload::{Launch, Submission, Workload};

/// Warp instructions of a launch up to which all its blocks are executed: about half a second's.
const INSTRUCTIONS_OF_ONE: u64 = 16_000_000;
/// Warp instructions of all launches of a workload of several up to which all their blocks are executed.
const INSTRUCTIONS_OF_SEVERAL: u64 = 64_000_000;

/// Warp instructions of all launches of a workload up to which all blocks are executed where outputs are checked: some 20 seconds'.
const INSTRUCTIONS_CHECKED: u64 = 500_000_000;

/// Which part of a workload's launches is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All blocks of all launches.
    All,
    /// All blocks of the only launch, or some of them where they are many. Blocks do not use what others write.
    OfOneLaunch,
    /// The same of a launch whose blocks add to what others add to, and do not look at it: of such sums a part is missing.
    OfOneThatAdds,
    /// Some blocks of each launch where they are many. What the others would have written is missing in blocks and launches that use it,
    /// and whose threads do the same without it.
    OfEachLaunch,
}

/// A workload of which it is asked how much to execute.
pub(super) struct Asked<'a> {
    pub(super) machine: &'a Machine,
    pub(super) workload: &'a Workload,
    /// The kernel of each launch.
    pub(super) kernels: &'a [Arc<LoadedKernel>],
    /// The grid and the arguments of a launch.
    pub(super) prepare: &'a dyn Fn(&Launch) -> (Grid, Vec<Argument>),
    /// Whether its outputs are checked and it is not timed.
    pub(super) is_to_check: bool,
}

impl Part {
    /// That of a workload: where the host, another block or a later launch uses what blocks write, all are executed, unless the launches have many
    /// instructions and no thread follows what memory holds. Where outputs are checked all are executed in any case, unless that were too much work.
    ///
    /// # Errors
    /// What is wrong with a launch.
    pub(super) fn of(asked: &Asked<'_>, memory: &mut Memory) -> Result<Self, LaunchError> {
        let Asked { machine, workload, kernels, prepare, is_to_check } = *asked;
        if matches!(workload.submission, Submission::While { .. }) {
            return Ok(Self::All);
        }
        let mut foreseen = Foreseeing { machine, prepare, memory, seen: Vec::new() };
        let launches = || workload.launches().zip(kernels);
        if is_to_check {
            let mut instructions = 0_u64;
            for (launch, loaded) in launches() {
                instructions = instructions.saturating_add(foreseen.of(launch, loaded)?.instructions.unwrap_or(0));
            }
            if instructions <= INSTRUCTIONS_CHECKED {
                return Ok(Self::All);
            }
        }
        let mut instructions = 0_u64;
        for (launch, loaded) in launches() {
            let own = foreseen.of(launch, loaded)?;
            if kernels.len() == 1 && !workload.has_phases() && !own.sees_others {
                return Ok(if own.communicates { Self::OfOneThatAdds } else { Self::OfOneLaunch });
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
            Self::OfOneLaunch | Self::OfOneThatAdds | Self::OfEachLaunch => Extent::UpTo(INSTRUCTIONS_OF_ONE),
        }
    }
}

/// What launches will do; of launches that are alike it is looked at once.
struct Foreseeing<'a> {
    machine: &'a Machine,
    prepare: &'a dyn Fn(&Launch) -> (Grid, Vec<Argument>),
    memory: &'a mut Memory,
    seen: Vec<(&'a Launch, Foreseen)>,
}

impl<'a> Foreseeing<'a> {
    fn of(&mut self, launch: &'a Launch, loaded: &LoadedKernel) -> Result<Foreseen, LaunchError> {
        if let Some((_, own)) = self.seen.iter().find(|(other, _)| *other == launch) {
            return Ok(*own);
        }
        let (grid, arguments) = (self.prepare)(launch);
        let own = self.machine.foresee(&loaded.kernel, grid, &arguments, self.memory)?;
        self.seen.push((launch, own));
        Ok(own)
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
