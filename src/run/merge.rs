//! Joins the parts of a sweep into a whole run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::difference::{OF_EACH_STRETCH, column_difference, metadata_differences, scenario_difference};
use super::file::{header_text, replace_file};
use super::metadata::{MergedFrom, NoiseFloor, Part, RunMetadata, RunStatus};
use super::reader::{parse_table, read_metadata, read_text};
use super::round_times::read_round_times;
use super::table::Table;
use super::writer::{claim, remove_begun, write_metadata};
use super::{
    ExpectedRounds, KERNEL_FILE, POINTS_FILE, ROUNDS_FILE, RunError, SAMPLES_FILE, SCENARIO_FILE, check_grid,
    check_rounds, indented,
};
use crate::device::merge_guards;
use crate::record::{PointRecord, TimeSpent};
use crate::scenario::{Point, Scenario, groups};
use located_toml::DocumentErrors;
use located_toml::words::count;

/// Why runs could not be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A run directory could not be read or written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// This version cannot read the scenario of the runs.
    #[error("{0}")]
    Scenario(#[from] DocumentErrors),
    /// A run is not a part.
    #[error("{}: is a whole run, not a part of one{}", path.display(), if *is_complete {
        ""
    } else {
        "; it is not finished: continue it with the command that started it and --resume"
    })]
    NoPart {
        /// The run.
        path: PathBuf,
        /// Whether the run is complete.
        is_complete: bool,
    },
    /// Two runs have the same part.
    #[error("{} and {}: both are part {part}", first.display(), second.display())]
    SamePart {
        /// The one.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// The part that both are.
        part: Part,
    },
    /// Runs that do not belong together.
    #[error("{} does not belong to {}:\n{}", other.display(), first.display(), indented(differences))]
    Different {
        /// The run that the others were compared with.
        first: PathBuf,
        /// A run that differs from it.
        other: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// Parts are not there, or not finished.
    #[error("parts or points are missing:\n{}\n--allow-missing joins the others", indented(missing))]
    Missing {
        /// Each part that is not there or not finished, with what to do about it.
        missing: Vec<String>,
    },
}

/// What parts may differ in beyond what stretches of a run may: they are of different GPUs of the same model.
const OF_EACH_PART: [&str; 3] = ["device.uuid", "device.spec", "part.index"];

/// A part, read.
struct PartRun {
    directory: PathBuf,
    metadata: RunMetadata,
    scenario: String,
    /// The modules of a kernel of the user's, as the file has them.
    kernel: Option<String>,
    part: Part,
    points: PartTable,
    /// The same points, read.
    rows: Vec<PointRecord>,
    samples: Option<PartTable>,
    rounds: Option<PartTable>,
}

/// A file of a part, and the points of its rows.
struct PartTable {
    path: PathBuf,
    text: String,
    table: Table,
    points: Vec<usize>,
}

/// Parts joined, to be written.
#[derive(Debug)]
pub struct Joined {
    metadata: RunMetadata,
    scenario: String,
    /// The modules of a kernel of the user's, as the file has them.
    kernel: Option<String>,
    points: String,
    samples: Option<String>,
    rounds: Option<String>,
    notes: Vec<String>,
}

