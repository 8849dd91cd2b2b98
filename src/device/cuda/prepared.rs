//! A workload in a GPU's memory: run, read, and timed cold and hot.

use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{
    CudaFunction, CudaGraph, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg,
};

use super::arguments::{value_of, values_of};
use super::gate::LAUNCHES_MAX;
use super::hardware_counters::HardwareCounters;
use super::launch_attributes::{Asked, KernelWithAttributes};
use super::occupancy::allow_shared_memory;
use super::persisting::{Persisting, SetAside};
use super::phased::Phased;
use super::repeating::RepeatingGraph;
use super::sensors::Sensors;
use super::symbols::Feature;
use super::{Cuda, Instruments, failed};
use crate::device::energy::{EnergyCounter, EnergyReading};
use crate::device::{DeviceError, Flush, Prepared, Sample};
use crate::workload::{Argument, Contents, Launch, POISON, Step, Submission, Workload};

use hot::Hot;

mod hot;

/// A workload whose kernels are found and whose buffers are filled.
pub(super) struct PreparedWorkload<'device> {
    device: OnDevice<'device>,
    instruments: &'device Instruments,
    counters: Option<&'device HardwareCounters>,
    sensors: &'device Sensors,
    /// The counter of energy, where energies are measured.
    energy: Option<&'device EnergyCounter>,
    hot: Hot,
    /// The steps, where they are handed over as a graph.
    graph: Option<MadeGraph>,
    /// What there is beside the device, where the workload is more than kernels.
    phased: Option<Phased<'device>>,
}

/// A graph that was made when the workload was prepared.
enum MadeGraph {
    Captured(CudaGraph),
    Repeating(RepeatingGraph),
}

impl MadeGraph {
    fn launch(&self) -> Result<(), DeviceError> {
        match self {
            Self::Captured(graph) => graph.launch().map_err(failed("launching a graph")),
            Self::Repeating(graph) => graph.launch(),
        }
    }
}

/// What of a workload is on the device.
pub(super) struct OnDevice<'device> {
    pub(super) workload: &'device Workload,
    launches: Vec<(&'device Launch, CudaFunction)>,
    /// The kernels of the launches once more, where launches have attributes or are repeated.
    with_attributes: Vec<Option<KernelWithAttributes>>,
    /// The buffers; `None` for those that only the host has.
    buffers: Vec<Option<CudaSlice<u32>>>,
    /// What L2 is asked to keep.
    persisting: Option<Persisting>,
    pub(super) stream: &'device Arc<CudaStream>,
}

