//! The start of blocks: what each block of a launch takes that does next to nothing, by its threads and its shared memory.

use crate::family::{FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The kernels of `cuda/block_start.cu`.
pub static PTX: Ptx = kernel::embedded("block_start");

declare_family! {
    /// The family of blocks that do next to nothing.
    pub static FAMILY = {
        name: "block_start",
        summary: "a launch has many blocks, each of which does next to nothing",
        ptx: PTX,
        size: work_blocks ^ 1,
    };

    struct Parameters {
        work_blocks: u32 = 1 << 17, in 1..=1 << 24,
            "blocks of work, each of which is one word to store";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block; the first one stores the word, the others end at once";
        shared_bytes: u32 = 0, in 0..=1 << 18,
            "dynamic shared memory of a block, which nobody uses; the more, the fewer blocks are resident";
    }

    enum Variant {
        Blocks = "blocks": "a block of threads for each block of work; this variant has the pattern";
        Persistent = "persistent": "as many blocks of threads as the GPU holds at once, each of which does one block of work after another";
    }

    struct Predictors {
        grid_blocks: "blocks of the grid", of [work_blocks, block, shared_bytes] and registers;
        waves:
            "blocks of the busiest multiprocessor over its resident blocks",
            of [work_blocks, block, shared_bytes] and registers;
        resident_warps: "resident warps of a multiprocessor", of [block, shared_bytes] and registers;
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, _: u64) -> Workload<Predictors> {
        workload::build(self, variant, device)
    }

    /// One block, fewer than are resident, and more; one warp, several, and as many as there can be; shared memory and none.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        [(1, 32, 0), (100, 64, 1), (5001, 96, 8192), (9000, largest_block, 12_288)]
            .map(|(work_blocks, block, shared_bytes)| Self { work_blocks, block, shared_bytes })
            .to_vec()
    }
}
