//! A sweep: the groups of a grid's points in their order, each on the disk before the next begins.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::device::DeviceError;
use crate::record::PointRecord;
use crate::run::RunError;
use crate::run::metadata::RunStatus;
use crate::run::writer::RunWriter;
use crate::scenario::{Point, groups};
use crate::worker::supervisor::Supervisor;

/// Watches a sweep go.
pub trait Observer {
    /// Points begin that are measured together.
    fn group_started(&mut self, group: &[Point]);
    /// The kernels, or the worker, printed a line.
    fn printed(&mut self, line: &str);
    /// A point is on the disk.
    fn point_finished(&mut self, record: &PointRecord);
}

/// Why a sweep ended before all of its points were measured.
#[derive(Debug)]
pub enum SweepError {
    /// The device cannot be used any more.
    Device(DeviceError),
    /// The run directory cannot be written any more.
    Run(RunError),
}

/// The result of a sweep.
#[derive(Debug)]
pub struct Ended {
    /// How far it got.
    pub status: Result<RunStatus, SweepError>,
    /// The time spent on writing rows.
    pub writing: Duration,
}

/// Measures those of `points` that are not `finished` and appends them to `writer`. When `stop` becomes true the group
/// at hand is finished, and no other is begun. What points do wrong is in the rows.
pub fn sweep(
    supervisor: &mut Supervisor,
    points: &[Point],
    finished: &BTreeSet<usize>,
    writer: &mut RunWriter,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Ended {
    let mut groups = groups(points);
    for group in &mut groups {
        group.retain(|point| !finished.contains(&point.index));
    }
    groups.retain(|group| !group.is_empty());
    if supervisor.opened().is_some_and(|opened| opened.repeats_exactly) {
        groups = side_by_side(groups);
    }
    let mut writing = Duration::ZERO;
    for (index, group) in groups.iter().enumerate() {
        if stop.load(Ordering::SeqCst) {
            return Ended { status: Ok(RunStatus::Interrupted), writing };
        }
        observer.group_started(group);
        let next = groups.get(index + 1).map(Vec::as_slice);
        let measured = supervisor.measure(group, next, &mut |line| observer.printed(line));
        if supervisor.workers_are_killed() {
            return Ended { status: Ok(RunStatus::Interrupted), writing };
        }
        let measured = match measured {
            Ok(measured) => measured,
            Err(error) => return Ended { status: Err(SweepError::Device(error)), writing },
        };
        for text in measured.iter().map(|measured| &measured.printed).filter(|text| !text.is_empty()) {
            observer.printed(text.trim_end());
        }
        let began = Instant::now();
        let appended = writer.append(&measured);
        writing += began.elapsed();
        if let Err(error) = appended {
            return Ended { status: Err(SweepError::Run(error)), writing };
        }
        measured.iter().for_each(|measured| observer.point_finished(&measured.record));
    }
    Ended { status: Ok(RunStatus::Complete), writing }
}

/// Groups put together, for a device that measures points side by side: so many that no thread waits for long for the others.
fn side_by_side(groups: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
    const POINTS_OF_THREAD: usize = 4;
    let points = POINTS_OF_THREAD * std::thread::available_parallelism().map_or(1, usize::from);
    let mut together: Vec<Vec<Point>> = Vec::new();
    for group in groups {
        match together.last_mut() {
            Some(last) if last.len() < points => last.extend(group),
            _ => together.push(group),
        }
    }
    together
}
