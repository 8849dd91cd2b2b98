//! Fences, by themselves and as what a store or an atomic that releases begins with.

/// Who must see what was stored before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FenceScope {
    /// The threads of the block.
    Block,
    /// Those of the cluster of blocks. Compilers make the same machine instructions of it as of the scope of the device, so it costs the same.
    Cluster,
    /// Those of the device.
    Device,
    /// Those of all devices, and the host.
    System,
}

/// How strictly a fence orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceOrder {
    /// `fence.sc` and `membar`, which GPUs do in the same way.
    Sequential,
    /// `fence.acq_rel`, or an atomic of that order.
    AcquireRelease,
    /// Of an instruction that releases and acquires nothing.
    Release,
    /// Of a load that acquires: what follows must wait for its value.
    Acquire,
}

/// What an instruction waits for that stands for a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    /// Who must see it.
    pub scope: FenceScope,
    /// How strictly it orders.
    pub order: FenceOrder,
}

impl Fence {
    /// Whether loads behind it must not find in L1 what was there before.
    pub(crate) fn empties_l1(self) -> bool {
        self.order != FenceOrder::Release
    }
}
