//! Products of matrices by four warps together (`wgmma`). PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".

use super::matrix::{Element, Register, Shape};
use super::{LongSource, PredicateSource};

/// A factor.
#[derive(Debug, Clone)]
pub(crate) enum Factor {
    /// In registers, which have the 16 rows of their warp.
    Registers(Box<[Register]>),
    /// In shared memory, where a descriptor says.
    Shared {
        /// The descriptor.
        descriptor: LongSource,
        /// Whether neighbours in memory are those along the rows or columns that the factors do not share.
        across: bool,
    },
}

/// `wgmma.mma_async`: what one warp of four does of it, which is 16 of 64 rows.
#[derive(Debug, Clone)]
pub(crate) struct GroupProduct {
    /// How large the warp's matrices are.
    pub shape: Shape,
    /// Elements of the first and second factor, and of the result.
    pub elements: [Element; 3],
    /// The factors.
    pub factors: [Factor; 2],
    /// Whether the product, or what is added to it, is taken away.
    pub negated: bool,
    /// Whether whole numbers that are too large become the largest.
    pub saturates: bool,
    /// Whether the product is added to what the registers hold.
    pub adds: PredicateSource,
    /// What it is added to: the same registers.
    pub sum: Box<[Register]>,
    /// The registers.
    pub destinations: Box<[u32]>,
}

/// Where a matrix in shared memory is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Descriptor {
    start: u64,
    leading: u64,
    stride: u64,
    /// Bytes of a row of the pattern in which 16 bytes change their places; 16 where they do not.
    row_bytes: u64,
}

impl Descriptor {
    /// PTX ISA, "Matrix Descriptor Format": addresses and distances are in units of 16 bytes.
    pub(crate) fn from_bits(bits: u64) -> Self {
        let field = |from: u32| (bits >> from & 0x3fff) << 4;
        let row_bytes = [16, 128, 64, 32][(bits >> 62) as usize];
        Self { start: field(0), leading: field(16), stride: field(32), row_bytes }
    }

    /// The address of an element by its place along what the factors share, and across that.
    pub(crate) fn address(self, along: usize, across: usize, element: Element, is_across: bool) -> u64 {
        let bytes = element.bits() as u64 / 8;
        let (along, across) = (along as u64, across as u64);
        let is_plain = self.row_bytes == 16;
        let offset = if is_across {
            // Eight places along are rows of the pattern.
            let place = across * bytes;
            let (next_across, next_along) =
                if is_plain { (self.stride, self.leading) } else { (self.leading, self.stride) };
            place % self.row_bytes
                + place / self.row_bytes * next_across
                + along % 8 * self.row_bytes
                + along / 8 * next_along
        } else {
            let place = along * bytes;
            let inside = if is_plain { place % 16 + place / 16 * self.leading } else { place };
            across / 8 * self.stride + across % 8 * self.row_bytes + inside
        };
        let address = self.start + offset;
        // The place of 16 bytes in their row is changed by the number of the row.
        address ^ ((address >> 7 & (self.row_bytes / 16 - 1)) << 4)
    }
}
