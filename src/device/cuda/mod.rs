//! NVIDIA GPUs, through the CUDA driver. The only place that knows cudarc.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::result::DriverError;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream};
use cudarc::nvrtc;

use super::clocks::ClockTarget;
use super::energy::EnergyCounter;
use super::occupancy::{KernelOccupancy, distinct_launches};
use super::{Device, DeviceError, Guard, Prepared, Telemetry, driver, no_kernel};
use crate::kernel::{self, Ptx, embedded_module};
use crate::properties::Properties;
use crate::workload::{Launch, Workload};
use eviction::Eviction;
use hardware_counters::HardwareCounters;
use launch_attributes::{KernelWithAttributes, OwnModule};
use memory::Pool;
use prepared::PreparedWorkload;
use properties::read_properties;
use sensors::Sensors;
use staging::Staging;
use stopwatch::Stopwatch;
use symbols::Driver;

mod arguments;
mod clock;
mod clocks;
mod energy;
mod eviction;
mod gate;
mod guards;
pub mod hardware_counters;
mod known;
mod launch_attributes;
mod library;
mod mapped;
mod memory;
mod occupancy;
mod persisting;
mod phased;
mod prepared;
mod properties;
mod repeating;
mod sensors;
mod staging;
mod stopwatch;
mod symbols;
mod tensor_map;

pub use clocks::open_clocks;
pub use symbols::{FUNCTIONS, Feature, Function, oldest_driver};