impl OnDevice<'_> {
    /// Queues the launch of this number.
    pub(super) fn launch(&self, index: usize, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        let Some((launch, function)) = self.launches.get(index) else {
            return Err(DeviceError::Failed(format!("there is no launch {index}")));
        };
        let address =
            |index: usize| self.buffers.get(index).and_then(Option::as_ref).map_or(0, |own| own.device_ptr(stream).0);
        // The first one has nothing to depend on but what is no part of the workload, which it must not overlap.
        let overlaps = self.workload.submission.overlaps() && index > 0;
        let kernel = self.with_attributes.get(index).and_then(Option::as_ref);
        let window = self.persisting.as_ref().map(|own| own.window(address(own.buffer)));
        if let Some(kernel) = kernel.filter(|_| overlaps || window.is_some() || launch.cluster_blocks > 1) {
            let values = values_of(launch, address)?;
            // SAFETY: as below; and kernels of dependent launches wait before they touch memory.
            return unsafe { kernel.launch(launch, Asked { overlaps, window }, &values, stream) };
        }
        let value = |argument: &Argument| match argument {
            Argument::BufferAt(..) | Argument::Packed(_) | Argument::Tiles(_) => value_of(argument, address).map(Some),
            Argument::Buffer(_) | Argument::Word(_) | Argument::Long(_) => Ok(None),
        };
        let values = launch.arguments.iter().map(value).collect::<Result<Vec<_>, DeviceError>>()?;
        let mut builder = stream.launch_builder(function);
        for (argument, value) in launch.arguments.iter().zip(&values) {
            match (argument, value) {
                (Argument::Buffer(index), _) => builder.arg(self.buffer(*index)?),
                (Argument::Word(word), _) => builder.arg(word),
                (Argument::Long(long), _) => builder.arg(long),
                (_, Some(value)) => builder.arg(&**value),
                (_, None) => return Err(DeviceError::Failed("an argument without a value".to_owned())),
            };
        }
        let [grid, block] = [launch.grid, launch.block].map(|[x, y, z]| (x, y, z));
        let shape = LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: launch.shared_bytes };
        // SAFETY: the family's workload gives arguments of the kernel's types in its order, and buffers of the
        // sizes it indexes; `verify` runs every variant under compute-sanitizer's eyes.
        let launched =
            unsafe { if launch.cooperative { builder.launch_cooperative(shape) } else { builder.launch(shape) } };
        launched.map_err(failed(&format!("launching {}", launch.entry)))?;
        Ok(())
    }

    /// The only launch as a graph that repeats it as long as the kernel leaves the condition other than zero.
    fn repeating(&self, condition: usize) -> Result<RepeatingGraph, DeviceError> {
        let kernel = self.with_attributes.first().and_then(Option::as_ref);
        let (Some((launch, _)), Some(kernel)) = (self.launches.first(), kernel) else {
            return Err(DeviceError::Failed("there is no launch to repeat".to_owned()));
        };
        let address =
            |index: usize| self.buffers.get(index).and_then(Option::as_ref).map(|own| own.device_ptr(self.stream).0);
        let arguments = |handle: u64| {
            values_of(launch, |index| if index == condition { handle } else { address(index).unwrap_or(0) })
        };
        // SAFETY: as of a launch; the buffers and the device, which keeps the module, outlive the workload's graph.
        unsafe { RepeatingGraph::new(kernel, launch, self.stream, arguments) }
    }

    /// Queues a copy of a buffer into another, by the driver.
    pub(super) fn copy(&self, from: usize, to: usize, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        let (source, target) = (self.buffer(from)?, self.buffer(to)?);
        stream.context().bind_to_thread().map_err(failed("copying a buffer"))?;
        // The context tracks no events, so neither guard waits for or records anything: streams order all uses, and a
        // capture takes the copy alone.
        let (source_address, _reading) = source.device_ptr(stream);
        let (target_address, _writing) = target.device_ptr(stream);
        let bytes = size_of::<u32>() * source.len().min(target.len());
        // SAFETY: both buffers have at least as many bytes, and nothing else uses them before the stream comes to it.
        let copied = unsafe { sys::cuMemcpyDtoDAsync_v2(target_address, source_address, bytes, stream.cu_stream()) };
        copied.result().map_err(failed("copying a buffer"))
    }

    /// Sets a part of L2 aside as long as what is given is kept, where the workload asks for that.
    fn set_aside(&self) -> Result<Option<SetAside>, DeviceError> {
        self.persisting.as_ref().map(|own| own.set_aside(self.stream)).transpose()
    }

    /// A buffer that is on the device.
    pub(super) fn buffer(&self, index: usize) -> Result<&CudaSlice<u32>, DeviceError> {
        let buffer = self.buffers.get(index).and_then(Option::as_ref);
        buffer.ok_or_else(|| DeviceError::Failed(format!("the device has no buffer {index}")))
    }
}

/// A buffer in device memory, filled; `None` for one that only the host has.
fn on_device(
    workload: &Workload,
    index: usize,
    instruments: &Instruments,
    stream: &Arc<CudaStream>,
) -> Result<Option<CudaSlice<u32>>, DeviceError> {
    let buffer = &workload.buffers[index];
    let filled = match &buffer.contents {
        Contents::HostWords(_) | Contents::HostPoison { .. } => return Ok(None),
        Contents::Words(words) if workload.is_uploaded(index) => {
            poisoned(words.len(), stream).map_err(failed("allocating"))
        }
        Contents::Words(words) => instruments.staging.borrow_mut().upload(words, stream),
        Contents::Poison { words } => poisoned(*words, stream).map_err(failed("allocating")),
    };
    filled.map(Some).map_err(|error| while_doing(&format!("filling the buffer {}", buffer.name), error))
}

