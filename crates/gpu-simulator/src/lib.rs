//! A simulated NVIDIA GPU: it executes PTX, counts what it does, and times it by a profile.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod arithmetic;
mod census;
pub mod class;
mod cost;
mod counters;
mod execute;
pub mod hardware;
mod machine;
pub mod profile;
pub mod program;
mod requirements;
#[cfg(test)]
mod snippet;
mod timing;
mod windows;

pub use census::LaunchCensus;
pub use counters::{COUNTERS, Counter, Counts};
pub use execute::{Fault, Memory, MemoryProblem, Problem};
pub use machine::{Argument, Extent, Grid, Kernel, LaunchError, Machine, Registers, Report};
pub use profile::Profile;
pub use timing::{Bound, KeptL2, Timed};