/// Joins parts of one sweep; `allow_missing` does so although some are not there or not finished. `command_line` is what
/// the joined run's `run.json` says.
///
/// # Errors
/// When they do not belong together, or are not all there.
pub fn join(directories: &[PathBuf], allow_missing: bool, command_line: Vec<String>) -> Result<Joined, MergeError> {
    let mut notes = Vec::new();
    let parts = directories.iter().map(|directory| PartRun::read(directory, &mut notes));
    let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
    let Some((first, others)) = parts.split_first() else {
        return Err(MergeError::Missing { missing: vec!["no part was given".to_owned()] });
    };
    for other in others {
        let differences = differences(first, other)?;
        if !differences.is_empty() {
            let (first, other) = (first.directory.clone(), other.directory.clone());
            return Err(MergeError::Different { first, other, differences });
        }
    }
    parts.sort_by_key(|own| own.part.index);
    for pair in parts.windows(2) {
        if pair[0].part == pair[1].part {
            let (first, second) = (pair[0].directory.clone(), pair[1].directory.clone());
            return Err(MergeError::SamePart { first, second, part: pair[0].part });
        }
    }
    let Some(first) = parts.first() else { return Err(MergeError::Missing { missing: Vec::new() }) };
    let read = first.read_scenario()?;
    let grid = read.points(&first.metadata.device)?;
    let missing = missing(&parts, &grid)?;
    let has_rounds = parts.iter().any(|own| own.rounds.as_ref().is_some_and(|own| !own.points.is_empty()));
    let expected = if has_rounds { ExpectedRounds::All } else { ExpectedRounds::AllOrNone };
    for own in &parts {
        check_grid(&own.directory, &read, &own.metadata.device, own.metadata.points, &own.rows)?;
        // A row that is cut off is of a point without a row: rounds are written first.
        let rounds = read_round_times(&own.directory, &mut Vec::new())?;
        check_rounds(&own.directory, &own.rows, &rounds, expected)?;
    }
    if !missing.is_empty() && !allow_missing {
        return Err(MergeError::Missing { missing });
    }
    let (scenario, kernel) = (first.scenario.clone(), first.kernel.clone());
    let metadata = joined_metadata(&first.metadata, &parts, command_line, missing.is_empty());
    notes.extend(missing.into_iter().map(|words| format!("missing: {words}")));
    let measured = groups(&grid).into_iter().flatten().enumerate();
    let places: HashMap<usize, usize> = measured.map(|(place, point)| (point.index, place)).collect();
    let joined = |of: fn(&PartRun) -> Option<&PartTable>| joined_rows(&parts, &places, of);
    Ok(Joined {
        metadata,
        scenario,
        kernel,
        points: joined(|own| Some(&own.points))?.unwrap_or_default(),
        samples: joined(|own| own.samples.as_ref())?,
        rounds: joined(|own| own.rounds.as_ref())?,
        notes,
    })
}

impl Joined {
    /// What `run.json` will say.
    pub fn metadata(&self) -> &RunMetadata {
        &self.metadata
    }

    /// What was ignored and what is missing, in words for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Writes the run into a directory that is new or empty. `run.json` is last: where it is, all else is whole.
    ///
    /// # Errors
    /// When the directory holds anything, or cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), RunError> {
        let _claim = claim(directory)?;
        let written = self.write_files(directory);
        if written.is_err() {
            remove_begun(directory);
        }
        written
    }

    fn write_files(&self, directory: &Path) -> Result<(), RunError> {
        let files = [
            (SCENARIO_FILE, Some(&self.scenario)),
            (KERNEL_FILE, self.kernel.as_ref()),
            (SAMPLES_FILE, self.samples.as_ref()),
            (ROUNDS_FILE, self.rounds.as_ref()),
            (POINTS_FILE, Some(&self.points)),
        ];
        for (name, text) in files {
            if let Some(text) = text {
                replace_file(&directory.join(name), text.as_bytes())?;
            }
        }
        write_metadata(directory, &self.metadata)
    }
}

impl PartRun {
    fn read(directory: &Path, notes: &mut Vec<String>) -> Result<Self, MergeError> {
        let file = |name: &str| directory.join(name);
        let metadata = read_metadata(directory)?;
        let Some(part) = metadata.part else {
            let is_complete = metadata.status == RunStatus::Complete;
            return Err(MergeError::NoPart { path: directory.to_owned(), is_complete });
        };
        let points = PartTable::read(file(POINTS_FILE), notes)?;
        let mut optional = |name: &str| file(name).exists().then(|| PartTable::read(file(name), notes)).transpose();
        let (samples, rounds) = (optional(SAMPLES_FILE)?, optional(ROUNDS_FILE)?);
        let scenario = read_text(&file(SCENARIO_FILE))?;
        // Reads every cell, so that what is joined can be read.
        let rows = parse_table(&points.path, &points.table)?;
        let kernel = file(KERNEL_FILE).exists().then(|| read_text(&file(KERNEL_FILE))).transpose()?;
        Ok(Self { directory: directory.to_owned(), metadata, scenario, kernel, part, points, rows, samples, rounds })
    }

