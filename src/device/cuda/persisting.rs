//! A part of the L2 cache that is set aside while a workload runs, for the lines of a buffer that are to persist.

use std::sync::Arc;

use cudarc::driver::sys::{self, CUaccessPolicyWindow, CUaccessProperty, CUdevice_attribute, CUlimit};
use cudarc::driver::{CudaContext, CudaStream, DriverError};

use super::failed;
use crate::device::DeviceError;
use crate::workload::{Submission, Workload};

/// What a workload asks L2 to keep.
pub(super) struct Persisting {
    /// The buffer whose lines may persist.
    pub(super) buffer: usize,
    /// Its size, which the window has.
    bytes: usize,
    /// Which part of its lines may persist.
    hit_ratio: f32,
    /// How much of L2 is set aside: as much as the GPU allows, since others may use what of it is not in use.
    set_aside_bytes: usize,
    context: Arc<CudaContext>,
}

impl Persisting {
    /// What this workload asks for, if it asks for it.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] where the GPU sets nothing aside, or no window is as large.
    pub(super) fn of(workload: &Workload, context: &Arc<CudaContext>) -> Result<Option<Self>, DeviceError> {
        let Submission::Persisting { buffer, kept_pct } = workload.submission else { return Ok(None) };
        let most = |attribute| -> Result<usize, DeviceError> {
            let bytes = context.attribute(attribute).map_err(failed("asking for the lines that may persist in L2"))?;
            Ok(usize::try_from(bytes).unwrap_or(0))
        };
        let set_aside_bytes = most(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)?;
        if set_aside_bytes == 0 {
            return Err(DeviceError::Unsupported(
                "lines that persist in L2, of which this GPU sets no part aside (a slice of a GPU, or one that others share, may not)"
                    .to_owned(),
            ));
        }
        let bytes = workload.buffers.get(buffer).map_or(0, |own| own.bytes() as usize);
        let window_bytes = most(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)?;
        if bytes > window_bytes {
            return Err(DeviceError::Unsupported(format!(
                "an access policy window of {bytes} bytes, where {window_bytes} are possible"
            )));
        }
        let hit_ratio = kept_pct.min(100) as f32 / 100.0;
        Ok(Some(Self { buffer, bytes, hit_ratio, set_aside_bytes, context: Arc::clone(context) }))
    }

    /// The window of a launch over the buffer at this address.
    pub(super) fn window(&self, address: sys::CUdeviceptr) -> CUaccessPolicyWindow {
        CUaccessPolicyWindow {
            base_ptr: address as *mut _,
            num_bytes: self.bytes,
            hitRatio: self.hit_ratio,
            hitProp: CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING,
            missProp: CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING,
        }
    }

    /// Sets a part of L2 aside until what is given is dropped. Nothing of the workload may be under way.
    ///
    /// # Errors
    /// What the driver says, such as that a process that shares the GPU may set nothing aside.
    pub(super) fn set_aside(&self, stream: &Arc<CudaStream>) -> Result<SetAside, DeviceError> {
        let doing = "setting a part of the L2 cache aside";
        self.context.bind_to_thread().map_err(failed(doing))?;
        let mut bytes_before = 0;
        // SAFETY: the driver writes one number to the address given.
        let asked = unsafe { sys::cuCtxGetLimit(&raw mut bytes_before, CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE) };
        asked.result().map_err(failed(doing))?;
        set_limit(self.set_aside_bytes).map_err(failed(doing))?;
        Ok(SetAside { bytes_before, stream: Arc::clone(stream) })
    }
}

fn set_limit(bytes: usize) -> Result<(), DriverError> {
    // SAFETY: takes two numbers; the device's context is current, since this thread made it so.
    unsafe { sys::cuCtxSetLimit(CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes) }.result()
}

/// A part of L2 is set aside. Dropped, it is as before, and no line persists.
pub(super) struct SetAside {
    bytes_before: usize,
    stream: Arc<CudaStream>,
}

impl Drop for SetAside {
    fn drop(&mut self) {
        // Whatever fails here has failed before, and is told at the next call.
        if self.stream.context().bind_to_thread().is_ok() {
            let _ = self.stream.synchronize();
            // SAFETY: takes no arguments; the device's context is current.
            let _ = unsafe { sys::cuCtxResetPersistingL2Cache() };
            let _ = set_limit(self.bytes_before);
        }
    }
}
