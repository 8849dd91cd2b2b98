//! Writes a run directory as the sweep goes: each group of points is on the disk before the next begins.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::file::{Rows, header_text, replace_in_directory, sync_directory};
pub use super::file::{csv_text, replace_file, replace_file_with};
use super::metadata::{RunMetadata, RunStatus};
use super::{
    CHARTS_FOLDER, KERNEL_FILE, METADATA_FILE, POINTS_FILE, ROUNDS_FILE, RunError, SAMPLES_FILE, SCENARIO_FILE,
};
use crate::device::{Guard, merge_guards};
use crate::record::{Measured, ROUND_COLUMNS, SAMPLE_COLUMNS, TimeSpent, point_cells, round_cells, sample_cells};
use crate::user_kernel::Compiled;

/// A run directory that is being written. No other process can write it while this one does.
#[derive(Debug)]
pub struct RunWriter {
    pub(super) directory: PathBuf,
    pub(super) metadata: RunMetadata,
    pub(super) points: Rows,
    pub(super) samples: Rows,
    pub(super) rounds: Rows,
    /// What was repaired, in words for the user.
    pub(super) notes: Vec<String>,
    /// Whether `run.json` says that the run goes on. That of a complete run does not, until a point is added.
    pub(super) is_told: bool,
}

impl RunWriter {
    /// Makes the directory, or takes an empty one, and writes what is known at the start. `columns` are those of the points.
    ///
    /// # Errors
    /// When the directory holds anything, or cannot be written.
    pub fn create(directory: &Path, metadata: RunMetadata, scenario: &str, columns: &[&str]) -> Result<Self, RunError> {
        let points = claim(directory)?;
        let begun = Self::begin(directory, points, metadata, scenario, columns);
        if begun.is_err() {
            remove_begun(directory);
        }
        begun
    }

    /// Writes what is known at the start. `run.json` is last: where it is, all else is whole.
    pub(super) fn begin(
        directory: &Path,
        points: File,
        metadata: RunMetadata,
        scenario: &str,
        columns: &[&str],
    ) -> Result<Self, RunError> {
        let file = |name: &str| directory.join(name);
        let header = |name: &str, columns: &[&str]| header_text(columns).map_err(RunError::io(&file(name)));
        replace_in_directory(&file(SCENARIO_FILE), scenario.as_bytes())?;
        let samples = Rows::begin(file(SAMPLES_FILE), &header(SAMPLES_FILE, &SAMPLE_COLUMNS)?)?;
        let rounds = Rows::begin(file(ROUNDS_FILE), &header(ROUNDS_FILE, &ROUND_COLUMNS)?)?;
        let points = Rows::begin_in(file(POINTS_FILE), points, &header(POINTS_FILE, columns)?)?;
        sync_directory(directory)?;
        write_metadata(directory, &metadata)?;
        let directory = directory.to_owned();
        Ok(Self { directory, metadata, points, samples, rounds, notes: Vec::new(), is_told: true })
    }

    /// Keeps the modules of a kernel of the user's with the run.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_kernel(&self, compiled: &Compiled) -> Result<(), RunError> {
        let path = self.directory.join(KERNEL_FILE);
        let text = serde_json::to_string_pretty(compiled).map_err(|error| RunError::io(&path)(error.into()))?;
        replace_in_directory(&path, (text + "\n").as_bytes())
    }

    /// What was repaired when the run was gone on with, in words for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds points that are done, with their samples and rounds: those first, so that the row of a point means that they
    /// are there. All is on the disk when this returns. Where it fails, nothing of the group is left in the files.
    ///
    /// # Errors
    /// When a file cannot be written, or was removed: what is written to it is lost.
    pub fn append(&mut self, group: &[Measured]) -> Result<(), RunError> {
        if group.is_empty() {
            return Ok(());
        }
        self.tell_of_going_on()?;
        let (samples_bytes, rounds_bytes) = (self.samples.bytes(), self.rounds.bytes());
        let appended = self.append_rows(group).and_then(|()| self.check_in_place());
        if appended.is_err() {
            // Should this fail as well, samples without a point are left: going on with the run removes them.
            let _ = self.samples.cut(samples_bytes);
            let _ = self.rounds.cut(rounds_bytes);
        }
        appended
    }

    fn append_rows(&mut self, group: &[Measured]) -> Result<(), RunError> {
        let numbered = || group.iter().map(|measured| (measured.record.point, measured));
        let samples = csv_text(numbered().flat_map(|(point, measured)| sample_cells(point, &measured.samples)));
        let rounds = csv_text(numbered().flat_map(|(point, measured)| round_cells(point, &measured.rounds)));
        let points = csv_text(group.iter().map(|measured| point_cells(&measured.record)));
        let samples = samples.map_err(RunError::io(&self.directory.join(SAMPLES_FILE)))?;
        let rounds = rounds.map_err(RunError::io(&self.directory.join(ROUNDS_FILE)))?;
        Rows::append_both((&mut self.samples, &samples), (&mut self.rounds, &rounds))?;
        self.points.append(&points.map_err(RunError::io(&self.directory.join(POINTS_FILE)))?)
    }

    /// Tells files that were removed or replaced while they are written.
    fn check_in_place(&self) -> Result<(), RunError> {
        match [&self.points, &self.samples, &self.rounds].into_iter().find(|rows| !rows.is_in_place()) {
            None => Ok(()),
            Some(_) if !self.directory.exists() => Err(RunError::Removed(self.directory.clone())),
            Some(rows) => Err(RunError::FileRemoved(rows.path().to_owned())),
        }
    }

    /// Writes into `run.json` that the run goes on, where it does not say so yet.
    pub(super) fn tell_of_going_on(&mut self) -> Result<(), RunError> {
        if !self.is_told {
            self.check_in_place()?;
            write_metadata(&self.directory, &self.metadata)?;
            self.is_told = true;
        }
        Ok(())
    }

    /// Writes how the run ended. Guards and times are those since it was begun or gone on with; what there was before is
    /// kept with them. A complete run that was gone on with, and got no further point, stays as it is.
    ///
    /// # Errors
    /// When the file cannot be written, or the run was removed.
    pub fn finish(
        mut self,
        status: RunStatus,
        ended_at: String,
        guards: Vec<Guard>,
        time_spent: TimeSpent,
    ) -> Result<(), RunError> {
        if !self.is_told {
            return Ok(());
        }
        self.check_in_place()?;
        self.metadata.status = status;
        self.metadata.ended_at = Some(ended_at);
        self.metadata.guards = merge_guards(std::mem::take(&mut self.metadata.guards), guards);
        self.metadata.time_spent.add(&time_spent);
        write_metadata(&self.directory, &self.metadata)
    }
}

