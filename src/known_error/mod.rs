//! How far simulated times are off, as far as that is known: for a GPU profile, a family and each of its scenarios, what runs of a GPU and simulated runs of
//! the same points came to.
//!
//! The figures are those of `results/known-errors.csv`, which `apbench compare --accuracy --by-family --csv` prints.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::csv_column::CsvColumn;
use crate::properties::Properties;

mod sizes;
#[cfg(test)]
mod tests;
mod words;

pub use sizes::{Points, SAME_CODE, SameCode, SizesOfPoints};
pub use words::{
    in_a_line, is_doubtful, of_profile, sentence, short, slowdown_error, small, small_in_short, validation,
};

/// The text of `results/known-errors.csv`, as the program was built with it.
const EMBEDDED: &str = include_str!("../../results/known-errors.csv");

/// What simulated times of a family, or of one of its scenarios, are known to be off by, against one GPU and at one choice of sizes. Errors are in percent of the
/// GPU's times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownError {
    /// What selects the simulated GPU: `sim:h200`.
    pub profile: String,
    /// The version of the timing model that made the times.
    pub timing_model: u32,
    /// The name of the GPU that it was compared with.
    pub gpu: String,
    /// The sizes of the points.
    pub sizes: SizesOfPoints,
    /// The family.
    pub family: String,
    /// The scenario, where the row is of one of several of the family; `None` in the row of all of them.
    pub scenario: Option<String>,
    /// Scenarios whose runs were compared.
    pub scenarios: usize,
    /// Their names, with blanks between.
    pub scenario_names: String,
    /// Their points.
    pub points: usize,
    /// The mean of the errors' sizes.
    pub time_error_pct: f64,
    /// The mean of the errors, signs kept: below zero, the simulated GPU is too fast.
    pub time_bias_pct: f64,
    /// What 95 % of the points are off by at most.
    pub time_error_95_pct: f64,
    /// Points with a slowdown: a time over that of the first variant at the same parameters.
    pub slowdowns: usize,
    /// The mean of the sizes of the slowdowns' errors; absent where there are none.
    pub slowdown_error_pct: Option<f64>,
}

impl KnownError {
    /// Whether the row is of all compared scenarios of the family.
    pub fn is_of_family(&self) -> bool {
        self.scenario.is_none()
    }
}

/// How a cell of the file is made.
type Cell = fn(&KnownError) -> String;

/// The columns of the file.
pub const COLUMNS: [CsvColumn<Cell>; 14] = [
    CsvColumn::new("profile", "text", "simulated GPU: `sim:h200`", |own| own.profile.clone()),
    CsvColumn::new("timing_model", "count", "version of the simulator's timing model that made the times", |own| {
        own.timing_model.to_string()
    }),
    CsvColumn::new("gpu", "text", "the GPU that it was compared with", |own| own.gpu.clone()),
    CsvColumn::new(
        "sizes",
        "text",
        "sizes of the points: those of the scenario for simulated devices (`simulated`), those for GPUs (`gpu`), or neither (`other`)",
        |own| own.sizes.name().to_owned(),
    ),
    CsvColumn::new("family", "text", "the family", |own| own.family.clone()),
    CsvColumn::new(
        "scenario",
        "text",
        "the scenario, where the row is of one of the family's several; empty in the row of all of them",
        |own| own.scenario.clone().unwrap_or_default(),
    ),
    CsvColumn::new("scenarios", "count", "scenarios whose runs were compared", |own| own.scenarios.to_string()),
    CsvColumn::new("scenario_names", "text", "their names, with blanks between", |own| own.scenario_names.clone()),
    CsvColumn::new("points", "count", "their points that both runs have a time of", |own| own.points.to_string()),
    CsvColumn::new(
        "time_error_pct",
        "%",
        "mean of the sizes of the times' errors; an error is simulated / measured - 1",
        |own| percent(own.time_error_pct),
    ),
    CsvColumn::new("time_bias_pct", "%", "the same, signs kept: below zero, the simulated GPU is too fast", |own| {
        percent(own.time_bias_pct)
    }),
    CsvColumn::new("time_error_95_pct", "%", "what the times of 95 % of the points are off by at most", |own| {
        percent(own.time_error_95_pct)
    }),
    CsvColumn::new(
        "slowdowns",
        "count",
        "points with a slowdown: the time over that of the first variant at the same parameters",
        |own| own.slowdowns.to_string(),
    ),
    CsvColumn::new("slowdown_error_pct", "%", "mean of the sizes of the slowdowns' errors", |own| {
        own.slowdown_error_pct.map(percent).unwrap_or_default()
    }),
];

fn percent(value: f64) -> String {
    format!("{value:.3}")
}

/// Everything that is known, in the order of the file.
pub fn known() -> &'static [KnownError] {
    static KNOWN: LazyLock<Vec<KnownError>> = LazyLock::new(|| {
        let mut reader = csv::Reader::from_reader(EMBEDDED.as_bytes());
        reader.deserialize().filter_map(Result::ok).collect()
    });
    &KNOWN
}

/// What is known of all scenarios of a family together on a simulated GPU, at each choice of sizes. Of the times of another version of the timing
/// model nothing is.
fn of<'k>(known: &'k [KnownError], device: &Properties, family: &str) -> Vec<&'k KnownError> {
    rows(known, device, family).filter(|own| own.is_of_family()).collect()
}

/// What is known of one scenario of a family on a simulated GPU, at these sizes; `None` where only its family was compared.
fn of_scenario<'k>(
    known: &'k [KnownError],
    device: &Properties,
    family: &str,
    scenario: &str,
    sizes: SizesOfPoints,
) -> Option<&'k KnownError> {
    rows(known, device, family).find(|own| own.sizes == sizes && own.scenario_names == scenario)
}

fn rows<'k>(known: &'k [KnownError], device: &Properties, family: &str) -> impl Iterator<Item = &'k KnownError> {
    known.iter().filter(move |own| own.profile == device.spec && own.family == family && is_of_model(own, device))
}

fn is_of_model(own: &KnownError, device: &Properties) -> bool {
    device.profile.as_ref().is_some_and(|profile| profile.timing_model == own.timing_model)
}
