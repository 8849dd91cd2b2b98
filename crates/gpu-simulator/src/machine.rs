//! A machine: kernels are loaded on it and launched, on memory that outlives the launches.

mod census;
mod configuration;
mod error;
mod report;

use ptx_syntax::Module;

use crate::census::{LaunchCensus, Watched};
use crate::counters::Counters;
use crate::execute::{Launch, Memory, run_all};
use crate::profile::Profile;
use crate::program::{Program, decode};
use crate::requirements;
use crate::residency::{Registers, residency, resources};
use crate::timing::{KeptL2, time_alone, time_launch_after};

pub use configuration::{Argument, Grid};
pub use error::LaunchError;
pub use report::Report;

/// Warp instructions of a launch up to which all its blocks are executed. Beyond, some are, spread over the grid.
const ALL_BLOCKS_UP_TO: f64 = 500e6;
/// How many those are.
const SPREAD_BLOCKS: u64 = 64;
/// The first compute capability with cooperative launches (CUDA C++ Programming Guide, cooperative groups).
const COOPERATIVE_SINCE: (u32, u32) = (6, 0);
/// Bytes of the workspace that the driver gives a cooperative launch.
const WORKSPACE_BYTES: usize = 64;

/// Which blocks of a launch are executed. Blocks that may wait for each other are executed all together, whatever is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them: the memory is as the GPU would leave it.
    AllBlocks,
    /// All, unless the launch is of more than 500 million warp instructions. Then 64 that are spread over the grid: what the
    /// others would write is not written, and counts are those of the 64.
    SomeOfMany,
}

/// A simulated GPU.
#[derive(Debug, Clone)]
pub struct Machine {
    profile: Profile,
}

/// A launch that was checked.
struct Checked {
    launch: Launch,
    /// Blocks that a multiprocessor holds.
    resident_blocks: u32,
    /// Blocks that the GPU holds at once.
    resident: usize,
}

impl Machine {
    /// The GPU of a profile.
    pub fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// The constants that it follows.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Decodes the kernel `entry` of a module, to be run any number of times.
    ///
    /// # Errors
    /// [`LaunchError::Ptx`] with all that is wrong with the kernel, and [`LaunchError::Unsupported`] for instructions that the GPU
    /// does not have.
    pub fn load(&self, module: &Module, entry: &str) -> Result<Program, LaunchError> {
        let program = decode(module, entry)?;
        requirements::check(&program, &self.profile).map_err(LaunchError::Unsupported)?;
        Ok(program)
    }

    /// Loads a kernel, places its module's variables in `memory` unless they are there, executes all blocks of one launch of it, and
    /// times it with cold caches. Registers of a thread are estimated; [`Self::run`] takes a number that is known.
    ///
    /// # Errors
    /// What is wrong with the PTX, with the launch, or what a thread did wrong.
    pub fn launch(
        &self,
        module: &Module,
        entry: &str,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<Report, LaunchError> {
        let program = self.load(module, entry)?;
        memory.place(&program.globals);
        let registers = Registers::estimated(&program);
        self.run(&program, grid, registers, arguments, memory, &mut KeptL2::default(), Extent::AllBlocks)
    }

    /// Executes and times a launch of a loaded kernel that finds in L2 what `l2` says, and leaves there what the next one finds.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    #[allow(clippy::too_many_arguments, reason = "a launch is all of this")]
    pub fn run(
        &self,
        program: &Program,
        grid: Grid,
        registers: Registers,
        arguments: &[Argument],
        memory: &mut Memory,
        l2: &mut KeptL2,
        extent: Extent,
    ) -> Result<Report, LaunchError> {
        let checked = self.check(program, grid, registers, arguments, memory)?;
        let Checked { launch, resident_blocks, resident } = &checked;
        let timed = time_launch_after(program, launch, &self.profile, *resident_blocks, memory, l2)?;
        let which = executed_blocks(program, launch.blocks(), timed.instructions_per_block, extent);
        let observe = || Counters::new(program, &self.profile);
        let observers = run_all(program, launch, memory, &which, *resident, observe)?;
        let mut counters = observe();
        observers.iter().for_each(|other| counters.merge(other));
        Ok(Report {
            timed: timed.at_least_atomics(counters.same_address_atomics(), &self.profile),
            instructions: counters.instructions(program),
            counters,
            blocks: launch.blocks(),
            blocks_executed: which.len() as u64,
            resident_blocks: *resident_blocks,
        })
    }

    /// Counts what a launch asks of the GPU, and writes what the blocks that are executed write. Of a launch of more than
    /// `instructions_most` warp instructions only blocks spread over the grid are executed, and the others taken to do the same.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn census(
        &self,
        program: &Program,
        grid: Grid,
        registers: Registers,
        arguments: &[Argument],
        memory: &mut Memory,
        instructions_most: u64,
    ) -> Result<LaunchCensus, LaunchError> {
        let checked = self.check(program, grid, registers, arguments, memory)?;
        let Checked { launch, resident_blocks, resident } = &checked;
        let (alone_cycles, instructions) = time_alone(program, launch, &self.profile, memory)?;
        let which = census::counted_blocks(program, launch.blocks(), grid.cooperative, instructions, instructions_most);
        let observe = || Watched::new(Counters::new(program, &self.profile));
        let watched = run_all(program, launch, memory, &which, *resident, observe)?;
        let executed = (launch.blocks(), which.len() as u64);
        Ok(LaunchCensus::of(program, launch.threads(), &watched, executed, *resident_blocks, alone_cycles))
    }

