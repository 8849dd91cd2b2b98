//! What came of the checks, as JSON.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::tally::Outcome;
use crate::csv_column::Described;
use crate::device::{Finding, RaceReport};
use crate::parameter::ParameterSet;
use crate::properties::Properties;

/// All checks.
#[derive(Debug, Serialize)]
pub(super) struct VerifyDocument {
    device: String,
    origin: &'static str,
    pub(super) checks: Vec<Check>,
    pub(super) notes: Vec<String>,
    pub(super) counts: Counts,
    pub(super) accesses_checked_for_races: Option<u64>,
    pub(super) launches_not_checked_for_races: Option<u64>,
    pub(super) not_checked_for_races: Vec<String>,
    pub(super) nothing_checked: Option<String>,
    pub(super) is_right: bool,
}

/// How many checks came to what.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) in_part: usize,
    pub(super) not_compared: usize,
    pub(super) untouched: usize,
    pub(super) skipped: usize,
    pub(super) not_run: usize,
}

/// A point of a variant.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    variant: String,
    parameters: Map<String, Json>,
    verdict: &'static str,
    problem: Option<String>,
    races: Vec<Race>,
    races_unchecked: Vec<String>,
}

/// A race between threads.
#[derive(Debug, Serialize)]
struct Race {
    is_certain: bool,
    what: String,
    lines: Vec<Line>,
    remedy: &'static str,
}

/// A line of the kernel.
#[derive(Debug, Serialize)]
struct Line {
    place: String,
    text: String,
}

impl VerifyDocument {
    /// Nothing yet, of a device.
    pub(super) fn new(properties: &Properties) -> Self {
        Self {
            device: properties.label(),
            origin: properties.origin.name(),
            checks: Vec::new(),
            notes: Vec::new(),
            counts: Counts::default(),
            accesses_checked_for_races: None,
            launches_not_checked_for_races: None,
            not_checked_for_races: Vec::new(),
            nothing_checked: None,
            is_right: false,
        }
    }
}

impl Check {
    /// A point that was checked.
    pub(super) fn of(variant: &str, parameters: &ParameterSet, outcome: &Outcome, races: Option<&RaceReport>) -> Self {
        Self {
            variant: variant.to_owned(),
            parameters: values(parameters),
            verdict: outcome.verdict(),
            problem: outcome.problem(),
            races: races.into_iter().flat_map(|races| &races.found).map(Race::of).collect(),
            races_unchecked: races.map(|races| races.unchecked.clone()).unwrap_or_default(),
        }
    }

    /// A point that was not run, because its variant did not end at another.
    pub(super) fn not_run(variant: &str, parameters: &ParameterSet) -> Self {
        let problem = "the variant did not end at a point before".to_owned();
        Self {
            variant: variant.to_owned(),
            parameters: values(parameters),
            verdict: "not run",
            problem: Some(problem),
            races: Vec::new(),
            races_unchecked: Vec::new(),
        }
    }
}

fn values(parameters: &ParameterSet) -> Map<String, Json> {
    parameters.iter().map(|(name, value)| (name.to_owned(), Json::from(value.to_string()))).collect()
}

impl Race {
    fn of(finding: &Finding) -> Self {
        let Finding { what, lines, remedy, is_certain } = finding;
        let lines = lines.iter().map(|(place, text)| Line { place: place.clone(), text: text.clone() });
        Self { is_certain: *is_certain, what: what.clone(), lines: lines.collect(), remedy }
    }
}

/// The keys of the document in their order, for the reference.
pub(in crate::cli) static KEYS: &[Described] = &[
    Described::new("device", "text", "the device, as `apbench devices` has it"),
    Described::new("origin", "text", "where times on it would be from: `measured`, `simulated` or `mock`"),
    Described::new("checks[].variant", "text", "`family/variant`; of a kernel of your own, `scenario/variant`"),
    Described::new("checks[].parameters", "object", "values of the point's parameters, by name"),
    Described::new(
        "checks[].verdict",
        "text",
        "`passed`, `failed`, `passed in part`, `not compared`, `accessed nothing`, `skipped` (the device cannot run it) or `not run`",
    ),
    Described::new(
        "checks[].problem",
        "text",
        "what is wrong, or why not all was checked; `null` where the point passed",
    ),
    Described::new(
        "checks[].races[].is_certain",
        "true or false",
        "whether the outcome is left to chance on every GPU",
    ),
    Described::new("checks[].races[].what", "text", "what threads do, and where"),
    Described::new("checks[].races[].lines[].place", "text", "file and line"),
    Described::new("checks[].races[].lines[].text", "text", "what stands there"),
    Described::new("checks[].races[].remedy", "text", "what to do about it"),
    Described::new("checks[].races", "list", "empty where there are none, and on devices that cannot tell"),
    Described::new("checks[].races_unchecked", "list of text", "what was not looked at for races"),
    Described::new("notes", "list of text", "what holds for several points"),
    Described::new("counts.passed", "count", "checks by their verdicts"),
    Described::new("counts.failed", "count", "the same"),
    Described::new("counts.in_part", "count", "the same"),
    Described::new("counts.not_compared", "count", "the same"),
    Described::new("counts.untouched", "count", "the same: the kernels accessed nothing"),
    Described::new("counts.skipped", "count", "the same"),
    Described::new("counts.not_run", "count", "the same"),
    Described::new(
        "accesses_checked_for_races",
        "count",
        "accesses of threads; `null` on devices that cannot tell races",
    ),
    Described::new(
        "launches_not_checked_for_races",
        "count",
        "launches in which no access was checked; `null` on devices that cannot tell races",
    ),
    Described::new("not_checked_for_races", "list of text", "how many of these launches there are for each reason"),
    Described::new("nothing_checked", "text", "why nothing was checked; `null` where something was"),
    Described::new(
        "is_right",
        "true or false",
        "whether something was checked and nothing failed, as the exit status says",
    ),
];
