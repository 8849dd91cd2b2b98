//! Launches with attributes: those that may begin before the one before them has ended, and wait for it themselves (programmatic dependent
//! launch), those whose blocks are in clusters, and those that ask L2 to keep a part of memory.

use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::result::module;
use cudarc::driver::sys::{self, CUaccessPolicyWindow, CUfunction_attribute, CUlaunchAttributeID};
use cudarc::driver::{CudaContext, CudaStream};

use super::arguments::ArgumentBytes;
use super::failed;
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
        let doing = "loading the kernels of launches with attributes";
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

/// Blocks of a cluster at most that every GPU with clusters has room for.
pub(super) const PORTABLE_CLUSTER_BLOCKS: u32 = 8;

/// A kernel that can be launched so.
pub(super) struct KernelWithAttributes {
    function: sys::CUfunction,
    /// Keeps the function.
    module: Rc<OwnModule>,
}

/// What a launch asks for that is not its own but its workload's.
#[derive(Clone, Copy, Default)]
pub(super) struct Asked {
    /// Whether it may begin as soon as all blocks of the launch before it have said so or ended.
    pub(super) overlaps: bool,
    /// The memory whose lines L2 is to keep.
    pub(super) window: Option<CUaccessPolicyWindow>,
}

/// A launch's configuration with what its attributes are kept in, to which the driver gets a pointer.
struct Configuration {
    config: sys::CUlaunchConfig,
    attributes: Vec<sys::CUlaunchAttribute>,
}

impl KernelWithAttributes {
    /// Finds a kernel by name.
    pub(super) fn find(module: Rc<OwnModule>, entry: &str) -> Result<Self, DeviceError> {
        let doing = format!("finding the kernel {entry}");
        module.context.bind_to_thread().map_err(failed(&doing))?;
        // SAFETY: the module is loaded.
        let function = unsafe { module::get_function(module.handle, c_string(entry)?) }.map_err(failed(&doing))?;
        Ok(Self { function, module })
    }

    /// The driver's handle of it, which is valid as long as this is.
    pub(super) fn function(&self) -> sys::CUfunction {
        self.function
    }

    /// Lets the kernel have what a launch asks for beyond what is usual: dynamic shared memory of so many bytes, and clusters that are larger than
    /// portable. Tells how many of its clusters the GPU holds at once; `None` where it has none.
    ///
    /// # Errors
    /// That the GPU cannot hold a cluster of it.
    pub(super) fn prepare(&self, launch: &Launch, shared_bytes_usual: u32) -> Result<Option<u32>, DeviceError> {
        let doing = format!("asking for the clusters of {}", launch.entry);
        self.module.context.bind_to_thread().map_err(failed(&doing))?;
        let set = |attribute: CUfunction_attribute, value: i32| {
            // SAFETY: the function's module is loaded.
            unsafe { sys::cuFuncSetAttribute(self.function, attribute, value) }.result().map_err(failed(&doing))
        };
        if launch.shared_bytes > shared_bytes_usual {
            let bytes = i32::try_from(launch.shared_bytes).unwrap_or(i32::MAX);
            set(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
        }
        if launch.cluster_blocks <= 1 {
            return Ok(None);
        }
        if launch.cluster_blocks > PORTABLE_CLUSTER_BLOCKS {
            set(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        let mut own = Configuration::of(launch, Asked::default(), ptr::null_mut());
        let config = own.config();
        let mut clusters = 0;
        // SAFETY: the function's module is loaded, and the configuration outlives the call.
        let asked = unsafe { sys::cuOccupancyMaxActiveClusters(&raw mut clusters, self.function, &raw const config) };
        asked.result().map_err(failed(&doing))?;
        match u32::try_from(clusters) {
            Ok(clusters) if clusters > 0 => Ok(Some(clusters)),
            _ => Err(DeviceError::Unsupported(format!(
                "a cluster of {} blocks of {}, which the GPU cannot hold at once",
                launch.cluster_blocks, launch.entry
            ))),
        }
    }

    /// Queues the launch with what it asks for beside its clusters.
    ///
    /// # Safety
    /// The arguments are of the kernel's types, in its order. A kernel that overlaps waits for the launch before it before it touches what that
    /// one touches. A window is memory of the device.
    pub(super) unsafe fn launch(
        &self,
        launch: &Launch,
        asked: Asked,
        arguments: &[Box<ArgumentBytes>],
        stream: &CudaStream,
    ) -> Result<(), DeviceError> {
        let doing = format!("launching {}", launch.entry);
        stream.context().bind_to_thread().map_err(failed(&doing))?;
        let mut own = Configuration::of(launch, asked, stream.cu_stream());
        let config = own.config();
        let mut places: Vec<*mut c_void> =
            arguments.iter().map(|own| ptr::from_ref(&**own).cast_mut().cast()).collect();
        // SAFETY: the function, the stream and what the pointers lead to outlive the call, which copies the arguments; the rest is the
        // caller's promise.
        let launched =
            unsafe { sys::cuLaunchKernelEx(&raw const config, self.function, places.as_mut_ptr(), ptr::null_mut()) };
        launched.result().map_err(failed(&doing))
    }
}

impl Configuration {
    fn of(launch: &Launch, asked: Asked, stream: sys::CUstream) -> Self {
        let attribute = |id: CUlaunchAttributeID, set: &dyn Fn(&mut sys::CUlaunchAttributeValue)| {
            let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
            set(&mut value);
            sys::CUlaunchAttribute { id, pad: [0; 4], value }
        };
        let mut attributes = Vec::new();
        if asked.overlaps {
            attributes.push(attribute(
                CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                &|value| value.programmaticStreamSerializationAllowed = 1,
            ));
        }
        if let Some(window) = asked.window {
            let id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
            attributes.push(attribute(id, &|value| value.accessPolicyWindow = window));
        }
        if launch.cooperative {
            attributes.push(attribute(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &|value| {
                value.cooperative = 1;
            }));
        }
        if launch.cluster_blocks > 1 {
            attributes.push(attribute(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &|value| {
                value.clusterDim =
                    sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: launch.cluster_blocks, y: 1, z: 1 };
            }));
        }
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (launch.grid, launch.block);
        let config = sys::CUlaunchConfig {
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: launch.shared_bytes,
            hStream: stream,
            attrs: ptr::null_mut(),
            numAttrs: attributes.len() as u32,
        };
        Self { config, attributes }
    }

    /// What the driver is given. It must not outlive this.
    fn config(&mut self) -> sys::CUlaunchConfig {
        sys::CUlaunchConfig { attrs: self.attributes.as_mut_ptr(), ..self.config }
    }
}

fn c_string(text: &str) -> Result<CString, DeviceError> {
    CString::new(text).map_err(|_| DeviceError::Failed("a text for the driver with a zero in it".to_owned()))
}
