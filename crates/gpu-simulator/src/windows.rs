//! The address space: where allocations are, and the windows through which generic addresses see the other spaces.

use std::ops::Range;

use ptx_syntax::module::Space;

/// Variables of a module in global memory begin here.
pub(crate) const MODULE_BASE: u64 = 0x1_0000_0000;
/// Allocations begin here.
pub(crate) const ALLOCATION_BASE: u64 = 0x10_0000_0000;
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
