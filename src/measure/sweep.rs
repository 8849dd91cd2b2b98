//! A sweep: every point of a grid in its order, each on the disk before the next begins.

use std::sync::atomic::{AtomicBool, Ordering};

use super::point::measure_point;
use crate::device::Device;
use crate::family::Family;
use crate::record::PointRecord;
use crate::run::RunError;
use crate::run::metadata::RunStatus;
use crate::run::writer::RunWriter;
use crate::scenario::{MeasureSettings, Point};

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
    family: &Family,
    points: &[Point],
    settings: &MeasureSettings,
    writer: &mut RunWriter,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<RunStatus, RunError> {
    for point in points {
        if stop.load(Ordering::SeqCst) {
            return Ok(RunStatus::Interrupted);
        }
        observer.point_started(point);
        let measured = measure_point(device, family, point, settings);
        if !measured.printed.is_empty() {
            observer.point_printed(&measured.printed);
        }
        writer.append(std::slice::from_ref(&measured))?;
        observer.point_finished(&measured.record);
    }
    Ok(RunStatus::Complete)
}
