//! Timing what is queued on a stream: behind a gate, between two events, with the clock stamped around it.

use std::sync::Arc;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, CudaEvent, CudaModule, CudaStream, LaunchConfig, PushKernelArg};

use super::clock::ClockProbe;
use super::failed;
use super::gate::{Gate, ShutGate};
use crate::device::DeviceError;
use crate::properties::Properties;

/// Changes of the nanosecond timer that are watched for its smallest step.
const TIMER_CHANGES: u32 = 1000;

/// What was measured of something queued.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    pub(super) time_us: f64,
    pub(super) clock_mhz: Option<f64>,
    pub(super) gated: bool,
}

/// A gate, two events and a clock probe.
pub(super) struct Stopwatch {
    gate: Gate,
    clock: ClockProbe,
    start: CudaEvent,
    stop: CudaEvent,
    /// The smallest step of the device's nanosecond timer.
    pub(super) timer_step_ns: u64,
}

impl Stopwatch {
    pub(super) fn new(
        context: &Arc<CudaContext>,
        stream: &Arc<CudaStream>,
        harness: &Arc<CudaModule>,
        properties: &Properties,
    ) -> Result<Self, DeviceError> {
        let event = || context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).map_err(failed("creating an event"));
        let find = |name: &str| harness.load_function(name).map_err(failed(&format!("finding the kernel {name}")));
        let mut smallest = stream.alloc_zeros::<u64>(1).map_err(failed("allocating a word"))?;
        let timer_step = find("timer_step")?;
        let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&timer_step);
        launch.arg(&mut smallest).arg(&TIMER_CHANGES);
        // SAFETY: the kernel takes a pointer to one 64-bit word and a 32-bit number.
        unsafe { launch.launch(shape) }.map_err(failed("launching timer_step"))?;
        let words = stream.clone_dtoh(&smallest).map_err(failed("running timer_step"))?;
        let timer_step_ns = words.first().copied().unwrap_or(0).clamp(1, 1_000_000);
        let mut stopwatch = Self {
            gate: Gate::new(context, find("gate")?)?,
            clock: ClockProbe::new(context, find("clock_stamp")?, properties.sm_count, timer_step_ns)?,
            start: event()?,
            stop: event()?,
            timer_step_ns,
        };
        // Kernels are loaded when they are launched for the first time, which may wait for the device: not behind a gate.
        drop(stopwatch.gate.shut(stream)?);
        stopwatch.clock.start(stream)?;
        stream.synchronize().map_err(failed("running gate, clock_stamp"))?;
        stopwatch.time(stream, |_| Ok(()))?;
        Ok(stopwatch)
    }

    /// Times what `queue` queues. Where that is more than fits behind the gate, it must open the gate; the time may then
    /// hold launch latency, which is told.
    pub(super) fn time(
        &mut self,
        stream: &Arc<CudaStream>,
        queue: impl FnOnce(&mut QueueGuard<'_>) -> Result<(), DeviceError>,
    ) -> Result<Timed, DeviceError> {
        self.clock.clear();
        let shut = self.gate.shut(stream)?;
        self.clock.start(stream)?;
        self.start.record(stream).map_err(failed("recording an event"))?;
        let mut guard = QueueGuard { gate: &shut, opened_early: false };
        queue(&mut guard)?;
        let opened_early = guard.opened_early;
        self.stop.record(stream).map_err(failed("recording an event"))?;
        self.clock.stop(stream)?;
        drop(shut);
        stream.synchronize().map_err(failed("running"))?;
        let time_ms = self.start.elapsed_ms(&self.stop).map_err(failed("reading the events"))?;
        Ok(Timed {
            time_us: f64::from(time_ms) * 1000.0,
            clock_mhz: self.clock.clock_mhz(),
            gated: !opened_early && !self.gate.timed_out(),
        })
    }
}

/// What is queued behind a gate knows it, to open it before the queue is full.
pub(super) struct QueueGuard<'gate> {
    gate: &'gate ShutGate<'gate>,
    opened_early: bool,
}

impl QueueGuard<'_> {
    /// Opens the gate before everything is queued.
    pub(super) fn open_early(&mut self) {
        self.gate.open();
        self.opened_early = true;
    }
}