/// Makes the directory, or takes an empty one, and its `points.csv`: of two sweeps that start in it at once, the second
/// must not write. The lock is let go of with the file.
pub(super) fn claim(directory: &Path) -> Result<File, RunError> {
    make_directory(directory)?;
    if fs::read_dir(directory).map_err(RunError::io(directory))?.next().is_some() {
        return Err(RunError::NotEmpty(directory.to_owned()));
    }
    let path = directory.join(POINTS_FILE);
    let points = match File::options().read(true).write(true).create_new(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(RunError::NotEmpty(directory.to_owned()));
        }
        opened => opened.map_err(RunError::io(&path))?,
    };
    lock(&points, directory)?;
    Ok(points)
}

/// Removes the files of a run that could not be begun: nothing was in the directory, and nothing of use is there now. The
/// points' file goes last, because it is the claim.
pub(super) fn remove_begun(directory: &Path) {
    for file in [METADATA_FILE, ROUNDS_FILE, SAMPLES_FILE, SCENARIO_FILE, POINTS_FILE] {
        let _ = fs::remove_file(directory.join(file));
    }
}

pub(super) fn make_directory(directory: &Path) -> Result<(), RunError> {
    if directory.is_file() {
        return Err(RunError::NotADirectory(directory.to_owned()));
    }
    fs::create_dir_all(directory).map_err(RunError::not_made(directory))
}

/// Takes the lock of a run, which the operating system lets go of when the process ends, however it ends.
pub(super) fn lock(points: &File, directory: &Path) -> Result<(), RunError> {
    // A process that is just being started may hold a copy of a file that was closed a moment ago.
    const TRIES: usize = 20;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 0..TRIES {
        match points.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) if has_no_locks(&error) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(RunError::io(&directory.join(POINTS_FILE))(error)),
        }
    }
    Err(RunError::Busy(directory.to_owned()))
}

/// Whether a file system, such as some of networks, cannot lock files.
fn has_no_locks(error: &io::Error) -> bool {
    const NO_LOCKS_AVAILABLE: i32 = 37;
    let no_locks = cfg!(target_os = "linux") && error.raw_os_error() == Some(NO_LOCKS_AVAILABLE);
    error.kind() == io::ErrorKind::Unsupported || no_locks
}

pub(super) fn write_metadata(directory: &Path, metadata: &RunMetadata) -> Result<(), RunError> {
    let path = directory.join(METADATA_FILE);
    let json = serde_json::to_string_pretty(metadata);
    let mut json = json.map_err(|error| RunError::malformed(&path, None, error.to_string()))?;
    json.push('\n');
    replace_in_directory(&path, json.as_bytes())
}

/// The folder of a run's charts.
///
/// # Errors
/// When it is a symbolic link: what is written there would be outside of the run.
pub fn charts_folder(directory: &Path) -> Result<PathBuf, RunError> {
    let folder = directory.join(CHARTS_FOLDER);
    match fs::symlink_metadata(&folder) {
        Ok(found) if found.is_symlink() => Err(RunError::LinkedCharts(folder)),
        Ok(found) if !found.is_dir() => Err(RunError::NotADirectory(folder)),
        _ => Ok(folder),
    }
}

#[cfg(test)]
mod tests;
