//! Continues a run that was interrupted or killed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::difference::{OF_EACH_STRETCH, THEN_AND_NOW, column_difference, metadata_differences, scenario_difference};
use super::file::{PARTIAL, Rows, header_text, replace_file};
use super::metadata::{RunMetadata, RunStatus};
use super::reader::{cache, parse_table, read_metadata, read_text};
use super::table::Table;
use super::writer::{RunWriter, lock, make_directory};
use super::{METADATA_FILE, POINTS_FILE, ROUNDS_FILE, RunError, SAMPLES_FILE, SCENARIO_FILE};
use crate::device::Cache;
use crate::record::{PointRecord, ROUND_COLUMNS, SAMPLE_COLUMNS};
use located_toml::regular_file;
use located_toml::words::count;

impl RunWriter {
    /// Goes on with a run, and tells the points that are finished, however they ended. A directory that does not exist
    /// or is empty is begun as [`RunWriter::create`] does, and so is one that was left before anything was measured.
    ///
    /// Rows that a kill cut off are removed, as are samples and rounds of points that have no row, and points whose
    /// samples and rounds are not all there; [`RunWriter::notes`] says it. Of a complete run every point is told, and
    /// nothing is changed. `check` looks at the rows before anything is changed.
    ///
    /// # Errors
    /// When what is there is another scenario, device, kernel or version, is being written, is no run, or cannot be
    /// written.
    pub fn resume(
        directory: &Path,
        metadata: RunMetadata,
        scenario: &str,
        columns: &[&str],
        check: impl FnOnce(&[PointRecord]) -> Result<(), RunError>,
    ) -> Result<(Self, Vec<PointRecord>), RunError> {
        make_directory(directory)?;
        let is_run = || directory.join(METADATA_FILE).exists();
        if !is_run() {
            refuse_unless_unmeasured(directory)?;
        }
        let path = directory.join(POINTS_FILE);
        let points = match regular_file::open_in_place(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && !is_run() => {
                File::options().read(true).write(true).create(true).truncate(false).open(&path)
            }
            opened => opened,
        };
        let points = points.map_err(RunError::io(&path))?;
        lock(&points, directory)?;
        // Only now nobody else writes: what was seen before need not be so any more.
        if !is_run() {
            refuse_unless_unmeasured(directory)?;
            return Ok((Self::begin(directory, points, metadata, scenario, columns)?, Vec::new()));
        }
        Self::go_on(directory, points, metadata, scenario, columns, check)
    }

    fn go_on(
        directory: &Path,
        mut points: File,
        now: RunMetadata,
        scenario: &str,
        columns: &[&str],
        check: impl FnOnce(&[PointRecord]) -> Result<(), RunError>,
    ) -> Result<(Self, Vec<PointRecord>), RunError> {
        let file = |name: &str| directory.join(name);
        let run = read_metadata(directory)?;
        let run_scenario = read_text(&file(SCENARIO_FILE))?;
        let mut points_text = Vec::new();
        points.read_to_end(&mut points_text).map_err(RunError::io(&file(POINTS_FILE)))?;
        let points_text = String::from_utf8(points_text)
            .map_err(|_| RunError::malformed(&file(POINTS_FILE), None, "is not UTF-8 text"))?;
        let points_file = Recovered::read(file(POINTS_FILE), points_text, columns)?;
        let samples = Recovered::read_file(file(SAMPLES_FILE), &SAMPLE_COLUMNS)?;
        let rounds = Recovered::read_file(file(ROUNDS_FILE), &ROUND_COLUMNS)?;

        let mut notes = Vec::new();
        let differences =
            differences(&run, &now, &run_scenario, scenario, [&points_file, &samples, &rounds], &mut notes)?;
        if !differences.is_empty() {
            return Err(RunError::Different { path: directory.to_owned(), differences });
        }

        let mut finished = points_file.points(run.points)?;
        check(&finished)?;
        let whole = whole_points(&finished, &samples, &rounds)?;
        if whole < finished.len() {
            let lost = count(finished.len() - whole, "point");
            notes.push(format!("{POINTS_FILE}: {lost} without all of the samples, to be measured again"));
        }
        finished.truncate(whole);
        let known: HashSet<usize> = finished.iter().map(|record| record.point).collect();

        let points_bytes = points_file.bytes_of_first(whole);
        let mut is_repaired = points_file.note_of_cut(&mut notes) || whole < points_file.rows();
        // The points first: were this killed in between, there are samples without a point, which is mended the next time.
        let points = points_file.open_at(points, points_bytes)?;
        let mut observed = |file: Recovered| -> Result<Rows, RunError> {
            is_repaired |= file.note_of_cut(&mut notes);
            let (file, lost) = file.without_points_not_in(&known)?;
            if lost > 0 {
                is_repaired = true;
                notes.push(format!(
                    "{}: removed {} of points that have no row in {POINTS_FILE}",
                    file.name(),
                    count(lost, "row")
                ));
            }
            let handle = regular_file::open_in_place(&file.path).map_err(RunError::io(&file.path))?;
            let bytes = file.table_bytes();
            file.open_at(handle, bytes)
        };
        let (samples, rounds) = (observed(samples)?, observed(rounds)?);

        let is_complete = run.status == RunStatus::Complete && !is_repaired;
        let mut metadata = RunMetadata { status: RunStatus::Running, ended_at: None, ..run };
        metadata.resumed_at.push(now.started_at);
        metadata.noise_floor = metadata.noise_floor.or(now.noise_floor);
        let directory = directory.to_owned();
        let mut writer = Self { directory, metadata, points, samples, rounds, notes, is_told: false };
        if !is_complete {
            writer.tell_of_going_on()?;
        }
        Ok((writer, finished))
    }
}