/// A GPU with a context, a stream, and the modules loaded so far.
pub struct Cuda {
    properties: Properties,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: RefCell<Vec<(&'static str, Arc<CudaModule>)>>,
    /// The modules of launches with attributes, loaded once more.
    own_modules: RefCell<Vec<(&'static str, Rc<OwnModule>)>>,
    instruments: Instruments,
    sensors: Sensors,
    /// What the driver has.
    driver: Driver,
    /// Where buffers come from, if the device has such a thing.
    pool: Option<Pool>,
    /// What its hardware counts, where that was asked for.
    counters: Option<HardwareCounters>,
    /// Its counter of energy, or why there is none; `None` where nobody asked.
    energy: Option<Result<EnergyCounter, String>>,
}

/// What workloads are filled and samples are taken with.
struct Instruments {
    eviction: RefCell<Eviction>,
    stopwatch: RefCell<Stopwatch>,
    staging: RefCell<Staging>,
    /// A kernel that does nothing.
    nothing: CudaFunction,
    /// A kernel that copies.
    copy: CudaFunction,
}

impl Instruments {
    fn new(
        context: &Arc<CudaContext>,
        stream: &Arc<CudaStream>,
        properties: &Properties,
        driver: &Driver,
    ) -> Result<Self, DeviceError> {
        let text = kernel::HARNESS.text_of("nothing", properties.capability()).ok_or_else(|| no_kernel("nothing"))?;
        if let Some(problem) = embedded_module(text).and_then(|module| driver::refusal(module, properties)) {
            return Err(DeviceError::Missing(problem));
        }
        let harness = load_module(context, text)?;
        let find = |name: &str| harness.load_function(name).map_err(failed(&format!("finding the kernel {name}")));
        Ok(Self {
            eviction: RefCell::new(Eviction::new(context, stream, find("sweep_read")?, properties, driver)?),
            stopwatch: RefCell::new(Stopwatch::new(context, stream, &harness, properties)?),
            staging: RefCell::new(Staging::new(context)?),
            nothing: find("nothing")?,
            copy: find("copy")?,
        })
    }
}

/// How many CUDA devices there are.
///
/// # Errors
/// [`DeviceError::Missing`] where there is no driver or none that can be used, or it finds no device.
pub fn device_count() -> Result<usize, DeviceError> {
    Driver::look()?;
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
        // Asked before this process shows up there itself.
        let driver = Driver::look()?;
        let sensors = Sensors::open(ordinal, &driver);
        let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
        // SAFETY: one stream does everything, so no buffer needs events to order its uses. With tracking on,
        // cudarc would put waits and records around launches, inside the timed window.
        unsafe { context.disable_event_tracking() };
        driver.check_pools(context.has_async_alloc())?;
        let pool = memory::keep_freed(&context)?;
        let properties =
            read_properties(&context, ordinal, &driver).map_err(failed("reading the device's properties"))?;
        let stream = context.new_stream().map_err(failed("creating a stream"))?;
        let instruments = Instruments::new(&context, &stream, &properties, &driver)?;
        let (modules, own_modules) = (RefCell::default(), RefCell::default());
        Ok(Self {
            properties,
            context,
            stream,
            modules,
            own_modules,
            instruments,
            sensors,
            driver,
            pool,
            counters: None,
            energy: None,
        })
    }

    /// The kernel of a launch, from the module for this GPU, which is loaded once.
    fn kernel(&self, ptx: Ptx, launch: &Launch) -> Result<CudaFunction, DeviceError> {
        let text = ptx.text_of(launch.entry, self.properties.capability()).ok_or_else(|| no_kernel(launch.entry))?;
        let module = self.module(text)?;
        module.load_function(launch.entry).map_err(failed(&format!("finding the kernel {}", launch.entry)))
    }

    /// The kernel of a launch with attributes.
    fn kernel_with_attributes(&self, ptx: Ptx, launch: &Launch) -> Result<KernelWithAttributes, DeviceError> {
        let text = ptx.text_of(launch.entry, self.properties.capability()).ok_or_else(|| no_kernel(launch.entry))?;
        let mut modules = self.own_modules.borrow_mut();
        if let Some((_, module)) = modules.iter().find(|(loaded, _)| std::ptr::eq(*loaded, text)) {
            return KernelWithAttributes::find(Rc::clone(module), launch.entry);
        }
        let module = Rc::new(OwnModule::load(&self.context, text)?);
        modules.push((text, Rc::clone(&module)));
        KernelWithAttributes::find(module, launch.entry)
    }

    fn module(&self, ptx: &'static str) -> Result<Arc<CudaModule>, DeviceError> {
        if let Some((_, module)) = self.modules.borrow().iter().find(|(loaded, _)| std::ptr::eq(*loaded, ptx)) {
            return Ok(Arc::clone(module));
        }
        if let Some(problem) = embedded_module(ptx).and_then(|module| driver::refusal(module, &self.properties)) {
            return Err(DeviceError::Unsupported(problem));
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
        let kept_bytes =
            self.pool.as_ref().map_or(Ok(0), Pool::unused_bytes).map_err(failed("asking for free memory"))?;
        Ok(free_bytes as u64 + kept_bytes)
    }

    fn counter_columns(&self) -> &'static [&'static str] {
        if self.counters.is_some() { hardware_counters::names() } else { &[] }
    }

    fn count_by_hardware(&mut self) -> Result<String, String> {
        let counters = HardwareCounters::open(self.context.cu_ctx().cast(), self.context.ordinal())?;
        let library = counters.library();
        self.counters = Some(counters);
        Ok(library)
    }

    fn clock_target(&self) -> Option<ClockTarget> {
        self.properties.uuid.clone().map(|uuid| ClockTarget::Gpu { uuid })
    }

    fn measure_energy(&mut self) {
        let started = std::time::Instant::now();
        let looked = EnergyCounter::look(&mut energy::Meter::new(&self.sensors, started));
        self.energy = Some(looked.map_err(|why| format!("this GPU has no counter of energy that can be read: {why}")));
    }

    fn energy_counter(&self) -> Result<EnergyCounter, String> {
        self.energy.clone().unwrap_or_else(|| Err("nobody asked for energies".to_owned()))
    }

    fn guards(&self) -> Vec<Guard> {
        guards::look(self)
    }

    fn null_cost_us(&self) -> Result<Option<f64>, DeviceError> {
        known::null_cost_us(self).map(Some)
    }

    fn launch_cost_us(&self) -> Result<Option<f64>, DeviceError> {
        known::launch_cost_us(self).map(Some)
    }

    fn copy_gb_per_s(&self) -> Result<Option<f64>, DeviceError> {
        known::copy_gb_per_s(self).map(Some)
    }

    fn telemetry(&self) -> Option<Telemetry> {
        self.sensors.telemetry()
    }

    fn occupancy(&self, workload: &Workload) -> Result<Vec<KernelOccupancy>, DeviceError> {
        if let Some(problem) = workload.refusal(&self.properties) {
            return Err(DeviceError::Unsupported(problem));
        }
        if let Some(problem) = self.driver.refusal(workload).filter(|_| workload.has_clusters()) {
            return Err(DeviceError::Unsupported(problem));
        }
        let of = |launch: (&Launch, usize)| {
            let function = self.kernel(workload.ptx, launch.0)?;
            occupancy::of_launch((workload.ptx, &function), launch, self)
        };
        distinct_launches(workload).into_iter().map(of).collect()
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        let refusal = workload.refusal(&self.properties).or_else(|| self.driver.refusal(workload));
        if let Some(problem) = refusal {
            return Err(DeviceError::Unsupported(problem));
        }
        Ok(Box::new(PreparedWorkload::new(workload, self)?))
    }
}

fn load_module(context: &Arc<CudaContext>, ptx: &str) -> Result<Arc<CudaModule>, DeviceError> {
    context.load_module(nvrtc::Ptx::from_src(ptx)).map_err(|error| {
        let module = embedded_module(ptx).map_or_else(String::new, |module| format!(" of the module {}", module.name));
        DeviceError::Failed(format!("loading the kernels{module}: {}", describe(error)))
    })
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