    /// A launch as its threads see it, unless the GPU would refuse it.
    fn check(
        &self,
        program: &Program,
        grid: Grid,
        registers: Registers,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<Checked, LaunchError> {
        let profile = &self.profile;
        let refuse = |problem: String| LaunchError::Refused { kernel: program.name.clone(), problem };
        grid.check().map_err(refuse)?;
        let asked = resources(program, registers, grid.threads_per_block(), grid.dynamic_shared_bytes);
        let (residency, _) = residency(profile, program, registers, asked).map_err(refuse)?;
        let parameters = configuration::parameters(program, arguments).map_err(refuse)?;
        let blocks = grid.block_count();
        let mut resident = u64::from(residency.blocks) * u64::from(profile.sm_count);
        let mut workspace = 0;
        if grid.cooperative {
            let (major, minor) = profile.compute_capability;
            if (major, minor) < COOPERATIVE_SINCE {
                let (needed, _) = COOPERATIVE_SINCE;
                return Err(LaunchError::Unsupported(format!(
                    "a cooperative launch, which needs compute capability {needed}.0 and not {major}.{minor}"
                )));
            }
            if blocks > resident {
                return Err(refuse(format!(
                    "a cooperative launch of {blocks} blocks, but only {resident} are resident at once"
                )));
            }
            resident = blocks;
            workspace = memory.add("the workspace of a cooperative launch", vec![0; WORKSPACE_BYTES]);
        }
        let launch = Launch {
            grid: grid.blocks,
            block: grid.threads,
            dynamic_shared_bytes: grid.dynamic_shared_bytes,
            parameters,
            multiprocessors: profile.sm_count,
            nanoseconds_per_cycle: 1e3 / profile.sm_clock_mhz,
            workspace,
            reconvergence: profile.reconvergence,
            step_limit: profile.step_limit,
        };
        let resident = usize::try_from(resident).unwrap_or(usize::MAX);
        Ok(Checked { launch, resident_blocks: residency.blocks, resident })
    }
}

/// All blocks, or some of them where all would take too long.
fn executed_blocks(program: &Program, blocks: u64, instructions_per_block: f64, extent: Extent) -> Vec<u64> {
    let few = instructions_per_block * blocks as f64 <= ALL_BLOCKS_UP_TO;
    if few || program.communicates || extent == Extent::AllBlocks || blocks <= SPREAD_BLOCKS {
        (0..blocks).collect()
    } else {
        spread_blocks(blocks)
    }
}

/// Blocks from the first to the last, evenly apart.
fn spread_blocks(blocks: u64) -> Vec<u64> {
    (0..SPREAD_BLOCKS).map(|index| index * (blocks - 1) / (SPREAD_BLOCKS - 1)).collect()
}
