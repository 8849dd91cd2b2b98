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
    /// Reads of constant memory at different places.
    Constant,
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
            Self::Constant => "constant",
            Self::Latency => "latency",
            Self::Barrier => "barrier",
            Self::Atomics => "atomics",
            Self::Launch => "launch",
        }
    }
}

/// What schedulers mostly waited for, of a launch that no resource bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// Results of arithmetic, and where branches go.
    Arithmetic,
    /// Loads from shared memory.
    SharedLoads,
    /// Loads from device memory and its caches.
    GlobalLoads,
    /// Loads from constant memory.
    ConstantLoads,
    /// The next block: those before it had ended.
    Blocks,
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
    /// It waited for a load from constant memory.
    ConstantLoad,
    /// It waited for a load from device memory or its caches.
    GlobalLoad,
    /// The load-store unit was busy with transactions.
    GlobalUnit,
    /// It waited at a barrier.
    Barrier,
    /// It waited for an atomic.
    Atomic,
    /// Its block had not begun.
    Start,
}

const CAUSES: usize = 10;

/// Cycles of all schedulers, by what they went into.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Balance {
    cycles: [f64; CAUSES],
}

/// How busy a resource must be to be what bounds a kernel: an estimate. Below it, latencies do.
const BUSY: f64 = 0.7;

/// For how much of the kernel's time each resource was in use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Shares {
    /// The busiest unit or the issue slots of the busiest scheduler.
    pub(super) issue: f64,
    /// Bandwidth of device memory or L2.
    pub(super) memory: f64,
    /// Passes over shared memory.
    pub(super) shared: f64,
    /// Reads of constant memory.
    pub(super) constant: f64,
}

impl Balance {
    pub(super) fn add(&mut self, cause: Cause, cycles: f64) {
        self.cycles[cause as usize] += cycles;
    }

    /// The resource that was busy for most of the time, if any was; else what the schedulers mostly waited for.
    pub(super) fn bound(&self, shares: Shares) -> Bound {
        let of = |cause: Cause| self.cycles[cause as usize];
        let waits = [
            (
                Bound::Latency,
                of(Cause::Arithmetic) + of(Cause::SharedLoad) + of(Cause::GlobalLoad) + of(Cause::ConstantLoad),
            ),
            (Bound::Issue, of(Cause::Issue) + of(Cause::Start)),
            (Bound::Shared, of(Cause::SharedUnit)),
            (Bound::Memory, of(Cause::GlobalUnit)),
            (Bound::Barrier, of(Cause::Barrier)),
            (Bound::Atomics, of(Cause::Atomic)),
        ];
        match Self::busy(shares) {
            Some(bound) => bound,
            None => largest(&waits).unwrap_or(Bound::Latency),
        }
    }

    /// What the schedulers mostly waited for where that is what bounds the kernel: of latencies the longest, and blocks that had not begun.
    pub(super) fn awaited(&self, shares: Shares) -> Option<Awaited> {
        let of = |cause: Cause| self.cycles[cause as usize];
        let latencies = [
            (Awaited::Arithmetic, of(Cause::Arithmetic)),
            (Awaited::SharedLoads, of(Cause::SharedLoad)),
            (Awaited::GlobalLoads, of(Cause::GlobalLoad)),
            (Awaited::ConstantLoads, of(Cause::ConstantLoad)),
        ];
        match self.bound(shares) {
            Bound::Latency => largest(&latencies),
            Bound::Issue if Self::busy(shares).is_none() && of(Cause::Start) > of(Cause::Issue) => {
                Some(Awaited::Blocks)
            }
            _ => None,
        }
    }

    /// The resource that was busy for most of the time, if any was.
    fn busy(shares: Shares) -> Option<Bound> {
        let resources = [
            (Bound::Issue, shares.issue),
            (Bound::Memory, shares.memory),
            (Bound::Shared, shares.shared),
            (Bound::Constant, shares.constant),
        ];
        let (bound, share) = resources.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (share >= BUSY).then_some(bound)
    }
}

/// What took the most cycles; `None` of nothing.
fn largest<T: Copy>(waits: &[(T, f64)]) -> Option<T> {
    let largest = waits.iter().filter(|(_, cycles)| *cycles > 0.0).max_by(|(_, one), (_, other)| one.total_cmp(other));
    largest.map(|(what, _)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_the_latencies_is_named_where_they_bound_together() {
        let told = |cycles: &[(Cause, f64)], shares: Shares| {
            let mut balance = Balance::default();
            cycles.iter().for_each(|(cause, cycles)| balance.add(*cause, *cycles));
            (balance.bound(shares), balance.awaited(shares))
        };
        let idle = Shares::default();
        let waits = [(Cause::Arithmetic, 4.0), (Cause::GlobalLoad, 3.0), (Cause::Barrier, 5.0), (Cause::Issue, 1.0)];
        assert_eq!(told(&waits, idle), (Bound::Latency, Some(Awaited::Arithmetic)), "more than barriers together");
        assert_eq!(told(&waits, Shares { memory: 0.9, ..idle }), (Bound::Memory, None));
        assert_eq!(told(&[(Cause::Start, 3.0), (Cause::Issue, 2.0)], idle), (Bound::Issue, Some(Awaited::Blocks)));
        assert_eq!(told(&[(Cause::Start, 2.0), (Cause::Issue, 3.0)], idle), (Bound::Issue, None));
        assert_eq!(told(&[(Cause::Start, 3.0)], Shares { issue: 0.9, ..idle }), (Bound::Issue, None));
        assert_eq!(told(&[(Cause::Barrier, 9.0), (Cause::SharedLoad, 2.0)], idle), (Bound::Barrier, None));
        assert_eq!(told(&[], idle), (Bound::Latency, None));
    }
}
