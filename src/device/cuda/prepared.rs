//! A workload in a GPU's memory: run, read, and timed cold and hot.

use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{
    CudaFunction, CudaGraph, CudaModule, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg,
};

use super::gate::LAUNCHES_MAX;
use super::occupancy::allow_shared_memory;
use super::{Cuda, Instruments, failed, find_kernel};
use crate::device::{DeviceError, Flush, Prepared, Sample};
use crate::workload::{Argument, Contents, Launch, POISON, Step, Submission, Workload};

/// A graph of hot launches takes about this long, so that the error of two events is lost in it ...
const GRAPH_US: f64 = 5000.0;
/// ... but has no more kernels than this.
const GRAPH_LAUNCHES_MAX: f64 = 4096.0;

/// A workload whose kernels are found and whose buffers are filled.
pub(super) struct PreparedWorkload<'device> {
    workload: &'device Workload,
    functions: Vec<CudaFunction>,
    buffers: Vec<CudaSlice<u32>>,
    stream: &'device Arc<CudaStream>,
    instruments: &'device Instruments,
    hot: Hot,
    /// The steps, where they are handed over as a graph.
    graph: Option<CudaGraph>,
}

/// Whether and how hot samples can be taken.
enum Hot {
    Untried,
    Impossible,
    Graphs(HotGraphs),
}

/// The launches `repeats` times over, and twice as often. Both take as long to start, so their difference does not hold it.
struct HotGraphs {
    once: CudaGraph,
    twice: CudaGraph,
    repeats: u32,
    /// Which of them goes first changes from sample to sample.
    once_first: bool,
}

impl<'device> PreparedWorkload<'device> {
    pub(super) fn new(
        workload: &'device Workload,
        module: &Arc<CudaModule>,
        device: &'device Cuda,
    ) -> Result<Self, DeviceError> {
        let Cuda { stream, instruments, properties, .. } = device;
        let find = |launch: &Launch| -> Result<CudaFunction, DeviceError> {
            let function = find_kernel(module, launch)?;
            allow_shared_memory(&function, launch, properties)?;
            Ok(function)
        };
        let functions = workload.launches().map(find).collect::<Result<_, _>>()?;
        let buffers = workload
            .buffers
            .iter()
            .map(|buffer| {
                let filled = match &buffer.contents {
                    Contents::Words(words) => instruments.staging.borrow_mut().upload(words, stream),
                    Contents::Poison { words } => poisoned(*words, stream).map_err(failed("allocating")),
                    Contents::HostWords(_) | Contents::HostPoison { .. } => {
                        poisoned(1, stream).map_err(failed("allocating"))
                    }
                };
                filled.map_err(|error| while_doing(&format!("filling the buffer {}", buffer.name), error))
            })
            .collect::<Result<_, _>>()?;
        let mut prepared = Self { workload, functions, buffers, stream, instruments, hot: Hot::Untried, graph: None };
        if workload.submission == Submission::Graph {
            // Here, so that nothing of its making is ever timed: a graph is made once, and run many times.
            let graph = prepared.capture(1).map_err(|error| while_doing("making a graph of the steps", error))?;
            prepared.graph = Some(graph);
        }
        Ok(prepared)
    }

    /// Hands the steps over as the workload says; `before` is told how many are queued already.
    fn submit(&self, before: impl FnMut(usize)) -> Result<(), DeviceError> {
        match &self.graph {
            Some(graph) => graph.launch().map_err(failed("launching a graph")),
            None => self.queue_all(before),
        }
    }

