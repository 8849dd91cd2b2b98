//! Access to global memory: lanes read and write neighbouring words, or not (Cornelis 2010, section 4.2).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod pattern;
mod prediction;
mod workload;

/// The kernels of `cuda/global_access.cu`.
pub static PTX: &str = kernel::embedded("global_access");

/// The global access family.
pub static FAMILY: Family = Family {
    name: "global_access",
    summary: "copies whose lanes read and write neighbouring words, or words far apart; where the two orders differ, \
              the input is arranged so that the same output comes out",
    ptx: PTX,
    size: Some(Size::new("width", 2)),
    variants: &[
        of_tiles("read_coalesced_write_coalesced", "16x16 tiles of a matrix, read and written along their rows"),
        of_tiles(
            "read_uncoalesced_write_coalesced",
            "tiles read along their columns and written along their rows, which transposes each",
        ),
        of_tiles(
            "read_coalesced_write_uncoalesced",
            "tiles read along their rows and written along their columns, which transposes each",
        ),
        of_tiles("read_uncoalesced_write_uncoalesced", "tiles read and written along their columns"),
        Variant::new("straight", "thread i copies word i").ignoring(&["stride", "offset"]),
        Variant::new("crossed", "even and odd threads take each other's word, reading and writing")
            .ignoring(&["stride", "offset"]),
        Variant::new("offset", "reads begin `offset` words further on; writes are straight").ignoring(&["stride"]),
        Variant::new("strided", "neighbouring lanes read words `stride` apart, each once; writes are straight")
            .ignoring(&["offset"]),
        Variant::new("permuted", "reads go all over the array, each word once; writes are straight")
            .ignoring(&["stride", "offset"]),
        Variant::new("driver_copy", "the driver's own copy of the same bytes, the ceiling").ignoring(&[
            "word_bytes",
            "stride",
            "offset",
            "block",
        ]),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "read_sectors_per_request",
            summary: "transactions of a request to read, by the device's rule (32-byte sectors from compute capability 5 on)",
            parameters: &["stride", "offset"],
        },
        Predictor {
            name: "write_sectors_per_request",
            summary: "transactions of a request to write, by the device's rule",
            parameters: &["stride", "offset"],
        },
        Predictor {
            name: "sectors_per_request",
            summary: "transactions of a request, by the device's rule (mean over reads and writes)",
            parameters: &["stride", "offset"],
        },
        Predictor {
            name: "bytes_moved",
            summary: "bytes of all transactions, by the device's rule",
            parameters: &["width", "word_bytes", "stride", "offset"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const fn of_tiles(name: &'static str, summary: &'static str) -> Variant {
    Variant::new(name, summary).ignoring(&["word_bytes", "stride", "offset", "block"])
}

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "width",
        summary: "rows and columns of the square matrix of 4-byte elements; one-dimensional copies take all of it, row by row",
        kind: Kind::Integer { min: 1, max: 16_384, multiple_of: 1 },
        default: Default::OfDevice(width_beyond_l2),
    },
    Parameter {
        name: "word_bytes",
        summary: "bytes of the words of one-dimensional copies: 4, 8 or 16",
        kind: Kind::Integer { min: 4, max: 16, multiple_of: 4 },
        default: Default::Integer(4),
    },
    Parameter {
        name: "stride",
        summary: "words from the one that a lane reads to the one that its neighbour reads",
        kind: Kind::Integer { min: 1, max: 64, multiple_of: 1 },
        default: Default::Integer(1),
    },
    Parameter {
        name: "offset",
        summary: "words by which reads begin behind the array's aligned start",
        kind: Kind::Integer { min: 0, max: 32, multiple_of: 1 },
        default: Default::Integer(0),
    },
    Parameter {
        name: "block",
        summary: "threads of a block of one-dimensional copies",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
];

/// The smallest power of two, 2048 or more, at which both arrays together are three times the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 2048, 3, |width| 2 * pattern::ELEMENT_BYTES * width * width)
}

/// The kernel of a variant.
fn entry(variant: &str, word_bytes: u64) -> &'static str {
    match (variant, word_bytes) {
        ("read_coalesced_write_coalesced", _) => "global_access_read_coalesced_write_coalesced",
        ("read_uncoalesced_write_coalesced", _) => "global_access_read_uncoalesced_write_coalesced",
        ("read_coalesced_write_uncoalesced", _) => "global_access_read_coalesced_write_uncoalesced",
        ("read_uncoalesced_write_uncoalesced", _) => "global_access_read_uncoalesced_write_uncoalesced",
        ("crossed", 16) => "global_access_crossed_16",
        ("crossed", 8) => "global_access_crossed_8",
        ("crossed", _) => "global_access_crossed_4",
        ("offset", 16) => "global_access_offset_16",
        ("offset", 8) => "global_access_offset_8",
        ("offset", _) => "global_access_offset_4",
        ("strided", 16) => "global_access_strided_16",
        ("strided", 8) => "global_access_strided_8",
        ("strided", _) => "global_access_strided_4",
        ("permuted", 16) => "global_access_permuted_16",
        ("permuted", 8) => "global_access_permuted_8",
        ("permuted", _) => "global_access_permuted_4",
        (_, 16) => "global_access_straight_16",
        (_, 8) => "global_access_straight_8",
        _ => "global_access_straight_4",
    }
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let word_bytes = parameters.integer("word_bytes");
    if word_bytes.is_power_of_two() {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["word_bytes"],
        problem: format!("there are no words of {word_bytes} bytes"),
        help: "use 4, 8 or 16".to_owned(),
    })
}

/// Widths of one element, of less than a tile, of whole tiles and of neither, with every word; strides and offsets that
/// divide the array and that do not, larger than it among them.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let largest_block = i64::from(properties.threads_per_block.min(1024));
    let mut points = Vec::new();
    for (width, block) in [(1, 32), (5, 64), (16, 256), (33, 96), (64, 256), (77, 128), (100, largest_block)] {
        for (word_bytes, stride, offset) in [(4, 1, 0), (4, 3, 1), (8, 8, 7), (16, 64, 32), (16, 17, 16)] {
            let point = defaults.clone().with("width", width).with("block", block).with("word_bytes", word_bytes);
            points.push(point.with("stride", stride).with("offset", offset));
        }
    }
    points
}

#[cfg(test)]
mod tests;
