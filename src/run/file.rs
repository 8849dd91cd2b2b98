//! Files of a run directory: replaced in one step, or grown by whole rows.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::RunError;

/// What the name of a file ends in while it is being written.
pub(super) const PARTIAL: &str = ".partial";

/// Writes a whole file in one step, so that a reader never sees half of it, and what was there before stays when that
/// fails. Makes its directory if need be. The file is on the disk when this returns.
///
/// # Errors
/// When the file cannot be written.
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(RunError::io(directory))?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(PARTIAL);
    let partial = PathBuf::from(partial);
    let written = File::create(&partial).and_then(|mut file| {
        file.write_all(contents)?;
        file.sync_all()
    });
    let replaced = written.map_err(RunError::io(&partial)).and_then(|()| {
        fs::rename(&partial, path).map_err(RunError::io(path))?;
        sync_parent(path)
    });
    if replaced.is_err() {
        // It is of no use, and takes room on a disk that may be full.
        let _ = fs::remove_file(&partial);
    }
    replaced
}

/// Sees to it that a file's name is on the disk, not only what is in the file.
fn sync_parent(path: &Path) -> Result<(), RunError> {
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    sync_directory(parent)
}

/// Sees to it that the names in a directory are on the disk. Where that is not done by opening it, nothing is done.
pub(super) fn sync_directory(directory: &Path) -> Result<(), RunError> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(directory).and_then(|file| file.sync_all()) {
        // Some file systems of networks refuse this, and have nothing better.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced.map_err(RunError::io(directory)),
    }
}

/// A CSV file that grows by whole rows.
#[derive(Debug)]
pub(super) struct Rows {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Rows {
    /// Makes the file, or empties it, and writes its header.
    pub(super) fn begin(path: PathBuf, header: &[u8]) -> Result<Self, RunError> {
        let file = File::options().write(true).create(true).truncate(true).open(&path).map_err(RunError::io(&path))?;
        Self::begin_in(path, file, header)
    }

    /// Empties a file that is open, and writes its header.
    pub(super) fn begin_in(path: PathBuf, file: File, header: &[u8]) -> Result<Self, RunError> {
        let mut rows = Self { path, file, bytes: 0 };
        rows.cut(0)?;
        rows.append(header)?;
        Ok(rows)
    }

    /// Goes on behind the first `bytes` of a file that is open; the rest of it is removed.
    pub(super) fn go_on(path: PathBuf, file: File, bytes: u64) -> Result<Self, RunError> {
        let mut rows = Self { path, file, bytes };
        rows.cut(bytes)?;
        Ok(rows)
    }

    /// The file's length in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Rows go out in one write and are on the disk when this returns. Where that fails, the file is cut to what it was.
    pub(super) fn append(&mut self, rows: &[u8]) -> Result<(), RunError> {
        if rows.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(rows).and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            // Should this fail as well, whoever reads the file leaves half a row aside.
            let _ = self.cut(self.bytes);
            return Err(RunError::io(&self.path)(source));
        }
        self.bytes += rows.len() as u64;
        Ok(())
    }

    /// Cuts the file off behind its first `bytes`.
    pub(super) fn cut(&mut self, bytes: u64) -> Result<(), RunError> {
        self.bytes = bytes;
        let cut = self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        cut.and_then(|_| self.file.sync_data()).map_err(RunError::io(&self.path))
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

/// A header as CSV.
pub(super) fn header_text(columns: &[&str]) -> Result<Vec<u8>, io::Error> {
    csv_text([columns.iter().map(|&column| column.to_owned()).collect::<Vec<_>>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below").join("run.json");
        replace_file(&path, b"first").unwrap();
        replace_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_replaced_leaves_no_partial_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir_all(path.join("by a folder")).unwrap();
        assert!(matches!(replace_file(&path, b"new"), Err(RunError::Io { .. })));
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["taken"]);
    }

    #[test]
    fn rows_go_on_where_they_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let mut rows = Rows::begin(path.clone(), b"a,b\n").unwrap();
        rows.append(b"1,2\n").unwrap();
        let bytes = rows.bytes();
        rows.append(b"3,4\n").unwrap();
        rows.cut(bytes).unwrap();
        rows.append(b"5,6\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a,b\n1,2\n5,6\n");
        assert_eq!(rows.bytes(), 12);
    }
}
