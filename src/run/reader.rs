//! Reads a run directory back, also one whose sweep was killed.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cells::{Results, column};
use csv::StringRecord;
use ecow::EcoString;

use super::drafts::{Draft, Drafts};
use super::embedded::Embedded;
use super::file::written_text;
use super::metadata::{FLOOR_TRUSTED_PCT, RunMetadata};
use super::table::{Row, Table, lines_where, read_rows};
use super::{METADATA_FILE, POINTS_FILE, RunError, SCENARIO_FILE, SCHEMA_VERSION};
use crate::device::Cache;
use crate::family::{FAMILIES, Family, Variant};
use crate::known_error::Points;
use crate::properties::Origin;
use crate::record::{
    Flag, LEADING_COLUMNS, Names, Numbers, PointRecord, RESULT_COLUMNS, RESULT_COLUMNS_FIRST, Status, Texts,
};
use crate::unit::plain;
use located_toml::regular_file;
use located_toml::words::{instead, quote};

mod cells;

/// A run as its files tell it.
#[derive(Debug, Clone)]
pub struct Run {
    /// Where it is.
    pub directory: PathBuf,
    /// Its circumstances.
    pub metadata: RunMetadata,
    /// The text of the scenario as it ran.
    pub scenario: String,
    /// Its points, in the order in which they were measured.
    pub points: Vec<PointRecord>,
    /// What was ignored while reading, in words for the user.
    pub notes: Vec<String>,
}

impl Run {
    /// Its points, as what is known of simulated times is looked up by.
    pub fn for_known_errors(&self, family: &'static Family) -> Points<'_> {
        self.metadata.for_known_errors(family, &self.points)
    }

    /// Reads a run directory.
    ///
    /// # Errors
    /// When it is no run, or a file is missing or malformed; the message names file and line.
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let metadata = read_metadata(directory)?;
        let scenario = read_description(&directory.join(SCENARIO_FILE))?;
        let points = read_text(&directory.join(POINTS_FILE))?;
        Self::of(directory, metadata, scenario, &points)
    }

    /// The same; where there is no such directory, but a run of that path comes with the program, it is that run.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_or_embedded(directory: &Path) -> Result<Self, RunError> {
        let Some(own) = Embedded::meant(directory) else { return Self::read(directory) };
        let text = |name: &str| {
            let path = directory.join(name);
            own.text(name)?.ok_or_else(|| RunError::io(&path)(io::ErrorKind::NotFound.into()))
        };
        let metadata = parse_metadata(&directory.join(METADATA_FILE), text(METADATA_FILE)?)?;
        Self::of(directory, metadata, text(SCENARIO_FILE)?.to_owned(), text(POINTS_FILE)?)
    }

    /// Reads the `run.json` of a run directory alone.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn metadata_of(directory: &Path) -> Result<RunMetadata, RunError> {
        read_metadata(directory)
    }

    fn of(directory: &Path, metadata: RunMetadata, scenario: String, points: &str) -> Result<Self, RunError> {
        let mut notes = Vec::new();
        let path = directory.join(POINTS_FILE);
        let points = parse_points_with(&path, points, &metadata.own_predictors, &mut notes)?;
        Ok(Self { directory: directory.to_owned(), metadata, scenario, points, notes })
    }
}

/// The text of a file that describes a run.
fn read_description(path: &Path) -> Result<String, RunError> {
    regular_file::read_text(path).map_err(RunError::io(path))
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> Result<String, RunError> {
    let bytes = regular_file::read(path).map_err(RunError::io(path))?;
    String::from_utf8(bytes).map_err(|_| RunError::malformed(path, None, "is not UTF-8 text"))
}

/// Reads the `run.json` of a directory; where there is none, the directory is no run.
pub(super) fn read_metadata(directory: &Path) -> Result<RunMetadata, RunError> {
    let path = directory.join(METADATA_FILE);
    if !path.exists() {
        let directory = directory.to_owned();
        return Err(match Embedded::meant(&directory) {
            Some(_) => RunError::Embedded(directory),
            None => RunError::NotARun(directory),
        });
    }
    parse_metadata(&path, &read_description(&path)?)
}

/// Reads the text of `run.json`.
pub(super) fn parse_metadata(path: &Path, text: &str) -> Result<RunMetadata, RunError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }
    let wrong = |error: serde_json::Error| RunError::malformed(path, Some(error.line() as u64), error.to_string());
    let version: Version = serde_json::from_str(text).map_err(wrong)?;
    if version.schema_version != SCHEMA_VERSION {
        let found = version.schema_version;
        let problem = format!("has schema version {found}; this apbench reads version {SCHEMA_VERSION}");
        return Err(RunError::malformed(path, line_of_key(text, "schema_version"), problem));
    }
    let metadata: RunMetadata = serde_json::from_str(text).map_err(wrong)?;
    if let Some(floor) = metadata.noise_floor.as_ref().filter(|own| !(0.0..=FLOOR_TRUSTED_PCT).contains(&own.floor_pct))
    {
        let found = plain(floor.floor_pct);
        let problem = format!("floor_pct is {found}, expected a percentage from 0 to {FLOOR_TRUSTED_PCT}");
        return Err(RunError::malformed(path, line_of_key(text, "floor_pct"), problem));
    }
    match metadata.part {
        Some(part) if !part.is_sound() => {
            let problem = format!("part is {part}, expected an index from 0 to below the number of parts");
            Err(RunError::malformed(path, line_of_key(text, "part"), problem))
        }
        _ => Ok(metadata),
    }
}

