//! Counters of the hardware, read by CUPTI's range profiler after a point's times were taken. The only place that knows CUPTI.

use std::collections::HashMap;
use std::ffi::c_void;

use super::DeviceError;
use library::Cupti;
use profiler::Profiler;

mod library;
mod metric;
mod profiler;
mod refusal;
#[cfg(test)]
mod stand_in;
#[cfg(test)]
mod tests;

pub use metric::columns;
pub use metric::names;

/// The counters of a device.
pub(super) struct HardwareCounters {
    profiler: Profiler,
}

impl HardwareCounters {
    /// Loads CUPTI and asks for the metrics of all columns.
    ///
    /// # Errors
    /// Why they cannot be had, in a sentence.
    pub(super) fn open(context: *mut c_void, ordinal: usize) -> Result<Self, String> {
        Self::by(Cupti::open()?, context, ordinal)
    }

    /// Asks this library for the metrics of all columns.
    fn by(cupti: Cupti, context: *mut c_void, ordinal: usize) -> Result<Self, String> {
        let mut names: Vec<&str> = metric::METRICS.iter().flat_map(|own| own.names.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        let profiler = Profiler::open(cupti, context, ordinal, &names).map_err(|refusal| refusal.told())?;
        if let (true, Some(first)) = (profiler.metrics.is_empty(), profiler.missing.first()) {
            return Err(format!(
                "CUPTI has none of the {} metrics for this GPU, the first of them {first}",
                names.len()
            ));
        }
        Ok(Self { profiler })
    }

    /// The library, its version and its file, with what this GPU does not have: `CUPTI 13.0 (libcupti.so.13)`.
    pub(super) fn library(&self) -> String {
        let cupti = &self.profiler.cupti;
        let library = format!("{} ({})", cupti.version(), cupti.path.display());
        match &self.profiler.missing[..] {
            [] => library,
            missing => format!("{library}, without {},", missing.join(", ")),
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
