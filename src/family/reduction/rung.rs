//! The rungs of the ladder: their kernels, and how many elements a block of theirs takes.

use super::{Parameters, Variant};

/// Elements of a vector of 16 bytes.
pub(super) const VECTOR: u64 = 4;

/// A rung that runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rung {
    AtomicGlobal,
    AtomicShared,
    SharedDivergent,
    SharedStrided,
    SharedSequential,
    DualLoad,
    UnrolledLastWarp,
    UnrolledAll,
    WarpShuffle,
    GridStride,
    Vectorised,
    OneLaunch,
}

/// How the host sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnHost {
    Serial,
    MultiThreaded,
}

impl Rung {
    /// How a variant sums: a rung of the device, or the host.
    pub(super) fn of(variant: Variant) -> Result<Self, OnHost> {
        match variant {
            Variant::AtomicGlobal => Ok(Self::AtomicGlobal),
            Variant::AtomicShared => Ok(Self::AtomicShared),
            Variant::SharedDivergent => Ok(Self::SharedDivergent),
            Variant::SharedStrided => Ok(Self::SharedStrided),
            Variant::SharedSequential => Ok(Self::SharedSequential),
            Variant::DualLoad => Ok(Self::DualLoad),
            Variant::UnrolledLastWarp => Ok(Self::UnrolledLastWarp),
            Variant::UnrolledAll => Ok(Self::UnrolledAll),
            Variant::WarpShuffle => Ok(Self::WarpShuffle),
            Variant::GridStride => Ok(Self::GridStride),
            Variant::Vectorised => Ok(Self::Vectorised),
            Variant::OneLaunch => Ok(Self::OneLaunch),
            Variant::Serial => Err(OnHost::Serial),
            Variant::MultiThreaded => Err(OnHost::MultiThreaded),
        }
    }

    /// Threads of a block.
    pub(super) fn threads(self, parameters: &Parameters) -> u64 {
        u64::from(if self.has_vectors() { parameters.threads } else { parameters.block })
    }

    /// Elements that a block takes at a time.
    pub(super) fn tile(self, parameters: &Parameters) -> u64 {
        let threads = self.threads(parameters);
        match self {
            Self::AtomicGlobal
            | Self::AtomicShared
            | Self::SharedDivergent
            | Self::SharedStrided
            | Self::SharedSequential
            | Self::GridStride => threads,
            Self::DualLoad | Self::UnrolledLastWarp | Self::UnrolledAll | Self::WarpShuffle => 2 * threads,
            Self::Vectorised | Self::OneLaunch => VECTOR * u64::from(parameters.loads_in_flight) * threads,
        }
    }

    /// Whether blocks stay, and take tiles in turns.
    pub(super) fn stays(self) -> bool {
        self == Self::GridStride || self.has_vectors()
    }

    /// Whether threads load vectors, and blocks sum by shuffles alone.
    pub(super) fn has_vectors(self) -> bool {
        matches!(self, Self::Vectorised | Self::OneLaunch)
    }

    /// Bytes of dynamic shared memory of a block: a float for each thread of a tree.
    pub(super) fn shared_bytes(self, parameters: &Parameters) -> u64 {
        let has_tree = !self.has_vectors() && !matches!(self, Self::AtomicGlobal | Self::AtomicShared);
        if has_tree { 4 * self.threads(parameters) } else { 0 }
    }

    /// Whether blocks can leave their sums for another launch instead of adding them to one word, which GPUs before compute
    /// capability 2.0 cannot do.
    pub(super) fn can_store(self) -> bool {
        matches!(
            self,
            Self::SharedDivergent
                | Self::SharedStrided
                | Self::SharedSequential
                | Self::DualLoad
                | Self::UnrolledLastWarp
                | Self::UnrolledAll
        )
    }

    /// The kernel, which adds its blocks' sums to one word or stores them.
    pub(super) fn entry(self, parameters: &Parameters, is_added: bool) -> &'static str {
        let end = |added, stored| if is_added { added } else { stored };
        let of_block = |entries| of_power(entries, parameters.block / 64);
        let of_loads = |entries| of_power(entries, parameters.loads_in_flight);
        match self {
            Self::AtomicGlobal => "reduction_atomic_global",
            Self::AtomicShared => "reduction_atomic_shared",
            Self::SharedDivergent => end("reduction_shared_divergent", "reduction_shared_divergent_stored"),
            Self::SharedStrided => end("reduction_shared_strided", "reduction_shared_strided_stored"),
            Self::SharedSequential => end("reduction_shared_sequential", "reduction_shared_sequential_stored"),
            Self::DualLoad => end("reduction_dual_load", "reduction_dual_load_stored"),
            Self::UnrolledLastWarp => end("reduction_unrolled_last_warp", "reduction_unrolled_last_warp_stored"),
            Self::UnrolledAll => of_block(if is_added { &UNROLLED_ALL } else { &UNROLLED_ALL_STORED }),
            Self::WarpShuffle => of_block(&WARP_SHUFFLE),
            Self::GridStride => of_block(&GRID_STRIDE),
            Self::Vectorised => of_loads(&VECTORISED),
            Self::OneLaunch => of_loads(&ONE_LAUNCH),
        }
    }
}

const UNROLLED_ALL: [&str; 5] = [
    "reduction_unrolled_all_64",
    "reduction_unrolled_all_128",
    "reduction_unrolled_all_256",
    "reduction_unrolled_all_512",
    "reduction_unrolled_all_1024",
];
const UNROLLED_ALL_STORED: [&str; 5] = [
    "reduction_unrolled_all_stored_64",
    "reduction_unrolled_all_stored_128",
    "reduction_unrolled_all_stored_256",
    "reduction_unrolled_all_stored_512",
    "reduction_unrolled_all_stored_1024",
];
const WARP_SHUFFLE: [&str; 5] = [
    "reduction_warp_shuffle_64",
    "reduction_warp_shuffle_128",
    "reduction_warp_shuffle_256",
    "reduction_warp_shuffle_512",
    "reduction_warp_shuffle_1024",
];
const GRID_STRIDE: [&str; 5] = [
    "reduction_grid_stride_64",
    "reduction_grid_stride_128",
    "reduction_grid_stride_256",
    "reduction_grid_stride_512",
    "reduction_grid_stride_1024",
];
const VECTORISED: [&str; 5] = [
    "reduction_vectorised_1",
    "reduction_vectorised_2",
    "reduction_vectorised_4",
    "reduction_vectorised_8",
    "reduction_vectorised_16",
];
const ONE_LAUNCH: [&str; 5] = [
    "reduction_one_launch_1",
    "reduction_one_launch_2",
    "reduction_one_launch_4",
    "reduction_one_launch_8",
    "reduction_one_launch_16",
];

/// The entry of a power of two: the first of 1, the next of 2, ...
fn of_power(entries: &[&'static str; 5], value: u32) -> &'static str {
    let exponent = value.max(1).ilog2() as usize;
    entries[exponent.min(entries.len() - 1)]
}
