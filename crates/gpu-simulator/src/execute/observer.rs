//! What an observer of an execution is told.

use crate::hardware::lanes::{Longs, Mask, Words};
use crate::program::{Fence, GroupsOf};

/// What an access to memory does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Reads and writes in one step.
    Atomic,
    /// The same, adding floats, or on shared memory of 64 bits: there it may be a loop of compare-and-swap.
    FloatAtomic,
}

impl AccessKind {
    /// Whether it reads and writes in one step.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::FloatAtomic)
    }
}

/// What copies tell that go on while their warp does something else: as they are executed at once, when they would be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copying {
    /// The warp has begun a copy that belongs to its next group (`cp.async`).
    Begun,
    /// A lane has begun a bulk copy from shared memory, of whose lines the observer was told before.
    BegunInBulk,
    /// What becomes of the groups.
    Groups(GroupsOf),
    /// Something counts for the phase of the barrier at this place of shared memory.
    Counts {
        /// Where the barrier is.
        barrier: u32,
        /// What counts.
        what: Counted,
        /// Whether that completes the phase.
        completes: bool,
    },
    /// The warp asked for a phase of the barrier at this place that is complete.
    Passed {
        /// Where the barrier is.
        barrier: u32,
    },
}

/// What counts for the phase of a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// An arrival, or bytes that the warp says are there.
    Now,
    /// An arrival behind all copies that the warp has begun.
    BehindCopies,
    /// The bytes of the bulk copy of which the observer was told before.
    BulkCopy,
}

/// Watches instructions as they are executed. Every method may be left to do nothing.
pub(crate) trait Observer {
    /// What follows is of the block with this number.
    fn block_begins(&mut self, _number: u64) {}

    /// What follows is of this warp of the block with this number.
    fn warp_runs(&mut self, _block: u64, _warp: u32) {}

    /// All threads of the block with this number have ended.
    fn block_ends(&mut self, _number: u64) {}

    /// The instruction at `pc` is issued for the lanes `active`, of which the guard lets `executed` through.
    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask);

    /// A branch went several ways.
    fn divergence(&mut self, _pc: u32) {}

    /// These lanes go from the branch at `pc` to `target`.
    fn way(&mut self, _pc: u32, _target: u32, _lanes: Mask) {}

    /// What the store writes of which the observer is told next: elements of `size` bytes, neighbours at each lane's address.
    fn stored(&mut self, _size: u32, _values: &[Longs]) {}

    /// Global memory is accessed at these places by the lanes of `mask`, `bytes` each.
    fn global(&mut self, _kind: AccessKind, _addresses: &Longs, _mask: Mask, _bytes: u32) {}

    /// L2 is asked to bring these places of global memory in, which may be outside of every buffer.
    fn prefetch(&mut self, _addresses: &Longs, _mask: Mask) {}

    /// Shared memory is accessed at these offsets by the lanes of `mask`, `bytes` each.
    fn shared(&mut self, _kind: AccessKind, _offsets: &Words, _mask: Mask, _bytes: u32) {}

    /// The access to shared memory that the observer is told of next is to that of the block with this rank, another one of the cluster.
    fn remote(&mut self, _rank: u32) {}

    /// Lanes do something to barriers that shared memory holds (`mbarrier`), at these offsets.
    fn barrier_accessed(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.shared(kind, offsets, mask, bytes);
    }

    /// Lanes copy from global to shared memory, `bytes` each, without registers (`cp.async`). Those of `reading` have a place to read from.
    fn copied(&mut self, (addresses, reading): (&Longs, Mask), (offsets, mask): (&Words, Mask), bytes: u32) {
        self.global(AccessKind::Load, addresses, reading, bytes);
        self.shared(AccessKind::Store, offsets, mask, bytes);
    }

    /// A part of a bulk copy, four bytes for each lane of `mask`: what it does to global memory, and to shared memory.
    fn bulk_copied(
        &mut self,
        (far, addresses): (AccessKind, &Longs),
        (near, offsets): (AccessKind, &Words),
        mask: Mask,
    ) {
        self.global(far, addresses, mask, 4);
        self.shared(near, offsets, mask, 4);
    }

    /// What copies do that go on while their warp does something else.
    fn copying(&mut self, _event: Copying) {}

    /// Local memory is accessed at these offsets of each lane's own.
    fn local(&mut self, _kind: AccessKind, _offsets: &Words, _mask: Mask, _bytes: u32) {}

    /// Lanes of a warp told each other which of them have the same value, and had so many different ones.
    fn matched(&mut self, _distinct_values: u32) {}

    /// So many lanes' atomics are added to those of other lanes of their warp on the way to memory, of which the observer is told next.
    fn added_up(&mut self, _lanes: u32) {}

    /// A warp loads from constant memory.
    fn constant(&mut self, _offsets: &Words, _mask: Mask, _bytes: u32) {}

    /// A warp waits until what it stored can be seen.
    fn fence(&mut self, _fence: Fence) {}

    /// A block barrier was passed by all that take part.
    fn barrier_passed(&mut self, _warps: u32) {}

    /// The barrier of a cluster of so many blocks was passed; none where there are 0.
    fn cluster_barriers_passed(&mut self, _blocks: u32) {}
}

/// Nobody watches.
impl Observer for () {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}
}

/// Tells all who watch the same what an observer is told.
macro_rules! tells {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        /// Several watch the same.
        impl<O: Observer> Observer for Vec<O> {
            $(fn $method(&mut self, $($name: $type),*) {
                self.iter_mut().for_each(|own| own.$method($($name),*));
            })*
        }

        /// Two watch the same.
        impl<A: Observer, B: Observer> Observer for (A, B) {
            $(fn $method(&mut self, $($name: $type),*) {
                self.0.$method($($name),*);
                self.1.$method($($name),*);
            })*
        }
    };
}

tells! {
    block_begins(number: u64);
    warp_runs(block: u64, warp: u32);
    block_ends(number: u64);
    instruction(pc: u32, active: Mask, executed: Mask);
    divergence(pc: u32);
    way(pc: u32, target: u32, lanes: Mask);
    stored(size: u32, values: &[Longs]);
    global(kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32);
    prefetch(addresses: &Longs, mask: Mask);
    shared(kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32);
    local(kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32);
    remote(rank: u32);
    barrier_accessed(kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32);
    copied(from: (&Longs, Mask), to: (&Words, Mask), bytes: u32);
    bulk_copied(far: (AccessKind, &Longs), near: (AccessKind, &Words), mask: Mask);
    copying(event: Copying);
    matched(distinct_values: u32);
    added_up(lanes: u32);
    constant(offsets: &Words, mask: Mask, bytes: u32);
    fence(fence: Fence);
    barrier_passed(warps: u32);
    cluster_barriers_passed(blocks: u32);
}
