//! Reads a run directory back, also one whose sweep was killed.

use std::fs;
use std::path::{Path, PathBuf};

use super::metadata::RunMetadata;
use super::table::{Row, Table};
use super::{METADATA_FILE, POINTS_FILE, RunError, SCENARIO_FILE, SCHEMA_VERSION};
use crate::device::{Cache, Origin};
use crate::family::FAMILIES;
use crate::record::{Flag, LEADING_COLUMNS, Median, PointRecord, RESULT_COLUMNS, RESULT_COLUMNS_FIRST, Status, Timing};

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
    /// What was left aside while reading, in words for the user.
    pub notes: Vec<String>,
}

impl Run {
    /// Reads a run directory.
    ///
    /// # Errors
    /// When it is no run, or a file is missing or malformed; the message names file and line.
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let metadata_path = directory.join(METADATA_FILE);
        if !metadata_path.is_file() {
            return Err(RunError::NotARun(directory.to_owned()));
        }
        let metadata = parse_metadata(&metadata_path, &read_text(&metadata_path)?)?;
        let scenario = read_text(&directory.join(SCENARIO_FILE))?;
        let points_path = directory.join(POINTS_FILE);
        let mut notes = Vec::new();
        let points = parse_points(&points_path, &read_text(&points_path)?, &mut notes)?;
        Ok(Self { directory: directory.to_owned(), metadata, scenario, points, notes })
    }
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> Result<String, RunError> {
    let bytes = fs::read(path).map_err(RunError::io(path))?;
    String::from_utf8(bytes).map_err(|_| RunError::malformed(path, None, "is not UTF-8 text"))
}

/// Reads `run.json`.
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
        return Err(RunError::malformed(path, None, problem));
    }
    let metadata: RunMetadata = serde_json::from_str(text).map_err(wrong)?;
    match metadata.part {
        Some(part) if !part.is_sound() => {
            let problem = format!("part is {part}, expected an index from 0 to below the number of parts");
            Err(RunError::malformed(path, None, problem))
        }
        _ => Ok(metadata),
    }
}

/// Reads the rows of `points.csv`. A last row that is cut off, as a kill in mid-write leaves it, is left aside
/// with a note.
///
/// # Errors
/// The first cell that cannot be read, with its line.
pub fn parse_points(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Vec<PointRecord>, RunError> {
    parse_table(path, &Table::read(path, text, notes)?)
}

/// The points of a table's rows.
pub(super) fn parse_table(path: &Path, table: &Table) -> Result<Vec<PointRecord>, RunError> {
    let columns = Columns::of(path, &table.header)?;
    let record =
        |row: &Row| columns.record(&row.cells).map_err(|problem| RunError::malformed(path, Some(row.line), problem));
    table.rows.iter().map(record).collect()
}

/// Where the parameters and the predictors are: around the columns that every family has.
struct Columns<'a> {
    header: &'a csv::StringRecord,
    parameters: std::ops::Range<usize>,
    /// Where predictors and counters begin.
    behind: usize,
}

impl<'a> Columns<'a> {
    fn of(path: &Path, header: &'a csv::StringRecord) -> Result<Self, RunError> {
        let names: Vec<&str> = header.iter().collect();
        let first = &RESULT_COLUMNS[..RESULT_COLUMNS_FIRST];
        let results = names.windows(first.len()).position(|window| window == first);
        match results {
            Some(results) if names.starts_with(&LEADING_COLUMNS) => {
                let known =
                    names[results..].iter().zip(RESULT_COLUMNS).take_while(|(own, known)| *own == known).count();
                Ok(Self { header, parameters: LEADING_COLUMNS.len()..results, behind: results + known })
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

    fn record(&self, row: &csv::StringRecord) -> Result<PointRecord, String> {
        let cell = |name: &str| {
            let index = self.header.iter().position(|column| column == name);
            index.and_then(|index| row.get(index)).unwrap_or_default()
        };
        let number = |name: &str| finite(name, cell(name));
        let count = |name: &str| {
            let text = cell(name);
            text.parse::<u64>().map_err(|_| format!("{name} is `{text}`, expected a whole number"))
        };
        let known_count = |name: &str| if cell(name).is_empty() { Ok(None) } else { count(name).map(Some) };
        let status = Status::find(cell("status"))
            .ok_or_else(|| format!("status is `{}`, expected ok, wrong, failed or skipped", cell("status")))?;
        let origin = [Origin::Measured, Origin::Simulated, Origin::Mock]
            .into_iter()
            .find(|origin| origin.name() == cell("origin"))
            .ok_or_else(|| format!("origin is `{}`, expected measured or simulated", cell("origin")))?;
        let timing = if cell("time_us").is_empty() {
            None
        } else {
            let known = |name: &str| if cell(name).is_empty() { Ok(None) } else { number(name).map(Some) };
            let median = Median {
                time_us: number("time_us")?,
                low_us: known("time_us_low")?,
                high_us: known("time_us_high")?,
                samples: count("samples")? as usize,
            };
            let hot = known("hot_us")?.map(|time_us| {
                let (low_us, high_us) = (known("hot_us_low")?, known("hot_us_high")?);
                Ok::<_, String>(Median { time_us, low_us, high_us, samples: 0 })
            });
            let (cache, flags) = (cache(cell("cache"))?, flags(cell("flags"))?);
            Some(Timing {
                median,
                cache,
                hot: hot.transpose()?,
                rounds: known_count("rounds")?.unwrap_or(1) as usize,
                clock_mhz: known("clock_mhz")?,
                stopped_by: cell("stopped_by").to_owned(),
                flags,
            })
        };
        // A device may count what a family predicts, under the same name: predictors come first.
        let mut counters = self.header.iter().zip(row).skip(self.behind).peekable();
        let predictors: Vec<_> = std::iter::from_fn(|| counters.next_if(|(name, _)| is_predictor(name))).collect();
        Ok(PointRecord {
            point: count("point")? as usize,
            variant: cell("variant").to_owned(),
            parameters: self
                .header
                .iter()
                .zip(row)
                .map(owned)
                .take(self.parameters.end)
                .skip(self.parameters.start)
                .collect(),
            status,
            reason: cell("reason").to_owned(),
            origin,
            timing,
            bytes: known_count("bytes")?,
            operations: known_count("operations")?,
            predictors: predictors
                .into_iter()
                .map(|(name, value)| {
                    let number = if value.is_empty() { None } else { Some(finite(name, value)?) };
                    Ok((name.to_owned(), number))
                })
                .collect::<Result<_, String>>()?,
            counters: counters.map(owned).collect(),
        })
    }
}

/// Whether a column is a predictor. What stands behind the results, from the first that is none, was counted by a device.
fn is_predictor(name: &str) -> bool {
    FAMILIES.iter().any(|family| family.predictor(name).is_some())
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
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

/// A number that can be reckoned with.
pub(super) fn finite(name: &str, text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{name} is `{text}`, expected a number"))
}

#[cfg(test)]
mod tests;
