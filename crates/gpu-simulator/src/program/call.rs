//! Calls of functions.

use super::Slice;
use super::operand::LongSource;

/// A function that is called.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    /// One of the program's.
    Function(u32),
    /// The one at this address.
    Address(LongSource),
    /// `malloc`, `free`, `vprintf`, `__assertfail`, `cudaGraphSetConditional`
    System(SystemCall),
}

/// Functions that a GPU's runtime gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum SystemCall {
    Allocate,
    Free,
    Print,
    AssertFail,
    SetConditional,
}

/// A call with its arguments and results, all in local memory of the caller's frame.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// What is called.
    pub callee: Callee,
    /// Arguments.
    pub arguments: Box<[Slice]>,
    /// Results.
    pub results: Box<[Slice]>,
}
