//! A simulated NVIDIA GPU: it executes PTX, counts what it does, and times it by a profile.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod arithmetic;
pub mod census;
pub mod class;
pub mod cost;
pub mod counters;
pub mod execute;
pub mod hardware;
pub mod machine;
pub mod profile;
pub mod program;
pub mod requirements;
pub mod residency;
#[cfg(test)]
mod snippet;
pub mod timing;
pub mod windows;

pub use execute::Memory;
pub use machine::{Argument, Grid, LaunchError, Machine, Report};
pub use profile::Profile;

/// The estimate of a thread's registers for the kernel `entry` of a PTX text; `None` where it cannot be decoded.
pub fn estimated_registers(text: &str, entry: &str) -> Option<u32> {
    let module = ptx_syntax::parse(text).ok()?;
    program::decode(&module, entry).ok().map(|program| program.estimated_registers())
}
