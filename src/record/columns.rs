//! The columns of `points.csv`, `samples.csv` and `rounds.csv`: each a row of a table, with how its cell is made.

use super::{Flag, Median, PointRecord, RoundRecord, SampleRecord, Timing};
use crate::csv_column::{CsvColumn, Described, described, joined, names};
use crate::device::{Phases, Telemetry};
use crate::family::Family;
use crate::unit::decimals;

/// How the cell of a point is made.
type PointCell = fn(&PointRecord) -> String;
/// How the cell of a sample is made, from its point's number, its own among the point's, and what it is.
type SampleCell = fn(usize, usize, &SampleRecord) -> String;
/// How the cell of a round is made, from its point's number and what it came to.
type RoundCell = fn(usize, &RoundRecord) -> String;
/// A column of a phase, with how the phase is taken from all; `None` where it is not known.
pub type PhaseColumn = CsvColumn<fn(&Phases) -> Option<f64>>;

/// Columns of `points.csv` before the parameters.
static LEADING: [CsvColumn<PointCell>; 2] = [
    CsvColumn::new("point", "count", "place of the point in the grid, from 0", |point| point.point.to_string()),
    CsvColumn::new("variant", "text", "how the kernel is written: a variant of the family", |point| {
        point.variant.to_string()
    }),
];

/// Columns of `points.csv` between the parameters and the phases.
static RESULTS: [CsvColumn<PointCell>; 19] = [
    CsvColumn::new(
        "status",
        "text",
        "`ok`; `wrong`: an output is not what the host computed; `failed`: the device failed; `not run`: its variant did not \
         end at a smaller point, or the simulated device does not take the kernel or would take too long; `skipped`: memory is short or this \
         GPU cannot run it",
        |point| point.status.name().to_owned(),
    ),
    CsvColumn::new("reason", "text", "why the status is not `ok`; empty where it is", |point| point.reason.to_string()),
    CsvColumn::new(
        "origin",
        "text",
        "where the time is from: `measured` on a GPU, `simulated`, or `mock` (a formula, for tests)",
        |point| point.origin.name().to_owned(),
    ),
    CsvColumn::new("time_us", "µs", "median time of the workload, over all samples of the point", |point| {
        time(point, |timing| Some(timing.median.time_us))
    }),
    CsvColumn::new(
        "time_us_low",
        "µs",
        "lower end of the 95 % interval of `time_us` in this run; empty with too few samples, and where times repeat exactly",
        |point| time(point, |timing| timing.median.low_us),
    ),
    CsvColumn::new("time_us_high", "µs", "upper end of the 95 % interval of `time_us`", |point| {
        time(point, |timing| timing.median.high_us)
    }),
    CsvColumn::new("samples", "count", "samples behind `time_us`", |point| {
        word(point, |timing| timing.median.samples.to_string())
    }),
    CsvColumn::new(
        "bytes",
        "bytes",
        "what must move through device memory: each input read once, each output written once",
        |point| count(point.bytes),
    ),
    CsvColumn::new("gb_per_s", "10^9 bytes/s", "`bytes` over `time_us`", |point| per_time(point, point.bytes)),
    CsvColumn::new(
        "operations",
        "count",
        "arithmetic operations that the result needs; a multiply-add counts as two",
        |point| count(point.operations),
    ),
    CsvColumn::new("gop_per_s", "10^9 operations/s", "`operations` over `time_us`", |point| {
        per_time(point, point.operations)
    }),
    CsvColumn::new(
        "clock_mhz",
        "MHz",
        "median clock of the multiprocessors during the samples; empty for launches too short to show it",
        |point| known(point.timing.as_ref().and_then(|timing| timing.clock_mhz), 1),
    ),
    CsvColumn::new(
        "stopped_by",
        "text",
        "why sampling stopped: `precise`, `budget`, `samples_max`, `rounds_max`, or `repeats_exactly` where every sample is the \
         same, as on simulated GPUs",
        |point| word(point, |timing| timing.stopped_by.to_string()),
    ),
    CsvColumn::new(
        "cache",
        "text",
        "state of the L2 cache before the samples of `time_us`: `cold` (the workload's data evicted) or `hot` (as the launch \
         before left it)",
        |point| word(point, |timing| timing.cache.name().to_owned()),
    ),
    CsvColumn::new("rounds", "count", "rounds that the samples of `time_us` were taken in", |point| {
        word(point, |timing| timing.rounds.to_string())
    }),
    CsvColumn::new("hot_us", "µs", "median time of hot samples, where they were taken beside cold ones", |point| {
        hot(point, |hot| Some(hot.time_us))
    }),
    CsvColumn::new("hot_us_low", "µs", "lower end of the 95 % interval of `hot_us`", |point| {
        hot(point, |hot| hot.low_us)
    }),
    CsvColumn::new("hot_us_high", "µs", "upper end of the 95 % interval of `hot_us`", |point| {
        hot(point, |hot| hot.high_us)
    }),
    CsvColumn::new("flags", "text", "what to know about the point; see the flags below", |point| {
        word(point, |timing| flags_cell(&timing.flags))
    }),
];

