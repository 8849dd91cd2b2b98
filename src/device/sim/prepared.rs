//! A workload on a simulated device: its buffers, and what its launches did.

use std::ops::Range;
use std::sync::Arc;

use gpu_simulator::{Argument, Cluster, Grid, KeptL2, LaunchCensus, Machine, Memory, Report};

use super::columns::Counted;
use super::part::{Asked, Part, Repeated};
use super::phased::HostSides;
use super::resources::LoadedKernel;
use super::submission::{self, Pace, Ran, Timeline, cold_l2, step_us};
use super::told::told;
use crate::device::{Buffers, Checkable, DeviceError, Flush, InPart, Phases, Prepared, Sample};
use crate::workload::{self, Buffer, Contents, Launch, POISON, Step, Submission, Workload};

/// Turns after which a loop on the device is taken to go on for ever.
const TURNS_MOST: usize = 1 << 16;

/// A workload whose kernels are loaded and whose buffers are filled.
pub(super) struct PreparedSim<'device> {
    pub(super) machine: &'device Machine,
    pub(super) workload: &'device Workload,
    /// The kernel of each launch.
    pub(super) kernels: Vec<Arc<LoadedKernel>>,
    pub(super) memory: Memory,
    /// Addresses of the buffers.
    pub(super) addresses: Vec<u64>,
    /// The host's side of the buffers, where the workload is more than kernels.
    pub(super) host: HostSides,
    /// Which part of the launches is executed; not known before they are.
    part: Option<Part>,
    /// Whether outputs are checked and the time is not asked for.
    is_to_check: bool,
    repeated: Repeated<'device>,
    outcome: Option<Outcome>,
}

/// What running the launches once came to.
pub(super) struct Outcome {
    pub(super) time_us: f64,
    pub(super) counted: Counted,
    pub(super) phases: Option<Phases>,
}

impl Outcome {
    /// Nothing yet.
    pub(super) fn new(machine: &Machine) -> Self {
        Self { time_us: 0.0, counted: Counted::new(&machine.profile().spec), phases: None }
    }
}

impl<'device> PreparedSim<'device> {
    pub(super) fn new(
        machine: &'device Machine,
        workload: &'device Workload,
        kernels: Vec<Arc<LoadedKernel>>,
    ) -> Result<Self, DeviceError> {
        // All are of one module.
        let variable_bytes = kernels.first().map_or(0, |loaded| loaded.kernel.variable_bytes());
        let need_bytes = workload.buffers.iter().map(Buffer::bytes).sum::<u64>() + variable_bytes;
        if need_bytes > machine.profile().global.bytes {
            return Err(DeviceError::OutOfMemory { need_bytes, free_bytes: machine.profile().global.bytes });
        }
        let mut memory = Memory::default();
        let addresses = workload
            .buffers
            .iter()
            .enumerate()
            .map(|(index, buffer)| match &buffer.contents {
                Contents::Words(words) if workload.is_uploaded(index) => {
                    memory.add_repeated(buffer.name, POISON, words.len())
                }
                Contents::Words(words) => memory.add_words(buffer.name, words.shared()),
                Contents::Poison { words } => memory.add_repeated(buffer.name, POISON, *words),
                Contents::HostWords(_) | Contents::HostPoison { .. } => memory.add(buffer.name, Vec::new()),
            })
            .collect();
        let host = if workload.has_phases() { HostSides::new(workload) } else { HostSides::default() };
        Ok(Self {
            machine,
            workload,
            kernels,
            memory,
            addresses,
            host,
            part: None,
            is_to_check: false,
            repeated: Repeated::default(),
            outcome: None,
        })
    }

    /// The same to check its outputs, without times.
    pub(super) fn for_checking(self) -> Self {
        Self { is_to_check: true, ..self }
    }