/// Refuses a directory without a `run.json`, unless all that is in it is what a sweep leaves that is killed before it
/// measures anything.
fn refuse_unless_unmeasured(directory: &Path) -> Result<(), RunError> {
    let foreign = || RunError::NotARun(directory.to_owned());
    for entry in fs::read_dir(directory).map_err(RunError::io(directory))? {
        let entry = entry.map_err(RunError::io(directory))?;
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(foreign)?;
        let partial_of = name.strip_suffix(PARTIAL);
        let is_partial = partial_of.is_some_and(|name| [METADATA_FILE, SCENARIO_FILE].contains(&name));
        let is_table = [POINTS_FILE, SAMPLES_FILE, ROUNDS_FILE].contains(&name);
        if !entry.file_type().is_ok_and(|found| found.is_file()) || !(is_partial || is_table || name == SCENARIO_FILE) {
            return Err(foreign());
        }
        if is_table {
            let contents = regular_file::read(&entry.path()).map_err(RunError::io(&entry.path()))?;
            let end = contents.iter().position(|byte| *byte == b'\n');
            if end.is_some_and(|end| end + 1 < contents.len()) {
                return Err(foreign());
            }
        }
    }
    Ok(())
}

fn differences(
    run: &RunMetadata,
    now: &RunMetadata,
    run_scenario: &str,
    scenario: &str,
    tables: [&Recovered; 3],
    notes: &mut Vec<String>,
) -> Result<Vec<String>, RunError> {
    let mut left_out = OF_EACH_STRETCH.to_vec();
    // The same GPU can be `cuda:0` in one job and `cuda:1` in the next.
    if run.device.uuid.is_some() && run.device.uuid == now.device.uuid {
        left_out.push("device.spec");
        if run.device.spec != now.device.spec {
            notes.push(format!("{} was {} when the run started", now.device.spec, run.device.spec));
        }
    }
    if run.host.name != now.host.name {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "an unnamed host".to_owned());
        notes.push(format!("started on {}, continued on {}", name(&run.host.name), name(&now.host.name)));
    }
    let mut differences = metadata_differences(run, now, THEN_AND_NOW, &left_out)?;
    differences.extend(scenario_difference(run_scenario, scenario, THEN_AND_NOW));
    differences.extend(tables.iter().filter_map(|table| table.column_difference.clone()));
    Ok(differences)
}

/// How many of the first points have all their samples and rounds. A sweep writes those before the point, so that it is
/// all, unless somebody changed the files.
fn whole_points(finished: &[PointRecord], samples: &Recovered, rounds: &Recovered) -> Result<usize, RunError> {
    let (samples, rounds) = (samples.counts()?, rounds.counts()?);
    let there = |counts: &HashMap<_, usize>, point, cache| counts.get(&(point, cache)).copied().unwrap_or(0);
    let is_whole = |record: &PointRecord| {
        record.timing.as_ref().is_none_or(|timing| {
            there(&samples, record.point, timing.cache) >= timing.median.samples
                && there(&rounds, record.point, timing.cache) >= timing.rounds
                && (timing.hot.is_none() || there(&rounds, record.point, Cache::Hot) > 0)
        })
    };
    Ok(finished.iter().position(|record| !is_whole(record)).unwrap_or(finished.len()))
}

