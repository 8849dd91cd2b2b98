//! What accesses to memory cost, from addresses and a profile alone: nothing here knows of instructions or execution.
//!
//! Cycles are those of the multiprocessor's clock. An address of a lane that is no multiple of the width of its access
//! is rounded down to one: GPUs do not run such accesses, and whoever calls has said so before.

pub(crate) mod atomics;
mod bucket;
pub(crate) mod cache;
mod device_memory;
#[cfg(test)]
mod fixtures;
mod hash;
mod lines;
pub(crate) mod memory;
mod merging;
pub(crate) mod partly_written;
mod pieces;
pub(crate) mod readers;
pub(crate) mod shared_pieces;
pub(crate) mod slices;
pub(crate) mod spins;
mod spread;
pub(crate) mod together;
pub(crate) mod visits;
pub(crate) mod window;
