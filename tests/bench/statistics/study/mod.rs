//! The study's cases: times by known laws with noise, and what the program makes of them.

pub(crate) mod choices;
pub(crate) mod coverage;
pub(crate) mod gates;
pub(crate) mod noise;
pub(crate) mod verdicts;

/// A part in percent.
pub(crate) fn percent(count: u64, runs: u64) -> String {
    format!("{:.1} %", 100.0 * count as f64 / runs as f64)
}
