//! Atomics and reductions on memory.

use std::collections::HashSet;

use super::Instruction;
use super::fence::{Fence, FenceScope};
use super::operand::{Address, Kind, LongSource, Use, WordSource};
use super::operation::{Operation, Space};
use crate::arithmetic::Narrow;

/// What an atomic does to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum AtomicFunction {
    Add,
    AddFloat,
    /// Adds an f16 or a bf16, or two of them side by side.
    AddNarrow {
        format: Narrow,
        pair: bool,
    },
    Min {
        signed: bool,
    },
    Max {
        signed: bool,
    },
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

impl AtomicFunction {
    /// Whether it writes a value that does not add to the one that is there.
    pub(crate) fn swaps(self) -> bool {
        matches!(self, Self::Exchange | Self::CompareAndSwap)
    }

    /// Whether floats are added.
    pub(crate) fn adds_float(self) -> bool {
        matches!(self, Self::AddFloat | Self::AddNarrow { .. })
    }
}

/// Which lanes of a warp do what they have to do at an address together, for memory as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Merged {
    /// None.
    #[default]
    No,
    /// All that come. They have one address.
    Warp,
    /// All, where no lane is missing. They have one address.
    WholeWarp,
    /// Those at the same address, which add ones.
    Ones,
}

/// What is done before an atomic, and what behind it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AtomicOrder {
    /// The fence that it begins with where it releases to more than its block.
    pub fence: Option<Fence>,
    /// Whether nothing that follows is done before it is.
    pub acquires: bool,
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
    /// Whether it may be in the shared memory of another block of the cluster.
    pub of_cluster: bool,
    /// Whether of 64 bits.
    pub long: bool,
    /// Bytes of its place, or of its first element: 2, 4 or 8.
    pub bytes: u8,
    /// Which lanes do it together on a GPU. What it does to memory is the same.
    pub merged: Merged,
    /// What it orders.
    pub order: AtomicOrder,
    /// Who sees it as one.
    pub scope: FenceScope,
    /// Where the old value goes; `None` for `red`.
    pub destination: Option<u32>,
    /// Whether an instruction of the function reads that value.
    pub is_answered: bool,
    /// The operand.
    pub word: WordSource,
    /// Elements of a vector behind the first, one behind the other in memory. They are not of 64 bits.
    pub more: Box<[AtomicElement]>,
    /// The operand where of 64 bits.
    pub long_source: LongSource,
    /// The value to swap in.
    pub swap_word: WordSource,
    /// The value to swap in where of 64 bits.
    pub swap_long: LongSource,
}

/// An element of a vector behind the first. It has a place, an operand and an old value of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtomicElement {
    /// Where its old value goes.
    pub destination: Option<u32>,
    /// Its operand.
    pub word: WordSource,
}

/// Finds out of each atomic of a function, before its registers share slots, whether somebody reads what it answers.
pub(super) fn mark_answered(code: &mut [Instruction]) {
    let mut read: HashSet<(Kind, u32)> = HashSet::new();
    for instruction in &mut *code {
        instruction.operation.visit_registers(&mut |register, kind, r#use| {
            if r#use == Use::Read {
                read.insert((kind, *register));
            }
        });
    }
    for instruction in code {
        if let Operation::Atomic(atomic) = &mut instruction.operation {
            let kind = if atomic.long { Kind::Long } else { Kind::Word };
            let is_answered = atomic.destinations().any(|register| read.contains(&(kind, register)));
            atomic.is_answered = is_answered;
        }
    }
}

impl Atomic {
    /// Bytes of all its elements together: what a lane changes with one request.
    pub(crate) fn all_bytes(&self) -> u32 {
        u32::from(self.bytes) * (1 + self.more.len() as u32)
    }

    /// The registers that old values go to.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = u32> {
        self.destination.into_iter().chain(self.more.iter().filter_map(|own| own.destination))
    }

    /// Whether the warp waits for its answer before it goes on with what needs it. Where nobody reads the answer, a GPU's compiler makes a reduction of
    /// it, or has the answer go nowhere: both are done like a store. Source: `add`, `inc`, `exch` and `cas` on global and on shared memory for `sm_80` and
    /// `sm_90` by ptxas 13.0, which are RED, or ATOMG and ATOMS to RZ, and no instruction waits for them unless they acquire.
    pub(crate) fn is_awaited(&self) -> bool {
        self.is_answered || self.order.acquires
    }

    /// Whether the integers that it changes are of 64 bits and are, in shared memory, changed in a loop of compare-and-swap. Source:
    /// `add`, `min` and `and` of u64 for `sm_90` by ptxas 13.0, which are ATOMS.CAST.SPIN.64; `exch` and `cas` are not.
    pub(crate) fn is_loop_on_shared_memory(&self) -> bool {
        self.long && !matches!(self.function, AtomicFunction::Exchange | AtomicFunction::CompareAndSwap)
    }
}
