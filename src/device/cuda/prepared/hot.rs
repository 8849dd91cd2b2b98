//! Launches with hot caches: the same again and again, timed, and their energy measured.

use std::time::Instant;

use cudarc::driver::CudaGraph;

use super::super::energy::{HotLoad, Meter};
use super::super::failed;
use super::{LAUNCHES_MAX, PreparedWorkload};
use crate::device::energy::{self, EnergyCounter, EnergyReading};
use crate::device::{DeviceError, Sample};

/// A graph of hot launches takes about this long, so that the error of two events is lost in it ...
const GRAPH_US: f64 = 5000.0;
/// ... but has no more kernels than this.
const GRAPH_LAUNCHES_MAX: f64 = 4096.0;

/// Whether and how hot samples can be taken.
pub(super) enum Hot {
    Untried,
    Impossible,
    Graphs(HotGraphs),
}

/// The launches `repeats` times over, and twice as often. Both take as long to start, so their difference does not hold it.
pub(super) struct HotGraphs {
    once: CudaGraph,
    twice: CudaGraph,
    repeats: u32,
    /// Which of them goes first changes from sample to sample.
    once_first: bool,
}

impl PreparedWorkload<'_> {
    /// Finds out whether there are hot samples, where nobody has tried.
    fn try_hot(&mut self) -> Result<(), DeviceError> {
        if matches!(self.hot, Hot::Untried) {
            self.hot = self.hot_graphs().map_err(|error| self.while_running(error))?;
        }
        Ok(())
    }

    fn hot_graphs(&self) -> Result<Hot, DeviceError> {
        let instruments = self.instruments;
        let mut stopwatch = instruments.stopwatch.borrow_mut();
        let launches = self.device.workload.steps.len().max(1) as f64;
        // Once untimed, so that the caches hold what they will.
        self.submit(|_| ())?;
        let stream = self.device.stream;
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
        self.device.stream.synchronize().map_err(failed("running"))?;
        Ok(Hot::Graphs(HotGraphs { once, twice, repeats, once_first: true }))
    }

    /// The energy of one time through the launches.
    pub(super) fn hot_energy(&mut self, counter: &EnergyCounter) -> Result<EnergyReading, DeviceError> {
        let _set_aside = self.device.set_aside()?;
        self.try_hot()?;
        let Hot::Graphs(graphs) = &self.hot else {
            return Err(DeviceError::Unsupported("launches that cannot be made a graph have no energy".to_owned()));
        };
        let stream = self.device.stream;
        stream.synchronize().map_err(failed("running"))?;
        let mut meter = Meter::new(self.sensors, Instant::now());
        let mut load = HotLoad::new(&graphs.twice, 2 * graphs.repeats, stream);
        energy::measure(&mut meter, &mut load, counter).map_err(|error| self.while_running(error))
    }

    /// One time through the launches; `None` where there are no hot samples.
    pub(super) fn hot_timed(&mut self) -> Result<Option<Sample>, DeviceError> {
        let started = Instant::now();
        let _set_aside = self.device.set_aside()?;
        self.try_hot()?;
        let Hot::Graphs(graphs) = &mut self.hot else { return Ok(None) };
        let mut stopwatch = self.instruments.stopwatch.borrow_mut();
        let mut time = |graph: &CudaGraph| {
            stopwatch.time(self.device.stream, |_| graph.launch().map_err(failed("launching a graph")))
        };
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
