//! What accesses to memory cost, from addresses and a profile alone: nothing here knows of instructions or execution.
//!
//! Cycles are those of the multiprocessor's clock. An address of a lane that is no multiple of the width of its access
//! is rounded down to one: GPUs do not run such accesses, and whoever calls has said so before.

pub mod atomics;
pub mod banks;
pub mod cache;
pub mod coalescing;
mod distinct;
#[cfg(test)]
mod fixtures;
pub mod memory;
pub mod occupancy;

/// Width of an access as the rules know it: 1, 2, 4, 8 or 16 bytes of a lane, as the exponent of two.
fn width_exponent(bytes_per_lane: u32) -> u32 {
    bytes_per_lane.clamp(1, 16).next_power_of_two().trailing_zeros()
}
