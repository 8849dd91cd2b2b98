//! Counters of the hardware, read by CUPTI's range profiler after a point's times were taken. The only place that knows CUPTI.

use std::collections::HashMap;

use super::DeviceError;
use library::Cupti;
use profiler::Profiler;

mod library;
mod metric;
mod profiler;
mod refusal;

pub use metric::columns;
pub use metric::names;

/// The counters of a device.
pub(super) struct HardwareCounters {
    profiler: Profiler,
    version: u32,
}

impl HardwareCounters {
    /// Loads CUPTI and asks for the metrics of all columns.
    ///
    /// # Errors
    /// Why they cannot be had, in a sentence.
    pub(super) fn open(context: *mut std::ffi::c_void, ordinal: usize) -> Result<Self, String> {
        let cupti = Cupti::open()?;
        let version = cupti.version();
        let mut names: Vec<&str> = metric::METRICS.iter().flat_map(|own| own.names.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        let profiler = Profiler::open(cupti, context, ordinal, &names).map_err(|refusal| refusal.told())?;
        Ok(Self { profiler, version })
    }

    /// The library and its version, with what this GPU does not have: `CUPTI 13.0`.
    pub(super) fn version(&self) -> String {
        let library = format!("CUPTI {}.{}", self.version / 10_000, self.version / 100 % 100);
        match &self.profiler.missing[..] {
            [] => library,
            missing => format!("{library} (without {})", missing.join(", ")),
        }
    }

    /// What the launches do, as cells of [`columns`]: they run once for each pass of counters, `prepare` before each.
    ///
    /// # Errors
    /// What CUPTI or the driver says.
    pub(super) fn count(
        &self,
        prepare: impl FnMut() -> Result<(), DeviceError>,
        run: impl FnMut() -> Result<(), DeviceError>,
    ) -> Result<Vec<(&'static str, String)>, DeviceError> {
        let counted = self.profiler.count(prepare, run)?;
        let values: HashMap<&str, f64> =
            counted.iter().filter_map(|(name, value)| Some((name.to_str().ok()?, *value))).collect();
        Ok(metric::cells(|name| values.get(name).copied().filter(|value| value.is_finite())))
    }
}
