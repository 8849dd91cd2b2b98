//! Reads `samples.csv` and `rounds.csv` back: what is behind a point's times.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use csv::StringRecord;

use super::reader::{Run, cache, finite, flags, read_text};
use super::table::{Row, Table};
use super::{ROUNDS_FILE, RunError, SAMPLES_FILE};
use crate::device::{Cache, Sample, Telemetry};
use crate::record::{Flag, ROUND_COLUMNS, RoundRecord, SAMPLE_COLUMNS, SAMPLE_COLUMNS_FIRST, SampleRecord};

impl Run {
    /// The rounds of its points, by the points' numbers; none where there is no `rounds.csv`. Rounds of a point that has
    /// no row, as a kill leaves them, are left aside.
    ///
    /// # Errors
    /// When the file cannot be read or is malformed; the message names file and line.
    pub fn rounds(&self, notes: &mut Vec<String>) -> Result<BTreeMap<usize, Vec<RoundRecord>>, RunError> {
        self.by_point(ROUNDS_FILE, notes, parse_rounds)
    }

    /// The samples of its points, as [`Run::rounds`] has the rounds.
    ///
    /// # Errors
    /// When the file cannot be read or is malformed; the message names file and line.
    pub fn samples(&self, notes: &mut Vec<String>) -> Result<BTreeMap<usize, Vec<SampleRecord>>, RunError> {
        self.by_point(SAMPLES_FILE, notes, parse_samples)
    }

    fn by_point<T>(
        &self,
        file: &str,
        notes: &mut Vec<String>,
        parse: impl Fn(&Path, &str, &mut Vec<String>) -> Result<Vec<(usize, T)>, RunError>,
    ) -> Result<BTreeMap<usize, Vec<T>>, RunError> {
        let path = self.directory.join(file);
        let mut by_point: BTreeMap<usize, Vec<T>> = BTreeMap::new();
        // Reference runs are kept without them.
        if !path.exists() {
            return Ok(by_point);
        }
        let known: BTreeSet<usize> = self.points.iter().map(|point| point.point).collect();
        for (point, row) in parse(&path, &read_text(&path)?, notes)? {
            if known.contains(&point) {
                by_point.entry(point).or_default().push(row);
            }
        }
        Ok(by_point)
    }
}

/// Reads the rows of `rounds.csv`, each with its point's number. A last row that is cut off is left aside with a note.
///
/// # Errors
/// The first cell that cannot be read, with its line.
pub fn parse_rounds(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Vec<(usize, RoundRecord)>, RunError> {
    parse(path, text, notes, &ROUND_COLUMNS, |cells| {
        let reasons = match cells.text("throttle_reasons") {
            "" => None,
            "none" => Some(Vec::new()),
            words => Some(words.split_whitespace().map(str::to_owned).collect()),
        };
        let telemetry = Telemetry {
            temperature_c: cells.known("temperature_c")?,
            power_w: cells.known("power_w")?,
            sm_clock_mhz: cells.known("sm_clock_mhz")?,
            memory_clock_mhz: cells.known("memory_clock_mhz")?,
            throttle_reasons: reasons,
        };
        Ok(RoundRecord {
            round: cells.count("round")?,
            cache: cells.cache()?,
            samples: cells.count("samples")?,
            time_us: cells.number("time_us")?,
            trimmed_us: cells.number("trimmed_us")?,
            clock_mhz: cells.known("clock_mhz")?,
            telemetry: (telemetry != Telemetry::default()).then_some(telemetry),
            flags: cells.flags()?,
        })
    })
}

/// Reads the rows of `samples.csv`, as [`parse_rounds`] those of `rounds.csv`. The columns that older runs do not have
/// are taken to say that samples were cold and one launch each.
///
/// # Errors
/// The first cell that cannot be read, with its line.
pub fn parse_samples(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Vec<(usize, SampleRecord)>, RunError> {
    parse(path, text, notes, &SAMPLE_COLUMNS[..SAMPLE_COLUMNS_FIRST], |cells| {
        let flags = cells.flags()?;
        let order = if cells.text("order").is_empty() { "sample" } else { "order" };
        let repeats = if cells.text("repeats").is_empty() { 1 } else { cells.count("repeats")? };
        let sample = Sample {
            time_us: cells.number("time_us")?,
            host_us: cells.known("host_us")?,
            clock_mhz: cells.known("clock_mhz")?,
            repeats: u32::try_from(repeats)
                .map_err(|_| format!("repeats is `{repeats}`, expected a smaller number"))?,
            gated: !flags.contains(&Flag::Ungated),
            phases: None,
        };
        Ok(SampleRecord {
            round: cells.count("round")?,
            order: cells.count(order)?,
            cache: cells.cache()?,
            sample,
            flags,
        })
    })
}

fn parse<T>(
    path: &Path,
    text: &str,
    notes: &mut Vec<String>,
    first_columns: &[&str],
    record: impl Fn(&Cells<'_>) -> Result<T, String>,
) -> Result<Vec<(usize, T)>, RunError> {
    let table = Table::read(path, text, notes)?;
    if !table.header.iter().take(first_columns.len()).eq(first_columns.iter().copied()) {
        let problem = format!("the columns are not those of a run: expected {}", first_columns.join(", "));
        return Err(RunError::malformed(path, Some(1), problem));
    }
    let read = |row: &Row| -> Result<(usize, T), String> {
        let cells = Cells { table: &table, row: &row.cells };
        Ok((cells.count("point")?, record(&cells)?))
    };
    let located = |row| read(row).map_err(|problem| RunError::malformed(path, Some(row.line), problem));
    table.rows.iter().map(located).collect()
}

/// The cells of a row, by the names of their columns.
struct Cells<'a> {
    table: &'a Table,
    row: &'a StringRecord,
}

impl Cells<'_> {
    /// The text in a column; empty where there is no such column.
    fn text(&self, column: &str) -> &str {
        self.table.column(column).and_then(|index| self.row.get(index)).unwrap_or_default()
    }

    fn count(&self, column: &str) -> Result<usize, String> {
        let text = self.text(column);
        text.parse().map_err(|_| format!("{column} is `{text}`, expected a whole number"))
    }

    fn number(&self, column: &str) -> Result<f64, String> {
        finite(column, self.text(column))
    }

    fn known(&self, column: &str) -> Result<Option<f64>, String> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column).map(Some) }
    }

    fn cache(&self) -> Result<Cache, String> {
        cache(self.text("cache"))
    }

    fn flags(&self) -> Result<Vec<Flag>, String> {
        flags(self.text("flags"))
    }
}

#[cfg(test)]
mod tests;
