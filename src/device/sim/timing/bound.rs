//! What bounds a kernel: where the schedulers' time went.

/// What kept a kernel from ending sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Units and issue slots.
    Issue,
    /// Bandwidth of device memory or L2.
    Memory,
    /// Passes of shared memory.
    Shared,
    /// Latencies that there are too few warps to hide.
    Latency,
    /// Barriers.
    Barrier,
    /// Atomics on the same address.
    Atomics,
    /// Launching.
    Launch,
}

impl Bound {
    /// The word in the `bound` column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Memory => "memory",
            Self::Shared => "shared",
            Self::Latency => "latency",
            Self::Barrier => "barrier",
            Self::Atomics => "atomics",
            Self::Launch => "launch",
        }
    }
}

/// Why a warp could not issue sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Cause {
    /// Its unit, or the scheduler, was busy.
    #[default]
    Issue,
    /// It waited for the result of an arithmetic instruction, or for a branch.
    Arithmetic,
    /// It waited for a load from shared memory.
    SharedLoad,
    /// The load-store unit was busy with passes over shared memory.
    SharedUnit,
    /// It waited for a load from device memory or its caches.
    GlobalLoad,
    /// The load-store unit was busy with transactions.
    GlobalUnit,
    /// It waited at a barrier.
    Barrier,
    /// It waited for an atomic.
    Atomic,
}

const CAUSES: usize = 8;

/// Cycles of all schedulers, by what they went into.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Balance {
    cycles: [f64; CAUSES],
}

/// How busy a resource must be for waiting on it to be a matter of its bandwidth, not of its latency.
const BUSY: f64 = 0.5;

impl Balance {
    pub(super) fn add(&mut self, cause: Cause, cycles: f64) {
        self.cycles[cause as usize] += cycles;
    }

    /// What most of the time went into. The shares say for how much of the kernel memory's bandwidth and the load-store
    /// unit's passes were in use.
    pub(super) fn bound(&self, memory_share: f64, shared_share: f64) -> Bound {
        let of = |cause: Cause| self.cycles[cause as usize];
        let global = of(Cause::GlobalLoad) + of(Cause::GlobalUnit);
        let (memory, memory_latency) = if memory_share >= BUSY { (global, 0.0) } else { (0.0, global) };
        let (shared, shared_latency) = if shared_share >= BUSY {
            (of(Cause::SharedUnit) + of(Cause::SharedLoad), 0.0)
        } else {
            (of(Cause::SharedUnit), of(Cause::SharedLoad))
        };
        let candidates = [
            (Bound::Issue, of(Cause::Issue)),
            (Bound::Memory, memory),
            (Bound::Shared, shared),
            (Bound::Latency, of(Cause::Arithmetic) + memory_latency + shared_latency),
            (Bound::Barrier, of(Cause::Barrier)),
            (Bound::Atomics, of(Cause::Atomic)),
        ];
        candidates
            .into_iter()
            .max_by(|(_, left), (_, right)| left.total_cmp(right))
            .map_or(Bound::Issue, |(bound, _)| bound)
    }
}
