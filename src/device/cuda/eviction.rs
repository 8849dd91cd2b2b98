//! Evicting a workload's data from the L2 cache.

use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};

use super::failed;
use super::symbols::{Driver, Feature};
use crate::device::{DeviceError, Flush};
use crate::properties::Properties;

/// The sweep's memory, in sizes of the L2 cache. On an H200 the lines that a kernel has written are all written back
/// after three; after one, a kernel that reads 16 MiB takes 20 % longer than it should, after two up to 4 %.
const SWEEP_CACHES: usize = 3;
/// Blocks of the sweep for each multiprocessor, and their threads.
const BLOCKS_PER_SM: u32 = 8;
const THREADS: u32 = 256;
const VECTOR_BYTES: usize = 16;

/// Memory that takes the place of the workload's in the cache.
pub(super) struct Eviction {
    sweep: CudaFunction,
    memory: CudaSlice<u8>,
    sink: CudaSlice<u32>,
    l2_bytes: usize,
    blocks: u32,
    /// Whether lines can be set aside in this cache, where no sweep evicts them, and taken back.
    has_persisting_lines: bool,
}

impl Eviction {
    pub(super) fn new(
        context: &Arc<CudaContext>,
        stream: &Arc<CudaStream>,
        sweep: CudaFunction,
        properties: &Properties,
        driver: &Driver,
    ) -> Result<Self, DeviceError> {
        let allocating = || failed("allocating the memory that evicts others from the L2 cache");
        let l2_bytes = (properties.l2_bytes as usize).max(1 << 20);
        let persisting = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
        Ok(Self {
            sweep,
            memory: stream.alloc_zeros(SWEEP_CACHES * l2_bytes).map_err(allocating())?,
            sink: stream.alloc_zeros(1).map_err(allocating())?,
            l2_bytes,
            blocks: BLOCKS_PER_SM * properties.sm_count,
            has_persisting_lines: persisting.is_ok_and(|bytes| bytes > 0) && driver.has(Feature::PersistingLines),
        })
    }

    /// Queues the eviction. Lines that persist are made ordinary ones before, since neither reading nor writing other memory takes their place.
    pub(super) fn queue(&mut self, flush: Flush, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        if self.has_persisting_lines {
            // SAFETY: takes no arguments; the device's context is current, since this thread made it so.
            unsafe { cudarc::driver::sys::cuCtxResetPersistingL2Cache() }
                .result()
                .map_err(failed("resetting the persisting lines of the L2 cache"))?;
        }
        match flush {
            Flush::Clean => self.queue_sweep(stream),
            Flush::Memset => {
                let mut lines = self.memory.slice_mut(0..self.l2_bytes);
                stream.memset_zeros(&mut lines).map_err(failed("writing over the L2 cache"))
            }
        }
    }

    fn queue_sweep(&mut self, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        let vectors = (SWEEP_CACHES * self.l2_bytes / VECTOR_BYTES) as u64;
        let shape = LaunchConfig { grid_dim: (self.blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&self.sweep);
        launch.arg(&self.memory).arg(&vectors).arg(&mut self.sink);
        // SAFETY: the kernel takes a pointer, the number of vectors of 16 bytes that it may read there, and a pointer
        // to one word.
        unsafe { launch.launch(shape) }.map_err(failed("launching sweep_read"))?;
        Ok(())
    }
}
