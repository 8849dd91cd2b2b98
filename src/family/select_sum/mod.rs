//! A query as a ladder: `SELECT SUM(quantity * extendedprice) FROM lineitem WHERE suppkey < threshold`, with the
//! transfers of its columns (Balkesen 2012, Data Processing on Modern Hardware, exercise session 12).

use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod columns;
mod reference;
#[cfg(test)]
mod tests;
mod tree;
mod workload;

/// The kernels of `cuda/select_sum.cu`.
pub static PTX: &str = kernel::embedded("select_sum");

/// The ways to answer the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rung {
    Serial,
    MultiThreaded,
    SelectOnly,
    BlockSumStrided,
    BlockSumSequential,
    BlockSumUnrolled,
    TwoRowsPerThread,
    SecondReductionOnGpu,
    TenRegisters,
    PinnedMemory,
    Streams,
    Resident,
}

impl Rung {
    const NAMED: [(&'static str, Self); 12] = [
        ("serial", Self::Serial),
        ("multi_threaded", Self::MultiThreaded),
        ("select_only", Self::SelectOnly),
        ("block_sum_strided", Self::BlockSumStrided),
        ("block_sum_sequential", Self::BlockSumSequential),
        ("block_sum_unrolled", Self::BlockSumUnrolled),
        ("two_rows_per_thread", Self::TwoRowsPerThread),
        ("second_reduction_on_gpu", Self::SecondReductionOnGpu),
        ("ten_registers", Self::TenRegisters),
        ("pinned_memory", Self::PinnedMemory),
        ("streams", Self::Streams),
        ("resident", Self::Resident),
    ];

    /// The rung of a variant of this family.
    fn named(variant: &str) -> Self {
        Self::NAMED.iter().find(|(name, _)| *name == variant).map_or(Self::SelectOnly, |(_, rung)| *rung)
    }
}

/// What only the rung with streams depends on.
const OF_STREAMS: &[&str] = &["chunks", "streams"];

/// A variant without streams.
const fn rung(name: &'static str, summary: &'static str, removes: &'static str) -> Variant {
    Variant::new(name, summary).ignoring(OF_STREAMS).removing(removes)
}

/// A variant of the host.
const fn host(name: &'static str, summary: &'static str) -> Variant {
    Variant::new(name, summary).ignoring(&["block", "chunks", "streams"]).on_host()
}

/// The family of the query.
pub static FAMILY: Family = Family {
    name: "select_sum",
    summary: "a ladder: a query's columns take longer to get to the GPU than its rows take there",
    ptx: PTX,
    size: Some(Size::new("rows", 1)),
    variants: &[
        host("serial", "one thread of the host, for comparison"),
        host("multi_threaded", "all threads of the host, for comparison"),
        rung("select_only", "the GPU writes every row's product, or zero, and the host adds them all", ""),
        rung(
            "block_sum_strided",
            "blocks sum by a tree in shared memory whose sums lie ever farther apart; the host adds the blocks' sums",
            "a transfer of every product",
        ),
        rung("block_sum_sequential", "the same with the sums always in the first places", "bank conflicts"),
        rung(
            "block_sum_unrolled",
            "the same, but the last warp goes on without a loop and without barriers of the block",
            "barriers of one warp",
        ),
        rung("two_rows_per_thread", "every thread adds two rows first", "threads that only load"),
        rung(
            "second_reduction_on_gpu",
            "a second launch adds the blocks' sums, until few are left to the host",
            "sums of blocks on the host",
        ),
        rung(
            "ten_registers",
            "two_rows_per_thread with registers limited to what a multiprocessor full of threads leaves each; 10 of them in 2008",
            "registers that cost occupancy",
        ),
        rung("pinned_memory", "the same from page-locked memory of the host", "copies of the driver's"),
        Variant::new(
            "streams",
            "the host keeps the columns in chunks (PAX), smaller and smaller: one is copied while another is worked on",
        )
        .removing("kernels that wait for copies"),
        rung("resident", "the same with the columns on the GPU from the beginning", "transfers of the columns"),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "selectivity_pct",
            summary: "suppliers whose rows are selected, in percent",
            parameters: &["threshold"],
        },
        Predictor {
            name: "uploaded_bytes",
            summary: "bytes transferred to the GPU: 20 a row, and 4 that streams fill up where the rows are odd in number",
            parameters: &["rows"],
        },
        Predictor {
            name: "downloaded_bytes",
            summary: "bytes transferred back to the host",
            parameters: &["rows", "block"],
        },
        Predictor { name: "launches", summary: "kernels that are launched", parameters: &["rows", "block", "chunks"] },
        Predictor {
            name: "barriers",
            summary: "barriers that blocks pass, all blocks together",
            parameters: &["rows", "block"],
        },
        Predictor {
            name: "tree_load_passes",
            summary: "passes over the banks of shared memory that the loads of all trees take, by the device's rule",
            parameters: &["rows", "block"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "rows",
        summary: "rows of the table lineitem; TPC-H at scale factor 1 has 6001215",
        kind: Kind::Integer { min: 1, max: 1 << 28, multiple_of: 1 },
        default: Default::Integer(6_001_215),
    },
    Parameter {
        name: "threshold",
        summary: "rows are selected whose supplier's key, of 1 to 10000, is below: 30 selects 0.29 %, 10001 all",
        kind: Kind::Integer { min: 1, max: columns::SUPPLIERS as i64 + 1, multiple_of: 1 },
        default: Default::Integer(30),
    },
    Parameter {
        name: "block",
        summary: "threads of a block: a power of two",
        kind: Kind::Integer { min: 64, max: 1024, multiple_of: 64 },
        default: Default::Integer(256),
    },
    Parameter {
        name: "chunks",
        summary: "parts that streams take of the rows, each 7/8 of what is left, no more of them than there are blocks",
        kind: Kind::Integer { min: 1, max: 256, multiple_of: 1 },
        default: Default::Integer(3),
    },
    Parameter {
        name: "streams",
        summary: "streams that chunks go to in turns",
        kind: Kind::Integer { min: 1, max: 32, multiple_of: 1 },
        default: Default::Integer(2),
    },
];

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let block = parameters.integer("block");
    if block.is_power_of_two() {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["block"],
        problem: format!("a tree halves its block in every step, and {block} is no power of two"),
        help: "use 64, 128, 256, 512 or 1024".to_owned(),
    })
}

/// Less than a warp, less than a block, full blocks, and both a row more and a row less; none selected, some, and
/// all; chunks of one block and of many, on more streams than chunks and on fewer.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for block in [64_i64, 256, 1024].into_iter().filter(|&block| block <= i64::from(properties.threads_per_block)) {
        for rows in [1, 31, 1000, 4095, 4096, 4097] {
            points.push(defaults.clone().with("block", block).with("rows", rows).with("threshold", 5001));
        }
    }
    let many = defaults.with("block", 64).with("rows", 20_001);
    points.extend([1, 30, 10_001].map(|threshold| many.clone().with("threshold", threshold)));
    for (chunks, streams) in [(1, 2), (3, 2), (7, 1), (256, 5)] {
        points.push(many.clone().with("threshold", 5001).with("chunks", chunks).with("streams", streams));
    }
    points
}
