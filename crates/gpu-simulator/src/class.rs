//! Classes of instructions: what counters count and the timing model gives a unit.

/// A class of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Adds, logic, shifts, comparisons and selections of integers and predicates.
    Integer,
    /// Multiplications, multiply-adds and divisions of integers.
    Multiply,
    /// f32 (and f16) arithmetic and comparisons.
    Float,
    /// f64 arithmetic, comparisons and conversions.
    Double,
    /// Approximate functions, and conversions from and to f32 and f16.
    Special,
    /// Moves, address conversions, loads of parameters: the machine's compiler mostly does away with them.
    Move,
    /// Branches, calls, returns, exits.
    Control,
    /// Barriers of blocks and warps.
    Barrier,
    /// Shuffles, votes and matches.
    Exchange,
    /// Loads and stores of shared memory.
    Shared,
    /// Loads and stores of global memory.
    Global,
    /// Loads and stores of local memory.
    Local,
    /// Loads of constant memory.
    Constant,
    /// Atomics on global and shared memory.
    Atomic,
    /// Fences, sleeps, clocks and the like.
    Other,
}

impl Class {
    /// Every class, in the order of the counters.
    pub const ALL: [Self; 15] = [
        Self::Integer,
        Self::Multiply,
        Self::Float,
        Self::Double,
        Self::Special,
        Self::Move,
        Self::Control,
        Self::Barrier,
        Self::Exchange,
        Self::Shared,
        Self::Global,
        Self::Local,
        Self::Constant,
        Self::Atomic,
        Self::Other,
    ];
}