/// The phases by their columns: what the time of a workload with transfers or work of the host went into. Columns of
/// `points.csv` between [`RESULT_COLUMNS`]' others and the predictors.
pub static PHASES: [PhaseColumn; 6] = [
    CsvColumn::new(
        "transfer_in_us",
        "µs",
        "time during which data went from the host to the device; median, as for all phases. Phases on streams side by side \
         overlap",
        |phases| Some(phases.transfer_in_us),
    ),
    CsvColumn::new("kernel_us", "µs", "time during which a kernel ran", |phases| Some(phases.kernel_us)),
    CsvColumn::new("transfer_out_us", "µs", "time during which data went from the device to the host", |phases| {
        Some(phases.transfer_out_us)
    }),
    CsvColumn::new("host_us", "µs", "the host's own work; empty on simulated GPUs", |phases| phases.host_us),
    CsvColumn::new("kernel_hidden_us", "µs", "the part of `kernel_us` during which a transfer ran too", |phases| {
        Some(phases.kernel_hidden_us)
    }),
    CsvColumn::new(
        "total_us",
        "µs",
        "time of the whole workload on the host's clock; for workloads with phases, `time_us` is this time",
        |phases| Some(phases.total_us),
    ),
];

/// Columns of `samples.csv`.
static SAMPLES: [CsvColumn<SampleCell>; 10] = [
    CsvColumn::new("point", "count", "point of the sample, as in `points.csv`", |point, _, _| point.to_string()),
    CsvColumn::new(
        "round",
        "count",
        "round of the sample, from 0; cold and hot rounds are counted apart",
        |_, _, own| own.round.to_string(),
    ),
    CsvColumn::new("sample", "count", "number of the sample among those of its point, from 0", |_, index, _| {
        index.to_string()
    }),
    CsvColumn::new("time_us", "µs", "time of one run of the workload", |_, _, own| decimals(own.sample.time_us, 4)),
    CsvColumn::new("clock_mhz", "MHz", "clock of the multiprocessors during the sample", |_, _, own| {
        known(own.sample.clock_mhz, 1)
    }),
    CsvColumn::new(
        "flags",
        "text",
        "what to know about the sample; the words are those of `points.csv`",
        |_, _, own| flags_cell(&own.flags),
    ),
    CsvColumn::new("cache", "text", "`cold` or `hot`, as in `points.csv`", |_, _, own| own.cache.name().to_owned()),
    CsvColumn::new(
        "order",
        "count",
        "place of the sample in its round, from 0, among the samples of all points that are measured together",
        |_, _, own| own.order.to_string(),
    ),
    CsvColumn::new("repeats", "count", "launches that `time_us` is the average of; 1 for cold samples", |_, _, own| {
        own.sample.repeats.to_string()
    }),
    CsvColumn::new(
        "host_us",
        "µs",
        "time that the sample took on the host, eviction of the cache included",
        |_, _, own| known(own.sample.host_us, 1),
    ),
];

