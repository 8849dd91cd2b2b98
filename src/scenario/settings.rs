//! `[measure]`: how every point is measured.

use serde::{Deserialize, Serialize};

use crate::document::problem::{Problem, Problems};
use crate::document::section::Section;

/// How every point of a scenario is measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeasureSettings {
    /// The half-width of the 95 % interval of the median at which sampling stops, in percent of the median.
    pub precision_pct: f64,
    /// The most time spent sampling one point, in seconds.
    pub budget_s: f64,
    /// The fewest samples of a point.
    pub samples_min: usize,
    /// The most samples of a point.
    pub samples_max: usize,
    /// Seeds the inputs of the kernels and the order of the points.
    pub seed: u64,
}

impl Default for MeasureSettings {
    fn default() -> Self {
        Self { precision_pct: 1.0, budget_s: 2.0, samples_min: 10, samples_max: 1000, seed: 1 }
    }
}

const KEYS: [&str; 5] = ["precision_pct", "budget_s", "samples_min", "samples_max", "seed"];

/// Reads `[measure]`; what is not given or wrong stays at its default.
pub(super) fn read(section: &Section<'_>, problems: &mut Problems) -> MeasureSettings {
    section.deny_unknown("[measure]", &KEYS, problems, |_| None);
    let mut settings = MeasureSettings::default();
    let mut number = |key: &str, min: f64, max: f64| section.get(key)?.number(min, max, problems);
    settings.precision_pct = number("precision_pct", 0.01, 50.0).unwrap_or(settings.precision_pct);
    settings.budget_s = number("budget_s", 0.001, 3600.0).unwrap_or(settings.budget_s);
    let mut integer = |key: &str, min: i64, max: i64| section.get(key)?.integer(min, max, problems);
    let samples_min = integer("samples_min", 6, 100_000);
    let samples_max = integer("samples_max", 6, 1_000_000);
    if let Some(seed) = integer("seed", 0, i64::MAX) {
        settings.seed = seed.unsigned_abs();
    }
    if let Some(samples) = samples_min.and_then(|samples| usize::try_from(samples).ok()) {
        settings.samples_min = samples;
    }
    if let Some(samples) = samples_max.and_then(|samples| usize::try_from(samples).ok()) {
        settings.samples_max = samples;
    }
    // A value that is wrong in itself is not compared.
    let sound = |key: &str, value: Option<i64>| section.get(key).is_none() || value.is_some();
    if settings.samples_max < settings.samples_min
        && sound("samples_min", samples_min)
        && sound("samples_max", samples_max)
    {
        let message =
            format!("`samples_max` {} is less than `samples_min` {}", settings.samples_max, settings.samples_min);
        let mut problem = Problem::new(message);
        for (key, words) in [("samples_min", "the fewest"), ("samples_max", "the most")] {
            if let Some(field) = section.get(key) {
                problem = problem.label(field.node.place, words);
            }
        }
        let defaults = MeasureSettings::default();
        problems.push(problem.help(format!(
            "without a value, samples_min is {} and samples_max {}",
            defaults.samples_min, defaults.samples_max
        )));
    }
    settings
}
