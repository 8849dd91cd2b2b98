//! Writes a run directory as the sweep goes: each row is on its way to the disk before the next point begins.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::metadata::{RunMetadata, RunStatus};
use super::{METADATA_FILE, POINTS_FILE, ROUNDS_FILE, RunError, SAMPLES_FILE, SCENARIO_FILE};
use crate::record::{Measured, ROUND_COLUMNS, SAMPLE_COLUMNS, point_cells, round_cells, sample_cells};

/// A run directory that is being written.
pub struct RunWriter {
    directory: PathBuf,
    metadata: RunMetadata,
    points: Rows,
    samples: Rows,
    rounds: Rows,
}

impl RunWriter {
    /// Makes the directory, or takes an empty one, and writes what is known at the start. `columns` are those of the points.
    ///
    /// # Errors
    /// When the directory holds anything, or cannot be written.
    pub fn create(directory: &Path, metadata: RunMetadata, scenario: &str, columns: &[&str]) -> Result<Self, RunError> {
        if directory.is_file() {
            return Err(RunError::NotADirectory(directory.to_owned()));
        }
        fs::create_dir_all(directory).map_err(RunError::io(directory))?;
        if fs::read_dir(directory).map_err(RunError::io(directory))?.next().is_some() {
            return Err(RunError::NotEmpty(directory.to_owned()));
        }
        // The points claim the directory: of two sweeps that start in it at once, the second must not write.
        let points = match Rows::create(directory.join(POINTS_FILE), columns) {
            Err(RunError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                return Err(RunError::NotEmpty(directory.to_owned()));
            }
            created => created?,
        };
        write_metadata(directory, &metadata)?;
        let scenario_path = directory.join(SCENARIO_FILE);
        fs::write(&scenario_path, scenario).map_err(RunError::io(&scenario_path))?;
        let samples = Rows::create(directory.join(SAMPLES_FILE), &SAMPLE_COLUMNS)?;
        let rounds = Rows::create(directory.join(ROUNDS_FILE), &ROUND_COLUMNS)?;
        Ok(Self { directory: directory.to_owned(), metadata, points, samples, rounds })
    }

    /// Adds a point that is done, with its samples and rounds.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn append(&mut self, group: &[Measured]) -> Result<(), RunError> {
        for measured in group {
        let point = measured.record.point;
        self.samples.append(sample_cells(point, &measured.samples))?;
        self.rounds.append(round_cells(point, &measured.rounds))?;
        }
        self.points.append(group.iter().map(|measured| point_cells(&measured.record)))
    }

    /// Stand-in.
    pub fn resume(directory: &Path, metadata: RunMetadata, _scenario: &str, _columns: &[&str]) -> Result<(Self, Vec<crate::record::PointRecord>), RunError> {
        let run = super::reader::Run::read(directory)?;
        let open = |name| {
            let path = directory.join(name);
            File::options().append(true).open(&path).map_err(RunError::io(&path)).map(|file| Rows { path: path.clone(), file })
        };
        let writer = Self { directory: directory.to_owned(), metadata, points: open(POINTS_FILE)?, samples: open(SAMPLES_FILE)?, rounds: open(ROUNDS_FILE)? };
        Ok((writer, run.points))
    }

    /// Writes how the run ended.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self, status: RunStatus, ended_at: String, guards: Vec<crate::device::Guard>, time_spent: crate::record::TimeSpent) -> Result<(), RunError> {
        self.metadata.guards = guards;
        self.metadata.time_spent = time_spent;
        self.metadata.status = status;
        self.metadata.ended_at = Some(ended_at);
        write_metadata(&self.directory, &self.metadata)
    }
}

fn write_metadata(directory: &Path, metadata: &RunMetadata) -> Result<(), RunError> {
    let path = directory.join(METADATA_FILE);
    let mut json = serde_json::to_string_pretty(metadata).map_err(|error| RunError::Malformed {
        path: path.clone(),
        line: None,
        problem: error.to_string(),
    })?;
    json.push('\n');
    replace_file(&path, json.as_bytes())
}

/// Writes a whole file in one step, so that a reader never sees half of it. Makes its directory if need be.
///
/// # Errors
/// When the file cannot be written.
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(RunError::io(directory))?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    fs::write(&partial, contents).map_err(RunError::io(&partial))?;
    fs::rename(&partial, path).map_err(RunError::io(path))
}

/// A CSV file that grows by whole rows.
struct Rows {
    path: PathBuf,
    file: File,
}

impl Rows {
    fn create(path: PathBuf, header: &[&str]) -> Result<Self, RunError> {
        let file = File::create_new(&path).map_err(RunError::io(&path))?;
        let mut rows = Self { path, file };
        rows.append([header.iter().map(|&column| column.to_owned()).collect::<Vec<_>>()])?;
        Ok(rows)
    }

    /// Rows go out in one write, so that a killed sweep leaves none cut in two.
    fn append(&mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Result<(), RunError> {
        let text = csv_text(rows).map_err(RunError::io(&self.path))?;
        self.file.write_all(&text).map_err(RunError::io(&self.path))?;
        self.file.sync_data().map_err(RunError::io(&self.path))
    }
}

/// Rows as CSV.
///
/// # Errors
/// When a row does not have as many cells as the one before it.
pub fn csv_text(rows: impl IntoIterator<Item = Vec<String>>) -> Result<Vec<u8>, io::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}
