//! A launch that the GPU repeats: the body of a conditional node, which is all that its graph has.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{self, CUgraphConditionalNodeType, CUgraphNodeType};

use super::arguments::ArgumentBytes;
use super::failed;
use super::launch_attributes::KernelWithAttributes;
use crate::device::DeviceError;
use crate::workload::Launch;

const DOING: &str = "making a graph with a conditional node";

/// A graph that lies ready on the device. Each time that it is launched it runs its launch at least once, and again as long as the kernel
/// leaves the condition other than zero.
pub(super) struct RepeatingGraph {
    graph: sys::CUgraph,
    executable: sys::CUgraphExec,
    stream: Arc<CudaStream>,
}

impl RepeatingGraph {
    /// Makes it; `arguments` is told the handle of the condition, which the kernel gives to `cudaGraphSetConditional`.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// The arguments are of the kernel's types, in its order, and what they lead to outlives the graph. So does the kernel's module.
    pub(super) unsafe fn new(
        kernel: &KernelWithAttributes,
        launch: &Launch,
        stream: &Arc<CudaStream>,
        arguments: impl FnOnce(u64) -> Result<Vec<Box<ArgumentBytes>>, DeviceError>,
    ) -> Result<Self, DeviceError> {
        let context = stream.context();
        context.bind_to_thread().map_err(failed(DOING))?;
        let mut own = Self { graph: ptr::null_mut(), executable: ptr::null_mut(), stream: Arc::clone(stream) };
        // SAFETY: the driver writes one handle to the address given.
        unsafe { sys::cuGraphCreate(&raw mut own.graph, 0) }.result().map_err(failed(DOING))?;
        let mut handle = 0;
        let (begins, flags) = (1, sys::CU_GRAPH_COND_ASSIGN_DEFAULT);
        // SAFETY: the graph was made above, and the driver writes one handle to the address given.
        let made =
            unsafe { sys::cuGraphConditionalHandleCreate(&raw mut handle, own.graph, context.cu_ctx(), begins, flags) };
        made.result().map_err(failed(DOING))?;
        let mut node = ptr::null_mut();
        let conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE,
            size: 1,
            phGraph_out: ptr::null_mut(),
            ctx: context.cu_ctx(),
        };
        let mut parameters = sys::CUgraphNodeParams {
            type_: CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL,
            reserved0: [0; 3],
            // The rest of it must be zero.
            __bindgen_anon_1: sys::CUgraphNodeParams_st__bindgen_ty_1 { reserved1: [0; 29] },
            reserved2: 0,
        };
        parameters.__bindgen_anon_1.conditional = conditional;
        // SAFETY: the graph was made above, the node depends on no other, and the parameters outlive the call.
        let added = unsafe {
            sys::cuGraphAddNode_v2(&raw mut node, own.graph, ptr::null(), ptr::null(), 0, &raw mut parameters)
        };
        added.result().map_err(failed(DOING))?;
        // SAFETY: these parameters are of a conditional node, into which the driver wrote where it keeps the graphs of its bodies.
        let bodies = unsafe { parameters.__bindgen_anon_1.conditional }.phGraph_out;
        if bodies.is_null() {
            return Err(DeviceError::Failed(format!("{DOING}: the driver made no graph for its body")));
        }
        // SAFETY: a node of this kind and size 1 has one body.
        let body = unsafe { *bodies };
        let arguments = arguments(handle)?;
        let mut places: Vec<*mut c_void> =
            arguments.iter().map(|own| ptr::from_ref(&**own).cast_mut().cast()).collect();
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (launch.grid, launch.block);
        let of_kernel = sys::CUDA_KERNEL_NODE_PARAMS {
            func: kernel.function(),
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: launch.shared_bytes,
            kernelParams: places.as_mut_ptr(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: context.cu_ctx(),
        };
        // SAFETY: the body belongs to the graph, and what the pointers lead to outlives the call, which copies the arguments; the rest is
        // the caller's promise.
        let added = unsafe { sys::cuGraphAddKernelNode_v2(&raw mut node, body, ptr::null(), 0, &raw const of_kernel) };
        added.result().map_err(failed(DOING))?;
        // SAFETY: the graph was made above, and the driver writes one handle to the address given.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut own.executable, own.graph, 0) };
        made.result().map_err(failed(DOING))?;
        // SAFETY: the executable graph was made above, of this context as the stream is. Where it cannot be uploaded, its first launch does
        // so, which is never timed.
        let _ = unsafe { sys::cuGraphUpload(own.executable, stream.cu_stream()) };
        Ok(own)
    }

    /// Queues it.
    pub(super) fn launch(&self) -> Result<(), DeviceError> {
        let doing = "launching a graph with a conditional node";
        self.stream.context().bind_to_thread().map_err(failed(doing))?;
        // SAFETY: the graph is instantiated, of the context that the stream is of.
        unsafe { sys::cuGraphLaunch(self.executable, self.stream.cu_stream()) }.result().map_err(failed(doing))
    }
}

impl Drop for RepeatingGraph {
    fn drop(&mut self) {
        if self.stream.context().bind_to_thread().is_err() {
            return;
        }
        // What the driver says at the end helps nobody.
        if !self.executable.is_null() {
            // SAFETY: it was instantiated, and nothing launches it any more.
            let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
        }
        if !self.graph.is_null() {
            // SAFETY: it was made, and its executable is gone.
            let _ = unsafe { sys::cuGraphDestroy(self.graph) };
        }
    }
}
