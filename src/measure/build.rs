//! Workloads of points, built on another thread where there is time for it.

use std::thread::{self, JoinHandle};

use crate::device::DeviceError;
use crate::family::{Family, Request};
use crate::properties::Properties;
use crate::scenario::Point;
use crate::workload::Workload;

/// The workloads of points, in their order, or why there are none.
pub(super) type Built = Result<Vec<Workload>, DeviceError>;

/// Builds the workloads of points.
pub(super) fn build(family: &Family, points: &[Point], device: &Properties, seed: u64) -> Built {
    let build = |point: &Point| {
        let request = Request { variant: point.variant.name, parameters: &point.parameters, device, seed };
        family.workload(&request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))
    };
    points.iter().map(build).collect()
}

/// Workloads that are being built ahead of their turn.
pub(super) struct Prefetch {
    points: Vec<Point>,
    thread: JoinHandle<Built>,
}

impl Prefetch {
    /// Starts building; `None` where no thread is to be had.
    pub(super) fn start(family: &'static Family, points: Vec<Point>, device: &Properties, seed: u64) -> Option<Self> {
        let (to_build, device) = (points.clone(), device.clone());
        let thread =
            thread::Builder::new().name("build".to_owned()).spawn(move || build(family, &to_build, &device, seed));
        Some(Self { points, thread: thread.ok()? })
    }

    /// Whether it is these points' workloads.
    pub(super) fn is_of(&self, points: &[Point]) -> bool {
        let same = |(own, other): (&Point, &Point)| {
            own.index == other.index && own.variant.name == other.variant.name && own.parameters == other.parameters
        };
        self.points.len() == points.len() && self.points.iter().zip(points).all(same)
    }

    /// The workloads, once they are built.
    pub(super) fn wait(self) -> Built {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
