//! The record of a point: its status, timing and predictors, and their columns in the files of a run.

use std::borrow::Cow;

use ecow::EcoString;
use serde::{Deserialize, Serialize};

pub use cells::{Block, Names, Numbers, Texts, Words};
pub use column::Column;
pub use columns::{
    LEADING_COLUMNS, PHASES, PhaseColumn, RESULT_COLUMNS, RESULT_COLUMNS_FIRST, ROUND_COLUMNS, ROUND_SAMPLES_MOST,
    SAMPLE_COLUMNS, SAMPLE_COLUMNS_FIRST, described_files, flags_cell, point_cells, point_columns, round_cells,
    sample_cells,
};
pub use only::Only;
pub use stop::StopReason;

use crate::device::energy::ENERGY_COLUMNS;
use crate::device::{Cache, Phases, Sample, Telemetry};
use crate::properties::Origin;

mod cells;
mod column;
mod columns;
mod only;
mod stop;

/// How a point ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its output was right, and its times count.
    Ok,
    /// Its output was not what the host computed.
    Wrong,
    /// The device failed.
    Failed,
    /// It was not run: a kernel of its variant has no end, or the simulated device does not take it.
    #[serde(rename = "not run")]
    NotRun,
    /// The device cannot run it, or has too little memory.
    Skipped,
}

impl Status {
    /// All, in the order in which they are told.
    pub const ALL: [Self; 5] = [Self::Ok, Self::Wrong, Self::Failed, Self::NotRun, Self::Skipped];

    /// The word in the `status` column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Wrong => "wrong",
            Self::Failed => "failed",
            Self::NotRun => "not run",
            Self::Skipped => "skipped",
        }
    }

    /// The status that the column's word means.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// A warning about a sample, a round or a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The multiprocessors' clock was well below its reference.
    Clock,
    /// The driver said that something held the clock down.
    Throttled,
    /// The device began before everything was queued: the time may hold launch latency.
    Ungated,
    /// The time is less than ten times that of a kernel that does nothing: the hot time tells more.
    Short,
}

impl Flag {
    /// Each flag with its word and, for the reference, what it means.
    const ALL: [(&'static str, Self, &'static str); 4] = [
        ("clock", Self::Clock, "the clock of the multiprocessors was more than 3 % below its reference"),
        ("throttled", Self::Throttled, "the driver reports that something held the clock down"),
        ("ungated", Self::Ungated, "the GPU began before everything was queued: the time may hold launch latency"),
        ("short", Self::Short, "the time is less than ten times that of an empty kernel: the hot time is more exact"),
    ];

    /// Every flag's word with what it means.
    pub fn meanings() -> impl Iterator<Item = (&'static str, &'static str)> {
        Self::ALL.into_iter().map(|(name, _, meaning)| (name, meaning))
    }

    /// Its word in the `flags` columns.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, own, _)| *own == self).map_or("", |(name, _, _)| name)
    }

    /// The flags that the words of a `flags` cell mean; `None` where one of them is no flag.
    pub fn find_all(cell: &str) -> Option<Vec<Self>> {
        let find = |word: &str| Self::ALL.iter().find(|(name, _, _)| *name == word).map(|(_, flag, _)| *flag);
        cell.split_whitespace().map(find).collect()
    }
}

/// A median with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Median {
    /// Median over the samples.
    pub time_us: f64,
    /// Lower end of its 95 % interval; `None` where there are too few samples for one.
    pub low_us: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high_us: Option<f64>,
    /// Samples taken.
    pub samples: usize,
}

/// The timing of a point with status ok.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The time, of cold samples or of hot ones as `cache` says.
    pub median: Median,
    /// The caches before the samples of `median`.
    pub cache: Cache,
    /// The time of hot samples, where they were taken beside cold ones.
    pub hot: Option<Box<Median>>,
    /// Rounds that the samples of `median` were taken in.
    pub rounds: usize,
    /// Median clock over the samples that tell it.
    pub clock_mhz: Option<f64>,
    /// Why sampling stopped: the word in the `stopped_by` column.
    pub stopped_by: EcoString,
    /// Warnings about it.
    pub flags: Vec<Flag>,
    /// What the time went into, for a workload with phases: medians over the samples of `median`, each by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Box<Phases>>,
}

/// A sample and where it stands among the others: a row of `samples.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleRecord {
    /// Its round, from 0.
    pub round: usize,
    /// Its place among the round's samples of all points that are measured together, from 0.
    pub order: usize,
    /// The caches before it.
    pub cache: Cache,
    /// What was measured.
    pub sample: Sample,
    /// Warnings about it.
    pub flags: Vec<Flag>,
}

/// What a round of a point came to: a row of `rounds.csv`. A round is what comparisons take as one observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Its number, from 0; cold and hot rounds are counted apart.
    pub round: usize,
    /// The caches before its samples.
    pub cache: Cache,
    /// Its samples.
    pub samples: usize,
    /// Their median.
    pub time_us: f64,
    /// Their mean without the smallest and the largest tenth.
    pub trimmed_us: f64,
    /// Their median clock.
    pub clock_mhz: Option<f64>,
    /// What the sensors said behind them.
    pub telemetry: Option<Telemetry>,
    /// Warnings about it.
    pub flags: Vec<Flag>,
}

