//! A kernel as the simulated device executes it: registers numbered, branch targets and reconvergence points resolved,
//! operations looked up. Decoded once from a PTX module, never changed while it runs.

mod access;
mod assembly;
mod atomic;
mod bounds;
mod call;
mod carry;
mod conduct;
mod control;
mod cycles;
mod deciding;
mod decode;
mod dependence;
mod division;
mod expand;
mod fence;
mod group;
mod inverted;
mod join;
mod layout;
mod leads;
mod loops;
mod lower;
mod matrix;
mod operand;
mod operation;
mod phase;
mod predicated;
mod reach;
mod registers;
mod removal;
mod rewrite;
mod schedule;
mod scope;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod unroll;
mod variables;

pub(crate) use access::{Access, AccessOrder, SharedOf};
pub(crate) use assembly::{Gathering, Lowering, MachineCost, Meeting, Waits};
pub(crate) use atomic::{Atomic, AtomicElement, AtomicFunction, AtomicOrder, Merged};
pub(crate) use call::{Call, Callee, SystemCall};
pub(crate) use carry::Carrying;
pub(crate) use conduct::{Conduct, Given};
pub(crate) use control::next_places;
pub(crate) use deciding::Deciding;
#[cfg(test)]
pub(crate) use decode::decode;
pub(crate) use decode::{arranged_at, compiled_at, decode_at};
pub(crate) use dependence::Dependence;
pub(crate) use fence::{Fence, FenceOrder, FenceScope};
pub(crate) use group::{Descriptor, Factor, GroupProduct};
pub(crate) use leads::{Lead, Leads};
pub(crate) use loops::{LoopBranch, loop_branches};
pub(crate) use matrix::{Element, Fragment, Part, Product, Register as MatrixRegister, Rows};
pub(crate) use operand::{Address, Base, Kind, LongSource, PredicateSource, Use, WordSource};
pub(crate) use operation::{
    Barrier, BarrierKind, Comparison, Logic, Operation, Reduction, ShuffleMode, Space, Special, VoteMode,
};
pub(crate) use phase::{BulkCopy, Copied, CopyGroups, CopyKind, GroupsOf, Phase, PhaseAction, PhaseState};
pub use table::{Requirement, Row, rows};
pub(crate) use unroll::with_loops_unrolled;
pub(crate) use variables::{Image, ModuleVariables, fingerprint};

use crate::hardware::lanes::{Longs, Words};

/// A kernel with the device functions it may call.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// The kernel's name.
    pub name: String,
    /// Instructions of all functions, one after the other.
    pub code: Vec<Instruction>,
    /// The kernel first, then what it may call.
    pub functions: Vec<Function>,
    /// Constant operands, broadcast to all lanes.
    pub words: Vec<Words>,
    /// The same of 64 bits.
    pub longs: Vec<Longs>,
    /// Variables of the module in global memory.
    pub variables: ModuleVariables,
    /// What the module's constant memory holds.
    pub constants: Vec<u8>,
    /// The variables there, by their names.
    pub constant_variables: Vec<(String, Slice)>,
    /// Static shared memory of a block.
    pub shared_bytes: u32,
    /// The variables there, by their names. Dynamic shared memory has no bytes here.
    pub shared_variables: Vec<(String, Slice)>,
    /// Where each kernel parameter is in the parameter buffer.
    pub parameters: Vec<Slice>,
    /// Bytes of the parameter buffer.
    pub parameter_bytes: u32,
    /// `.maxntid` or `.reqntid`: the most threads of a block, where the kernel says so.
    pub threads_max: Option<u64>,
    /// `.reqnctapercluster`: blocks of a cluster along each axis, where the kernel says so.
    pub cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: whether a launch must say how large clusters are.
    pub asks_for_cluster: bool,
    /// The most registers of a thread, where the kernel bounds them.
    pub registers_max: Option<u32>,
}

impl Program {
    /// Machine registers of a thread, estimated from what is live at once in the function that needs most.
    pub(crate) fn estimated_registers(&self) -> u32 {
        self.functions.iter().map(|own| own.registers_per_thread).max().unwrap_or(0)
    }
}

/// A part of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    /// Where it begins.
    pub offset: u32,
    /// How long it is.
    pub bytes: u32,
}

/// A function's place in the code and what a frame of it needs.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// Its address, for indirect calls.
    pub address: u64,
    /// Its first instruction.
    pub entry: u32,
    /// 32-bit register slots.
    pub words: u32,
    /// 64-bit register slots.
    pub longs: u32,
    /// Predicate slots.
    pub predicates: u32,
    /// Local memory of a thread's frame: `.local` variables, and the parameters and results of calls.
    pub local_bytes: u32,
    /// Formal parameters, in local memory of the frame.
    pub parameters: Vec<Slice>,
    /// Results, in local memory of the frame.
    pub results: Vec<Slice>,
    /// Machine registers of a thread, estimated from what is live at once.
    pub registers_per_thread: u32,
}

/// A guard: the instruction runs for the lanes whose predicate is set, or not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guard {
    /// The predicate.
    pub predicate: u32,
    /// Whether it must be false.
    pub negated: bool,
}

impl Guard {
    /// The predicate, as a register.
    pub(crate) fn register(self) -> Register {
        Register { kind: Kind::Predicate, slot: self.predicate }
    }
}

/// An instruction.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// The lanes it runs for; all active ones without a guard.
    pub guard: Option<Guard>,
    /// Where lanes that part here meet again: the branch's immediate post-dominator, or [`NO_PC`].
    pub reconvergence: u32,
    /// Its row in the table of instructions: what it costs out of context, and which GPUs have it.
    pub row: &'static Row,
    /// What a compiler makes of it where it stands.
    pub lowering: Lowering,
    /// Whether it is a branch around another one in the PTX: the way behind it is the one that the PTX leads around.
    pub is_inverted: bool,
    /// Whether it branches backwards in a loop that waits for others.
    pub spins: bool,
    /// Whether lanes that come here do nothing any more but end.
    pub ends: bool,
    /// Its line in the PTX text.
    pub line: u32,
    /// Registers it reads, for the scoreboard.
    pub reads: Box<[Register]>,
    /// Registers it writes.
    pub writes: Box<[Register]>,
}

/// No place in the code.
pub(crate) const NO_PC: u32 = u32::MAX;

/// A register slot of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register {
    /// Its kind.
    pub kind: Kind,
    /// Its slot among those of its kind.
    pub slot: u32,
}