    /// Queues every step; `before` is told how many are queued already.
    fn queue_all(&self, mut before: impl FnMut(usize)) -> Result<(), DeviceError> {
        let mut functions = self.functions.iter();
        for (index, step) in self.workload.steps.iter().enumerate() {
            before(index);
            let (launch, function) = match step {
                Step::Launch(launch) => match functions.next() {
                    Some(function) => (launch, function),
                    None => return Err(DeviceError::Failed(format!("the kernel {} is not loaded", launch.entry))),
                },
                Step::Upload(_) | Step::Download(_) | Step::Host(_) | Step::Streams(_) => {
                    return Err(DeviceError::Unsupported("phases".to_owned()));
                }
                Step::Copy { from, to } => {
                    self.copy(*from, *to)?;
                    continue;
                }
            };
            let mut builder = self.stream.launch_builder(function);
            for argument in &launch.arguments {
                match argument {
                    Argument::Buffer(index) => builder.arg(&self.buffers[*index]),
                    Argument::Word(word) => builder.arg(word),
                    Argument::Long(long) => builder.arg(long),
                };
            }
            let [grid, block] = [launch.grid, launch.block].map(|[x, y, z]| (x, y, z));
            let shape = LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: launch.shared_bytes };
            // SAFETY: the family's workload gives arguments of the kernel's types in its order, and buffers of the
            // sizes it indexes; `verify` runs every variant under compute-sanitizer's eyes.
            let launched =
                unsafe { if launch.cooperative { builder.launch_cooperative(shape) } else { builder.launch(shape) } };
            launched.map_err(failed(&format!("launching {}", launch.entry)))?;
        }
        Ok(())
    }

    /// Queues a copy of a buffer into another, by the driver.
    fn copy(&self, from: usize, to: usize) -> Result<(), DeviceError> {
        let (Some(source), Some(target)) = (self.buffers.get(from), self.buffers.get(to)) else {
            return Err(DeviceError::Failed("a copy between buffers that are not there".to_owned()));
        };
        self.stream.context().bind_to_thread().map_err(failed("copying a buffer"))?;
        // The context tracks no events, so neither guard waits for or records anything: one stream orders all uses, and a
        // capture takes the copy alone.
        let (source_address, _reading) = source.device_ptr(self.stream);
        let (target_address, _writing) = target.device_ptr(self.stream);
        let bytes = size_of::<u32>() * source.len().min(target.len());
        // SAFETY: both buffers have at least as many bytes, and nothing else uses them before the stream comes to it.
        let copied =
            unsafe { sys::cuMemcpyDtoDAsync_v2(target_address, source_address, bytes, self.stream.cu_stream()) };
        copied.result().map_err(failed("copying a buffer"))
    }

    /// Says which kernels were at it when the device failed.
    fn while_running(&self, error: DeviceError) -> DeviceError {
        let mut names: Vec<&str> = self.workload.launches().map(|launch| launch.entry).collect();
        names.dedup();
        while_doing(&format!("running {}", names.join(", ")), error)
    }

    /// The steps, `repeats` times over, as a graph that lies ready on the device. What is still under way on the stream is no
    /// part of it: capturing records what is queued meanwhile, and waits for nothing.
    fn capture(&self, repeats: u32) -> Result<CudaGraph, DeviceError> {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).map_err(failed("capturing a graph"))?;
        let captured = (0..repeats).try_for_each(|_| self.queue_all(|_| ()));
        // The capture must end whatever became of it, or the stream stays unusable.
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0));
        captured?;
        let nothing = || DeviceError::Failed("there are no steps to make a graph of".to_owned());
        let graph = graph.map_err(failed("instantiating a graph"))?.ok_or_else(nothing)?;
        graph.upload().map_err(failed("uploading a graph"))?;
        Ok(graph)
    }

    fn hot_graphs(&self) -> Result<Hot, DeviceError> {
        let instruments = self.instruments;
        let mut stopwatch = instruments.stopwatch.borrow_mut();
        let launches = self.workload.steps.len().max(1) as f64;
        // Once untimed, so that the caches hold what they will.
        self.submit(|_| ())?;
        let stream = self.stream;
        let timed = stopwatch.time(stream, |guard| {
            self.submit(|queued| {
                if queued == LAUNCHES_MAX {
                    guard.open_early();
                }
            })
        })?;
        let repeats = (GRAPH_US / timed.time_us.max(0.1)).min(GRAPH_LAUNCHES_MAX / launches).max(1.0) as u32;
        let (Ok(once), Ok(twice)) = (self.capture(repeats), self.capture(2 * repeats)) else {
            // What cannot be captured has no hot time. A device that has failed says so at the next call.
            return Ok(Hot::Impossible);
        };
        // The first replay of a graph may load what it needs.
        for graph in [&once, &twice] {
            graph.launch().map_err(failed("launching a graph"))?;
        }
        self.stream.synchronize().map_err(failed("running"))?;
        Ok(Hot::Graphs(HotGraphs { once, twice, repeats, once_first: true }))
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
        self.submit(|_| ())?;
        let running = self.stream.synchronize().map_err(failed("running"));
        running.map_err(|error| self.while_running(error))
    }

    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError> {
        let name = self.workload.buffers[buffer].name;
        let read = self.instruments.staging.borrow_mut().download(&self.buffers[buffer], words, self.stream);
        read.map_err(|error| while_doing(&format!("reading the buffer {name}"), error))
    }

    fn cold_sample(&mut self, flush: Flush) -> Result<Sample, DeviceError> {
        let started = Instant::now();
        self.instruments.eviction.borrow_mut().queue(flush, self.stream)?;
        let (instruments, stream) = (self.instruments, self.stream);
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

    fn hot_sample(&mut self) -> Result<Option<Sample>, DeviceError> {
        let started = Instant::now();
        if matches!(self.hot, Hot::Untried) {
            self.hot = self.hot_graphs().map_err(|error| self.while_running(error))?;
        }
        let Hot::Graphs(graphs) = &mut self.hot else { return Ok(None) };
        let mut stopwatch = self.instruments.stopwatch.borrow_mut();
        let mut time =
            |graph: &CudaGraph| stopwatch.time(self.stream, |_| graph.launch().map_err(failed("launching a graph")));
        let (once, twice) = if graphs.once_first {
            let once = time(&graphs.once)?;
            (once, time(&graphs.twice)?)
        } else {
            let twice = time(&graphs.twice)?;
            (time(&graphs.once)?, twice)
        };
        graphs.once_first = !graphs.once_first;
        Ok(Some(Sample {
            time_us: (twice.time_us - once.time_us) / f64::from(graphs.repeats),
            host_us: Some(started.elapsed().as_secs_f64() * 1e6),
            clock_mhz: twice.clock_mhz,
            repeats: graphs.repeats,
            gated: once.gated && twice.gated,
            phases: None,
        }))
    }
}