/// Columns of `rounds.csv`.
static ROUNDS: [CsvColumn<RoundCell>; 13] = [
    CsvColumn::new("point", "count", "point of the round, as in `points.csv`", |point, _| point.to_string()),
    CsvColumn::new("cache", "text", "`cold` or `hot`, as in `points.csv`", |_, round| round.cache.name().to_owned()),
    CsvColumn::new(
        "round",
        "count",
        "number of the round, from 0; cold and hot rounds are counted apart",
        |_, round| round.round.to_string(),
    ),
    CsvColumn::new("samples", "count", "samples of the point in the round", |_, round| round.samples.to_string()),
    CsvColumn::new("time_us", "µs", "median time of these samples", |_, round| decimals(round.time_us, 4)),
    CsvColumn::new(
        "trimmed_us",
        "µs",
        "mean time of these samples without the smallest and the largest tenth; comparisons of runs use it",
        |_, round| decimals(round.trimmed_us, 4),
    ),
    CsvColumn::new("clock_mhz", "MHz", "median clock of the multiprocessors during these samples", |_, round| {
        known(round.clock_mhz, 1)
    }),
    CsvColumn::new(
        "temperature_c",
        "°C",
        "the GPU's temperature after the round; empty without a sensor",
        |_, round| told(round, |told| told.temperature_c, 1),
    ),
    CsvColumn::new("power_w", "W", "power that the GPU draws after the round", |_, round| {
        told(round, |told| told.power_w, 1)
    }),
    CsvColumn::new(
        "sm_clock_mhz",
        "MHz",
        "clock of the multiprocessors after the round, as the driver reports it",
        |_, round| told(round, |told| told.sm_clock_mhz, 0),
    ),
    CsvColumn::new(
        "memory_clock_mhz",
        "MHz",
        "clock of the memory after the round, as the driver reports it",
        |_, round| told(round, |told| told.memory_clock_mhz, 0),
    ),
    CsvColumn::new(
        "throttle_reasons",
        "text",
        "what holds the clock down, as the driver reports it; `none`, or empty where the driver does not say",
        |_, round| throttle_cell(round.telemetry.as_ref()),
    ),
    CsvColumn::new("flags", "text", "what to know about the round; the words are those of `points.csv`", |_, round| {
        flags_cell(&round.flags)
    }),
];

/// Names of the columns of `points.csv` between the parameters and the predictors. Those behind the first 13 came later.
pub const RESULT_COLUMNS: [&str; 25] = joined(&names(&RESULTS), &names(&PHASES));

/// How many of [`RESULT_COLUMNS`] every run has.
pub const RESULT_COLUMNS_FIRST: usize = 13;

/// Names of the columns of `points.csv` before the parameters.
pub const LEADING_COLUMNS: [&str; 2] = names(&LEADING);

/// Names of the columns of `samples.csv`.
pub const SAMPLE_COLUMNS: [&str; 10] = names(&SAMPLES);

/// How many of [`SAMPLE_COLUMNS`] every run has.
pub const SAMPLE_COLUMNS_FIRST: usize = 6;

/// Names of the columns of `rounds.csv`.
pub const ROUND_COLUMNS: [&str; 13] = names(&ROUNDS);

/// Most samples of a point in one round.
pub const ROUND_SAMPLES_MOST: usize = 64;

/// What the reference says of the columns that are made here.
#[derive(Debug)]
pub struct DescribedFiles {
    /// Columns of `points.csv` before the parameters.
    pub leading: Vec<Described>,
    /// Columns of `points.csv` between the parameters and the predictors.
    pub results: Vec<Described>,
    /// Columns of `samples.csv`.
    pub samples: Vec<Described>,
    /// Columns of `rounds.csv`.
    pub rounds: Vec<Described>,
}

/// What the reference says of the columns of `points.csv`, `samples.csv` and `rounds.csv`.
pub fn described_files() -> DescribedFiles {
    DescribedFiles {
        leading: described(&LEADING).collect(),
        results: described(&RESULTS).chain(described(&PHASES)).collect(),
        samples: described(&SAMPLES).collect(),
        rounds: described(&ROUNDS).collect(),
    }
}