/// The energy of one time through a point's launches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointEnergy {
    /// The energy, in millijoules.
    pub energy_mj: f64,
    /// Lower end of its 95 % interval.
    pub low_mj: f64,
    /// Upper end of its 95 % interval.
    pub high_mj: f64,
    /// Mean power of the board meanwhile, in watts.
    pub power_w: f64,
}

/// A point's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointRecord {
    /// Its place in the grid, from 0.
    pub point: usize,
    /// Its variant.
    pub variant: EcoString,
    /// Its parameters' values, in the family's order.
    pub parameters: Texts,
    /// How it ended.
    pub status: Status,
    /// Why it has no time; empty if its status is ok.
    pub reason: EcoString,
    /// Where its time comes from.
    pub origin: Origin,
    /// Its timing; `None` unless its status is ok.
    pub timing: Option<Timing>,
    /// Bytes that must move through device memory; `None` where the point was not built.
    pub bytes: Option<u64>,
    /// Arithmetic operations that its result needs; `None` where the point was not built.
    pub operations: Option<u64>,
    /// Its predictors, in the family's order; `None` where the point was not built.
    pub predictors: Numbers,
    /// What the device counted, in its order; empty texts where the point did not run, none where it does not count.
    pub counters: Texts,
}

/// No time is as long as this, in microseconds: twelve days.
pub const TIMES_BELOW_US: f64 = 1e12;

/// The result of measuring a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The record, whether the point has a time or not.
    pub record: PointRecord,
    /// The samples behind its timing.
    pub samples: Vec<SampleRecord>,
    /// The rounds that they were taken in.
    pub rounds: Vec<RoundRecord>,
    /// What the kernels printed.
    pub printed: String,
}

impl Measured {
    /// A point without samples.
    pub fn of(record: PointRecord) -> Self {
        Self { record, samples: Vec::new(), rounds: Vec::new(), printed: String::new() }
    }
}

/// The time spent on measuring, by activity, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeSpent {
    /// Opening the device and looking at its guards.
    pub opening_s: f64,
    /// Waiting for inputs and expected outputs to be computed on the host.
    pub building_s: f64,
    /// Loading kernels, allocating buffers and filling them.
    pub loading_s: f64,
    /// Running once, reading the outputs back, and comparing them with the host's.
    pub checking_s: f64,
    /// Running until the clocks are steady, and backing off where they are not.
    pub warming_s: f64,
    /// Evicting data and sampling.
    pub sampling_s: f64,
    /// Writing the run directory.
    pub writing_s: f64,
    /// The total.
    pub total_s: f64,
}

impl TimeSpent {
    /// Adds another's times to these.
    pub fn add(&mut self, other: &Self) {
        self.opening_s += other.opening_s;
        self.building_s += other.building_s;
        self.loading_s += other.loading_s;
        self.checking_s += other.checking_s;
        self.warming_s += other.warming_s;
        self.sampling_s += other.sampling_s;
        self.writing_s += other.writing_s;
        self.total_s += other.total_s;
    }
}

impl PointRecord {
    /// The parameter, predictor or counter `name`, or the variant, as text.
    pub fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        if name == "variant" {
            return Some(Cow::Borrowed(&self.variant));
        }
        let borrowed = |cell| Cow::Borrowed(EcoString::as_str(cell));
        let predictor = || self.predictor(name).map(|value| Cow::Owned(value.to_string()));
        self.parameters.get(name).map(borrowed).or_else(predictor).or_else(|| self.counters.get(name).map(borrowed))
    }

    /// Whether all its samples are equal, because the device's times are computed.
    pub fn repeats_exactly(&self) -> bool {
        let is_exact = |timing: &Timing| timing.stopped_by == StopReason::RepeatsExactly.name();
        self.origin == Origin::Simulated || self.timing.as_ref().is_some_and(is_exact)
    }

    /// The parameter, predictor, counter or phase `name` as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.predictor(name).or_else(|| self.phase(name)).or_else(|| self.value(name)?.parse().ok())
    }

    /// Its energy, where it was measured.
    pub fn energy(&self) -> Option<PointEnergy> {
        let cell = |column: &str| self.counters.get(column)?.parse::<f64>().ok().filter(|value| value.is_finite());
        let [energy_mj, low_mj, high_mj, power_w] = [0, 1, 2, 3].map(|place| cell(ENERGY_COLUMNS[place]));
        Some(PointEnergy { energy_mj: energy_mj?, low_mj: low_mj?, high_mj: high_mj?, power_w: power_w? })
    }

    /// The phase of this column.
    fn phase(&self, name: &str) -> Option<f64> {
        let column = PHASES.iter().find(|column| column.name == name)?;
        (column.cell)(self.timing.as_ref()?.phases.as_deref()?)
    }

    fn predictor(&self, name: &str) -> Option<f64> {
        self.predictors.get(name)
    }
}
