//! What bounds a measured time, as far as it is known: which part of a GPU's peaks the work of a point comes to.

use std::fmt;

use gpu_simulator::hardware::lanes::LANES;
use serde::Serialize;

use crate::properties::Properties;
use crate::record::PointRecord;

/// Below this part of its peak a resource says nothing about a time.
const TOLD_FROM: f64 = 0.1;
/// Operations of a multiply-add, which a lane issues in a cycle.
const OPERATIONS_OF_A_LANE: f64 = 2.0;

/// Something of which a GPU has so much a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// The bandwidth of device memory.
    Memory,
    /// f32 multiply-adds.
    Arithmetic,
}

/// How much of a GPU's peak the work of a point comes to: bytes that must move or operations, over the time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OfPeak {
    /// Of what.
    pub resource: Resource,
    /// The part of its peak; above 1 where bytes come from caches.
    pub part: f64,
}

impl OfPeak {
    /// That of a point that took this time on a GPU, of the resource of which it uses the larger part. `None` where the GPU does not tell its
    /// peaks, and where a point neither moves nor computes anything.
    pub fn of(point: &PointRecord, time_us: f64, gpu: &Properties) -> Option<Self> {
        let per_second = |work: Option<u64>| work.filter(|work| *work > 0).map(|work| work as f64 / time_us / 1e3);
        let memory =
            per_second(point.bytes).zip(gpu.peak_gb_per_s()).map(|(rate, peak)| (Resource::Memory, rate / peak));
        let arithmetic = per_second(point.operations)
            .zip(peak_gop_per_s(gpu))
            .map(|(rate, peak)| (Resource::Arithmetic, rate / peak));
        let larger = memory.into_iter().chain(arithmetic).max_by(|one, other| one.1.total_cmp(&other.1));
        larger.map(|(resource, part)| Self { resource, part })
    }

    /// The words for what is known of a point, which may be nothing.
    pub fn told(own: Option<Self>) -> String {
        own.filter(|own| own.part >= TOLD_FROM).map_or("unknown".to_owned(), |own| own.to_string())
    }
}

/// f32 operations of all schedulers at the highest clock, in 10^9 a second.
fn peak_gop_per_s(gpu: &Properties) -> Option<f64> {
    let lanes = f64::from(gpu.sm_count) * f64::from(gpu.schedulers_per_sm) * LANES as f64;
    let peak = OPERATIONS_OF_A_LANE * lanes * gpu.sm_clock_mhz / 1e3;
    (peak > 0.0).then_some(peak)
}

impl fmt::Display for OfPeak {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.part;
        match self.resource {
            Resource::Memory if self.part > 1.0 => write!(formatter, "caches: {percent:.0} % of memory's peak"),
            Resource::Memory => write!(formatter, "memory {percent:.0} % of peak"),
            Resource::Arithmetic => write!(formatter, "arithmetic {percent:.0} % of f32 peak"),
        }
    }
}
