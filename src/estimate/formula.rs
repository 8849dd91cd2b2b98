//! The formula for the time of a rung, from the counts of its launches and the cost of each kind of work.

use super::coefficients::{Coefficients, Missing};
use gpu_simulator::LaunchCensus;

/// What the time of a rung goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Launching kernels.
    Launches,
    /// Bytes to and from device memory, at the rate of a copy.
    Memory,
    /// Sectors of which a store writes a part only.
    PartialStores,
    /// Instructions that warps issue.
    Issue,
    /// Multiplications of integers.
    Multiplies,
    /// Passes of shared memory.
    Shared,
    /// Barriers of blocks.
    Barriers,
    /// Waiting for results, which other blocks hide.
    Latency,
    /// Starting blocks.
    Blocks,
    /// Atomics that meet at one address.
    Atomics,
}

impl Part {
    /// All parts, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Launches,
        Self::Memory,
        Self::PartialStores,
        Self::Issue,
        Self::Multiplies,
        Self::Shared,
        Self::Barriers,
        Self::Latency,
        Self::Blocks,
        Self::Atomics,
    ];

    /// Its word in tables.
    pub fn name(self) -> &'static str {
        let column = self.column();
        column.strip_suffix("_us").unwrap_or(column)
    }

    /// The column of its time in `estimate.csv`.
    pub fn column(self) -> &'static str {
        self.described().0
    }

    /// What it stands for, in words for the reference.
    pub fn meaning(self) -> &'static str {
        self.described().1
    }

    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::Launches => ("launches_us", "launching kernels"),
            Self::Memory => ("memory_us", "moving bytes to and from device memory, at the rate of a copy"),
            Self::PartialStores => ("partial_stores_us", "sectors of which a store writes a part only"),
            Self::Issue => ("issue_us", "issuing instructions"),
            Self::Multiplies => ("multiplies_us", "multiplications of integers"),
            Self::Shared => ("shared_us", "passes over the banks of shared memory"),
            Self::Barriers => ("barriers_us", "barriers of blocks"),
            Self::Latency => ("latency_us", "waiting for results, as far as other blocks do not hide it"),
            Self::Blocks => ("blocks_us", "starting blocks"),
            Self::Atomics => ("atomics_us", "atomics on the same address, one after another"),
        }
    }
}

/// What a rung is estimated to take.
#[derive(Debug, Clone, PartialEq)]
pub struct RungEstimate {
    /// The variant.
    pub variant: String,
    /// The parameters of the point, with their values.
    pub parameters: Vec<(String, String)>,
    /// The estimated time.
    pub time_us: f64,
    /// What each part would take by itself, summed over the launches, in the order of [`Part::ALL`].
    pub parts: Vec<(Part, f64)>,
    /// What bounds the rung: the largest part.
    pub bound: Part,
    /// Whether some counts are of a part of the blocks, or of fewer elements, and scaled.
    pub is_scaled: bool,
}

/// Estimates a rung.
///
/// # Errors
/// The laws that are missing for it.
pub fn estimate(
    variant: &str,
    parameters: Vec<(String, String)>,
    launches: &[LaunchCensus],
    coefficients: &Coefficients,
) -> Result<RungEstimate, Vec<Missing>> {
    let mut parts = [0.0; Part::ALL.len()];
    let mut missing: Vec<Missing> = Vec::new();
    let mut time_us = 0.0;
    for launch in launches {
        let mut of_launch = [0.0; Part::ALL.len()];
        for (place, part) in Part::ALL.into_iter().enumerate() {
            match coefficients.part_us(part, launch) {
                Ok(time_us) => of_launch[place] = time_us,
                Err(law) if missing.contains(&law) => {}
                Err(law) => missing.push(law),
            }
        }
        time_us += of_launch[0] + overlapped(&of_launch[1..], coefficients.sharpness());
        parts.iter_mut().zip(of_launch).for_each(|(sum, own)| *sum += own);
    }
    if !missing.is_empty() {
        return Err(missing);
    }
    let parts: Vec<(Part, f64)> = Part::ALL.into_iter().zip(parts).collect();
    let bound = parts.iter().copied().max_by(|(_, left), (_, right)| left.total_cmp(right));
    Ok(RungEstimate {
        variant: variant.to_owned(),
        parameters,
        time_us,
        bound: bound.map_or(Part::Launches, |(part, _)| part),
        parts,
        is_scaled: launches.iter().any(LaunchCensus::is_scaled),
    })
}

/// What parts take that a device works on side by side: `(sum of t^p)^(1/p)`. All of them one after the other where p is 1, the longest alone
/// where p is large.
pub(super) fn overlapped(parts_us: &[f64], sharpness: f64) -> f64 {
    let longest = parts_us.iter().copied().fold(0.0, f64::max);
    if longest <= 0.0 {
        return 0.0;
    }
    longest * parts_us.iter().map(|part| (part / longest).powf(sharpness)).sum::<f64>().powf(1.0 / sharpness)
}
