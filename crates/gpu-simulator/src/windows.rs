//! The address space: where allocations are, and the windows through which generic addresses see the other spaces.

use std::ops::Range;

use ptx_syntax::module::Space;

/// Variables of a module in global memory begin here.
pub(crate) const MODULE_BASE: u64 = 0x1_0000_0000;
/// Allocations begin here.
pub(crate) const ALLOCATION_BASE: u64 = 0x10_0000_0000;
/// Bits of an address that say where something is in the GPU's memory. Those above are the number of the buffer alone, so that what is computed
/// from the address of one buffer does not lead into another, unless it is 2^40 bytes off.
const PLACE_BITS: u32 = 40;
/// Numbers of buffers above this are not told apart: there are not as many addresses.
const NUMBER_MOST: u64 = 1 << 22;
/// The number whose addresses the windows of the other spaces are among.
const NUMBER_OF_WINDOWS: u64 = SHARED_WINDOW >> PLACE_BITS;

/// The address of a place in memory that belongs to the buffer of this number.
pub(crate) fn numbered(place: u64, number: u64) -> u64 {
    place + (number.min(NUMBER_MOST) << PLACE_BITS)
}

/// The number of the buffer that an address is of.
pub(crate) fn number_of(address: u64) -> u64 {
    address >> PLACE_BITS
}

/// The number of the buffer behind one.
pub(crate) fn number_behind(number: u64) -> u64 {
    if number + 1 == NUMBER_OF_WINDOWS { number + 2 } else { number + 1 }
}

/// Where in memory an address is: what GPUs hash, and what their caches hold.
pub(crate) fn place_of(address: u64) -> u64 {
    address & ((1 << PLACE_BITS) - 1)
}

/// Bytes of the window of a space.
pub(crate) const WINDOW_BYTES: u64 = 0x1_0000_0000;
/// Bytes of all windows of spaces, which lie side by side.
pub(crate) const WINDOWS_BYTES: u64 = PARAMETER_WINDOW + WINDOW_BYTES - SHARED_WINDOW;
/// Generic addresses of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x7f01_0000_0000;
/// Generic addresses of local memory: every thread's own.
pub(crate) const LOCAL_WINDOW: u64 = 0x7f02_0000_0000;
/// Generic addresses of constant memory.
pub(crate) const CONSTANT_WINDOW: u64 = 0x7f03_0000_0000;
/// Generic addresses of the kernel's parameters.
pub(crate) const PARAMETER_WINDOW: u64 = 0x7f04_0000_0000;
/// Addresses of functions.
pub(crate) const FUNCTION_WINDOW: u64 = 0x7f05_0000_0000;

/// Bits of an address of shared memory that say where in a block's it is. Those above are one more than the rank of the block in its cluster, and
/// none in an address of the block's own.
const RANK_SHIFT: u32 = 24;
const RANK_BITS: u64 = 0xff << RANK_SHIFT;
/// Ranks from this one on are not told apart. No cluster has so many blocks, and what comes of a negative number is no such address.
pub(crate) const RANK_MOST: u32 = 30;

/// The address of the same place in the shared memory of the block with this rank.
pub(crate) fn mapped(address: u64, rank: u32) -> u64 {
    address & !RANK_BITS | (u64::from(rank.min(RANK_MOST)) + 1) << RANK_SHIFT
}

/// The rank that an address of shared memory was mapped to, if it was.
pub(crate) fn rank_of(address: u64) -> Option<u32> {
    (((address & RANK_BITS) >> RANK_SHIFT) as u32).checked_sub(1).filter(|rank| *rank <= RANK_MOST)
}

/// Whether one of several addresses may have been mapped, all of whose bits these are.
pub(crate) fn may_be_mapped(bits: u64) -> bool {
    bits & RANK_BITS != 0
}

/// Where in the shared memory of its block an address is.
pub(crate) fn place_in_block(address: u64) -> u64 {
    address & !RANK_BITS
}

/// The window that begins at `base`.
pub(crate) fn window(base: u64) -> Range<u64> {
    base..base + WINDOW_BYTES
}

/// The base of a space's window; `None` for registers. Global memory is its own window.
pub(crate) fn window_base(space: Space) -> Option<u64> {
    match space {
        Space::Global => Some(0),
        Space::Shared => Some(SHARED_WINDOW),
        Space::Local => Some(LOCAL_WINDOW),
        Space::Const => Some(CONSTANT_WINDOW),
        Space::Param => Some(PARAMETER_WINDOW),
        Space::Register => None,
    }
}

/// The generic address of an offset in a space.
pub(crate) fn generic_address(space: Space, offset: u64) -> Option<u64> {
    Some(window_base(space)? + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_buffers_are_their_own_and_keep_their_places() {
        let mut number = 0;
        let mut end = ALLOCATION_BASE;
        for _ in 0..300 {
            number = number_behind(number);
            let place = ALLOCATION_BASE + number * 4096;
            let address = numbered(place, number);
            assert!(
                address >= end && address + (1 << 30) < FUNCTION_WINDOW || address > FUNCTION_WINDOW + WINDOW_BYTES
            );
            assert_eq!((place_of(address), number_of(address)), (place, number));
            end = address + 4096;
        }
        // As many as there may be have addresses, in order.
        assert!(numbered(ALLOCATION_BASE, u64::MAX) > end);
    }
}
