//! A machine: kernels are loaded on it and launched, on memory that outlives the launches.

mod configuration;
mod counting;
mod error;
mod extent;
mod kernel;
mod races;
mod report;
mod running;
mod symbols;

use std::collections::BTreeSet;

use ptx_syntax::Module;

use crate::census::{LaunchCensus, Watched};
use crate::counters::{Counters, Counts};
use crate::execute::{Launch, Memory, run_all, steps_of};
use crate::hardware::occupancy::{Residency, Resources};
use crate::profile::Profile;
use crate::program::{Conduct, Given, Program};
use crate::requirements;
use crate::timing::{KeptL2, Known, Timed, time_alone, time_launch_after};
use crate::what_if::Alterations;

pub use configuration::{Argument, Cluster, Grid};
pub use error::LaunchError;
pub use extent::Extent;
pub use kernel::{Kernel, Lowered, Registers};
pub use report::Report;
pub use running::{Examined, Variation};

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
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Foreseen {
    /// Whether blocks may see what other blocks of the launch write.
    pub communicates: bool,
    /// Whether a thread looks at what others write: blocks of a launch whose threads do not can be executed one without the others.
    pub sees_others: bool,
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
    /// Blocks that it would hold if only their threads took room.
    blocks_by_threads: u32,
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
        let program = self.counted(kernel);
        let counting = || Counters::new(program, &self.profile);
        let observers = run_all(program, &checked.launch, memory, &which, checked.resident, counting)?;
        let mut counters = counting();
        observers.iter().for_each(|other| counters.merge(other));
        Ok(Counts::of(&counters, &counters.instructions(program), (blocks, blocks)))
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
        let Conduct { communicates, sees_others, follows_data, .. } = launch.conduct;
        // A block that waits for others has no end alone.
        let instructions = if launch.conduct.waits() {
            None
        } else {
            Some(steps_of(self.counted(kernel), &launch, memory, 0)?.saturating_mul(launch.blocks()))
        };
        let spins = self.counted(kernel).code.iter().any(|instruction| instruction.spins);
        Ok(Foreseen { communicates, sees_others, follows_data, spins, instructions })
    }

    /// Lines of the PTX whose loads and stores access what memory says, as far as the arguments tell.
    ///
    /// # Errors
    /// What is wrong with the launch.
    pub fn lines_of_gathers(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
    ) -> Result<BTreeSet<u32>, LaunchError> {
        let Checked { launch, .. } = self.check(kernel, grid, arguments, memory)?;
        let given = Given { parameters: &launch.parameters, grid: launch.grid, block: launch.block };
        Ok(Conduct::lines_of_gathers(&kernel.program, &given))
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
        let Checked { launch, blocks_per_sm, resident, .. } = &self.check(kernel, grid, arguments, memory)?;
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
        let (cluster, has_cluster) = grid.cluster(&kernel.program, profile.compute_capability).map_err(refuse)?;
        let size: u32 = cluster.iter().product();
        let mut resident = u64::from(residency.blocks) * u64::from(profile.sm_count);
        let clusters = profile.clusters.resident(profile.sm_count, residency.blocks, size);
        if size > 1 {
            resident = clusters * u64::from(size);
            if clusters == 0 {
                return Err(refuse(format!(
                    "a cluster of {size} blocks cannot be resident at once: a group of multiprocessors holds {} of them",
                    profile.clusters.blocks_of_group(profile.sm_count, residency.blocks)
                )));
            }
        }
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
            cluster,
            has_cluster,
            clusters_abreast: (clusters / u64::from(residency.blocks.max(1))).max(1),
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
        let [by_threads, ..] = residency.allowed;
        let blocks_by_threads = by_threads.map_or(residency.blocks, |most| most.max(residency.blocks));
        Ok(Checked { launch, blocks_per_sm: residency.blocks, blocks_by_threads, resident })
    }
}

/// The most blocks of a launch: lists of them take 1 GiB.
const BLOCKS_MOST: u64 = 1 << 27;

/// Places the variables of a kernel's module, unless they are there.
fn place(kernel: &Kernel, memory: &mut Memory) -> Result<(), LaunchError> {
    let refuse = |problem: String| LaunchError::Refused { kernel: kernel.name().to_owned(), problem };
    memory.place(&kernel.program.variables).map_err(refuse)
}

#[cfg(test)]
mod tests;