/// The first line, from 1, of a JSON text that has a key.
fn line_of_key(text: &str, key: &str) -> Option<u64> {
    let key = format!("\"{key}\"");
    text.lines().zip(1..).find(|(line, _)| line.trim_start().starts_with(&key)).map(|(_, number)| number)
}

/// Reads the rows of `points.csv`. A last row that is cut off, as a kill in mid-write leaves it, is left aside
/// with a note.
///
/// # Errors
/// The first cell that cannot be read, with its line.
pub fn parse_points(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Vec<PointRecord>, RunError> {
    parse_points_with(path, text, &[], notes)
}

/// The same of a run of a kernel of the user's, which has these predictors.
fn parse_points_with(
    path: &Path,
    text: &str,
    own: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<PointRecord>, RunError> {
    let mut points: Vec<PointRecord> = Vec::new();
    let mut drafts = Drafts::default();
    let columns = read_rows(
        path,
        text,
        notes,
        |header| {
            refuse_cut_header(path, text, header)?;
            Columns::of(path, header, own)
        },
        Columns::record,
        |draft, part| {
            drafts.add(draft, part.len());
            points.extend(part);
        },
    )?;
    drafts.finish(&columns, &mut points);
    let rises = points.windows(2).all(|pair| pair[0].point < pair[1].point);
    let mut seen = HashSet::new();
    let is_twice = |point: &&PointRecord| !rises && !seen.insert(point.point);
    match points.iter().find(is_twice) {
        Some(twice) => {
            let number = twice.point;
            let lines = lines_where(text, |row| points[row].point == number);
            let others = lines.first().map_or(String::new(), |first| format!(", first in line {first}"));
            let problem = format!("point {number} is there more than once{others}; a run has a row for each point");
            Err(RunError::malformed(path, lines.get(1).copied(), problem))
        }
        None => Ok(points),
    }
}

/// Tells a file whose first line does not end from one that is empty.
fn refuse_cut_header(path: &Path, text: &str, header: &StringRecord) -> Result<(), RunError> {
    if !header.is_empty() || text.trim().is_empty() {
        return Ok(());
    }
    let why = if text.contains('\n') { "a quote in it is not closed" } else { "it has no line end" };
    Err(RunError::malformed(path, Some(1), format!("its first line, which names the columns, is cut off: {why}")))
}

/// The points of a table's rows.
pub(super) fn parse_table(path: &Path, table: &Table) -> Result<Vec<PointRecord>, RunError> {
    let columns = Columns::of(path, &table.header, &[])?;
    let mut draft = Draft::default();
    let mut record = |row: &Row| {
        columns.record(&mut draft, &row.cells).map_err(|problem| RunError::malformed(path, Some(row.line), problem))
    };
    let mut points: Vec<PointRecord> = table.rows.iter().map(&mut record).collect::<Result<_, RunError>>()?;
    let mut drafts = Drafts::default();
    drafts.add(draft, points.len());
    drafts.finish(&columns, &mut points);
    Ok(points)
}

/// Where the parameters, the predictors and the counters are: around the columns that every family has.
pub(super) struct Columns {
    /// The place of each of [`RESULT_COLUMNS`], where it is there.
    results: [Option<usize>; RESULT_COLUMNS.len()],
    pub(super) parameters: Part,
    pub(super) predictors: Part,
    pub(super) counters: Part,
    /// The names of all variants, which rows share.
    variants: HashMap<&'static str, EcoString>,
}

/// Neighbouring columns with their names.
pub(super) struct Part {
    places: Range<usize>,
    pub(super) names: Names,
}

impl Part {
    fn of(header: &StringRecord, places: Range<usize>) -> Self {
        let names = header.iter().take(places.end).skip(places.start).map(EcoString::from).collect();
        Self { places, names }
    }

    fn texts<'r>(&self, row: &'r StringRecord) -> impl Iterator<Item = &'r str> {
        self.places.clone().map(|place| written_text(row.get(place).unwrap_or_default()))
    }

    fn numbers<'r>(&'r self, row: &'r StringRecord) -> impl Iterator<Item = Result<Option<f64>, String>> + 'r {
        let number = |(place, name): (usize, &EcoString)| match row.get(place).unwrap_or_default() {
            "" => Ok(None),
            text => finite(name, text).map(Some),
        };
        self.places.clone().zip(self.names.iter()).map(number)
    }
}

