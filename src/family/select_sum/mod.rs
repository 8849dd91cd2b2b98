//! A query as a ladder: `SELECT SUM(quantity * extendedprice) FROM lineitem WHERE suppkey < threshold`, with the
//! transfers of its columns (Balkesen 2012, Data Processing on Modern Hardware, exercise session 12).

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod columns;
mod reference;
#[cfg(test)]
mod tests;
mod tree;
mod workload;

/// The kernels of `cuda/select_sum.cu`.
pub static PTX: Ptx = kernel::embedded("select_sum");

declare_family! {
    /// The family of the query.
    pub static FAMILY = {
        name: "select_sum",
        summary: "a ladder: a query whose columns take longer to copy to the GPU than to process",
        ptx: PTX,
        size: rows ^ 1,
    };

    struct Parameters {
        rows: u64 = 6_001_215, in 1..=1 << 28,
            "rows of the table lineitem; 6001215 for TPC-H at scale factor 1";
        threshold: u64 = 30, in 1..=columns::SUPPLIERS as i64 + 1,
            "rows with a supplier key below this are selected; keys are 1 to 10000, so 30 selects 0.29 % and 10001 selects all";
        block: u32 = 256, in 64..=1024, step 64,
            "threads per block, a power of two";
        chunks: u64 = 3, in 1..=256,
            "streams: number of chunks, each with 7/8 of the rows that are left; at most as many as there are blocks";
        streams: u64 = 2, in 1..=32,
            "number of streams, which take the chunks in turns";
    }

    enum Variant {
        Serial = "serial" on host: "one thread of the host, for comparison", ignores [block, chunks, streams];
        MultiThreaded = "multi_threaded" on host: "all threads of the host, for comparison",
            ignores [block, chunks, streams];
        SelectOnly = "select_only": "the GPU writes every row's product, or zero, and the host adds them all",
            removes "", ignores [chunks, streams];
        BlockSumStrided = "block_sum_strided":
            "blocks sum by a tree in shared memory with a distance that doubles in every step; the host adds the sums of the blocks",
            removes "a transfer of every product", ignores [chunks, streams];
        BlockSumSequential = "block_sum_sequential": "the same tree with the sums always in the first words",
            removes "bank conflicts", ignores [chunks, streams];
        BlockSumUnrolled = "block_sum_unrolled":
            "the same, but the last warp continues without a loop and without barriers of the block",
            removes "barriers of one warp", ignores [chunks, streams];
        TwoRowsPerThread = "two_rows_per_thread": "every thread adds two rows before the tree starts",
            removes "threads that only load", ignores [chunks, streams];
        SecondReductionOnGpu = "second_reduction_on_gpu":
            "further launches add the sums of the blocks, until few are left for the host",
            removes "sums of blocks on the host", ignores [chunks, streams];
        TenRegisters = "ten_registers":
            "two_rows_per_thread with registers limited so that a multiprocessor can hold its most threads (10 registers in 2008)",
            removes "registers that cost occupancy", ignores [chunks, streams];
        PinnedMemory = "pinned_memory": "the same with the columns in page-locked memory of the host",
            removes "copies of the driver's", ignores [chunks, streams];
        Streams = "streams":
            "the columns are in chunks of falling size (PAX): one chunk is copied while another is processed",
            removes "kernels that wait for copies";
        Resident = "resident": "the same with the columns on the GPU from the start",
            removes "transfers of the columns", ignores [chunks, streams];
    }

    struct Predictors {
        selectivity_pct: "suppliers whose rows are selected, in percent", of [threshold];
        uploaded_bytes:
            "bytes transferred to the GPU: 20 per row; streams adds 4 if the number of rows is odd",
            of [rows];
        downloaded_bytes: "bytes transferred back to the host", of [rows, block];
        launches: "kernel launches", of [rows, block, chunks];
        barriers: "barriers passed, summed over the blocks", of [rows, block];
        tree_load_passes:
            "passes over the banks of shared memory for the loads of all trees, by the rule of the device",
            of [rows, block];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let block = self.block;
        if block.is_power_of_two() {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.block],
            problem: format!("a tree halves its block in every step, but {block} is not a power of two"),
            help: "use 64, 128, 256, 512 or 1024".to_owned(),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Less than a warp, less than a block, full blocks, and both a row more and a row less; none selected, some, and
    /// all; chunks of one block and of many, on more streams than chunks and on fewer.
    fn verification(device: &Properties) -> Vec<Self> {
        let defaults = Self::defaults(device);
        let mut points = Vec::new();
        for block in [64, 256, 1024].into_iter().filter(|&block| block <= device.threads_per_block) {
            for rows in [1, 31, 1000, 4095, 4096, 4097] {
                points.push(Self { block, rows, threshold: 5001, ..defaults });
            }
        }
        let many = Self { block: 64, rows: 20_001, ..defaults };
        points.extend([1, 30, 10_001].map(|threshold| Self { threshold, ..many }));
        for (chunks, streams) in [(1, 2), (3, 2), (7, 1), (256, 5)] {
            points.push(Self { threshold: 5001, chunks, streams, ..many });
        }
        points
    }
}
