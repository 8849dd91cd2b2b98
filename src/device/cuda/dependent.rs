//! Launches that may begin before the one before them has ended, and wait for it themselves (programmatic dependent launch).

use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::result::module;
use cudarc::driver::sys::{self, CUlaunchAttributeID};
use cudarc::driver::{CudaContext, CudaStream};

use super::failed;
use super::prepared::ArgumentBytes;
use crate::device::DeviceError;
use crate::workload::Launch;

/// A module whose handle is at hand: cudarc has no such launches, and keeps the handles of its own modules to itself.
pub(super) struct OwnModule {
    handle: sys::CUmodule,
    context: Arc<CudaContext>,
}

impl OwnModule {
    /// Loads a module that the driver can load.
    pub(super) fn load(context: &Arc<CudaContext>, ptx: &str) -> Result<Self, DeviceError> {
        let doing = "loading the kernels of dependent launches";
        context.bind_to_thread().map_err(failed(doing))?;
        let text = c_string(ptx)?;
        // SAFETY: the text ends with a zero, and the driver copies what it needs of it.
        let handle = unsafe { module::load_data(text.as_ptr().cast()) }.map_err(failed(doing))?;
        Ok(Self { handle, context: Arc::clone(context) })
    }
}

impl Drop for OwnModule {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the module is loaded, and no kernel of it outlives it. What the driver says at the end helps nobody.
            let _ = unsafe { module::unload(self.handle) };
        }
    }
}

/// A kernel that can be launched so.
pub(super) struct DependentKernel {
    function: sys::CUfunction,
    /// Keeps the function.
    _module: Rc<OwnModule>,
}

impl DependentKernel {
    /// Finds a kernel by name.
    pub(super) fn find(module: Rc<OwnModule>, entry: &str) -> Result<Self, DeviceError> {
        let doing = format!("finding the kernel {entry}");
        module.context.bind_to_thread().map_err(failed(&doing))?;
        // SAFETY: the module is loaded.
        let function = unsafe { module::get_function(module.handle, c_string(entry)?) }.map_err(failed(&doing))?;
        Ok(Self { function, _module: module })
    }

    /// Queues the launch, which may begin as soon as all blocks of the launch before it have said so or ended.
    ///
    /// # Safety
    /// The arguments are of the kernel's types, in its order. The kernel waits for the launch before it before it touches what that one touches.
    pub(super) unsafe fn launch(
        &self,
        launch: &Launch,
        arguments: &[Box<ArgumentBytes>],
        stream: &CudaStream,
    ) -> Result<(), DeviceError> {
        let doing = format!("launching {}", launch.entry);
        stream.context().bind_to_thread().map_err(failed(&doing))?;
        let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
        value.programmaticStreamSerializationAllowed = 1;
        let mut attribute = sys::CUlaunchAttribute {
            id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value,
        };
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (launch.grid, launch.block);
        let config = sys::CUlaunchConfig {
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: launch.shared_bytes,
            hStream: stream.cu_stream(),
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        let mut places: Vec<*mut c_void> =
            arguments.iter().map(|own| ptr::from_ref(&**own).cast_mut().cast()).collect();
        // SAFETY: the function, the stream and what the pointers lead to outlive the call, which copies the arguments; the rest is the
        // caller's promise.
        let launched =
            unsafe { sys::cuLaunchKernelEx(&raw const config, self.function, places.as_mut_ptr(), ptr::null_mut()) };
        launched.result().map_err(failed(&doing))
    }
}

fn c_string(text: &str) -> Result<CString, DeviceError> {
    CString::new(text).map_err(|_| DeviceError::Failed("a text for the driver with a zero in it".to_owned()))
}
