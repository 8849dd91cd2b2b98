//! Executing programs: warps of lanes under reconvergence, blocks with shared memory and barriers, grids.
//!
//! Nothing here knows what anything costs: observers are told what happens.

mod access;
mod atomic;
mod barrier;
mod block;
mod branch;
mod bulk_copy;
mod call;
mod carry;
mod cluster;
mod exchange;
mod fault;
mod group;
mod launch;
mod matrix;
mod memory;
mod observer;
mod paths;
mod patience;
mod phase;
mod position;
mod print;
mod spinning;
mod standstill;
mod step;
mod turns;
mod warp;

pub(crate) use block::{Block, Progress};
pub(crate) use fault::Triple;
pub use fault::{Fault, Problem};
pub(crate) use launch::{Apart, Launch, run_all, run_apart, run_watched, steps_of, watch_alone};
pub(crate) use memory::{GlobalMemory, Overlay};
pub use memory::{Memory, MemoryProblem};
pub(crate) use observer::{AccessKind, Copying, Counted, Observer};
pub(crate) use patience::{GotOn, Patience};
pub(crate) use phase::TooEarly;
pub use position::{LanesPosition, Stand, WarpPosition};
pub(crate) use warp::Outcome;

#[cfg(test)]
mod tests;
