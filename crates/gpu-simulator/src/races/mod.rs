//! Data races: accesses to the same bytes by several threads, at least one of which stores, that nothing orders.
//!
//! Blocks are executed as ever and watched. Two accesses race where they conflict and the program has not ordered them:
//!
//! - Within a block, a block barrier orders all before it with all behind it. So do arrivals at barriers in shared memory (`mbarrier`), and
//!   barriers of a part of the block, for the whole block, so that a race beside them may not be found, and none is told that is none.
//! - Within a warp, every `.sync` instruction orders its lanes; below compute capability 7, every instruction does. Lanes of one instruction
//!   are not ordered.
//! - Blocks of a launch are not ordered. Where they may communicate by fences, ordered accesses or a grid barrier, accesses of different blocks
//!   are not held against each other, and an atomic, volatile or ordered access that meets another one orders the block, as a barrier does.
//!
//! Accesses conflict if at least one stores and at least one is *weak*, that is neither atomic nor volatile nor ordered. Stores of the same
//! value do not. Volatile accesses to shared memory are weak where the kernel neither has fences nor waits in loops. Bulk copies, the barriers that `mbarrier` keeps in memory and `wgmma` are not
//! looked at.
//!
//! `cp.async` is an access when it is issued, and again when its thread waits for it (`wait_group`, `wait_all`). Between, nobody may access what it brings,
//! the thread itself included. Where threads arrive at a barrier in memory behind their copies, what these bring is there as soon as a thread has seen a
//! complete phase of that barrier.

mod lines;
mod pending;
mod race;
mod roles;
mod shadow;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use lines::WrittenLines;
pub use race::{Access, Action, Place, Race, RaceKind, Races, Unchecked};
pub(crate) use watch::Watch;
