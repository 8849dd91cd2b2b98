//! A workload on a simulated device: its buffers, and what its launches did.

use std::sync::Arc;

use super::census::{LaunchCensus, Watched};
use super::columns::Counted;
use super::counters::Counters;
use super::execute::{DeviceMemory, Fault, Grid, run_all};
use super::phased::HostSides;
use super::profile::Profile;
use super::program::Program;
use super::resources::{Registers, residency};
use super::submission::step_us;
use super::timing::{Bound, KeptL2, Timed, time_alone, time_launch_after};
use crate::device::{DeviceError, Flush, Phases, Prepared, Sample};
use crate::workload::{Argument, Contents, Launch, POISON, Step, Workload};

/// Warp instructions of a launch up to which all its blocks are executed. Beyond, some are, spread over the grid.
const ALL_BLOCKS_UP_TO: u64 = 500_000_000;
/// How many those are.
const SPREAD_BLOCKS: u64 = 64;
/// Blocks along y and z of a grid (CUDA C Programming Guide, table of technical specifications).
const GRID_EXTENT_MAX: u32 = 65_535;
/// Bytes of the workspace that the driver gives a cooperative launch.
const WORKSPACE_BYTES: usize = 64;

/// A workload whose kernels are decoded and whose buffers are filled.
pub(super) struct PreparedSim<'device> {
    pub(super) profile: &'device Profile,
    pub(super) workload: &'device Workload,
    pub(super) programs: Vec<Arc<Program>>,
    pub(super) memory: DeviceMemory,
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

fn failed(fault: &Fault) -> DeviceError {
    DeviceError::Failed(fault.to_string())
}

impl<'device> PreparedSim<'device> {
    pub(super) fn new(
        profile: &'device Profile,
        workload: &'device Workload,
        programs: Vec<Arc<Program>>,
    ) -> Result<Self, DeviceError> {
        let globals = programs.first().map(|program| program.globals.as_slice()).unwrap_or_default();
        let need_bytes = workload.buffers.iter().map(crate::workload::Buffer::bytes).sum::<u64>()
            + globals.iter().map(|image| image.bytes.len() as u64).sum::<u64>();
        if need_bytes > profile.global.bytes {
            return Err(DeviceError::OutOfMemory { need_bytes, free_bytes: profile.global.bytes });
        }
        let mut memory = DeviceMemory::default();
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
        for image in globals {
            memory.add_at(&image.name, image.address, image.bytes.clone());
        }
        let host = if workload.has_phases() { HostSides::new(workload) } else { HostSides::default() };
        Ok(Self { profile, workload, programs, memory, addresses, host, outcome: None })
    }

