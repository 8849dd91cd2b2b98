//! Columns of `points.csv`, `samples.csv` and `rounds.csv`, and the cells that records have in them.

use super::{Flag, PointRecord, RoundRecord, SampleRecord, Timing};
use crate::device::{Phases, Telemetry};
use crate::family::Family;

/// Columns of `points.csv` between the parameters and the predictors. Those behind the first 13 came later.
pub const RESULT_COLUMNS: [&str; 25] = [
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
    "cache",
    "rounds",
    "hot_us",
    "hot_us_low",
    "hot_us_high",
    "flags",
    "transfer_in_us",
    "kernel_us",
    "transfer_out_us",
    "host_us",
    "kernel_hidden_us",
    "total_us",
];

/// A column of a phase, and the phase in it.
pub type PhaseColumn = (&'static str, fn(&Phases) -> Option<f64>);

/// The phases by their columns.
pub const PHASES: [PhaseColumn; 6] = [
    ("transfer_in_us", |phases| Some(phases.transfer_in_us)),
    ("kernel_us", |phases| Some(phases.kernel_us)),
    ("transfer_out_us", |phases| Some(phases.transfer_out_us)),
    ("host_us", |phases| phases.host_us),
    ("kernel_hidden_us", |phases| Some(phases.kernel_hidden_us)),
    ("total_us", |phases| Some(phases.total_us)),
];

/// How many of [`RESULT_COLUMNS`] every run has.
pub const RESULT_COLUMNS_FIRST: usize = 13;

/// Columns of `points.csv` before the parameters.
pub const LEADING_COLUMNS: [&str; 2] = ["point", "variant"];

/// Columns of `samples.csv`.
pub const SAMPLE_COLUMNS: [&str; 10] =
    ["point", "round", "sample", "time_us", "clock_mhz", "flags", "cache", "order", "repeats", "host_us"];

/// Columns of `rounds.csv`.
pub const ROUND_COLUMNS: [&str; 13] = [
    "point",
    "cache",
    "round",
    "samples",
    "time_us",
    "trimmed_us",
    "clock_mhz",
    "temperature_c",
    "power_w",
    "sm_clock_mhz",
    "memory_clock_mhz",
    "throttle_reasons",
    "flags",
];

/// The header of `points.csv` for a family on a device with these counters.
pub fn point_columns<'a>(family: &Family, counters: &[&'a str]) -> Vec<&'a str> {
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
    let time = |of: fn(&Timing) -> Option<f64>| known(timing.and_then(of), 3);
    let count = |amount: Option<u64>| amount.map(|amount| amount.to_string()).unwrap_or_default();
    let per_time = |amount: Option<u64>| {
        let amount = amount.unwrap_or(0);
        let rate = timing.map(|timing| timing.median.time_us).filter(|time_us| *time_us > 0.0);
        known(rate.map(|time_us| amount as f64 / time_us / 1e3), 3)
    };
    let word = |of: fn(&Timing) -> String| timing.map(of).unwrap_or_default();
    let mut cells = vec![record.point.to_string(), record.variant.to_string()];
    cells.extend(record.parameters.iter().map(|(_, value)| value.to_string()));
    cells.extend([
        record.status.name().to_owned(),
        record.reason.to_string(),
        record.origin.name().to_owned(),
        time(|timing| Some(timing.median.time_us)),
        time(|timing| timing.median.low_us),
        time(|timing| timing.median.high_us),
        word(|timing| timing.median.samples.to_string()),
        count(record.bytes),
        per_time(record.bytes),
        count(record.operations),
        per_time(record.operations),
        known(timing.and_then(|timing| timing.clock_mhz), 1),
        word(|timing| timing.stopped_by.to_string()),
        word(|timing| timing.cache.name().to_owned()),
        word(|timing| timing.rounds.to_string()),
        time(|timing| timing.hot.as_ref().map(|hot| hot.time_us)),
        time(|timing| timing.hot.as_ref().and_then(|hot| hot.low_us)),
        time(|timing| timing.hot.as_ref().and_then(|hot| hot.high_us)),
        word(|timing| flags_cell(&timing.flags)),
    ]);
    cells.extend(PHASES.map(|(_, of)| known(timing.and_then(|timing| of(timing.phases.as_deref()?)), 3)));
    cells.extend(record.predictors.iter().map(|(_, value)| known(value, 6)));
    cells.extend(record.counters.iter().map(|(_, value)| value.to_string()));
    cells
}

/// The cells of the rows of a point's samples, in the order of [`SAMPLE_COLUMNS`].
pub fn sample_cells(point: usize, samples: &[SampleRecord]) -> impl Iterator<Item = Vec<String>> {
    samples.iter().enumerate().map(move |(index, record)| {
        let sample = &record.sample;
        vec![
            point.to_string(),
            record.round.to_string(),
            index.to_string(),
            decimals(sample.time_us, 4),
            known(sample.clock_mhz, 1),
            flags_cell(&record.flags),
            record.cache.name().to_owned(),
            record.order.to_string(),
            sample.repeats.to_string(),
            known(sample.host_us, 1),
        ]
    })
}

/// The cells of the rows of a point's rounds, in the order of [`ROUND_COLUMNS`].
pub fn round_cells(point: usize, rounds: &[RoundRecord]) -> impl Iterator<Item = Vec<String>> {
    rounds.iter().map(move |round| {
        let told = round.telemetry.as_ref();
        vec![
            point.to_string(),
            round.cache.name().to_owned(),
            round.round.to_string(),
            round.samples.to_string(),
            decimals(round.time_us, 4),
            decimals(round.trimmed_us, 4),
            known(round.clock_mhz, 1),
            known(told.and_then(|told| told.temperature_c), 1),
            known(told.and_then(|told| told.power_w), 1),
            known(told.and_then(|told| told.sm_clock_mhz), 0),
            known(told.and_then(|told| told.memory_clock_mhz), 0),
            throttle_cell(told),
            flags_cell(&round.flags),
        ]
    })
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

/// A number with at most this many decimals, without trailing zeros.
pub fn decimals(value: f64, count: usize) -> String {
    let text = format!("{value:.count$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The cell of a `flags` column: words with blanks between them.
pub fn flags_cell(flags: &[Flag]) -> String {
    flags.iter().map(|flag| flag.name()).collect::<Vec<_>>().join(" ")
}
