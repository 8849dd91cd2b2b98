//! Matrix instructions of a whole warp. PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".

use super::{Address, WordSource};

/// Elements of the factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Element {
    Half,
    Brain,
    Tensor,
}

impl Element {
    /// How many of them a register holds.
    pub(crate) fn per_register(self) -> usize {
        if self == Self::Tensor { 1 } else { 2 }
    }
}

/// `mma`: a matrix of 16 rows and 8 columns is the product of two, plus a third.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// Elements of the factors.
    pub element: Element,
    /// Columns of the first factor, rows of the second.
    pub depth: usize,
    /// Whether sum and result are of f16, in pairs, and not of f32.
    pub half_sum: bool,
    /// Registers of the result.
    pub destinations: Box<[u32]>,
    /// Registers of the first factor.
    pub first: Box<[WordSource]>,
    /// Registers of the second factor.
    pub second: Box<[WordSource]>,
    /// Registers of what is added.
    pub sum: Box<[WordSource]>,
}

/// `ldmatrix` and `stmatrix`: 1, 2 or 4 matrices of 8 rows of 16 bytes.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The address that a lane gives: that of a row.
    pub address: Address,
    /// Whether rows become columns.
    pub transposed: bool,
    /// A register for each matrix that is loaded; none where they are stored.
    pub destinations: Box<[u32]>,
    /// A register for each matrix that is stored.
    pub sources: Box<[WordSource]>,
}
