//! What became of a point: its status, timing and predictors, and the columns that they fill.

use crate::device::Origin;
use crate::family::Family;

/// How a point ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its output was right, and its times count.
    Ok,
    /// Its output was not what the host computed.
    Wrong,
    /// The device failed.
    Failed,
    /// It was not run.
    Skipped,
}

impl Status {
    const ALL: [Self; 4] = [Self::Ok, Self::Wrong, Self::Failed, Self::Skipped];

    /// The word in the `status` column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Wrong => "wrong",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// The status that the column's word means.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// The timing of a point that ended well.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Median over the samples.
    pub time_us: f64,
    /// Lower end of the 95 % interval of the median; `None` where there are too few samples for one.
    pub low_us: Option<f64>,
    /// Upper end of the 95 % interval of the median.
    pub high_us: Option<f64>,
    /// Samples taken.
    pub samples: usize,
    /// Median clock over the samples that tell it.
    pub clock_mhz: Option<f64>,
    /// Why sampling stopped: the word in the `stopped_by` column.
    pub stopped_by: String,
}

/// A point's row.
#[derive(Debug, Clone, PartialEq)]
pub struct PointRecord {
    /// Its place in the grid, from 0.
    pub point: usize,
    /// Its variant.
    pub variant: String,
    /// Its parameters and their values, in the family's order.
    pub parameters: Vec<(String, String)>,
    /// How it ended.
    pub status: Status,
    /// Why it did not end well; empty where it did.
    pub reason: String,
    /// Where its time comes from.
    pub origin: Origin,
    /// Its timing, where it ended well.
    pub timing: Option<Timing>,
    /// Bytes that must move through device memory; `None` where the point was not built.
    pub bytes: Option<u64>,
    /// Arithmetic operations that its result needs; `None` where the point was not built.
    pub operations: Option<u64>,
    /// Its predictors, in the family's order; `None` where the point was not built.
    pub predictors: Vec<(String, Option<f64>)>,
    /// What the device counted, in its order; empty texts where the point did not run, none where it does not count.
    pub counters: Vec<(String, String)>,
}

impl PointRecord {
    /// The parameter, predictor or counter `name`, or the variant, as text.
    pub fn value(&self, name: &str) -> Option<String> {
        if name == "variant" {
            return Some(self.variant.clone());
        }
        let parameter = self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        let counter = || self.counters.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        parameter.or_else(|| self.predictor(name).map(|value| value.to_string())).or_else(counter)
    }

    /// The parameter, predictor or counter `name` as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.predictor(name).or_else(|| self.value(name)?.parse().ok())
    }

    fn predictor(&self, name: &str) -> Option<f64> {
        self.predictors.iter().find(|(own, _)| own == name).and_then(|(_, value)| *value)
    }
}

/// Columns of `points.csv` between the parameters and the predictors.
pub const RESULT_COLUMNS: [&str; 13] = [
    "status",
    "reason",
    "origin",
    "time_us",
    "time_us_low",
    "time_us_high",
    "samples",
    "bytes",
    "gb_per_s",
    "operations",
    "gop_per_s",
    "clock_mhz",
    "stopped_by",
];

/// Columns of `points.csv` before the parameters.
pub const LEADING_COLUMNS: [&str; 2] = ["point", "variant"];

/// Columns of `samples.csv`.
pub const SAMPLE_COLUMNS: [&str; 6] = ["point", "round", "sample", "time_us", "clock_mhz", "flags"];

/// The header of `points.csv` for a family on a device with these counters.
pub fn point_columns(family: &Family, counters: &[&'static str]) -> Vec<&'static str> {
    LEADING_COLUMNS
        .into_iter()
        .chain(family.parameters.iter().map(|parameter| parameter.name))
        .chain(RESULT_COLUMNS)
        .chain(family.predictors.iter().map(|predictor| predictor.name))
        .chain(counters.iter().copied())
        .collect()
}

/// The cells of a point's row, in the order of [`point_columns`].
pub fn point_cells(record: &PointRecord) -> Vec<String> {
    let timing = record.timing.as_ref();
    let time = |of: fn(&Timing) -> Option<f64>| timing.and_then(of).map(|time| decimals(time, 3)).unwrap_or_default();
    let count = |amount: Option<u64>| amount.map(|amount| amount.to_string()).unwrap_or_default();
    let per_time = |amount: Option<u64>| {
        let amount = amount.unwrap_or(0);
        let rate = timing.filter(|timing| timing.time_us > 0.0).map(|timing| amount as f64 / timing.time_us / 1e3);
        rate.map(|rate| decimals(rate, 3)).unwrap_or_default()
    };
    let clock_mhz = timing.and_then(|timing| timing.clock_mhz);
    let mut cells = vec![record.point.to_string(), record.variant.clone()];
    cells.extend(record.parameters.iter().map(|(_, value)| value.clone()));
    cells.extend([
        record.status.name().to_owned(),
        record.reason.clone(),
        record.origin.name().to_owned(),
        time(|timing| Some(timing.time_us)),
        time(|timing| timing.low_us),
        time(|timing| timing.high_us),
        timing.map(|timing| timing.samples.to_string()).unwrap_or_default(),
        count(record.bytes),
        per_time(record.bytes),
        count(record.operations),
        per_time(record.operations),
        clock_mhz.map(|clock| decimals(clock, 1)).unwrap_or_default(),
        timing.map(|timing| timing.stopped_by.clone()).unwrap_or_default(),
    ]);
    cells.extend(record.predictors.iter().map(|(_, value)| value.map(|value| decimals(value, 6)).unwrap_or_default()));
    cells.extend(record.counters.iter().map(|(_, value)| value.clone()));
    cells
}

/// A number with at most this many decimals, without trailing zeros.
pub fn decimals(value: f64, count: usize) -> String {
    let text = format!("{value:.count$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