/// The header of `points.csv` for a family on a device with these counters. A kernel of the user's may have parameters and predictors of the same names:
/// they go before counters, which are left out then.
pub fn point_columns<'a>(family: &Family, counters: &[&'a str]) -> Vec<&'a str> {
    let is_named = |name: &str| family.parameter(name).is_some() || family.predictor(name).is_some();
    LEADING_COLUMNS
        .into_iter()
        .chain(family.parameters.iter().map(|parameter| parameter.name))
        .chain(RESULT_COLUMNS)
        .chain(family.predictors.iter().map(|predictor| predictor.name))
        .chain(counters.iter().copied().filter(|name| !is_named(name)))
        .collect()
}

/// The cells of a point's row, in the order of [`point_columns`].
pub fn point_cells(record: &PointRecord) -> Vec<String> {
    let phases = record.timing.as_ref().and_then(|timing| timing.phases.as_deref());
    let mut cells: Vec<String> = LEADING.iter().map(|column| (column.cell)(record)).collect();
    cells.extend(record.parameters.iter().map(|(_, value)| value.to_string()));
    cells.extend(RESULTS.iter().map(|column| (column.cell)(record)));
    cells.extend(PHASES.iter().map(|column| known(phases.and_then(column.cell), 3)));
    cells.extend(record.predictors.iter().map(|(_, value)| known(value, 6)));
    let is_named = |name: &str| record.parameters.place(name).is_some() || record.predictors.place(name).is_some();
    let counters = record.counters.iter().filter(|(name, _)| !is_named(name));
    cells.extend(counters.map(|(_, value)| value.to_string()));
    cells
}

/// The cells of the rows of a point's samples, in the order of [`SAMPLE_COLUMNS`].
pub fn sample_cells(point: usize, samples: &[SampleRecord]) -> impl Iterator<Item = Vec<String>> {
    let numbered = samples.iter().enumerate();
    numbered.map(move |(index, own)| SAMPLES.iter().map(|column| (column.cell)(point, index, own)).collect())
}

/// The cells of the rows of a point's rounds, in the order of [`ROUND_COLUMNS`].
pub fn round_cells(point: usize, rounds: &[RoundRecord]) -> impl Iterator<Item = Vec<String>> {
    rounds.iter().map(move |round| ROUNDS.iter().map(|column| (column.cell)(point, round)).collect())
}

/// A time of a point that has one.
fn time(point: &PointRecord, of: fn(&Timing) -> Option<f64>) -> String {
    known(point.timing.as_ref().and_then(of), 3)
}

/// A time of the hot samples beside cold ones.
fn hot(point: &PointRecord, of: fn(&Median) -> Option<f64>) -> String {
    known(point.timing.as_ref().and_then(|timing| of(timing.hot.as_deref()?)), 3)
}

/// Text about a point that has a time.
fn word(point: &PointRecord, of: fn(&Timing) -> String) -> String {
    point.timing.as_ref().map(of).unwrap_or_default()
}

fn count(amount: Option<u64>) -> String {
    amount.map(|amount| amount.to_string()).unwrap_or_default()
}

/// An amount over the median time, in 10^9 a second.
fn per_time(point: &PointRecord, amount: Option<u64>) -> String {
    let time_us = point.timing.as_ref().map(|timing| timing.median.time_us).filter(|time_us| *time_us > 0.0);
    known(time_us.map(|time_us| amount.unwrap_or(0) as f64 / time_us / 1e3), 3)
}

/// What the sensors told after a round.
fn told(round: &RoundRecord, of: fn(&Telemetry) -> Option<f64>, count: usize) -> String {
    known(round.telemetry.as_ref().and_then(of), count)
}

/// Why the clock is held down, `none` where nothing does, nothing where that is not told.
fn throttle_cell(told: Option<&Telemetry>) -> String {
    match told.and_then(|told| told.throttle_reasons.as_ref()) {
        Some(reasons) if reasons.is_empty() => "none".to_owned(),
        Some(reasons) => reasons.join(" "),
        None => String::new(),
    }
}

/// A number with at most this many decimals, or nothing.
fn known(value: Option<f64>, count: usize) -> String {
    value.map(|value| decimals(value, count)).unwrap_or_default()
}

/// The cell of a `flags` column: words with blanks between them.
pub fn flags_cell(flags: &[Flag]) -> String {
    flags.iter().map(|flag| flag.name()).collect::<Vec<_>>().join(" ")
}
