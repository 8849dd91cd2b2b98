//! The patterns that are looked for.

use gpu_simulator::Pattern;

/// A pattern on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Loads of global memory that need more sectors than their bytes.
    UncoalescedLoad,
    /// Stores of the same kind.
    UncoalescedStore,
    /// Loads from shared memory whose lanes want different words of a bank.
    BankConflictLoad,
    /// Stores of the same kind.
    BankConflictStore,
    /// A branch at which lanes of a warp part.
    Divergence,
    /// A barrier at which warps wait for each other.
    BarrierWait,
    /// A barrier before which one warp of a block has much more to do than the others.
    UnevenWork,
    /// Atomics that meet at an address.
    AtomicContention,
    /// A fence.
    Fence,
    /// Local memory: spilled registers, and arrays that are indexed by data.
    LocalMemory,
    /// Warps that leave without having accessed memory.
    IdleThreads,
    /// Quotients and remainders of integers by a number that the compiler does not know.
    Division,
    /// Loads of constant memory whose lanes come to different places.
    ConstantPlaces,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::UncoalescedLoad,
        Self::UncoalescedStore,
        Self::BankConflictLoad,
        Self::BankConflictStore,
        Self::Divergence,
        Self::BarrierWait,
        Self::UnevenWork,
        Self::AtomicContention,
        Self::Fence,
        Self::LocalMemory,
        Self::IdleThreads,
        Self::Division,
        Self::ConstantPlaces,
    ];

    /// Its word in JSON, in SARIF and for `--fail-on`. Loads and stores have the same.
    pub fn name(self) -> &'static str {
        match self {
            Self::UncoalescedLoad | Self::UncoalescedStore => "uncoalesced",
            Self::BankConflictLoad | Self::BankConflictStore => "bank_conflicts",
            Self::Divergence => "divergence",
            Self::BarrierWait => "barrier_wait",
            Self::UnevenWork => "uneven_work",
            Self::AtomicContention => "atomic_contention",
            Self::Fence => "fence",
            Self::LocalMemory => "local_memory",
            Self::IdleThreads => "idle_threads",
            Self::Division => "division",
            Self::ConstantPlaces => "constant_places",
        }
    }

    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::UncoalescedLoad => "uncoalesced load",
            Self::UncoalescedStore => "uncoalesced store",
            Self::BankConflictLoad => "bank conflict of a load",
            Self::BankConflictStore => "bank conflict of a store",
            Self::Divergence => "branch divergence",
            Self::BarrierWait => "waiting at a barrier",
            Self::UnevenWork => "uneven work of a block's warps",
            Self::AtomicContention => "atomics at the same address",
            Self::Fence => "memory fence",
            Self::LocalMemory => "local memory",
            Self::IdleThreads => "idle threads",
            Self::Division => "integer division by a variable",
            Self::ConstantPlaces => "constant memory at several places",
        }
    }

    /// What it is, for the rules of code reviews.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::UncoalescedLoad | Self::UncoalescedStore => {
                "Lanes of a warp access global memory in more 32-byte sectors than their bytes need."
            }
            Self::BankConflictLoad | Self::BankConflictStore => {
                "Lanes of a warp access different words in the same bank of shared memory, one after the other."
            }
            Self::Divergence => "Lanes of a warp take different ways at a branch, one way after the other.",
            Self::BarrierWait => "Warps of a block wait at a barrier for the last one.",
            Self::UnevenWork => {
                "One warp of a block has much more to do before a barrier than the others, which wait for it."
            }
            Self::AtomicContention => "Atomics at the same address take turns.",
            Self::Fence => "A warp waits until what it wrote can be seen by other blocks.",
            Self::LocalMemory => {
                "Registers that do not fit, or arrays indexed by data, are in memory of the thread's own."
            }
            Self::IdleThreads => {
                "Whole warps end without having accessed memory: the launch has more threads than work."
            }
            Self::Division => {
                "A quotient or remainder of integers whose divisor the compiler does not know takes some twenty instructions."
            }
            Self::ConstantPlaces => {
                "Lanes of a warp read different places of constant memory, one place after the other."
            }
        }
    }

    /// What `--fail-on` compares, in words.
    pub fn degree_meaning(self) -> &'static str {
        match self {
            Self::UncoalescedLoad | Self::UncoalescedStore => "sectors of a request over the fewest possible",
            Self::BankConflictLoad | Self::BankConflictStore => "passes of a request over the fewest possible",
            Self::Divergence => "percent of the branch's executions in which lanes part",
            Self::BarrierWait => "barriers that each warp waits at",
            Self::UnevenWork => {
                "instructions of the busiest warp before the barrier over those of a block's warps on average"
            }
            Self::AtomicContention => "lanes of an instruction for each address",
            Self::Fence => "fences that each warp waits at",
            Self::LocalMemory => "requests to local memory of each warp",
            Self::IdleThreads => "percent of the kernel's threads",
            Self::Division => "percent of the kernel's instructions",
            Self::ConstantPlaces => "places of a load from constant memory",
        }
    }

    /// The remedy that is timed beside the pattern's absence, where it leaves a part of it or adds something.
    pub fn partial_remedy(self) -> &'static str {
        match self {
            Self::Divergence => "if each block sorts its threads by their way, with accesses out of order for it",
            Self::AtomicContention => "if each warp adds up its own first",
            Self::ConstantPlaces => "if lanes read it from shared memory",
            _ => "",
        }
    }

    /// Whether remedies mostly leave a part of it: a barrier still has to be passed, and atomics on copies are atomics.
    pub fn is_taken_away_in_part(self) -> bool {
        matches!(
            self,
            Self::Divergence
                | Self::BarrierWait
                | Self::UnevenWork
                | Self::AtomicContention
                | Self::Division
                | Self::ConstantPlaces
        )
    }

    /// Whether it keeps busy what bounds a launch, by the bound's word.
    pub(super) fn is_bound_by(self, bound: &str) -> bool {
        match bound {
            "memory" => matches!(self, Self::UncoalescedLoad | Self::UncoalescedStore | Self::LocalMemory),
            "shared" => matches!(self, Self::BankConflictLoad | Self::BankConflictStore),
            "constant" => self == Self::ConstantPlaces,
            "barrier" => matches!(self, Self::BarrierWait | Self::UnevenWork),
            "atomics" => self == Self::AtomicContention,
            "issue" => matches!(self, Self::Divergence | Self::Division),
            _ => false,
        }
    }

    pub(super) fn pattern(self) -> Pattern {
        match self {
            Self::UncoalescedLoad | Self::UncoalescedStore => Pattern::UncoalescedAccess,
            Self::BankConflictLoad | Self::BankConflictStore => Pattern::BankConflicts,
            Self::Divergence => Pattern::Divergence,
            Self::BarrierWait => Pattern::BarrierWaits,
            Self::UnevenWork => Pattern::UnevenWork,
            Self::AtomicContention => Pattern::AtomicContention,
            Self::Fence => Pattern::Fences,
            Self::LocalMemory => Pattern::LocalMemory,
            Self::IdleThreads => Pattern::IdleThreads,
            Self::Division => Pattern::Divisions,
            Self::ConstantPlaces => Pattern::ConstantPlaces,
        }
    }
}
