//! The rules by which NVIDIA's GPUs turn what a warp asks for into work: transactions of global memory, passes over the
//! banks of shared memory, and how many blocks a multiprocessor holds.
//!
//! From addresses and sizes alone: nothing here knows of instructions, devices or times. Simulated devices count by these
//! rules, and programs can predict by them. An address of a lane that is no multiple of the width of its access is rounded down
//! to one: GPUs do not run such accesses, and whoever calls has said so before.

use serde::{Deserialize, Serialize};

pub mod banks;
pub(crate) mod caching;
pub mod coalescing;
pub mod constants;
pub(crate) mod distinct;
pub mod lanes;
pub mod occupancy;

/// How the lanes' addresses in global memory become transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coalescing {
    /// `half_warp_in_order`: compute capability 1.0 and 1.1.
    HalfWarpInOrder,
    /// `half_warp_segments`: compute capability 1.2 and 1.3.
    HalfWarpSegments,
    /// `lines`: 128-byte lines, compute capability 2 and 3.
    Lines,
    /// `sectors`: 32-byte sectors of 128-byte lines, compute capability 5 and above.
    Sectors,
}

/// How the lanes' addresses in shared memory become passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Banks {
    /// `half_warp_16`: 16 banks, half-warps, one broadcast word a step. Compute capability 1.
    HalfWarp16,
    /// `warp_32`: 32 banks, any number of broadcasts; wide words as on compute capability 2.
    Warp32,
    /// `warp_32_wide`: 32 banks of 64 bits, compute capability 3.
    Warp32Wide,
    /// `phases_32`: 32 banks, 8-byte words by half-warps and 16-byte words by quarter-warps. Compute capability 5 and above.
    Phases32,
}

/// By which rules a GPU turns accesses to memory into work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Global memory.
    pub coalescing: Coalescing,
    /// Shared memory.
    pub banks: Banks,
}

impl Rules {
    /// The rules of a compute capability.
    pub fn of_capability(capability: (u32, u32)) -> Self {
        let (coalescing, banks) = match capability {
            (1, 0..=1) => (Coalescing::HalfWarpInOrder, Banks::HalfWarp16),
            (1, _) => (Coalescing::HalfWarpSegments, Banks::HalfWarp16),
            (2, _) => (Coalescing::Lines, Banks::Warp32),
            (3, _) => (Coalescing::Lines, Banks::Warp32Wide),
            _ => (Coalescing::Sectors, Banks::Phases32),
        };
        Self { coalescing, banks }
    }
}

impl Default for Rules {
    /// Those of compute capability 5 and above.
    fn default() -> Self {
        Self::of_capability((5, 0))
    }
}

/// Width of an access as the rules know it: 1, 2, 4, 8 or 16 bytes of a lane, as the exponent of two.
fn width_exponent(bytes_per_lane: u32) -> u32 {
    bytes_per_lane.clamp(1, 16).next_power_of_two().trailing_zeros()
}
