//! Executing programs: warps of lanes under reconvergence, blocks with shared memory and barriers, grids.
//!
//! Nothing here knows what anything costs: observers are told what happens.

mod access;
mod atomic;
mod barrier;
mod block;
mod branch;
mod call;
mod exchange;
mod fault;
mod launch;
mod memory;
mod observer;
mod paths;
mod print;
mod step;
mod turns;
mod warp;

pub use block::{Block, Progress};
pub use fault::{Fault, LAUNCH_STEPS, Problem};
pub use launch::{Launch, run_all};
pub use memory::{Allocation, GlobalMemory, Memory, MemoryProblem, Overlay, Written};
pub use observer::{AccessKind, Observer};
pub use print::Printed;
pub use warp::{Outcome, Warp};

#[cfg(test)]
mod tests;
