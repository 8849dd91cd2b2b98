//! Words of the host's memory that the device reads and writes where they are.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys::{self, CU_MEMHOSTALLOC_DEVICEMAP};
use cudarc::driver::{CudaContext, PinnedHostSlice};

use super::failed;
use crate::device::DeviceError;

/// Page-locked words, and their address on the device.
pub(super) struct Mapped {
    /// Frees the words.
    _memory: PinnedHostSlice<u64>,
    words: *mut u64,
    len: usize,
    address: u64,
}

impl Mapped {
    /// This many words, all zero.
    pub(super) fn new(context: &Arc<CudaContext>, len: usize) -> Result<Self, DeviceError> {
        let allocating = || failed("allocating words that host and device share");
        // SAFETY: the words are written below before anything reads them. Not write-combined: the host reads them.
        let mut memory =
            unsafe { context.alloc_pinned_with_flags::<u64>(len, CU_MEMHOSTALLOC_DEVICEMAP) }.map_err(allocating())?;
        let words = memory.as_mut_ptr().map_err(allocating())?;
        let mut address = 0;
        // SAFETY: `words` is page-locked memory that was allocated to be mapped; the address goes to a local.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, words.cast::<c_void>(), 0) }
            .result()
            .map_err(allocating())?;
        let mapped = Self { _memory: memory, words, len, address };
        mapped.clear();
        Ok(mapped)
    }

    /// The device's address of the word with this index.
    pub(super) fn address(&self, index: usize) -> u64 {
        self.address + (index * size_of::<u64>()) as u64
    }

    /// A word, which the device may change at any time.
    pub(super) fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < self.len, "word {index} of {}", self.len);
        // SAFETY: within the allocation, which lives as long as `self`, aligned by the driver, and accessed through
        // atomics alone.
        unsafe { AtomicU64::from_ptr(self.words.add(index)) }
    }

    /// Sets every word to zero.
    pub(super) fn clear(&self) {
        (0..self.len).for_each(|index| self.word(index).store(0, Ordering::Relaxed));
    }

    /// The words as they are now.
    pub(super) fn snapshot(&self) -> Vec<u64> {
        (0..self.len).map(|index| self.word(index).load(Ordering::Relaxed)).collect()
    }
}
