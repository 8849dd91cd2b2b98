//! From what the command line names to what is compared.

use std::collections::HashMap;
use std::path::Path;

use super::super::analysis::{Analysis, analyse};
use super::super::failure::Failure;
use super::super::output::tell;
use super::{Side, SideBySide};
use crate::compare::compare;
use crate::compare::key::Values;
use crate::compare::matching::MatchError;
use crate::compare::verdict::Observation;
use crate::device::Cache;
use crate::run::round_times::{RoundTime, read_round_times};
use crate::run::{POINTS_FILE, RunError};

/// Reads the runs, one after another so that no two are in memory, and compares them with the first.
pub(super) fn compared(runs: &[String], ignore: &[String]) -> Result<SideBySide, Failure> {
    let mut values = Values::default();
    let sides = runs.iter().map(|run| side(run, &mut values)).collect::<Result<Vec<_>, _>>()?;
    let compared = compare(sides, ignore, values).map_err(|error| refused(runs, error))?;
    compared.ok_or_else(|| Failure::Usage("there is nothing to compare".to_owned()))
}

/// What a run has to say.
fn side(name: &str, values: &mut Values) -> Result<Side, Failure> {
    let directory = Path::new(name);
    let Analysis { run, scenario, fits } = analyse(directory)?;
    let mut notes = Vec::new();
    let rounds = read_round_times(directory, &mut notes)?;
    notes.iter().for_each(|note| tell(format!("note: {note}")));
    let rounds = rounds.into_iter().map(|(point, rounds)| (point, rounds.into_iter().map(observation).collect()));
    let rounds: HashMap<usize, Vec<(Cache, Observation)>> = rounds.collect();
    Ok(Side::new(name, &run.metadata, scenario.family, &run.points, rounds, fits, values))
}

fn observation(round: RoundTime) -> (Cache, Observation) {
    (round.cache, Observation { round: round.round, trimmed_us: round.trimmed_us, median_us: round.time_us })
}

/// Points that are there twice are told with their lines.
fn refused(runs: &[String], error: MatchError) -> Failure {
    let MatchError::Twice { side, first, second, .. } = error else { return Failure::Usage(error.to_string()) };
    let path = Path::new(runs.get(side).map_or("", String::as_str)).join(POINTS_FILE);
    let line = |place: usize| -> Option<u64> {
        let mut reader = ::csv::Reader::from_path(&path).ok()?;
        let row = reader.records().nth(place)?.ok()?;
        row.position().map(::csv::Position::line)
    };
    let other = line(first).map_or(String::new(), |line| format!(" as line {line}"));
    let problem =
        format!("is the same point{other}, of the same variant and parameters: delete the one that does not count");
    Failure::Run(RunError::Malformed { path: path.clone(), line: line(second), problem })
}
