//! A machine: kernels are loaded on it and launched, on memory that outlives the launches.

mod configuration;
mod error;
mod extent;
mod kernel;
mod races;
mod report;
mod symbols;

use std::collections::BTreeMap;

use ptx_syntax::Module;

use crate::census::{LaunchCensus, Watched};
use crate::counters::{Counters, Counts};
use crate::execute::{Apart, Launch, Memory, run_all, run_apart, steps_of};
use crate::hardware::occupancy::{Residency, Resources};
use crate::lines::{LineCounts, Lines};
use crate::profile::Profile;
use crate::program::{Conduct, Given, Program};
use crate::requirements;
use crate::timing::{KeptL2, Known, Timed, time_alone, time_launch_after};
use crate::what_if::{Alterations, Altered, Without};

pub use configuration::{Argument, Grid};
pub use error::LaunchError;
pub use extent::Extent;
use extent::Sample;
pub use kernel::{Kernel, Lowered, Registers};
pub use report::Report;

/// The first compute capability with cooperative launches (CUDA C++ Programming Guide, cooperative groups).
const COOPERATIVE_SINCE: (u32, u32) = (6, 0);
/// Bytes of the workspace that the driver gives a cooperative launch.
const WORKSPACE_BYTES: usize = 64;

/// A simulated GPU.
#[derive(Debug, Clone)]
pub struct Machine {
    profile: Profile,
}

/// What a launch will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreseen {
    /// Whether blocks may see what other blocks of the launch write.
    pub communicates: bool,
    /// Whether what threads do, and where, may depend on what memory holds. If not, a launch counts the same and takes as long whatever
    /// the launches before it wrote.
    pub follows_data: bool,
    /// Whether the kernel has a loop that goes on until others have written something: what it takes depends on when these run.
    pub spins: bool,
    /// Warp instructions if all blocks do what the first one does; `None` where blocks may wait for each other.
    pub instructions: Option<u64>,
}

/// A launch that was checked.
struct Checked {
    launch: Launch,
    /// Blocks that a multiprocessor holds.
    blocks_per_sm: u32,
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

    /// Loads the kernel `entry` of a module, to be run any number of times on memories that hold the variables of no other
    /// module.
    ///
    /// # Errors
    /// [`LaunchError::Ptx`] with all that is wrong with the kernel, and [`LaunchError::Unsupported`] for instructions that the GPU
    /// does not have.
    pub fn load(&self, module: &Module, entry: &str) -> Result<Kernel, LaunchError> {
        self.checked(Kernel::decode(module, entry)?)
    }

    /// Loads a kernel as [`Self::load`] does, to be run on this memory, which may hold variables of other modules. Its own
    /// module's are placed there, unless a kernel of the same module was loaded before.
    ///
    /// # Errors
    /// As [`Self::load`], and [`LaunchError::Refused`] where there are no addresses left.
    pub fn load_for(&self, memory: &mut Memory, module: &Module, entry: &str) -> Result<Kernel, LaunchError> {
        let kernel = self.checked(Kernel::decode_for(memory, module, entry)?)?;
        place(&kernel, memory)?;
        Ok(kernel)
    }

    fn checked(&self, kernel: Kernel) -> Result<Kernel, LaunchError> {
        requirements::check(&kernel.program, &self.profile).map_err(LaunchError::Unsupported)?;
        Ok(kernel)
    }

