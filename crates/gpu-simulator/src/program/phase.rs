//! Barriers in shared memory (`mbarrier`), and bulk copies, which complete them. PTX ISA, "mbarrier".

use super::Space;
use super::{Address, LongSource, WordSource};

/// What a warp does with the groups of its asynchronous copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyGroups {
    /// `commit_group`: what was copied since the last time is a group.
    Commit,
    /// `wait_group`: waits until no more than so many groups are under way, the newest ones.
    Await(u32),
    /// `wait_all`: waits for all copies, also those of no group.
    AwaitAll,
}

/// A warp's groups of copies of one kind, and what becomes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupsOf {
    /// What becomes of them.
    pub groups: CopyGroups,
    /// Which copies they are of.
    pub copies: CopyKind,
}

/// Copies that have groups of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CopyKind {
    /// Those of lanes (`cp.async`).
    Lanes,
    /// Bulk copies from shared memory, until that has been read.
    BulkRead,
    /// The same, until global memory has been written.
    BulkWritten,
}

/// What is done to a barrier in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseAction {
    /// `init`: so many arrivals complete each phase.
    Initialise,
    /// `inval`
    Invalidate,
    /// `expect_tx`: the phase waits for so many bytes more.
    Expect,
    /// `complete_tx`: so many of them are there.
    Complete,
    /// `arrive`, which may say first how many bytes the phase waits for.
    Arrive {
        /// Whether the thread takes part in no further phase (`arrive_drop`).
        drops: bool,
        /// Whether the number is one of bytes.
        expects: bool,
    },
    /// `cp.async.mbarrier.arrive`: an arrival when the copies of the thread are done. Unless it was counted (`.noinc`), it is one more of one more.
    ArriveBehindCopies {
        /// Whether it was counted.
        is_counted: bool,
    },
    /// `test_wait` and `try_wait`: whether a phase is complete.
    Test,
}

/// An operation on a barrier in memory.
#[derive(Debug, Clone)]
pub(crate) struct Phase {
    /// What is done.
    pub action: PhaseAction,
    /// Shared or generic.
    pub space: Space,
    /// Where the barrier is.
    pub address: Address,
    /// A number of arrivals or of bytes, or the parity of the phase that is asked for.
    pub number: Option<WordSource>,
    /// The barrier's state in the phase that is asked for.
    pub state: Option<LongSource>,
    /// The predicate that tells, or the register that gets the state.
    pub destination: Option<u32>,
    /// Whether a warp that asks too early is suspended until the phase is complete (`try_wait`).
    pub suspends: bool,
}

/// What of its source a bulk copy takes.
#[derive(Debug, Clone)]
pub(crate) enum Copied {
    /// So many bytes from there on.
    Bytes(WordSource),
    /// The tile at this column and row of the matrix that the descriptor at the source is of.
    Tile([WordSource; 2]),
}

/// `cp.async.bulk`
#[derive(Debug, Clone)]
pub(crate) struct BulkCopy {
    /// Where it is copied to.
    pub destination: Address,
    /// From where: a global or shared address, or a generic one of a descriptor.
    pub source: Address,
    /// Whether from global to shared memory, and not from shared to global.
    pub to_shared: bool,
    /// What of that.
    pub copied: Copied,
    /// The barrier whose bytes these are.
    pub barrier: Option<Address>,
}

/// What a barrier holds, in 64 bits that only these instructions look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhaseState {
    /// Arrivals that the phase waits for.
    pending: u32,
    /// Arrivals of the next phase.
    expected: u32,
    /// Bytes that the phase waits for; less than none where they came before they were expected.
    bytes: i32,
    /// Phases that are complete; the lowest bits of the number.
    phase: u8,
}

/// The most arrivals, and the most bytes. PTX ISA, "Contents of the mbarrier object".
pub(crate) const ARRIVALS_MAX: u32 = (1 << 20) - 1;

impl PhaseState {
    /// At the beginning of its first phase.
    pub(crate) fn new(arrivals: u32) -> Self {
        Self { pending: arrivals & ARRIVALS_MAX, expected: arrivals & ARRIVALS_MAX, bytes: 0, phase: 0 }
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self {
            pending: bits as u32 & ARRIVALS_MAX,
            expected: (bits >> 20) as u32 & ARRIVALS_MAX,
            bytes: ((bits >> 40) as i32) << 11 >> 11,
            phase: (bits >> 61) as u8,
        }
    }

    pub(crate) fn to_bits(self) -> u64 {
        let bytes = u64::from(self.bytes as u32 & ((1 << 21) - 1));
        u64::from(self.pending) | u64::from(self.expected) << 20 | bytes << 40 | u64::from(self.phase & 7) << 61
    }

    /// Arrivals come, and bytes are expected or, where they are less than none, there.
    #[must_use]
    pub(crate) fn after(mut self, arrivals: u32, bytes: i32, drops: bool) -> Self {
        if drops {
            self.expected = self.expected.saturating_sub(arrivals);
        }
        self.bytes = self.bytes.wrapping_add(bytes);
        self.pending = self.pending.saturating_sub(arrivals);
        if self.pending == 0 && self.bytes == 0 {
            self.phase = (self.phase + 1) & 7;
            self.pending = self.expected;
        }
        self
    }

    /// Whether the phase of this state, or the one before or behind with this parity, is complete.
    pub(crate) fn is_past(self, other: Self) -> bool {
        self.phase != other.phase
    }

    /// Whether the last phase of this parity is complete.
    pub(crate) fn is_past_parity(self, parity: u32) -> bool {
        u32::from(self.phase & 1) != parity & 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_what_its_bits_say() {
        for bytes in [0, 1, -1, (1 << 20) - 1, 1 - (1 << 20)] {
            let state = PhaseState { pending: 3, expected: ARRIVALS_MAX, bytes, phase: 5 };
            assert_eq!(PhaseState::from_bits(state.to_bits()), state);
        }
    }

    #[test]
    fn a_phase_ends_when_all_have_arrived_and_all_bytes_are_there() {
        let first = PhaseState::new(2);
        let one = first.after(1, 64, false);
        let both = one.after(1, 0, false);
        assert!(!both.is_past(first) && !both.is_past_parity(0) && both.is_past_parity(1));
        let full = both.after(0, -64, false);
        assert!(full.is_past(first) && full.is_past_parity(0) && !full.is_past_parity(1));
        // One of two drops out, so the next phase needs one arrival.
        let next = full.after(1, 0, true).after(1, 0, false);
        assert!(next.is_past(full));
        assert!(next.after(1, 0, false).is_past(next));
    }
}