/// A CSV file of a run that was killed.
struct Recovered {
    path: PathBuf,
    text: String,
    table: Table,
    header: Vec<u8>,
    column_difference: Option<String>,
}

impl Recovered {
    fn read_file(path: PathBuf, columns: &[&str]) -> Result<Self, RunError> {
        let text = read_text(&path)?;
        Self::read(path, text, columns)
    }

    fn read(path: PathBuf, text: String, columns: &[&str]) -> Result<Self, RunError> {
        let table = Table::read(&path, &text, &mut Vec::new())?;
        let header = header_text(columns).map_err(RunError::io(&path))?;
        let mut recovered = Self { path, text, table, header, column_difference: None };
        // A header that was cut off is written again.
        if recovered.table.whole_bytes > 0 || !recovered.header.starts_with(recovered.text.as_bytes()) {
            let found: Vec<&str> = recovered.table.header.iter().collect();
            recovered.column_difference = column_difference(recovered.name(), &found, columns, THEN_AND_NOW);
        }
        Ok(recovered)
    }

    fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    fn rows(&self) -> usize {
        self.table.rows.len()
    }

    fn table_bytes(&self) -> usize {
        self.table.whole_bytes
    }

    /// Says that a row at the end was cut off, where one was.
    fn note_of_cut(&self, notes: &mut Vec<String>) -> bool {
        let is_cut = self.table_bytes() < self.text.len() || self.text.is_empty();
        if is_cut {
            notes.push(format!("{}: removed the last row, which was cut off", self.name()));
        }
        is_cut
    }

    /// The points, each of which is in the grid and there once.
    fn points(&self, in_grid: usize) -> Result<Vec<PointRecord>, RunError> {
        if self.table_bytes() == 0 {
            return Ok(Vec::new());
        }
        let points = parse_table(&self.path, &self.table)?;
        let mut known = HashSet::new();
        for (record, row) in points.iter().zip(&self.table.rows) {
            let point = record.point;
            let problem = if point >= in_grid {
                format!("point {point} is not in the grid, which has {in_grid}")
            } else if !known.insert(point) {
                format!("point {point} is there twice")
            } else {
                continue;
            };
            return Err(RunError::malformed(&self.path, Some(row.line), problem));
        }
        Ok(points)
    }

    /// The file's length with its first rows only.
    fn bytes_of_first(&self, rows: usize) -> usize {
        self.table.rows.get(rows).map_or(self.table_bytes(), |row| row.bytes.start)
    }

    /// How many rows there are of each point and cache.
    fn counts(&self) -> Result<HashMap<(usize, Cache), usize>, RunError> {
        let column = self.table.column("cache");
        let mut counts = HashMap::new();
        for (point, row) in self.table.points(&self.path)?.into_iter().zip(&self.table.rows) {
            let text = column.and_then(|column| row.cells.get(column)).unwrap_or_default();
            let cache = cache(text).map_err(|problem| RunError::malformed(&self.path, Some(row.line), problem))?;
            *counts.entry((point, cache)).or_insert(0) += 1;
        }
        Ok(counts)
    }

    /// The file without the rows of points that are not known, and how many these were.
    fn without_points_not_in(self, known: &HashSet<usize>) -> Result<(Self, usize), RunError> {
        let is_kept: Vec<bool> =
            self.table.points(&self.path)?.into_iter().map(|point| known.contains(&point)).collect();
        let kept = is_kept.iter().filter(|is_kept| **is_kept).count();
        let lost = is_kept.len() - kept;
        // Mostly those at the end are lost, which needs no new file.
        if is_kept.iter().take(kept).all(|is_kept| *is_kept) {
            let whole_bytes = self.bytes_of_first(kept);
            let mut table = self.table;
            table.whole_bytes = whole_bytes;
            table.rows.truncate(kept);
            return Ok((Self { table, ..self }, lost));
        }
        let mut text = String::from_utf8_lossy(&self.header).into_owned();
        for (row, _) in self.table.rows.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept) {
            text += &self.text[row.bytes.clone()];
        }
        replace_file(&self.path, text.as_bytes())?;
        let table = Table::read(&self.path, &text, &mut Vec::new())?;
        Ok((Self { text, table, ..self }, lost))
    }

    /// The file, open to grow behind its first `bytes`; with a header where it has none.
    fn open_at(self, file: File, bytes: usize) -> Result<Rows, RunError> {
        if self.table_bytes() == 0 {
            return Rows::begin_in(self.path, file, &self.header);
        }
        Rows::go_on(self.path, file, bytes as u64)
    }
}

#[cfg(test)]
mod tests;
