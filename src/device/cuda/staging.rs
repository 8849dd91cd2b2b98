//! Copies between the host and the device through page-locked memory: the driver's own copies of pageable memory run on
//! one core, which takes longer than sampling does.

use std::sync::Arc;

use cudarc::driver::result::{memcpy_dtoh_async, memcpy_htod_async};
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, PinnedHostSlice};
use rayon::prelude::*;

use super::failed;
use crate::device::DeviceError;

/// Words of one of the two halves, which take turns: one is copied by the device, the other by the host.
const HALF_WORDS: usize = 2 << 20;
/// Words that a host thread copies at a time.
const PIECE_WORDS: usize = 64 << 10;

/// Page-locked memory to copy through.
pub(super) struct Staging {
    halves: [Half; 2],
}

struct Half {
    words: PinnedHostSlice<u32>,
    /// When the device is done with it.
    free: CudaEvent,
}

impl Half {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DeviceError> {
        let allocating = || failed("allocating page-locked memory to copy through");
        // SAFETY: every word is written before it is read.
        let words = unsafe { context.alloc_pinned_with_flags(HALF_WORDS, 0) }.map_err(allocating())?;
        let free = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).map_err(allocating())?;
        Ok(Self { words, free })
    }

    /// The words, once the device is done with them.
    fn wait(&mut self) -> Result<&mut [u32], DeviceError> {
        self.free.synchronize().map_err(failed("copying"))?;
        self.words.as_mut_slice().map_err(failed("copying"))
    }
}

impl Staging {
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, DeviceError> {
        Ok(Self { halves: [Half::new(context)?, Half::new(context)?] })
    }

    /// A buffer on the device with these words. The last copies may still be under way when it returns.
    pub(super) fn upload(&mut self, words: &[u32], stream: &Arc<CudaStream>) -> Result<CudaSlice<u32>, DeviceError> {
        // SAFETY: every word is written below, in the stream's order, before anything reads it.
        let mut buffer = unsafe { stream.alloc::<u32>(words.len()) }.map_err(failed("allocating"))?;
        {
            let (address, _ordered) = buffer.device_ptr_mut(stream);
            for (index, chunk) in words.chunks(HALF_WORDS).enumerate() {
                let half = &mut self.halves[index % 2];
                let staged = &mut half.wait()?[..chunk.len()];
                copy(chunk, staged);
                let target = address + (index * HALF_WORDS * size_of::<u32>()) as u64;
                // SAFETY: the target is within the buffer, which has as many words as all chunks together; the half is
                // not touched again before its event has passed.
                unsafe { memcpy_htod_async(target, staged, stream.cu_stream()) }.map_err(failed("copying"))?;
                half.free.record(stream).map_err(failed("recording an event"))?;
            }
        }
        Ok(buffer)
    }

    /// Puts the words of a buffer on the device into `words`, in place of what it holds.
    pub(super) fn download(
        &mut self,
        buffer: &CudaSlice<u32>,
        words: &mut Vec<u32>,
        stream: &Arc<CudaStream>,
    ) -> Result<(), DeviceError> {
        if words.capacity() < buffer.len() {
            // The system gives zeros only when they are touched, which the threads that copy then do side by side.
            *words = vec![0; buffer.len()];
        }
        words.resize(buffer.len(), 0);
        let (address, _ordered) = buffer.device_ptr(stream);
        let chunks = words.len().div_ceil(HALF_WORDS);
        let length = |index: usize| HALF_WORDS.min(buffer.len() - index * HALF_WORDS);
        for index in 0..=chunks {
            // The device fills one half while the host empties the other.
            if index < chunks {
                let half = &mut self.halves[index % 2];
                let source = address + (index * HALF_WORDS * size_of::<u32>()) as u64;
                let staged = &mut half.wait()?[..length(index)];
                // SAFETY: the source is within the buffer, and the half is not touched before its event has passed.
                unsafe { memcpy_dtoh_async(staged, source, stream.cu_stream()) }.map_err(failed("copying"))?;
                half.free.record(stream).map_err(failed("recording an event"))?;
            }
            if let Some(emptied) = index.checked_sub(1) {
                let staged = self.halves[emptied % 2].wait()?;
                copy(&staged[..length(emptied)], &mut words[emptied * HALF_WORDS..][..length(emptied)]);
            }
        }
        Ok(())
    }
}

/// Copies on several threads.
pub(super) fn copy(from: &[u32], to: &mut [u32]) {
    to.par_chunks_mut(PIECE_WORDS).zip(from.par_chunks(PIECE_WORDS)).for_each(|(to, from)| to.copy_from_slice(from));
}