    fn read_scenario(&self) -> Result<Scenario, DocumentErrors> {
        let file_name = self.directory.join(SCENARIO_FILE).display().to_string();
        Scenario::of_run(&self.metadata.scenario, &file_name, &self.scenario)
    }
}

impl PartTable {
    fn read(path: PathBuf, notes: &mut Vec<String>) -> Result<Self, RunError> {
        let text = read_text(&path)?;
        let table = Table::read(&path, &text, notes)?;
        let points = table.points(&path)?;
        Ok(Self { path, text, table, points })
    }
}

/// What a part differs in from the first, in what must be the same.
fn differences(first: &PartRun, other: &PartRun) -> Result<Vec<String>, RunError> {
    let places = [first, other].map(|run| format!("in {}", run.directory.display()));
    let [first_is, other_is] = &places;
    let places = [first_is.as_str(), other_is.as_str()];
    let left_out = [&OF_EACH_STRETCH[..], &OF_EACH_PART[..]].concat();
    let mut differences = metadata_differences(&first.metadata, &other.metadata, places, &left_out)?;
    differences.extend(scenario_difference(&first.scenario, &other.scenario, places));
    let tables = [
        (POINTS_FILE, Some(&first.points), Some(&other.points)),
        (SAMPLES_FILE, first.samples.as_ref(), other.samples.as_ref()),
        (ROUNDS_FILE, first.rounds.as_ref(), other.rounds.as_ref()),
    ];
    for (file, one, two) in tables {
        let difference = match (one, two) {
            (None, None) => None,
            (Some(one), Some(two)) => {
                let columns = [one, two].map(|own| own.table.header.iter().collect::<Vec<_>>());
                column_difference(file, &columns[0], &columns[1], places)
            }
            (Some(_), None) => Some(format!("{file}: is missing {other_is}")),
            (None, Some(_)) => Some(format!("{file}: is missing {first_is}")),
        };
        differences.extend(difference);
    }
    Ok(differences)
}

/// The parts that are not there or lack points, with how to go on. Points that are not of their part are errors.
fn missing(parts: &[PartRun], grid: &[Point]) -> Result<Vec<String>, MergeError> {
    let Some(first) = parts.first() else { return Ok(Vec::new()) };
    let mut missing = Vec::new();
    for index in 0..first.part.of {
        let part = Part { index, ..first.part };
        let own = part.of_points(grid);
        let Some(run) = parts.iter().find(|run| run.part == part) else {
            if !own.is_empty() {
                let how = format!("measure it with apbench sweep ... --part {part} --out DIR");
                missing.push(format!("part {part} was not given; {how}"));
            }
            continue;
        };
        for table in [&run.samples, &run.rounds].into_iter().flatten() {
            let foreign = table.points.iter().zip(&table.table.rows).find(|(point, _)| !own.contains(point));
            if let Some((point, row)) = foreign {
                let problem = format!("point {point} is not of part {part}");
                return Err(RunError::malformed(&table.path, Some(row.line), problem).into());
            }
        }
        let mut found = BTreeSet::new();
        for (point, row) in run.points.points.iter().zip(&run.points.table.rows) {
            let problem = if !own.contains(point) {
                format!("point {point} is not of part {part}")
            } else if !found.insert(*point) {
                format!("point {point} is there twice")
            } else {
                continue;
            };
            return Err(RunError::malformed(&run.points.path, Some(row.line), problem).into());
        }
        if found.len() < own.len() {
            let (path, lacking) = (run.directory.display(), count(own.len() - found.len(), "point"));
            let how = format!("continue it with apbench sweep ... --part {part} --out {path} --resume");
            missing.push(format!("part {part} in {path} lacks {lacking}; {how}"));
        }
    }
    Ok(missing)
}