    fn run_launches(&mut self) -> Result<Outcome, DeviceError> {
        let mut outcome = Outcome { time_us: 0.0, counted: Counted::default(), phases: None };
        outcome.counted.profile.clone_from(&self.profile.spec);
        let mut longest_us = 0.0;
        let mut launching_us = 0.0;
        let workload_bytes = self.workload.buffers.iter().map(crate::workload::Buffer::bytes).sum();
        let mut l2 = KeptL2::cold(self.profile, workload_bytes);
        let programs = self.programs.clone();
        let mut programs = programs.iter();
        for (index, step) in self.workload.steps.iter().enumerate() {
            // Times of steps are those of steps on their own.
            let step_us = step_us(self.profile, self.workload.submission, index);
            let sooner_us = self.profile.launch_us - step_us;
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
        let time_us = self.profile.launch_us + 2.0 * bytes.len() as f64 / (self.profile.global.gb_per_s * 1e3);
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
        let profile = self.profile;
        let refuse = |problem: String| DeviceError::Failed(format!("{}: {problem}", program.name));
        let (mut grid, residency_blocks) = self.grid(launch, program).map_err(refuse)?;
        let blocks = grid.blocks();
        let mut resident = u64::from(residency_blocks) * u64::from(profile.sm_count);
        if launch.cooperative {
            if blocks > resident {
                let problem =
                    format!("a cooperative launch of {blocks} blocks, but only {resident} are resident at once");
                return Err(refuse(problem));
            }
            resident = blocks;
            grid.workspace = self.memory.add("the workspace of a cooperative launch", vec![0; WORKSPACE_BYTES]);
        }

        let timed = time_launch_after(program, &grid, profile, residency_blocks, &self.memory, l2)
            .map_err(|fault| failed(&fault))?;
        let which = self.blocks_to_execute(program, blocks, timed.instructions_per_block);
        let observe = || Counters::new(program, profile);
        let resident = usize::try_from(resident).unwrap_or(usize::MAX);
        let observers =
            run_all(program, &grid, &mut self.memory, &which, resident, observe).map_err(|fault| failed(&fault))?;
        let mut counters = observe();
        observers.iter().for_each(|other| counters.merge(other));
        counted.add(&counters, &counters.instructions(program), blocks, which.len() as u64);
        let timed = timed.at_least_atomics(counters.same_address_atomics(), profile);
        Ok((timed, residency_blocks))
    }

    /// A launch as its threads see it, and how many of its blocks a multiprocessor holds.
    fn grid(&self, launch: &Launch, program: &Program) -> Result<(Grid, u32), String> {
        let profile = self.profile;
        if launch.grid[1..].iter().any(|extent| *extent > GRID_EXTENT_MAX) {
            return Err(format!("a grid has at most {GRID_EXTENT_MAX} blocks along y and z"));
        }
        let registers = Registers::of(program, self.workload.ptx, profile);
        let (residency, _) = residency(profile, program, registers, launch)?;
        let grid = Grid {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: launch.shared_bytes,
            parameters: self.parameters(launch, program)?,
            multiprocessors: profile.sm_count,
            nanoseconds_per_cycle: 1e3 / profile.sm_clock_mhz,
            workspace: 0,
            reconvergence: profile.reconvergence,
            step_limit: profile.step_limit,
        };
        if grid.blocks() == 0 {
            return Err("the grid has no blocks".to_owned());
        }
        Ok((grid, residency.blocks))
    }

    /// Counts what a launch does and writes what the blocks that are executed write: see [`super::Sim::census`].
    pub(super) fn count_launch(
        &mut self,
        launch: &Launch,
        program: &Program,
        instructions_most: u64,
    ) -> Result<LaunchCensus, DeviceError> {
        let profile = self.profile;
        let refuse = |problem: String| DeviceError::Failed(format!("{}: {problem}", program.name));
        let (mut grid, residency_blocks) = self.grid(launch, program).map_err(refuse)?;
        let blocks = grid.blocks();
        let mut resident = u64::from(residency_blocks) * u64::from(profile.sm_count);
        if launch.cooperative {
            resident = blocks;
            grid.workspace = self.memory.add("the workspace of a cooperative launch", vec![0; WORKSPACE_BYTES]);
        }
        let (alone_cycles, instructions) =
            time_alone(program, &grid, profile, &self.memory).map_err(|fault| failed(&fault))?;
        let most = (instructions_most as f64 / instructions.max(1.0)) as u64;
        let which: Vec<u64> = if blocks <= most.max(SPREAD_BLOCKS) || launch.cooperative {
            (0..blocks).collect()
        } else if program.communicates {
            // Blocks wait for those before them.
            (0..most.max(SPREAD_BLOCKS)).collect()
        } else {
            (0..SPREAD_BLOCKS).map(|index| index * (blocks - 1) / (SPREAD_BLOCKS - 1)).collect()
        };
        let observe = || Watched::new(Counters::new(program, profile));
        let resident = usize::try_from(resident).unwrap_or(usize::MAX);
        let watched =
            run_all(program, &grid, &mut self.memory, &which, resident, observe).map_err(|fault| failed(&fault))?;
        let executed = (blocks, which.len() as u64);
        Ok(LaunchCensus::of(launch, &watched, program, executed, residency_blocks, alone_cycles))
    }

    /// Copies a buffer into another.
    pub(super) fn copy_only(&mut self, from: usize, to: usize) -> Result<(), DeviceError> {
        self.copy(from, to).map(|_| ())
    }

    /// All blocks, or some of them where all would take too long. Blocks that may wait for each other stay together.
    /// So do those whose output the host uses.
    fn blocks_to_execute(&self, program: &Program, blocks: u64, instructions_per_block: f64) -> Vec<u64> {
        let few = instructions_per_block * blocks as f64 <= ALL_BLOCKS_UP_TO as f64;
        if few || program.communicates || self.workload.has_phases() || blocks <= SPREAD_BLOCKS {
            return (0..blocks).collect();
        }
        (0..SPREAD_BLOCKS).map(|index| index * (blocks - 1) / (SPREAD_BLOCKS - 1)).collect()
    }

    fn parameters(&self, launch: &Launch, program: &Program) -> Result<Vec<u8>, String> {
        let (expected, given) = (program.parameters.len(), launch.arguments.len());
        if expected != given {
            return Err(format!("{expected} arguments are expected, not {given}"));
        }
        let mut bytes = vec![0; program.parameter_bytes as usize];
        for (index, (argument, slice)) in launch.arguments.iter().zip(&program.parameters).enumerate() {
            let value = match argument {
                Argument::Buffer(buffer) => self.addresses[*buffer].to_le_bytes().to_vec(),
                Argument::Word(word) => word.to_le_bytes().to_vec(),
                Argument::Long(long) => long.to_le_bytes().to_vec(),
            };
            if value.len() != slice.bytes as usize {
                return Err(format!("argument {index} has {} bytes, the kernel takes {}", value.len(), slice.bytes));
            }
            bytes[slice.offset as usize..][..value.len()].copy_from_slice(&value);
        }
        Ok(bytes)
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
        let clock_mhz = Some(self.profile.sm_clock_mhz);
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