    fn run_launches(&mut self) -> Result<Outcome, DeviceError> {
        let mut outcome = Outcome::new(self.machine);
        let (mut launching_us, mut timeline) = (0.0, Timeline::default());
        let mut l2 = cold_l2(self.machine.profile(), self.workload, &self.addresses);
        let kernels = self.kernels.clone();
        let mut kernels = kernels.iter();
        for (index, step) in self.workload.steps.iter().enumerate() {
            // Times of steps are those of steps on their own.
            let step_us = step_us(self.machine.profile(), self.workload.submission, index);
            let sooner_us = self.machine.profile().launch_us - step_us;
            launching_us += step_us;
            let launch = match step {
                Step::Launch(launch) => launch,
                Step::Upload(_) | Step::Download(_) | Step::Host(_) | Step::Streams(_) => {
                    return Err(DeviceError::Failed("a step that is none of a workload's without phases".to_owned()));
                }
                Step::Copy { from, to } => {
                    let copy_us = self.copy(*from, *to)? - sooner_us;
                    outcome.time_us += copy_us;
                    outcome.counted.add_copy(copy_us);
                    continue;
                }
            };
            let Some(kernel) = kernels.next() else { break };
            let ran = self.run_launch(launch, kernel, &mut l2, &mut outcome.counted)?;
            outcome.time_us += ran.time_us - sooner_us;
            if self.workload.submission.overlaps() {
                let kernel_us = ran.time_us - self.machine.profile().launch_us;
                let pace = Pace::of(self.machine.profile(), self.workload.submission, step_us);
                outcome.time_us -= timeline.sooner_us(kernel_us, ran, pace);
            }
            let mut turn = index;
            while self.goes_on()? {
                turn += 1;
                if turn > TURNS_MOST {
                    let problem = format!("a loop on the device that has not ended after {TURNS_MOST} turns");
                    return Err(DeviceError::Failed(problem));
                }
                let own_us = submission::step_us(self.machine.profile(), self.workload.submission, turn);
                launching_us += own_us;
                outcome.time_us += self.run_launch(launch, kernel, &mut l2, &mut outcome.counted)?.time_us + own_us
                    - self.machine.profile().launch_us;
            }
        }
        if 2.0 * launching_us > outcome.time_us {
            outcome.counted.bound_by_launching();
        }
        Ok(outcome)
    }

    /// Whether a launch that a loop on the device repeats is run once more.
    fn goes_on(&self) -> Result<bool, DeviceError> {
        let Submission::While { condition } = self.workload.submission else { return Ok(false) };
        let mut word = [0];
        let address = self.addresses.get(condition);
        let read = address.and_then(|address| self.memory.read_words(*address, 0, &mut word));
        read.ok_or_else(|| DeviceError::Failed("a loop on the device without a word to end it".to_owned()))?;
        Ok(word != [0])
    }

    /// Copies a buffer into another, and tells how long the driver would take: as long as the memory needs.
    pub(super) fn copy(&mut self, from: usize, to: usize) -> Result<f64, DeviceError> {
        let no_buffer = || DeviceError::Failed("a copy between buffers that are not there".to_owned());
        let address = |index: usize| self.addresses.get(index).copied().ok_or_else(no_buffer);
        let (from, to) = (address(from)?, address(to)?);
        let bytes = self.memory.length(from).ok_or_else(no_buffer)?;
        self.memory.copy(from, to).ok_or_else(no_buffer)?;
        Ok(self.machine.profile().copy_us(bytes as u64))
    }

    /// Runs a launch, counts what it does, and tells how long it takes.
    pub(super) fn run_launch(
        &mut self,
        launch: &'device Launch,
        loaded: &LoadedKernel,
        l2: &mut KeptL2,
        counted: &mut Counted,
    ) -> Result<Ran, DeviceError> {
        let part = self.part()?;
        if self.is_to_check && part == Part::All {
            let arguments = self.arguments(launch);
            let executed = self.machine.execute(&loaded.kernel, grid(launch), &arguments, &mut self.memory);
            executed.map_err(|error| told(error, self.workload.ptx))?;
            return Ok(Ran { time_us: self.machine.profile().launch_us, overlap: None, room: 1 });
        }
        counted.misses_others = matches!(part, Part::OfOneThatAdds | Part::OfEachLaunch);
        if part == Part::OfEachLaunch
            && l2.is_empty()
            && let Some(report) = self.repeated.find(launch)
        {
            counted.add_repeated(report);
            return Ok(self.ran(report));
        }
        let (was_empty, arguments) = (l2.is_empty(), self.arguments(launch));
        let report = self
            .machine
            .run(&loaded.kernel, grid(launch), &arguments, &mut self.memory, l2, part.extent())
            .map_err(|error| told(error, self.workload.ptx))?;
        counted.add(&report);
        let ran = self.ran(&report);
        if part == Part::OfEachLaunch && was_empty && l2.is_empty() {
            self.repeated.keep(launch, report);
        }
        Ok(ran)
    }

    fn ran(&self, report: &Report) -> Ran {
        let resident = u64::from(report.blocks_per_sm) * u64::from(self.machine.profile().sm_count);
        let room = usize::try_from(resident / report.blocks.max(1)).unwrap_or(usize::MAX).max(1);
        Ran { time_us: report.time_us, overlap: report.overlap, room }
    }

