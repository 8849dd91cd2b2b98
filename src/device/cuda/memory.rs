//! The pool that buffers come from. What is freed stays there, since getting it again from the driver takes milliseconds.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::CudaContext;
use cudarc::driver::result::DriverError;
use cudarc::driver::sys::{self, CUdevice_attribute, CUmemPool_attribute, CUmemoryPool};

use super::failed;
use crate::device::DeviceError;

/// A device's default pool of memory.
pub(super) struct Pool(CUmemoryPool);

/// Keeps what is freed; `None` where the device has no pools.
pub(super) fn keep_freed(context: &Arc<CudaContext>) -> Result<Option<Pool>, DeviceError> {
    let supported = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    if !supported.is_ok_and(|supported| supported > 0) {
        return Ok(None);
    }
    let mut pool = std::ptr::null_mut();
    let mut threshold = u64::MAX;
    let value = (&raw mut threshold).cast::<c_void>();
    let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the first call writes a handle to a local, the second reads the 64-bit number that this attribute is.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device())
            .result()
            .and_then(|()| sys::cuMemPoolSetAttribute(pool, attribute, value).result())
    }
    .map_err(failed("asking for the device's pool of memory"))?;
    Ok(Some(Pool(pool)))
}

impl Pool {
    /// Memory that the pool holds and nothing uses.
    pub(super) fn unused_bytes(&self) -> Result<u64, DriverError> {
        let reserved = self.number(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        Ok(reserved.saturating_sub(self.number(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?))
    }

    fn number(&self, attribute: CUmemPool_attribute) -> Result<u64, DriverError> {
        let mut number: u64 = 0;
        // SAFETY: both attributes asked for are 64-bit numbers, written to a local.
        unsafe { sys::cuMemPoolGetAttribute(self.0, attribute, (&raw mut number).cast::<c_void>()) }.result()?;
        Ok(number)
    }
}
