//! A workload in a GPU's memory: run, read and timed with events.

use std::cell::RefCell;
use std::sync::Arc;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};

use super::clock::ClockProbe;
use super::failed;
use crate::device::{DeviceError, Flush, Prepared, Sample};
use crate::workload::{Argument, Contents, Launch, POISON, Workload};

/// A workload whose kernels are found and whose buffers are filled.
pub(super) struct PreparedWorkload<'device> {
    workload: &'device Workload,
    functions: Vec<CudaFunction>,
    buffers: Vec<CudaSlice<u32>>,
    stream: Arc<CudaStream>,
    flush: &'device RefCell<CudaSlice<u8>>,
    clock: &'device RefCell<ClockProbe>,
    start: CudaEvent,
    stop: CudaEvent,
}

impl<'device> PreparedWorkload<'device> {
    pub(super) fn new(
        workload: &'device Workload,
        module: &Arc<CudaModule>,
        stream: &Arc<CudaStream>,
        flush: &'device RefCell<CudaSlice<u8>>,
        clock: &'device RefCell<ClockProbe>,
    ) -> Result<Self, DeviceError> {
        let find = |launch: &Launch| {
            let doing = format!("finding the kernel {}", launch.entry);
            module.load_function(launch.entry).map_err(failed(&doing))
        };
        let functions = workload.launches.iter().map(find).collect::<Result<_, _>>()?;
        let fill = |contents: &Contents| match contents {
            Contents::Words(words) => stream.clone_htod(words),
            Contents::Poison { words } => stream.clone_htod(&vec![POISON; *words]),
        };
        let buffers = workload
            .buffers
            .iter()
            .map(|buffer| fill(&buffer.contents).map_err(failed(&format!("filling the buffer {}", buffer.name))))
            .collect::<Result<_, _>>()?;
        let event =
            || stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).map_err(failed("creating an event"));
        Ok(Self {
            workload,
            functions,
            buffers,
            stream: Arc::clone(stream),
            flush,
            clock,
            start: event()?,
            stop: event()?,
        })
    }

    /// Queues every launch.
    fn launch_all(&mut self) -> Result<(), DeviceError> {
        for (launch, function) in self.workload.launches.iter().zip(&self.functions) {
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

    fn synchronize(&self) -> Result<(), DeviceError> {
        let names: Vec<&str> = self.workload.launches.iter().map(|launch| launch.entry).collect();
        self.stream.synchronize().map_err(failed(&format!("running {}", names.join(", "))))
    }
}

impl Prepared for PreparedWorkload<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        self.launch_all()?;
        self.synchronize()
    }

    fn read(&mut self, buffer: usize) -> Result<Vec<u32>, DeviceError> {
        let name = self.workload.buffers[buffer].name;
        self.stream.clone_dtoh(&self.buffers[buffer]).map_err(failed(&format!("reading the buffer {name}")))
    }

    /// The flush keeps the GPU busy for longer than the host needs to queue the rest, so that no launch latency
    /// comes between the events.
    fn cold_sample(&mut self, _: Flush) -> Result<Sample, DeviceError> {
        self.stream.memset_zeros(&mut *self.flush.borrow_mut()).map_err(failed("flushing the L2 cache"))?;
        self.clock.borrow_mut().start(&self.stream)?;
        self.start.record(&self.stream).map_err(failed("recording an event"))?;
        self.launch_all()?;
        self.stop.record(&self.stream).map_err(failed("recording an event"))?;
        self.clock.borrow_mut().stop(&self.stream)?;
        self.synchronize()?;
        let time_ms = self.start.elapsed_ms(&self.stop).map_err(failed("reading the events"))?;
        Ok(Sample {
            time_us: f64::from(time_ms) * 1000.0,
            host_us: None,
            clock_mhz: self.clock.borrow().clock_mhz(&self.stream)?,
            repeats: 1,
            gated: true,
        })
    }
}
