//! A workload on a simulated device: its buffers, and what its launches did.

use std::sync::Arc;

use gpu_simulator::Memory;
use gpu_simulator::census::LaunchCensus;
use gpu_simulator::machine::{self, Extent, Grid, Machine};
use gpu_simulator::program::Program;
use gpu_simulator::timing::{Bound, KeptL2, Timed};

use super::columns::Counted;
use super::phased::HostSides;
use super::resources::registers;
use super::submission::step_us;
use crate::device::{DeviceError, Flush, Phases, Prepared, Sample};
use crate::workload::{Argument, Contents, Launch, POISON, Step, Workload};

/// A workload whose kernels are decoded and whose buffers are filled.
pub(super) struct PreparedSim<'device> {
    pub(super) machine: &'device Machine,
    pub(super) workload: &'device Workload,
    pub(super) programs: Vec<Arc<Program>>,
    pub(super) memory: Memory,
    /// Addresses of the buffers.
    pub(super) addresses: Vec<u64>,
    /// The host's side of the buffers, where the workload is more than kernels.
    pub(super) host: HostSides,
    outcome: Option<Outcome>,
}

/// What running the launches once came to.
pub(super) struct Outcome {
    pub(super) time_us: f64,
    pub(super) counted: Counted,
    pub(super) phases: Option<Phases>,
}

impl Outcome {
    /// Takes what was found out about a launch; `longest_us` is that of the longest so far.
    pub(super) fn note(&mut self, timed: &Timed, resident: u32, longest_us: &mut f64) {
        self.counted.blocks_timed += timed.blocks_timed;
        if timed.time_us >= *longest_us {
            *longest_us = timed.time_us;
            self.counted.bound = timed.bound.name();
            self.counted.blocks_per_sm = resident;
            self.counted.waves = timed.waves;
        }
    }
}

impl<'device> PreparedSim<'device> {
    pub(super) fn new(
        machine: &'device Machine,
        workload: &'device Workload,
        programs: Vec<Arc<Program>>,
    ) -> Result<Self, DeviceError> {
        let globals = programs.first().map(|program| program.globals.as_slice()).unwrap_or_default();
        let need_bytes = workload.buffers.iter().map(crate::workload::Buffer::bytes).sum::<u64>()
            + globals.iter().map(|image| image.bytes.len() as u64).sum::<u64>();
        if need_bytes > machine.profile().global.bytes {
            return Err(DeviceError::OutOfMemory { need_bytes, free_bytes: machine.profile().global.bytes });
        }
        let mut memory = Memory::default();
        let addresses = workload
            .buffers
            .iter()
            .enumerate()
            .map(|(index, buffer)| {
                let bytes = match &buffer.contents {
                    Contents::Words(words) if workload.is_uploaded(index) => POISON.to_le_bytes().repeat(words.len()),
                    Contents::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
                    Contents::Poison { words } => POISON.to_le_bytes().repeat(*words),
                    Contents::HostWords(_) | Contents::HostPoison { .. } => Vec::new(),
                };
                memory.add(buffer.name, bytes)
            })
            .collect();
        memory.place(globals);
        let host = if workload.has_phases() { HostSides::new(workload) } else { HostSides::default() };
        Ok(Self { machine, workload, programs, memory, addresses, host, outcome: None })
    }

