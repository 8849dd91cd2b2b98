//! A simulated NVIDIA GPU: it executes PTX, counts what it does, and times it by a profile.
//!
//! A [`Machine`] follows a [`Profile`], the constants of a GPU with the source of each. It launches kernels of any PTX module on a
//! [`Memory`] that outlives the launches, and reports the simulated time, what bounds it, and the [`COUNTERS`]: instructions by class,
//! divergent branches, transactions, bank conflicts, barriers, atomics.
//!
//! ```
//! use gpu_simulator::{Grid, Machine, Memory, Profile};
//!
//! let text = ".version 7.0 .target sm_75 .address_size 64
//!     .visible .entry double(.param .u64 values) {
//!         .reg .b32 %r<3>; .reg .b64 %rd<2>;
//!         ld.param.u64 %rd0, [values]; mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 4, %rd0;
//!         ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r1; st.global.u32 [%rd1], %r2; ret;
//!     }";
//! let module = ptx_syntax::parse(text)?;
//! let machine = Machine::new(Profile::load("h200")?);
//! let mut memory = Memory::default();
//! let values = memory.add("values", (0..32_u32).flat_map(u32::to_le_bytes).collect());
//! let report = machine.launch(&module, "double", Grid::linear(1, 32), &[values.into()], &mut memory)?;
//! assert_eq!(memory.bytes(values).map(|bytes| bytes[4..8].to_vec()), Some(vec![2, 0, 0, 0]));
//! assert_eq!(report.counter("global_load_transactions"), Some(4.0));
//! assert!(report.time_us > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Machine::load`] decodes a kernel once for many launches, [`Machine::run`] lets launches find in L2 what those before left there,
//! [`Machine::execute`] and [`Machine::time`] do half of it, and [`Machine::census`] counts what a launch asks of a GPU without executing
//! all of it. [`Machine::races`] tells which accesses of a launch race. [`hardware`] has the rules by themselves: coalescing, banks and occupancy, from addresses and sizes alone, and
//! [`instructions::rows`] lists what it executes.
//!
//! # What it does not do
//!
//! It is not cycle-accurate: instruction fetch, register banks, tensor cores, textures and surfaces and dynamic
//! parallelism are not modelled. Of the blocks of a cluster one is timed, and the others are taken to do the same. Of what ptxas makes of PTX, the number and kind of machine instructions and unrolled loops are, but not
//! the order of instructions and the registers. An instruction that it does not have is an error with its line, never a guess. Times of a
//! profile are as good as its `validation` says.
//!
//! # Sources
//!
//! The PTX ISA manual for what instructions do, the CUDA C++ Programming Guide for limits and for how accesses become transactions and
//! passes, and for each constant of a profile the source that stands beside it.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arithmetic;
mod census;
mod class;
mod cost;
mod counters;
mod execute;
pub mod hardware;
mod lines;
mod machine;
pub mod profile;
mod program;
pub mod races;
mod requirements;
#[cfg(test)]
mod snippet;
pub mod tensor_map;
mod timing;
mod what_if;
mod windows;

/// The instructions that are executed: a row for each form of an opcode, with the section of the PTX ISA that describes it, what it
/// costs and the least compute capability that has it.
pub mod instructions {
    pub use crate::class::{Class, Cost, Unit};
    pub use crate::program::{Requirement, Row, rows};
}

pub use census::LaunchCensus;
pub use cost::window::PersistingWindow;
pub use counters::{COUNTERS, Counter, Counts};
pub use execute::{Fault, LanesPosition, Memory, MemoryProblem, Problem, Stand, WarpPosition};
pub use lines::{Accesses, BeforeBarrier, ConstantLoads, Idle, LineCounts, Wanted};
pub use machine::{
    Argument, Cluster, Examined, Extent, Foreseen, Grid, Kernel, LaunchError, Lowered, Machine, Registers, Report,
    Variation,
};
pub use profile::Profile;
pub use timing::{Awaited, BarrierWait, Bound, KeptL2, LineTraffic, Overlap, Timed};
pub use what_if::{Pattern, Without};

/// The version of the timing model. It is raised whenever the times of a launch change on a profile that comes with the crate, by the model or
/// by a constant of the profile, so that recorded times tell whether the present model made them.
pub const TIMING_MODEL: u32 = 20;