impl Columns {
    fn of(path: &Path, header: &StringRecord, own: &[String]) -> Result<Self, RunError> {
        let names: Vec<&str> = header.iter().collect();
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !name.is_empty() && !seen.insert(**name)) {
            return Err(RunError::malformed(path, Some(1), format!("the column {twice} is there twice")));
        }
        let first = &RESULT_COLUMNS[..RESULT_COLUMNS_FIRST];
        let results = names.windows(first.len()).position(|window| window == first);
        match results {
            Some(results) if names.starts_with(&LEADING_COLUMNS) => {
                let known =
                    names[results..].iter().zip(RESULT_COLUMNS).take_while(|(own, known)| *own == known).count();
                let behind = results + known;
                // A device may count what a family predicts, under the same name: predictors come first.
                let of_families = || names[behind..].iter().take_while(|name| is_predictor(name)).count();
                let are_own = names[behind..].iter().zip(own).filter(|(name, own)| **name == own.as_str()).count();
                let predictors = if own.is_empty() { of_families() } else { are_own };
                Ok(Self {
                    results: std::array::from_fn(|index| (index < known).then_some(results + index)),
                    parameters: Part::of(header, LEADING_COLUMNS.len()..results),
                    predictors: Part::of(header, behind..behind + predictors),
                    counters: Part::of(header, behind + predictors..names.len()),
                    variants: FAMILIES.iter().flat_map(|family| family.variants).map(shared_name).collect(),
                })
            }
            _ if names.iter().all(|name| name.is_empty()) => {
                Err(RunError::malformed(path, Some(1), "is empty: it has no line of columns"))
            }
            _ => {
                let expected = format!("{}, the parameters, {}", LEADING_COLUMNS.join(", "), first.join(", "));
                Err(RunError::malformed(
                    path,
                    Some(1),
                    format!("the columns are not those of a run: expected {expected}, ..."),
                ))
            }
        }
    }

    fn variant(&self, name: &str) -> EcoString {
        self.variants.get(name).cloned().unwrap_or_else(|| name.into())
    }

    /// A row but for the cells that differ from family to family: the draft takes these.
    fn record(&self, draft: &mut Draft, row: &StringRecord) -> Result<PointRecord, String> {
        let cells = Results { columns: self, row };
        let status = cells.text(column!("status"));
        let status = Status::find(status).ok_or_else(|| {
            format!("status is {}: {}", quote(status), instead(status, &Status::ALL.map(Status::name)))
        })?;
        let origin = cells.text(column!("origin"));
        let origin = [Origin::Measured, Origin::Simulated, Origin::Mock]
            .into_iter()
            .find(|own| own.name() == origin)
            .ok_or_else(|| format!("origin is `{origin}`, expected measured or simulated"))?;
        draft.parameters.extend(self.parameters.texts(row).map(|text| draft.words.number(text)));
        draft.counters.extend(self.counters.texts(row).map(|text| draft.words.number(text)));
        for number in self.predictors.numbers(row) {
            draft.predictors.push(number?);
        }
        Ok(PointRecord {
            point: whole("point", row.get(0).unwrap_or_default())? as usize,
            variant: self.variant(row.get(1).unwrap_or_default()),
            parameters: Texts::default(),
            status,
            reason: written_text(cells.text(column!("reason"))).into(),
            origin,
            timing: if cells.text(column!("time_us")).is_empty() { None } else { Some(cells.timing()?) },
            bytes: cells.known_count(column!("bytes"))?,
            operations: cells.known_count(column!("operations"))?,
            predictors: Numbers::default(),
            counters: Texts::default(),
        })
    }
}

fn shared_name(variant: &Variant) -> (&'static str, EcoString) {
    (variant.name, variant.name.into())
}

/// Whether a column is a predictor. What stands behind the results, from the first that is none, was counted by a device.
fn is_predictor(name: &str) -> bool {
    FAMILIES.iter().any(|family| family.predictor(name).is_some())
}

/// The caches that a cell names. Older runs do not say it: theirs were cold.
pub(super) fn cache(text: &str) -> Result<Cache, String> {
    match text {
        "" | "cold" => Ok(Cache::Cold),
        "hot" => Ok(Cache::Hot),
        other => Err(format!("cache is `{other}`, expected cold or hot")),
    }
}

/// The flags that a cell names.
pub(super) fn flags(text: &str) -> Result<Vec<Flag>, String> {
    Flag::find_all(text).ok_or_else(|| format!("flags is `{text}`, expected words such as clock or short"))
}

/// A count.
fn whole(name: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{name} is `{text}`, expected a whole number"))
}

/// A finite number.
pub(super) fn finite(name: &str, text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{name} is `{text}`, expected a number"))
}

#[cfg(test)]
mod tests;
