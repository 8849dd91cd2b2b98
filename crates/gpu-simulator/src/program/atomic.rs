//! Atomics and reductions on memory.

use super::operand::{Address, LongSource, WordSource};
use super::operation::Space;

/// What an atomic does to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum AtomicFunction {
    Add,
    AddFloat,
    Min { signed: bool },
    Max { signed: bool },
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

/// An atomic or a reduction.
#[derive(Debug, Clone)]
pub(crate) struct Atomic {
    /// What it does.
    pub function: AtomicFunction,
    /// Global, shared or generic.
    pub space: Space,
    /// Its place.
    pub address: Address,
    /// Whether of 64 bits.
    pub long: bool,
    /// Whether what was stored before can be seen by the whole device first.
    pub releases: bool,
    /// Where the old value goes; `None` for `red`.
    pub destination: Option<u32>,
    /// The operand.
    pub word: WordSource,
    /// The operand where of 64 bits.
    pub long_source: LongSource,
    /// The value to swap in.
    pub swap_word: WordSource,
    /// The value to swap in where of 64 bits.
    pub swap_long: LongSource,
}
