//! The mock's clocks: a lock is a line in a file, so that tests see it whatever becomes of the processes.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::device::clocks::{ClockRefusal, GpuClocks};

/// Clocks that are in a file: `locked 1500` or `free`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MockClocks {
    pub(super) file: PathBuf,
    /// What locking is refused with.
    pub(super) refusal: Option<ClockRefusal>,
}

impl MockClocks {
    /// The locked clock in MHz, where there is one.
    pub(super) fn locked_mhz(&self) -> Option<u32> {
        fs::read_to_string(&self.file).ok()?.strip_prefix("locked ")?.trim().parse().ok()
    }

    /// What tells it from others.
    pub(in crate::device) fn key(&self) -> String {
        self.file.to_string_lossy().into_owned()
    }

    fn write(&self, state: &str) -> Result<(), ClockRefusal> {
        // At once, or whoever reads it meanwhile would find it empty.
        let partial = self.file.with_extension(std::process::id().to_string());
        let written = fs::write(&partial, state).and_then(|()| fs::rename(&partial, &self.file));
        written.map_err(|error| ClockRefusal::Other(error.to_string()))
    }
}

impl GpuClocks for MockClocks {
    fn supported_mhz(&self) -> Result<Vec<u32>, ClockRefusal> {
        Ok(vec![300, 1000, 2000])
    }

    fn lock(&mut self, mhz: u32) -> Result<(), ClockRefusal> {
        match &self.refusal {
            Some(refusal) => Err(refusal.clone()),
            None => self.write(&format!("locked {mhz}\n")),
        }
    }

    fn reset(&mut self) -> Result<(), ClockRefusal> {
        self.write("free\n")
    }
}