/// The rows of all parts below one header, in the order in which a whole run measures their points: at these places. `None` where the
/// parts do not have such a file.
fn joined_rows<'run>(
    parts: &'run [PartRun],
    places: &HashMap<usize, usize>,
    of: fn(&'run PartRun) -> Option<&'run PartTable>,
) -> Result<Option<String>, RunError> {
    let tables: Vec<&PartTable> = parts.iter().filter_map(of).collect();
    let Some(first) = tables.first() else { return Ok(None) };
    let known: BTreeSet<usize> = parts.iter().flat_map(|run| run.points.points.iter().copied()).collect();
    let mut by_place: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for table in &tables {
        for (point, row) in table.points.iter().zip(&table.table.rows) {
            // A kill leaves samples of points that have no row.
            if known.contains(point)
                && let Some(place) = places.get(point)
            {
                by_place.entry(*place).or_default().push(&table.text[row.bytes.clone()]);
            }
        }
    }
    let columns: Vec<&str> = first.table.header.iter().collect();
    let header = header_text(&columns).map_err(RunError::io(&first.path))?;
    let mut text = String::from_utf8_lossy(&header).into_owned();
    text.extend(by_place.into_values().flatten());
    Ok(Some(text))
}

/// The circumstances of all parts: those that they share, the first start, the last end. What only some of them had, such
/// as a host, is in `merged_from`.
fn joined_metadata(
    first: &RunMetadata,
    parts: &[PartRun],
    command_line: Vec<String>,
    is_complete: bool,
) -> RunMetadata {
    let mut joined = RunMetadata {
        command_line,
        status: if is_complete { RunStatus::Complete } else { RunStatus::Interrupted },
        part: None,
        guards: Vec::new(),
        time_spent: TimeSpent::default(),
        resumed_at: Vec::new(),
        ..first.clone()
    };
    for run in parts {
        let own = &run.metadata;
        if is_before(&own.started_at, &joined.started_at) {
            joined.started_at.clone_from(&own.started_at);
        }
        if own.ended_at.as_ref().is_some_and(|own| joined.ended_at.as_ref().is_none_or(|end| is_before(end, own))) {
            joined.ended_at.clone_from(&own.ended_at);
        }
        joined.guards = merge_guards(joined.guards, own.guards.clone());
        joined.time_spent.add(&own.time_spent);
        let floor_pct = |floor: &Option<NoiseFloor>| floor.as_ref().map_or(f64::NEG_INFINITY, |floor| floor.floor_pct);
        if floor_pct(&own.noise_floor) > floor_pct(&joined.noise_floor) {
            joined.noise_floor.clone_from(&own.noise_floor);
        }
        if !joined.device.spec.split(", ").any(|spec| spec == own.device.spec) {
            joined.device.spec = format!("{}, {}", joined.device.spec, own.device.spec);
        }
        joined.host.name = joined.host.name.filter(|name| own.host.name.as_ref() == Some(name));
        joined.device.uuid = joined.device.uuid.filter(|uuid| own.device.uuid.as_ref() == Some(uuid));
        joined.merged_from.push(MergedFrom {
            directory: run.directory.display().to_string(),
            part: run.part,
            command_line: own.command_line.clone(),
            host: own.host.clone(),
            device_spec: own.device.spec.clone(),
            device_uuid: own.device.uuid.clone(),
            started_at: own.started_at.clone(),
            resumed_at: own.resumed_at.clone(),
            ended_at: own.ended_at.clone(),
            points: run.points.points.len(),
        });
    }
    joined
}

/// Whether one time is before another, as `run.json` has them: they may be of different time zones.
fn is_before(one: &str, other: &str) -> bool {
    match (one.parse::<Timestamp>(), other.parse::<Timestamp>()) {
        (Ok(one), Ok(other)) => one < other,
        _ => one < other,
    }
}

#[cfg(test)]
mod tests;
