//! Barriers and fences: what each takes of a thread that does nothing else, by the warps of a block and by the scope of the fence.

use crate::family::{FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The kernels of `cuda/wait_cost.cu`.
pub static PTX: Ptx = kernel::embedded("wait_cost");

declare_family! {
    /// The family of barriers and fences.
    pub static FAMILY = {
        name: "wait_cost",
        summary: "threads wait at barriers or fences and do nothing else",
        ptx: PTX,
        size: waits ^ 1,
        reads_clock: true,
    };

    struct Parameters {
        waits: u32 = 256, in 1..=1 << 16,
            "barriers or fences, one after another";
        store: Store = Store::None, one of { None = "none", Before = "before" },
            "what a thread does before each: none, or a store to its word of global memory";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u32 = 1, in 1..=1 << 16,
            "blocks of the launch";
    }

    enum Variant {
        BlockBarrier = "block_barrier": "__syncthreads(): all threads of the block wait for each other; this variant has the pattern";
        None = "none": "the same loop without waiting";
        BlockFence = "block_fence": "__threadfence_block(): what a thread stored before is seen before what it stores after, by its block";
        DeviceFence = "device_fence": "__threadfence(): the same by all threads of the device";
        SystemFence = "system_fence": "__threadfence_system(): the same by the host and other devices too", since (2, 0);
    }

    struct Predictors {
        warps_per_block: "warps of a block", of [block];
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, _: &Properties, _: u64) -> Workload<Predictors> {
        workload::build(self, variant)
    }

    /// Fewer waits than are written out one behind the other, as many, and more; one warp, several, and several blocks.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for store in [Store::None, Store::Before] {
            for (waits, block, launched_blocks) in [(1, 32, 1), (16, 96, 1), (47, 64, 3), (100, largest_block, 2)] {
                points.push(Self { waits, store, block, launched_blocks });
            }
        }
        points
    }
}
