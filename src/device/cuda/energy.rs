//! The counter of energy of a GPU's board, and launches that keep the GPU busy meanwhile.

use std::collections::VecDeque;
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaEvent, CudaGraph, CudaStream};

use super::failed;
use super::sensors::Sensors;
use crate::device::DeviceError;
use crate::device::energy::{EnergyMeter, Load};

/// Graphs of launches that are queued at once: while one is being replaced, the others run.
const QUEUED: usize = 3;

/// The management library's counter.
pub(super) struct Meter<'a> {
    sensors: &'a Sensors,
    started: Instant,
}

impl<'a> Meter<'a> {
    /// A meter whose clock begins at `started`.
    pub(super) fn new(sensors: &'a Sensors, started: Instant) -> Self {
        Self { sensors, started }
    }
}

impl EnergyMeter for Meter<'_> {
    fn energy_mj(&mut self) -> Result<f64, String> {
        self.sensors.ask(|device| Ok(device.total_energy_consumption()? as f64))
    }

    fn power_w(&mut self) -> Option<f64> {
        self.sensors.ask(|device| Ok(f64::from(device.power_usage()?) / 1e3)).ok()
    }

    fn others(&mut self) -> Option<usize> {
        let running = self.sensors.processes()?;
        // In a container the library may number this process in another way: then it is one of those that were not there before.
        let is_named = running.contains(&process::id());
        let is_counted = is_named || self.sensors.others.is_some_and(|before| running.len() > before);
        Some(running.len() - usize::from(is_counted))
    }

    fn now_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn pause(&mut self, seconds: f64) {
        thread::sleep(Duration::from_secs_f64(seconds));
    }
}

/// A graph of launches, again and again.
pub(super) struct HotLoad<'a> {
    graph: &'a CudaGraph,
    /// Times through the launches in the graph.
    repeats: u32,
    stream: &'a Arc<CudaStream>,
    /// The ends of the graphs that are queued.
    ends: VecDeque<CudaEvent>,
    passes: f64,
}

impl<'a> HotLoad<'a> {
    pub(super) fn new(graph: &'a CudaGraph, repeats: u32, stream: &'a Arc<CudaStream>) -> Self {
        Self { graph, repeats, stream, ends: VecDeque::new(), passes: 0.0 }
    }
}

impl Load for HotLoad<'_> {
    fn keep_busy(&mut self) -> Result<f64, DeviceError> {
        while let Some(end) = self.ends.front() {
            if !end.try_is_complete().map_err(failed("running"))? {
                break;
            }
            self.ends.pop_front();
            self.passes += f64::from(self.repeats);
        }
        while self.ends.len() < QUEUED {
            self.graph.launch().map_err(failed("launching a graph"))?;
            self.ends.push_back(self.stream.record_event(None).map_err(failed("recording an event"))?);
        }
        Ok(self.passes)
    }

    fn finish(&mut self) -> Result<(), DeviceError> {
        self.ends.clear();
        self.stream.synchronize().map_err(failed("running"))
    }
}