    fn run_launches(&mut self) -> Result<Outcome, DeviceError> {
        let mut outcome = Outcome { time_us: 0.0, counted: Counted::default(), phases: None };
        outcome.counted.profile.clone_from(&self.machine.profile().spec);
        let mut longest_us = 0.0;
        let mut launching_us = 0.0;
        let workload_bytes = self.workload.buffers.iter().map(crate::workload::Buffer::bytes).sum();
        let mut l2 = KeptL2::cold(self.machine.profile(), workload_bytes);
        let programs = self.programs.clone();
        let mut programs = programs.iter();
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
                    if copy_us >= longest_us {
                        longest_us = copy_us;
                        outcome.counted.bound = Bound::Memory.name();
                    }
                    continue;
                }
            };
            let Some(program) = programs.next() else { break };
            let (timed, resident) = self.run_launch(launch, program, &mut l2, &mut outcome.counted)?;
            outcome.time_us += timed.time_us - sooner_us;
            outcome.note(&timed, resident, &mut longest_us);
        }
        if 2.0 * launching_us > outcome.time_us {
            outcome.counted.bound = Bound::Launch.name();
        }
        Ok(outcome)
    }

    /// Copies a buffer into another, and tells how long the driver would take: as long as the memory needs.
    pub(super) fn copy(&mut self, from: usize, to: usize) -> Result<f64, DeviceError> {
        let no_buffer = || DeviceError::Failed("a copy between buffers that are not there".to_owned());
        let address = |index: usize| self.addresses.get(index).copied().ok_or_else(no_buffer);
        let (from, to) = (address(from)?, address(to)?);
        let bytes = self.memory.find(from).ok_or_else(no_buffer)?.bytes.clone();
        let time_us = self.machine.profile().launch_us
            + 2.0 * bytes.len() as f64 / (self.machine.profile().global.gb_per_s * 1e3);
        self.memory.replace(to, bytes).ok_or_else(no_buffer)?;
        Ok(time_us)
    }

    pub(super) fn run_launch(
        &mut self,
        launch: &Launch,
        program: &Program,
        l2: &mut KeptL2,
        counted: &mut Counted,
    ) -> Result<(Timed, u32), DeviceError> {
        let (registers, _) = registers(program, self.workload.ptx, self.machine.profile());
        // The host uses the outputs of all blocks of a workload with phases.
        let extent = if self.workload.has_phases() { Extent::AllBlocks } else { Extent::SomeOfMany };
        let arguments = self.arguments(launch);
        let memory = &mut self.memory;
        let report = self.machine.run(program, grid(launch), registers, &arguments, memory, l2, extent)?;
        counted.add(&report.counters, &report.instructions, report.blocks, report.blocks_executed);
        Ok((report.timed, report.resident_blocks))
    }

    /// Counts what a launch does and writes what the blocks that are executed write: see [`super::Sim::census`].
    pub(super) fn count_launch(
        &mut self,
        launch: &Launch,
        program: &Program,
        instructions_most: u64,
    ) -> Result<LaunchCensus, DeviceError> {
        let (registers, _) = registers(program, self.workload.ptx, self.machine.profile());
        let arguments = self.arguments(launch);
        let memory = &mut self.memory;
        Ok(self.machine.census(program, grid(launch), registers, &arguments, memory, instructions_most)?)
    }

    /// Copies a buffer into another.
    pub(super) fn copy_only(&mut self, from: usize, to: usize) -> Result<(), DeviceError> {
        self.copy(from, to).map(|_| ())
    }

    fn arguments(&self, launch: &Launch) -> Vec<machine::Argument> {
        let value = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => self.addresses[buffer].into(),
            Argument::Word(word) => word.into(),
            Argument::Long(long) => long.into(),
        };
        launch.arguments.iter().map(value).collect()
    }
}

fn grid(launch: &Launch) -> Grid {
    Grid {
        blocks: launch.grid,
        threads: launch.block,
        dynamic_shared_bytes: launch.shared_bytes,
        cooperative: launch.cooperative,
    }
}

impl Prepared for PreparedSim<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        let phased = self.workload.has_phases();
        self.outcome = Some(if phased { self.run_phases()? } else { self.run_launches()? });
        Ok(())
    }

    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError> {
        if self.workload.is_outcome_on_host(buffer) {
            words.clear();
            words.extend_from_slice(self.host.words(buffer));
            return Ok(());
        }
        let address = self.addresses.get(buffer).copied().unwrap_or_default();
        let allocation = self.memory.find(address);
        let allocation = allocation.ok_or_else(|| DeviceError::Failed(format!("there is no buffer {buffer}")))?;
        let bytes = allocation.bytes.chunks_exact(4);
        words.clear();
        words.extend(bytes.map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
        Ok(())
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

    fn counters(&self) -> Vec<(&'static str, String)> {
        self.outcome.as_ref().map(|outcome| outcome.counted.cells()).unwrap_or_default()
    }

    fn printed(&self) -> String {
        self.memory.printed.text()
    }

    fn executes_all_blocks(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| outcome.counted.blocks_executed == outcome.counted.blocks)
    }
}

#[cfg(test)]
mod tests;
