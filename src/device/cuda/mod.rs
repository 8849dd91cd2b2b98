//! NVIDIA GPUs, through the CUDA driver. The only place that knows cudarc.

use std::cell::RefCell;
use std::sync::Arc;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::{self, CUdevice_attribute};
use cudarc::driver::{CudaContext, CudaModule, CudaSlice, CudaStream};
use cudarc::nvrtc::Ptx;

use super::{Device, DeviceError, Origin, Prepared, Properties};
use crate::workload::Workload;
use clock::ClockProbe;
use prepared::PreparedWorkload;

mod clock;
mod prepared;

/// A GPU with a context, a stream, and the modules loaded so far.
pub struct Cuda {
    properties: Properties,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: RefCell<Vec<(&'static str, Arc<CudaModule>)>>,
    clock: RefCell<ClockProbe>,
    /// Written over before each sample, so that the workload's data leaves the L2 cache.
    flush: RefCell<CudaSlice<u8>>,
}

/// How many CUDA devices there are.
///
/// # Errors
/// [`DeviceError::Missing`] where there is no driver, or it finds no device.
pub fn device_count() -> Result<usize, DeviceError> {
    // SAFETY: looks for the driver's library and loads it if it is there; its initialisers are the driver's own.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::Missing("no CUDA device: this machine has no NVIDIA driver (libcuda)".to_owned()));
    }
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count as usize),
        Ok(_) => Err(DeviceError::Missing("no CUDA device: the driver finds none".to_owned())),
        Err(error) => Err(DeviceError::Missing(format!("no CUDA device: {}", describe(error)))),
    }
}

impl Cuda {
    /// Opens the device `cuda:ordinal`.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] where there is no such device, else what the driver says.
    pub fn open(ordinal: usize) -> Result<Self, DeviceError> {
        let count = device_count()?;
        if ordinal >= count {
            let last = count - 1;
            return Err(DeviceError::Missing(format!(
                "no device cuda:{ordinal}: this machine has cuda:0 to cuda:{last}"
            )));
        }
        let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
        // SAFETY: one stream does everything, so no buffer needs events to order its uses. With tracking on,
        // cudarc would put waits and records around launches, inside the timed window.
        unsafe { context.disable_event_tracking() };
        let properties = read_properties(&context, ordinal).map_err(failed("reading the device's properties"))?;
        let stream = context.new_stream().map_err(failed("creating a stream"))?;
        let flush_bytes = (2 * properties.l2_bytes as usize).max(1 << 20);
        let flush = stream.alloc_zeros(flush_bytes).map_err(failed("allocating the cache flush's buffer"))?;
        let clock = ClockProbe::new(&context, &stream)?;
        Ok(Self {
            properties,
            context,
            stream,
            modules: RefCell::default(),
            clock: RefCell::new(clock),
            flush: RefCell::new(flush),
        })
    }

    fn module(&self, ptx: &'static str) -> Result<Arc<CudaModule>, DeviceError> {
        if let Some((_, module)) = self.modules.borrow().iter().find(|(loaded, _)| std::ptr::eq(*loaded, ptx)) {
            return Ok(Arc::clone(module));
        }
        let module = load_module(&self.context, ptx)?;
        self.modules.borrow_mut().push((ptx, Arc::clone(&module)));
        Ok(module)
    }
}

impl Device for Cuda {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        let (free_bytes, _) = self.context.mem_get_info().map_err(failed("asking for free memory"))?;
        Ok(free_bytes as u64)
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        let module = self.module(workload.ptx)?;
        let prepared = PreparedWorkload::new(workload, &module, &self.stream, &self.flush, &self.clock)?;
        Ok(Box::new(prepared))
    }
}

fn load_module(context: &Arc<CudaContext>, ptx: &str) -> Result<Arc<CudaModule>, DeviceError> {
    context.load_module(Ptx::from_src(ptx)).map_err(|error| {
        let hint = if error.0 == sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION {
            "; the driver is older than the compiler of these kernels: update it, or build where an nvcc of the \
             driver's version is on the PATH"
        } else {
            ""
        };
        DeviceError::Failed(format!("loading the kernels: {}{hint}", describe(error)))
    })
}

fn read_properties(context: &Arc<CudaContext>, ordinal: usize) -> Result<Properties, DriverError> {
    let attribute = |attribute| context.attribute(attribute);
    let known = |attribute| context.attribute(attribute).ok().filter(|value| *value > 0);
    let (major, minor) = context.compute_capability()?;
    let kilohertz = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?;
    Ok(Properties {
        spec: format!("cuda:{ordinal}"),
        name: context.name()?,
        origin: Origin::Measured,
        uuid: context.uuid().ok().map(|uuid| format_uuid(uuid.bytes.map(|byte| byte as u8))),
        driver_version: kernel_driver_version(),
        cuda_version: supported_cuda_version(),
        compute_capability: format!("{major}.{minor}"),
        sm_count: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
        sm_clock_mhz: f64::from(kilohertz) / 1000.0,
        memory_clock_mhz: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
            .map(|kilohertz| f64::from(kilohertz) / 1000.0),
        memory_bus_bits: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH).map(|bits| bits as u32),
        memory_bytes: context.total_mem()? as u64,
        l2_bytes: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as u64,
        threads_per_sm: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)? as u32,
        shared_bytes_per_block: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)? as u32,
        ecc: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED).ok().map(|enabled| enabled != 0),
        profile: None,
        threads_per_block: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32,
    })
}

/// The identifier as nvidia-smi prints it.
fn format_uuid(bytes: [u8; 16]) -> String {
    let mut text = "GPU-".to_owned();
    for (index, byte) in bytes.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

/// The version of the kernel's driver, where Linux tells it.
fn kernel_driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_version =
        |word: &&str| word.split('.').count() >= 2 && word.split('.').all(|part| part.parse::<u32>().is_ok());
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

fn supported_cuda_version() -> Option<String> {
    let mut version = 0;
    // SAFETY: the driver is loaded, and writes one integer to the address given.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().ok()?;
    Some(format!("{}.{}", version / 1000, version % 1000 / 10))
}

/// The driver's name for an error, and its words.
fn describe(error: DriverError) -> String {
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    let words = error.error_string().map(|words| words.to_string_lossy().into_owned());
    match (name, words) {
        (Ok(name), Ok(words)) => format!("{name} ({words})"),
        _ => format!("{:?}", error.0),
    }
}

/// Says what was being done when the driver refused.
fn failed(doing: &str) -> impl FnOnce(DriverError) -> DeviceError + '_ {
    move |error| DeviceError::Failed(format!("{doing}: {}", describe(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_read_as_nvidia_smi_prints_them() {
        let bytes = std::array::from_fn(|index| index as u8 * 0x11);
        assert_eq!(format_uuid(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    }
}
