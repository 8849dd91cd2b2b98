//! Access to global memory: lanes read and write neighbouring words, or not (Cornelis 2010, section 4.2).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod accesses;
mod prediction;
mod workload;

/// The kernels of `cuda/global_access.cu`.
pub static PTX: Ptx = kernel::embedded("global_access");

declare_family! {
    /// The global access family.
    pub static FAMILY = {
        name: "global_access",
        summary: "copies with coalesced or uncoalesced reads and writes; the input is arranged so that every variant gives the same output",
        ptx: PTX,
        size: width ^ 2,
    };

    struct Parameters {
        width: u64 => width_beyond_l2, in 1..=16_384,
            "rows and columns of the square matrix of 4-byte elements; one-dimensional variants copy the whole matrix row by row";
        word_bytes: u64 = 4, in 4..=16, step 4,
            "bytes per word of the one-dimensional variants: 4, 8 or 16";
        stride: u64 = 1, in 1..=64,
            "distance in words between the reads of neighbouring lanes";
        offset: u64 = 0, in 0..=32,
            "words from the aligned start of the array to the first read";
        block: u64 = 256, in 32..=1024, step 32,
            "threads per block of the one-dimensional variants";
    }

    enum Variant {
        ReadCoalescedWriteCoalesced = "read_coalesced_write_coalesced":
            "16x16 tiles of a matrix, read and written by rows",
            ignores [word_bytes, stride, offset, block];
        ReadUncoalescedWriteCoalesced = "read_uncoalesced_write_coalesced":
            "tiles read by columns and written by rows, which transposes each tile",
            ignores [word_bytes, stride, offset, block];
        ReadCoalescedWriteUncoalesced = "read_coalesced_write_uncoalesced":
            "tiles read by rows and written by columns, which transposes each tile",
            ignores [word_bytes, stride, offset, block];
        ReadUncoalescedWriteUncoalesced = "read_uncoalesced_write_uncoalesced":
            "tiles read and written by columns",
            ignores [word_bytes, stride, offset, block];
        Straight = "straight": "thread i copies word i", ignores [stride, offset];
        Crossed = "crossed":
            "each even thread and the next odd one exchange their words, in reads and writes", ignores [stride, offset];
        Offset = "offset": "reads start `offset` words later; writes are straight", ignores [stride];
        Strided = "strided":
            "neighbouring lanes read words that are `stride` apart, each word once; writes are straight", ignores [offset];
        Permuted = "permuted":
            "reads in a scattered order, each word once; writes are straight", ignores [stride, offset];
        DriverCopy = "driver_copy":
            "the driver's copy of the same bytes: the upper limit", ignores [word_bytes, stride, offset, block];
    }

    struct Predictors {
        read_sectors_per_request:
            "transactions per read request, by the rule of the device (32-byte sectors from compute capability 5 on)",
            of [stride, offset];
        write_sectors_per_request:
            "transactions per write request, by the rule of the device",
            of [stride, offset];
        sectors_per_request:
            "transactions per request, by the rule of the device (mean over reads and writes)",
            of [stride, offset];
        bytes_moved:
            "bytes of all transactions, by the rule of the device",
            of [width, word_bytes, stride, offset];
    }
}

/// The smallest power of two, 2048 or more, at which both arrays together are three times the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 2048, 3, |width| 2 * accesses::ELEMENT_BYTES * width * width)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if self.word_bytes.is_power_of_two() {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.word_bytes],
            problem: format!("there are no words of {} bytes", self.word_bytes),
            help: "use 4, 8 or 16".to_owned(),
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

    /// Widths of one element, of less than a tile, of whole tiles and of neither, with every word; strides and offsets that
    /// divide the array and that do not, larger than it among them.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = u64::from(device.threads_per_block.min(1024));
        let mut points = Vec::new();
        for (width, block) in [(1, 32), (5, 64), (16, 256), (33, 96), (64, 256), (77, 128), (100, largest_block)] {
            for (word_bytes, stride, offset) in [(4, 1, 0), (4, 3, 1), (8, 8, 7), (16, 64, 32), (16, 17, 16)] {
                points.push(Self { width, word_bytes, stride, offset, block });
            }
        }
        points
    }
}

#[cfg(test)]
mod tests;