impl<'device> PreparedWorkload<'device> {
    pub(super) fn new(workload: &'device Workload, device: &'device Cuda) -> Result<Self, DeviceError> {
        let Cuda { stream, instruments, properties, context, driver, counters, sensors, energy, .. } = device;
        let find = |launch: &'device Launch| -> Result<(&'device Launch, CudaFunction), DeviceError> {
            let function = device.kernel(workload.ptx, launch)?;
            allow_shared_memory(&function, launch, properties)?;
            Ok((launch, function))
        };
        let launches = workload.launches().map(find).collect::<Result<_, _>>()?;
        let is_repeated = matches!(workload.submission, Submission::While { .. });
        let persisting = Persisting::of(workload, context)?;
        let all_have_attributes = persisting.is_some() || workload.submission.overlaps() || is_repeated;
        let has_attributes = |launch: &Launch| all_have_attributes || launch.cluster_blocks > 1;
        let with_attributes = |launch: &Launch| -> Result<Option<KernelWithAttributes>, DeviceError> {
            if !has_attributes(launch) {
                return Ok(None);
            }
            let kernel = device.kernel_with_attributes(workload.ptx, launch)?;
            kernel.prepare(launch, properties.shared_bytes_per_block)?;
            Ok(Some(kernel))
        };
        let with_attributes = workload.launches().map(with_attributes).collect::<Result<_, _>>()?;
        let buffers = (0..workload.buffers.len())
            .map(|index| on_device(workload, index, instruments, stream))
            .collect::<Result<_, _>>()?;
        let phased = workload.has_phases().then(|| Phased::new(workload, context)).transpose()?;
        let device = OnDevice { workload, launches, with_attributes, buffers, persisting, stream };
        // A graph with a conditional node can be part of no other.
        let hot = if driver.has(Feature::Graphs) && !is_repeated { Hot::Untried } else { Hot::Impossible };
        let energy = energy.as_ref().and_then(|own| own.as_ref().ok());
        let counters = counters.as_ref();
        let mut prepared = Self { device, instruments, counters, sensors, energy, hot, graph: None, phased };
        // Here, so that nothing of its making is ever timed: a graph is made once, and run many times.
        prepared.graph = match workload.submission {
            Submission::Graph | Submission::DependentGraph => {
                let graph = prepared.capture(1).map_err(|error| while_doing("making a graph of the steps", error))?;
                Some(MadeGraph::Captured(graph))
            }
            Submission::While { condition } => Some(MadeGraph::Repeating(prepared.device.repeating(condition)?)),
            Submission::Stream | Submission::Dependent | Submission::Persisting { .. } => None,
        };
        Ok(prepared)
    }

    /// Hands the steps over as the workload says; `before` is told how many are queued already.
    fn submit(&self, before: impl FnMut(usize)) -> Result<(), DeviceError> {
        match &self.graph {
            Some(graph) => graph.launch(),
            None => self.queue_all(before),
        }
    }

    /// Queues every step; `before` is told how many are queued already.
    fn queue_all(&self, mut before: impl FnMut(usize)) -> Result<(), DeviceError> {
        let stream = self.device.stream;
        let mut launches = 0..;
        for (index, step) in self.device.workload.steps.iter().enumerate() {
            before(index);
            match step {
                Step::Launch(_) => self.device.launch(launches.next().unwrap_or_default(), stream)?,
                Step::Copy { from, to } => self.device.copy(*from, *to, stream)?,
                Step::Upload(_) | Step::Download(_) | Step::Host(_) | Step::Streams(_) => {
                    return Err(DeviceError::Failed("a step that is not queued with the kernels".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Evicts data from the caches, and goes through a workload that is more than kernels.
    fn phased_sample(&mut self, flush: Flush) -> Result<Option<Sample>, DeviceError> {
        let Some(phased) = &mut self.phased else { return Ok(None) };
        let started = Instant::now();
        self.instruments.eviction.borrow_mut().queue(flush, self.device.stream)?;
        let timed = phased.run(&self.device)?;
        Ok(Some(Sample {
            time_us: timed.total_us,
            host_us: Some(started.elapsed().as_secs_f64() * 1e6),
            clock_mhz: None,
            repeats: 1,
            gated: true,
            phases: Some(timed),
        }))
    }

    /// Says which kernels were at it when the device failed.
    fn while_running(&self, error: DeviceError) -> DeviceError {
        let mut names: Vec<&str> = self.device.workload.launches().map(|launch| launch.entry).collect();
        names.dedup();
        while_doing(&format!("running {}", names.join(", ")), error)
    }

    /// The steps, `repeats` times over, as a graph that lies ready on the device. What is still under way on the stream is no
    /// part of it: capturing records what is queued meanwhile, and waits for nothing.
    fn capture(&self, repeats: u32) -> Result<CudaGraph, DeviceError> {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.device.stream.begin_capture(mode).map_err(failed("capturing a graph"))?;
        let captured = (0..repeats).try_for_each(|_| self.queue_all(|_| ()));
        // The capture must end whatever became of it, or the stream stays unusable.
        let graph = self.device.stream.end_capture(CUgraphInstantiate_flags(0));
        captured?;
        let nothing = || DeviceError::Failed("there are no steps to make a graph of".to_owned());
        let graph = graph.map_err(failed("instantiating a graph"))?.ok_or_else(nothing)?;
        graph.upload().map_err(failed("uploading a graph"))?;
        Ok(graph)
    }
}

/// Says what was being done when the device failed.
fn while_doing(doing: &str, error: DeviceError) -> DeviceError {
    match error {
        DeviceError::Failed(problem) => {
            DeviceError::Failed(format!("{doing}: {}", problem.strip_prefix("running: ").unwrap_or(&problem)))
        }
        other => other,
    }
}

/// Words of [`POISON`], written by the device.
fn poisoned(words: usize, stream: &Arc<CudaStream>) -> Result<CudaSlice<u32>, cudarc::driver::DriverError> {
    // SAFETY: every word is written below before anything reads it.
    let mut buffer = unsafe { stream.alloc::<u32>(words) }?;
    {
        let (address, _ordered) = buffer.device_ptr_mut(stream);
        // SAFETY: the address is that of `words` words on this stream's device.
        unsafe { sys::cuMemsetD32Async(address, POISON, words, stream.cu_stream()) }.result()?;
    }
    Ok(buffer)
}

impl Prepared for PreparedWorkload<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        if let Some(phased) = &mut self.phased {
            let ran = phased.run(&self.device).map(|_| ());
            return ran.map_err(|error| self.while_running(error));
        }
        let _set_aside = self.device.set_aside()?;
        self.submit(|_| ())?;
        let running = self.device.stream.synchronize().map_err(failed("running"));
        running.map_err(|error| self.while_running(error))
    }

    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError> {
        let workload = self.device.workload;
        if let Some(phased) = &self.phased
            && let Some(outcome) = phased.outcome(workload, buffer)?
        {
            words.clear();
            words.extend_from_slice(outcome);
            return Ok(());
        }
        let name = workload.buffers[buffer].name;
        let on_device = self.device.buffer(buffer)?;
        let read = self.instruments.staging.borrow_mut().download(on_device, words, self.device.stream);
        read.map_err(|error| while_doing(&format!("reading the buffer {name}"), error))
    }

    fn cold_sample(&mut self, flush: Flush) -> Result<Sample, DeviceError> {
        if let Some(sample) = self.phased_sample(flush).map_err(|error| self.while_running(error))? {
            return Ok(sample);
        }
        let started = Instant::now();
        let _set_aside = self.device.set_aside()?;
        self.instruments.eviction.borrow_mut().queue(flush, self.device.stream)?;
        let (instruments, stream) = (self.instruments, self.device.stream);
        let timed = instruments.stopwatch.borrow_mut().time(stream, |guard| {
            self.submit(|queued| {
                if queued == LAUNCHES_MAX {
                    guard.open_early();
                }
            })
        });
        let timed = timed.map_err(|error| self.while_running(error))?;
        Ok(Sample {
            time_us: timed.time_us,
            host_us: Some(started.elapsed().as_secs_f64() * 1e6),
            clock_mhz: timed.clock_mhz,
            repeats: 1,
            gated: timed.gated,
            phases: None,
        })
    }

    fn count(&mut self) -> Result<Option<Vec<(&'static str, String)>>, DeviceError> {
        let Some(counters) = self.counters else { return Ok(None) };
        if self.phased.is_some() {
            return Err(DeviceError::Unsupported("what is more than kernels on one stream is not counted".to_owned()));
        }
        let _set_aside = self.device.set_aside()?;
        let stream = self.device.stream;
        let finish = || stream.synchronize().map_err(failed("running"));
        let evict = || {
            self.instruments.eviction.borrow_mut().queue(Flush::Clean, stream)?;
            finish()
        };
        let run = || {
            self.submit(|_| ())?;
            finish()
        };
        counters.count(evict, run).map(Some).map_err(|error| self.while_running(error))
    }

    fn energy(&mut self) -> Result<Option<EnergyReading>, DeviceError> {
        let Some(counter) = self.energy else { return Ok(None) };
        if self.phased.is_some() {
            return Err(DeviceError::Unsupported("what is more than kernels on one stream has no energy".to_owned()));
        }
        self.hot_energy(counter).map(Some)
    }

    fn hot_sample(&mut self) -> Result<Option<Sample>, DeviceError> {
        if self.phased.is_some() { Ok(None) } else { self.hot_timed() }
    }
}
