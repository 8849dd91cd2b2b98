//! From what the command line names to what is compared.

use std::collections::HashMap;
use std::path::Path;

use super::super::analysis::{Analysis, analyse_or_embedded, tell_embedded};
use super::super::failure::Failure;
use super::super::output::tell;
use super::{Side, SideBySide};
use crate::compare::compare;
use crate::compare::key::Values;
use crate::compare::matching::MatchError;
use crate::compare::verdict::Observation;
use crate::device::Cache;
use crate::malformed::Malformed;
use crate::run::round_times::{RoundTime, read_round_times};
use crate::run::{ExpectedRounds, POINTS_FILE, check_rounds};

/// Runs that were compared.
pub(in crate::cli) struct Compared {
    pub(in crate::cli) side_by_side: SideBySide,
    /// The runs themselves, where they are wanted.
    pub(in crate::cli) runs: Vec<Analysis>,
}

/// Reads the runs and compares them with the first. No two runs are in memory unless they are to be kept.
pub(in crate::cli) fn compared(runs: &[String], ignore: &[String], keep: bool) -> Result<Compared, Failure> {
    let mut values = Values::default();
    let mut kept = Vec::new();
    let mut sides = Vec::new();
    tell_embedded(runs.iter().map(Path::new));
    let mut failures = Vec::new();
    for name in runs {
        let (side, analysis) = match read_side(name, &mut values) {
            Ok(read) => read,
            Err(failure) => {
                failures.push(failure);
                continue;
            }
        };
        sides.push(side);
        if keep {
            kept.push(analysis);
        } else {
            // Giving back a large run takes as long as a tenth of reading the next, which need not wait for it.
            rayon::spawn(move || drop(analysis));
        }
    }
    Failure::all(failures)?;
    let side_by_side = compare(&sides, ignore, values).map_err(|error| refused(runs, &error))?;
    let side_by_side = side_by_side.ok_or_else(|| Failure::Usage("there is nothing to compare".to_owned()))?;
    Ok(Compared { side_by_side, runs: kept })
}

/// What a run has to say, and the run.
pub(super) fn read_side(name: &str, values: &mut Values) -> Result<(Side, Analysis), Failure> {
    let directory = Path::new(name);
    let analysis = analyse_or_embedded(directory)?;
    let mut notes = Vec::new();
    let rounds = read_round_times(directory, &mut notes)?;
    let expected = if notes.is_empty() { ExpectedRounds::AllOrNone } else { ExpectedRounds::Some };
    check_rounds(directory, &analysis.run.points, &rounds, expected)?;
    notes.iter().for_each(|note| tell(format!("note: {note}")));
    let rounds = rounds.into_iter().map(|(point, rounds)| (point, rounds.into_iter().map(observation).collect()));
    let rounds: HashMap<usize, Vec<(Cache, Observation)>> = rounds.collect();
    let Analysis { run, scenario, fits } = &analysis;
    let mut side = Side::new(name, &run.metadata, scenario.family, &run.points, rounds, fits.clone(), values);
    let contents = scenario.kernel.into_iter().flat_map(|kernel| kernel.description.contents());
    side.contents = contents.map(|(buffer, fill)| (buffer.to_owned(), fill.to_owned())).collect();
    Ok((side, analysis))
}

fn observation(round: RoundTime) -> (Cache, Observation) {
    (round.cache, Observation { round: round.round, trimmed_us: round.trimmed_us, median_us: round.time_us })
}

/// Points that are there twice are told with their lines.
fn refused(runs: &[String], error: &MatchError) -> Failure {
    let MatchError::Twice { side, first, second, .. } = *error else { return Failure::Usage(error.to_string()) };
    let path = Path::new(runs.get(side).map_or("", String::as_str)).join(POINTS_FILE);
    let line = |place: usize| -> Option<u64> {
        let mut reader = csv::Reader::from_path(&path).ok()?;
        let row = reader.records().nth(place)?.ok()?;
        row.position().map(csv::Position::line)
    };
    let other = line(first).map_or(String::new(), |line| format!(" as line {line}"));
    let problem =
        format!("is the same point{other}, of the same variant and parameters: delete the one that does not count");
    Malformed { line: line(second), path, problem }.into()
}
