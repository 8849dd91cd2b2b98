//! Reads a run directory back, also one whose sweep was killed.

use std::fs;
use std::path::{Path, PathBuf};

use super::metadata::RunMetadata;
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

fn read_text(path: &Path) -> Result<String, RunError> {
    let bytes = fs::read(path).map_err(RunError::io(path))?;
    String::from_utf8(bytes).map_err(|_| malformed(path, None, "is not UTF-8 text"))
}

fn malformed(path: &Path, line: Option<u64>, problem: impl Into<String>) -> RunError {
    RunError::Malformed { path: path.to_owned(), line, problem: problem.into() }
}

fn parse_metadata(path: &Path, text: &str) -> Result<RunMetadata, RunError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }
    let wrong = |error: serde_json::Error| malformed(path, Some(error.line() as u64), error.to_string());
    let version: Version = serde_json::from_str(text).map_err(wrong)?;
    if version.schema_version != SCHEMA_VERSION {
        let found = version.schema_version;
        let problem = format!("has schema version {found}; this apbench reads version {SCHEMA_VERSION}");
        return Err(malformed(path, None, problem));
    }
    serde_json::from_str(text).map_err(wrong)
}

/// Reads the rows of `points.csv`. A last row that is cut off, as a kill in mid-write leaves it, is left aside
/// with a note.
///
/// # Errors
/// The first cell that cannot be read, with its line.
pub fn parse_points(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Vec<PointRecord>, RunError> {
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        let line = text[..whole].lines().count() + 1;
        notes.push(format!("{}:{line}: the last row is cut off, it is left aside", path.display()));
    }
    let mut reader = csv::ReaderBuilder::new().from_reader(&text.as_bytes()[..whole]);
    let header = reader.headers().map_err(|error| csv_error(path, &error))?.clone();
    let columns = Columns::of(path, &header)?;
    let mut points = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| csv_error(path, &error))?;
        let line = row.position().map(csv::Position::line);
        points.push(columns.record(&row).map_err(|problem| malformed(path, line, problem))?);
    }
    Ok(points)
}

fn csv_error(path: &Path, error: &csv::Error) -> RunError {
    malformed(path, error.position().map(csv::Position::line), error.to_string())
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
                Err(malformed(path, Some(1), format!("the columns are not those of a run: expected {expected}, ...")))
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
            let cache = match cell("cache") {
                "" | "cold" => Cache::Cold,
                "hot" => Cache::Hot,
                other => return Err(format!("cache is `{other}`, expected cold or hot")),
            };
            let flags = Flag::find_all(cell("flags"))
                .ok_or_else(|| format!("flags is `{}`, expected words such as clock or short", cell("flags")))?;
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
        let (predictors, counters): (Vec<_>, Vec<_>) =
            self.header.iter().zip(row).skip(self.behind).partition(|(name, _)| is_predictor(name));
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
            counters: counters.into_iter().map(owned).collect(),
        })
    }
}

/// Whether a column is a predictor. What stands behind the results and is none was counted by a device.
fn is_predictor(name: &str) -> bool {
    FAMILIES.iter().any(|family| family.predictor(name).is_some())
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn finite(name: &str, text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{name} is `{text}`, expected a number"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::{point_cells, point_columns};
    use crate::run::writer::csv_text;

    const COUNTERS: [&str; 2] = ["bound", "warp_instructions"];

    fn record(time_us: Option<f64>, reason: &str) -> PointRecord {
        let timing = time_us.map(|time_us| Timing {
            median: Median { time_us, low_us: Some(time_us - 0.5), high_us: None, samples: 12 },
            cache: Cache::Cold,
            hot: Some(Median { time_us: 1.5, low_us: None, high_us: Some(1.75), samples: 0 }),
            rounds: 5,
            clock_mhz: Some(1980.0),
            stopped_by: "precise".to_owned(),
            flags: vec![Flag::Clock, Flag::Short],
        });
        PointRecord {
            point: 3,
            variant: "divergent".to_owned(),
            parameters: FAMILIES[0].parameters.iter().map(|own| (own.name.to_owned(), "7".to_owned())).collect(),
            status: if timing.is_some() { Status::Ok } else { Status::Failed },
            reason: reason.to_owned(),
            origin: Origin::Measured,
            timing,
            bytes: Some(192 << 20),
            operations: None,
            predictors: FAMILIES[0].predictors.iter().map(|own| (own.name.to_owned(), Some(2.5))).collect(),
            counters: COUNTERS.iter().map(|name| ((*name).to_owned(), "12".to_owned())).collect(),
        }
    }

    fn csv(records: &[PointRecord]) -> String {
        let header = point_columns(&FAMILIES[0], &COUNTERS).into_iter().map(str::to_owned).collect();
        let rows = std::iter::once(header).chain(records.iter().map(point_cells));
        String::from_utf8(csv_text(rows).unwrap()).unwrap()
    }

    fn read(text: &str) -> Result<Vec<PointRecord>, RunError> {
        parse_points(Path::new("points.csv"), text, &mut Vec::new())
    }

    #[test]
    fn what_is_written_reads_back() {
        let records = [record(Some(263.125), ""), record(None, "launching x: \"no\", it said,\nand stopped")];
        assert_eq!(read(&csv(&records)).unwrap(), records);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,200}") {
            let _ = read(&text);
            let _ = parse_metadata(Path::new("run.json"), &text);
        }

        #[test]
        fn damage_is_an_error_or_fewer_rows_but_no_panic(
            from in 0_usize..600, length in 0_usize..80, insert in "[a-z0-9,\"\n.-]{0,6}",
        ) {
            let mut text = csv(&[record(Some(263.125), ""), record(None, "failed"), record(Some(1.5), "")]);
            let from = from.min(text.len());
            let to = (from + length).min(text.len());
            text.replace_range(from..to, &insert);
            if let Ok(points) = read(&text) {
                let finite = |point: &PointRecord| point.timing.as_ref().is_none_or(|timing| timing.median.time_us.is_finite());
                prop_assert!(points.iter().all(finite));
            }
        }
    }
}
