//! `launch.json`: the launches and buffers of a point.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{FORMAT_VERSION, KERNELS_FILE};
use crate::family::Family;
use crate::scenario::Point;
use crate::workload::{Argument, EmbeddedAddress, Launch, Submission, Sum, Tiles, Workload};

/// The whole file.
#[derive(Debug, Serialize)]
pub(super) struct LaunchFile {
    format_version: u32,
    point: usize,
    family: &'static str,
    variant: &'static str,
    parameters: Map<String, Value>,
    predictors: Map<String, Value>,
    bytes: u64,
    operations: u64,
    module: String,
    buffers: Vec<BufferFile>,
    launches: Vec<LaunchRecord>,
    /// Left out where L2 is not asked to keep a buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisting: Option<PersistingRecord>,
}

/// The buffer that an access policy window lies over at each launch.
#[derive(Debug, Serialize)]
struct PersistingRecord {
    buffer: usize,
    kept_pct: u32,
}

/// What a buffer is to the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    /// They only read it.
    Input,
    /// It must hold something afterwards.
    Output,
}

/// A buffer, and where its contents are: either `file` or `fill_word` says what it holds before the launches, unless that is `left_out`.
#[derive(Debug, Serialize)]
pub(super) struct BufferFile {
    pub(super) name: &'static str,
    pub(super) bytes: u64,
    pub(super) role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fill_word: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) left_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected_sums: Option<Vec<SumRecord>>,
}

/// A 32-bit float that an output must hold, up to the order of summation.
#[derive(Debug, Serialize)]
pub(super) struct SumRecord {
    value: f64,
    error_bound: f64,
}

impl SumRecord {
    pub(super) fn of(sum: &Sum) -> Self {
        Self { value: sum.value, error_bound: sum.error_bound }
    }
}

#[derive(Debug, Serialize)]
struct LaunchRecord {
    entry: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    cooperative: bool,
    /// Left out of launches without clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster_blocks: Option<u32>,
    arguments: Vec<ArgumentRecord>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum ArgumentRecord {
    Buffer(usize),
    #[serde(rename = "buffer_at")]
    BufferAt {
        index: usize,
        bytes: u64,
    },
    Word(u32),
    Long(u64),
    Packed {
        bytes: Vec<u8>,
        addresses: Vec<AddressRecord>,
    },
    /// A matrix of words of 4 bytes, and its tiles.
    Tiles {
        buffer: usize,
        columns: u64,
        rows: u64,
        tile_columns: u32,
        tile_rows: u32,
        swizzle_bytes: Option<u32>,
    },
}

/// An address in the bytes of an argument.
#[derive(Debug, Serialize)]
struct AddressRecord {
    at: usize,
    buffer: usize,
    bytes: u64,
}

impl LaunchFile {
    pub(super) fn of(family: &Family, point: &Point, workload: &Workload, buffers: Vec<BufferFile>) -> Self {
        let parameter = |name: &str| {
            let text = point.parameters.get(name).map(ToString::to_string).unwrap_or_default();
            text.parse::<i64>().map_or(Value::from(text), Value::from)
        };
        let parameters = family.parameters.iter().map(|own| (own.name.to_owned(), parameter(own.name))).collect();
        let predictors = workload.predictors.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        Self {
            format_version: FORMAT_VERSION,
            point: point.index,
            family: family.name,
            variant: point.variant.name,
            parameters,
            predictors: predictors.collect(),
            bytes: workload.bytes,
            operations: workload.operations,
            module: format!("../{KERNELS_FILE}"),
            buffers,
            launches: workload.launches().map(LaunchRecord::of).collect(),
            persisting: match workload.submission {
                Submission::Persisting { buffer, kept_pct } => Some(PersistingRecord { buffer, kept_pct }),
                Submission::Stream
                | Submission::Graph
                | Submission::Dependent
                | Submission::DependentGraph
                | Submission::While { .. } => None,
            },
        }
    }
}

impl LaunchRecord {
    fn of(launch: &Launch) -> Self {
        let address = |own: &EmbeddedAddress| AddressRecord { at: own.at, buffer: own.buffer, bytes: own.bytes };
        let argument = |argument: &Argument| match argument {
            Argument::Buffer(index) => ArgumentRecord::Buffer(*index),
            Argument::BufferAt(index, bytes) => ArgumentRecord::BufferAt { index: *index, bytes: *bytes },
            Argument::Word(word) => ArgumentRecord::Word(*word),
            Argument::Long(long) => ArgumentRecord::Long(*long),
            Argument::Packed(packed) => ArgumentRecord::Packed {
                bytes: packed.bytes.clone(),
                addresses: packed.addresses.iter().map(address).collect(),
            },
            &Argument::Tiles(Tiles { buffer, columns, rows, tile_columns, tile_rows, swizzle }) => {
                let swizzle_bytes = swizzle.row_bytes_most();
                ArgumentRecord::Tiles { buffer, columns, rows, tile_columns, tile_rows, swizzle_bytes }
            }
        };
        Self {
            entry: launch.entry,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            cooperative: launch.cooperative,
            cluster_blocks: Some(launch.cluster_blocks).filter(|blocks| *blocks > 1),
            arguments: launch.arguments.iter().map(argument).collect(),
        }
    }
}