    pub(super) fn part(&mut self) -> Result<Part, DeviceError> {
        if let Some(part) = self.part {
            return Ok(part);
        }
        let Self { machine, workload, kernels, memory, addresses, is_to_check, .. } = self;
        let prepare = |launch: &Launch| (grid(launch), arguments(launch, addresses));
        let asked = Asked { machine, workload, kernels, prepare: &prepare, is_to_check: *is_to_check };
        let part = Part::of(&asked, memory).map_err(|error| told(error, workload.ptx))?;
        self.part = Some(part);
        Ok(part)
    }

    /// What a launch asks of the device: see [`super::Sim::census`].
    pub(super) fn census(
        &mut self,
        launch: &Launch,
        loaded: &LoadedKernel,
        instructions_most: u64,
    ) -> Result<LaunchCensus, DeviceError> {
        let arguments = self.arguments(launch);
        Ok(self.machine.census(&loaded.kernel, grid(launch), &arguments, &mut self.memory, instructions_most)?)
    }

    pub(super) fn arguments(&self, launch: &Launch) -> Vec<Argument> {
        arguments(launch, &self.addresses)
    }
}

fn arguments(launch: &Launch, addresses: &[u64]) -> Vec<Argument> {
    let value = |argument: &workload::Argument| Argument::from_bytes(argument.value(|buffer| addresses[buffer]));
    launch.arguments.iter().map(value).collect()
}

/// Blocks of a cluster at most that every GPU with clusters has room for.
const PORTABLE_CLUSTER_BLOCKS: u32 = 8;

pub(super) fn grid(launch: &Launch) -> Grid {
    Grid {
        blocks: launch.grid,
        threads: launch.block,
        dynamic_shared_bytes: launch.shared_bytes,
        cooperative: launch.cooperative,
        cluster: (launch.cluster_blocks > 1).then_some(Cluster {
            blocks: [launch.cluster_blocks, 1, 1],
            is_not_portable: launch.cluster_blocks > PORTABLE_CLUSTER_BLOCKS,
        }),
    }
}

impl Buffers for PreparedSim<'_> {
    fn words(&self, buffer: usize) -> usize {
        if self.workload.is_outcome_on_host(buffer) {
            return self.host.words(buffer).len();
        }
        let bytes = self.addresses.get(buffer).and_then(|address| self.memory.length(*address));
        bytes.unwrap_or(0) / size_of::<u32>()
    }

    fn read(&self, buffer: usize, first: usize, words: &mut [u32]) -> Option<()> {
        if self.workload.is_outcome_on_host(buffer) {
            words.copy_from_slice(self.host.words(buffer).get(first..first + words.len())?);
            return Some(());
        }
        self.memory.read_words(*self.addresses.get(buffer)?, first, words)
    }

    fn are_as_before(&self, buffer: usize, words: Range<usize>) -> bool {
        let address = self.addresses.get(buffer).filter(|_| !self.workload.is_outcome_on_host(buffer));
        address.is_some_and(|address| self.memory.is_as_allocated(*address, words))
    }
}

impl Prepared for PreparedSim<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        let phased = self.workload.has_phases();
        self.outcome = Some(if phased { self.run_phases()? } else { self.run_launches()? });
        Ok(())
    }

    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError> {
        words.resize(self.words(buffer), 0);
        self.read(buffer, 0, words).ok_or_else(|| DeviceError::Failed(format!("there is no buffer {buffer}")))
    }

    fn cold_sample(&mut self, _: Flush) -> Result<Sample, DeviceError> {
        // Every run is the same, so the one that was checked is the sample.
        if self.outcome.is_none() {
            self.run()?;
        }
        let time_us = self.outcome.as_ref().map_or(0.0, |outcome| outcome.time_us);
        let phases = self.outcome.as_ref().and_then(|outcome| outcome.phases);
        let clock_mhz = Some(self.machine.profile().sm_clock_mhz);
        Ok(Sample { time_us, host_us: None, clock_mhz, repeats: 1, gated: true, phases })
    }

    fn buffers(&self) -> Option<&dyn Buffers> {
        Some(self)
    }

    fn counters(&self) -> Vec<(&'static str, String)> {
        self.outcome.as_ref().map(|outcome| outcome.counted.cells()).unwrap_or_default()
    }

    fn printed(&self) -> String {
        self.memory.printed()
    }

    fn in_part(&self) -> Option<InPart> {
        self.outcome.as_ref().and_then(|outcome| outcome.counted.in_part())
    }

    fn checkable(&self) -> Checkable {
        self.outcome.as_ref().map_or(Checkable::Everything, |outcome| outcome.counted.checkable())
    }
}

#[cfg(test)]
mod tests;
