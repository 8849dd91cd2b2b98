//! A sweep: every point of a grid in its order, each on the disk before the next begins.

use std::sync::atomic::{AtomicBool, Ordering};

use super::session::Session;
use crate::device::Device;
use crate::family::Family;
use crate::record::PointRecord;
use crate::run::RunError;
use crate::run::metadata::RunStatus;
use crate::run::writer::RunWriter;
use crate::scenario::{MeasureSettings, Point, groups};

/// Watches a sweep go.
pub trait Observer {
    /// A point begins.
    fn point_started(&mut self, point: &Point);
    /// The kernels of a point printed something.
    fn point_printed(&mut self, text: &str);
    /// A point is on the disk.
    fn point_finished(&mut self, record: &PointRecord);
}

/// Measures `points` and appends them to `writer`. When `stop` becomes true the point at hand is finished, and
/// no other is begun.
///
/// # Errors
/// When the run directory cannot be written. What a device does wrong is in the rows.
pub fn sweep(
    device: &dyn Device,
    family: &'static Family,
    points: &[Point],
    settings: &MeasureSettings,
    writer: &mut RunWriter,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<RunStatus, RunError> {
    let mut session = Session::open(device, family, *settings);
    let groups = groups(points);
    for (index, group) in groups.iter().enumerate() {
        let mut left = group.clone();
        while !left.is_empty() {
            if stop.load(Ordering::SeqCst) {
                return Ok(RunStatus::Interrupted);
            }
            left.iter().for_each(|point| observer.point_started(point));
            let outcome = session.measure(&left, groups.get(index + 1).map(Vec::as_slice));
            for measured in &outcome.measured {
                if !measured.printed.is_empty() {
                    observer.point_printed(&measured.printed);
                }
                writer.append(measured)?;
                observer.point_finished(&measured.record);
            }
            left = outcome.lost;
        }
    }
    Ok(RunStatus::Complete)
}
