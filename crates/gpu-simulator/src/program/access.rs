//! Loads and stores: where they go, and how.

use super::Space;
use super::fence::{Fence, FenceScope};
use super::operand::Address;
use crate::hardware::caching::CacheHint;

/// A load or store of 1, 2 or 4 elements.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    /// Where.
    pub space: Space,
    /// The first element's address.
    pub address: Address,
    /// Bytes of an element.
    pub element_bytes: u8,
    /// Whether a loaded element that is smaller than its register is sign-extended.
    pub signed: bool,
    /// Whether the registers have 64 bits.
    pub long: bool,
    /// Bits of the destination registers, for sign extension.
    pub register_bits: u8,
    /// How it goes with what other threads do.
    pub order: AccessOrder,
    /// What it says of its lines in the caches.
    pub hint: CacheHint,
    /// The fence that a store begins with which releases, or that a load which acquires stands for.
    pub fence: Option<Fence>,
    /// For whom it is ordered: threads of a block share L1.
    pub scope: FenceScope,
    /// Whether it is ordered for being volatile.
    pub is_volatile: bool,
    /// Whose shared memory it may go to.
    pub shared_of: SharedOf,
    /// As how many of the accesses that it was joined of it is wide; 1 where it is as written.
    pub joined: u8,
}

/// Whose shared memory an access may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharedOf {
    /// The block's own.
    Block,
    /// That of any block of the cluster.
    Cluster,
}

/// How a load or store goes with what other threads do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessOrder {
    /// It may be served by L1.
    Cached,
    /// It passes L1 by (`.cg`), so that it finds what other multiprocessors have written.
    PastL1,
    /// It is volatile, or ordered.
    Ordered,
}