    /// Loads a kernel, executes all blocks of one launch of it, and times it with cold caches. Its module's variables are placed in
    /// `memory`, and keep their values there from launch to launch.
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
        let kernel = self.load_for(memory, module, entry)?;
        self.run(&kernel, grid, arguments, memory, &mut KeptL2::default(), Extent::AllBlocks)
    }

    /// Executes and times a launch of a loaded kernel that finds in L2 what `l2` says, and leaves there what the next one finds.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn run(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        l2: &mut KeptL2,
        extent: Extent,
    ) -> Result<Report, LaunchError> {
        self.run_without(kernel, grid, arguments, memory, l2, (extent, &[]))
    }

    /// The same without patterns: times and counts are those that the launch would have without them. What it writes is what it writes with
    /// them.
    ///
    /// # Errors
    /// As of [`Self::run`].
    pub fn run_without(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        l2: &mut KeptL2,
        (extent, without): (Extent, &[Without]),
    ) -> Result<Report, LaunchError> {
        let checked = self.check(kernel, grid, arguments, memory)?;
        let Checked { launch, blocks_per_sm, resident } = &checked;
        let (program, blocks) = (self.counted(kernel), launch.blocks());
        let alterations = Alterations::of(program, without);
        let of_timed = Alterations::of(kernel.timed(self.profile.compute_capability), without);
        if launch.conduct.waits() {
            // What is timed must find what the blocks found that were executed, not what these left.
            let found = memory.clone();
            let which: Vec<u64> = (0..blocks).collect();
            let counters = self.executed(kernel, &checked, memory, &which, &alterations)?;
            let known = Known { together: counters.together(), ..Known::nothing(*blocks_per_sm) };
            let timed = self.timed(kernel, &checked, &found, (l2, &of_timed), known)?;
            let timed = timed.at_least_atomics(counters.atomics_cycles(&self.profile), &self.profile);
            let counts = Counts::of(&counters, &counters.instructions(program), (blocks, blocks));
            return Ok(Report::new(&timed, (blocks, blocks), *blocks_per_sm, counts));
        }
        // What the blocks do together is known before one multiprocessor is timed, and written after that.
        let steps = steps_of(program, launch, memory, 0)?;
        let samples = extent::samples(launch, steps as f64, extent);
        let mut counts = Counts::default();
        let mut ran = Vec::with_capacity(samples.len());
        for Sample { blocks, executed } in &samples {
            let part = executed.len() as f64 / (*blocks).max(1) as f64;
            let counting = || Counters::new(program, &self.profile).of_part(part, &self.profile);
            let observe = || Altered::new(counting(), &alterations);
            let apart = if launch.conduct.communicates {
                Apart::committed(run_all(program, launch, memory, executed, *resident, observe)?)
            } else {
                run_apart(program, launch, memory, executed, observe)?
            };
            let counters = merged(counting(), &apart.observers);
            counts.add(&Counts::of(&counters, &counters.instructions(program), (*blocks, executed.len() as u64)));
            ran.push((apart, counters));
        }
        let executed: usize = samples.iter().map(|sample| sample.executed.len()).sum();
        // The first sample is the largest one, and tells what blocks do together.
        let (apart, counters) = &ran[0];
        let known = Known {
            resident: *blocks_per_sm,
            together: counters.together(),
            instructions_per_block: steps,
            steps: if samples.len() == 1 { &apart.steps } else { &[] },
        };
        let timed = self.timed(kernel, &checked, memory, (l2, &of_timed), known)?;
        let all_of_first = blocks as f64 / samples[0].executed.len().max(1) as f64;
        let timed = timed.at_least_atomics(counters.atomics_cycles(&self.profile) * all_of_first, &self.profile);
        ran.into_iter().for_each(|(apart, _)| drop(apart.commit(memory)));
        let blocks = (blocks, executed as u64);
        Ok(Report::new(&timed, blocks, *blocks_per_sm, counts))
    }

    /// Executes all blocks of a launch and counts what they do, without timing them.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn execute(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<Counts, LaunchError> {
        let checked = self.check(kernel, grid, arguments, memory)?;
        let blocks = checked.launch.blocks();
        let which: Vec<u64> = (0..blocks).collect();
        let counters = self.executed(kernel, &checked, memory, &which, Alterations::NONE)?;
        Ok(Counts::of(&counters, &counters.instructions(self.counted(kernel)), (blocks, blocks)))
    }

    /// Executes a launch and counts what each line of its PTX does, in ascending order of the lines; lines that no warp executed are left out.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn lines(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        extent: Extent,
    ) -> Result<Vec<LineCounts>, LaunchError> {
        let Checked { launch, resident, .. } = &self.check(kernel, grid, arguments, memory)?;
        let program = self.counted(kernel);
        let steps = if launch.conduct.waits() { 0 } else { steps_of(program, launch, memory, 0)? };
        let mut lines = BTreeMap::new();
        for Sample { blocks, executed } in extent::samples(launch, steps as f64, extent) {
            let observe = || Lines::new(program, &self.profile);
            let watched = run_all(program, launch, memory, &executed, *resident, observe)?;
            let mut all = observe();
            watched.iter().for_each(|own| all.merge(own));
            all.add_to(program, &mut lines, blocks as f64 / executed.len().max(1) as f64);
        }
        Ok(lines.into_values().collect())
    }

    /// Times a launch with cold caches and writes nothing to its buffers. Atomics of other multiprocessors on the same addresses,
    /// which take their turns, are not known then; [`Self::run`] counts them.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn time(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<Timed, LaunchError> {
        let checked = self.check(kernel, grid, arguments, memory)?;
        let known = Known::nothing(checked.blocks_per_sm);
        self.timed(kernel, &checked, memory, (&mut KeptL2::default(), Alterations::NONE), known)
    }

    /// What a launch will do, as far as the arguments and its first block tell. Nothing is written.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn foresee(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<Foreseen, LaunchError> {
        let Checked { launch, .. } = self.check(kernel, grid, arguments, memory)?;
        let Conduct { communicates, follows_data } = launch.conduct;
        // A block that waits for others has no end alone.
        let instructions = if launch.conduct.waits() {
            None
        } else {
            Some(steps_of(self.counted(kernel), &launch, memory, 0)?.saturating_mul(launch.blocks()))
        };
        let spins = self.counted(kernel).code.iter().any(|instruction| instruction.spins);
        Ok(Foreseen { communicates, follows_data, spins, instructions })
    }

    fn timed(
        &self,
        kernel: &Kernel,
        Checked { launch, .. }: &Checked,
        memory: &Memory,
        (l2, alterations): (&mut KeptL2, &Alterations),
        known: Known<'_>,
    ) -> Result<Timed, LaunchError> {
        let program = kernel.timed(self.profile.compute_capability);
        Ok(time_launch_after(program, launch, &self.profile, known, memory, l2, alterations)?)
    }

    /// What is executed of a kernel where it is counted.
    fn counted<'kernel>(&self, kernel: &'kernel Kernel) -> &'kernel Program {
        kernel.counted(self.profile.compute_capability)
    }

    fn executed(
        &self,
        kernel: &Kernel,
        Checked { launch, resident, .. }: &Checked,
        memory: &mut Memory,
        which: &[u64],
        alterations: &Alterations,
    ) -> Result<Counters, LaunchError> {
        let program = self.counted(kernel);
        let counting = || Counters::new(program, &self.profile);
        let observe = || Altered::new(counting(), alterations);
        let observers = run_all(program, launch, memory, which, *resident, observe)?;
        Ok(merged(counting(), &observers))
    }

    /// Counts what a launch asks of the GPU, and writes what the blocks that are executed write. Of a launch of more than
    /// `instructions_most` warp instructions only blocks spread over the grid are executed, and the others taken to do the same.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn census(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        instructions_most: u64,
    ) -> Result<LaunchCensus, LaunchError> {
        let Checked { launch, blocks_per_sm, resident } = &self.check(kernel, grid, arguments, memory)?;
        let program = self.counted(kernel);
        let (alone_cycles, instructions) = time_alone(program, launch, &self.profile, memory)?;
        let which = extent::counted_blocks(launch, grid.cooperative, instructions, instructions_most);
        let observe = || Watched::new(Counters::new(program, &self.profile));
        let watched = run_all(program, launch, memory, &which, *resident, observe)?;
        let executed = (launch.blocks(), which.len() as u64);
        Ok(LaunchCensus::of(program, launch.threads(), &watched, executed, *blocks_per_sm, alone_cycles))
    }

    /// How many blocks that take `resources` a multiprocessor holds, and what a block takes then: where the kernel's registers are
    /// an estimate, no more than let one block run.
    ///
    /// # Errors
    /// Why not even one block can run, as a phrase.
    pub fn residency(&self, kernel: &Kernel, resources: Resources) -> Result<(Residency, Resources), String> {
        kernel.residency(&self.profile, resources)
    }

    /// A launch as its threads see it, unless the GPU would refuse it.
    fn check(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<Checked, LaunchError> {
        let profile = &self.profile;
        let refuse = |problem: String| LaunchError::Refused { kernel: kernel.name().to_owned(), problem };
        grid.check().map_err(refuse)?;
        let asked = kernel.resources(grid.threads_per_block(), grid.dynamic_shared_bytes);
        let (residency, _) = kernel.residency(profile, asked).map_err(refuse)?;
        let parameters = configuration::parameters(&kernel.program, arguments).map_err(refuse)?;
        let blocks = grid.block_count();
        let mut resident = u64::from(residency.blocks) * u64::from(profile.sm_count);
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
        }
        place(kernel, memory)?;
        let blocks: u64 = grid.blocks.iter().map(|axis| u64::from(*axis)).fold(1, u64::saturating_mul);
        if blocks > BLOCKS_MOST {
            let problem = format!("a grid of {blocks} blocks is not simulated: {BLOCKS_MOST} are the most");
            return Err(LaunchError::Refused { kernel: kernel.name().to_owned(), problem });
        }
        let workspace = if grid.cooperative {
            memory.add("the workspace of a cooperative launch", vec![0; WORKSPACE_BYTES])
        } else {
            0
        };
        let launch = Launch {
            grid: grid.blocks,
            block: grid.threads,
            dynamic_shared_bytes: grid.dynamic_shared_bytes,
            conduct: Conduct::of(
                &kernel.program,
                &Given { parameters: &parameters, grid: grid.blocks, block: grid.threads },
            ),
            parameters,
            multiprocessors: profile.sm_count,
            nanoseconds_per_cycle: 1e3 / profile.sm_clock_mhz,
            workspace,
            reconvergence: profile.reconvergence,
            step_limit: profile.step_limit,
        };
        let resident = usize::try_from(resident).unwrap_or(usize::MAX);
        Ok(Checked { launch, blocks_per_sm: residency.blocks, resident })
    }
}

/// The most blocks of a launch: lists of them take 1 GiB.
const BLOCKS_MOST: u64 = 1 << 27;

/// What all counted, in the order of their blocks.
fn merged(mut counters: Counters, observers: &[Altered<'_, Counters>]) -> Counters {
    observers.iter().for_each(|other| counters.merge(other.observed()));
    counters
}

/// Places the variables of a kernel's module, unless they are there.
fn place(kernel: &Kernel, memory: &mut Memory) -> Result<(), LaunchError> {
    let refuse = |problem: String| LaunchError::Refused { kernel: kernel.name().to_owned(), problem };
    memory.place(&kernel.program.variables).map_err(refuse)
}

#[cfg(test)]
mod tests;
