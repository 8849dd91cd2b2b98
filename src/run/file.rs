//! Files of a run directory: replaced in one step, or grown by whole rows.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;

use super::RunError;
use located_toml::regular_file;
use located_toml::words::begins_like_formula;

/// What the name of a file ends in while it is being written.
pub(super) const PARTIAL: &str = ".partial";

/// Writes a whole file in one step, so that a reader never sees half of it, and what was there before stays when that
/// fails. Makes its directory if need be. The file is on the disk when this returns.
///
/// # Errors
/// When the file cannot be written, or a pipe or a device is there.
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    replace_file_with(path, |file| file.write_all(contents))
}

/// The same with contents that are written as they are made.
///
/// # Errors
/// As [`replace_file`].
pub fn replace_file_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), RunError> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(RunError::io(directory))?;
    }
    replace_with(path, write)
}

/// The same in a directory that must be there. A symbolic link to a file is replaced itself: nothing is written through it.
pub(super) fn replace_in_directory(path: &Path, contents: &[u8]) -> Result<(), RunError> {
    replace_with(path, |file| file.write_all(contents))
}

fn replace_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), RunError> {
    regular_file::refuse_irreplaceable(path).map_err(RunError::io(path))?;
    let mut partial = path.as_os_str().to_owned();
    partial.push(PARTIAL);
    let partial = PathBuf::from(partial);
    if fs::symlink_metadata(&partial).is_ok_and(|found| !found.is_file()) {
        let _ = fs::remove_file(&partial);
    }
    let written = begin(&partial).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()?;
        Ok(file)
    });
    // It stays open, and this process's alone, until it has its name.
    let replaced = written.map_err(RunError::io(&partial)).and_then(|_file| {
        fs::rename(&partial, path).map_err(RunError::io(path))?;
        sync_parent(path)
    });
    if replaced.is_err() {
        // It is of no use, and takes room on a disk that may be full.
        let _ = fs::remove_file(&partial);
    }
    replaced
}

/// Times that another writer may come first: more than one of them is rare.
const TRIES: usize = 64;

/// A new file that is this process's alone until it is closed: of two that write the same file one waits for the other.
fn begin(partial: &Path) -> io::Result<File> {
    for _ in 0..TRIES {
        let file = File::options().write(true).create(true).truncate(false).open(partial)?;
        match file.lock() {
            // Some file systems have no locks.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
            _ => {}
        }
        // Whoever had it before may have given it its name.
        if is_at(&file, partial)? {
            file.set_len(0)?;
            return Ok(file);
        }
    }
    Err(io::Error::other("other processes write the file over and over"))
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
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

    /// Whether the file at the path is still the one that is open.
    pub(super) fn is_in_place(&self) -> bool {
        let (there, open) = (fs::metadata(&self.path), self.file.metadata());
        there.and_then(|there| Ok(is_same_file(&there, &open?))).unwrap_or(false)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
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
        let before = self.bytes;
        let appended = self.write(rows).and_then(|()| self.sync());
        if appended.is_err() {
            // Should this fail as well, whoever reads the file leaves half a row aside.
            let _ = self.cut(before);
        }
        appended
    }

    /// Appends to two files, of which neither must be on the disk before the other: the disk is waited for once. Where
    /// that fails, both are cut to what they were.
    pub(super) fn append_both(one: (&mut Self, &[u8]), other: (&mut Self, &[u8])) -> Result<(), RunError> {
        let ((one, one_rows), (other, other_rows)) = (one, other);
        if one_rows.is_empty() {
            return other.append(other_rows);
        }
        if other_rows.is_empty() {
            return one.append(one_rows);
        }
        let before = [one.bytes, other.bytes];
        let written = one.write(one_rows).and_then(|()| other.write(other_rows));
        let appended = written.and_then(|()| sync_both(one, other));
        if appended.is_err() {
            let _ = one.cut(before[0]);
            let _ = other.cut(before[1]);
        }
        appended
    }

    fn write(&mut self, rows: &[u8]) -> Result<(), RunError> {
        self.file.write_all(rows).map_err(RunError::io(&self.path))?;
        self.bytes += rows.len() as u64;
        Ok(())
    }

    fn sync(&self) -> Result<(), RunError> {
        self.file.sync_data().map_err(RunError::io(&self.path))
    }

    /// Cuts the file off behind its first `bytes`.
    pub(super) fn cut(&mut self, bytes: u64) -> Result<(), RunError> {
        self.bytes = bytes;
        let cut = self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        cut.and_then(|_| self.file.sync_data()).map_err(RunError::io(&self.path))
    }
}

#[cfg(unix)]
fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_one: &fs::Metadata, _other: &fs::Metadata) -> bool {
    true
}

/// Waits until what was written to two files is on the disk, side by side.
fn sync_both(one: &Rows, other: &Rows) -> Result<(), RunError> {
    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, || one.sync()) {
        Ok(thread) => {
            let other_synced = other.sync();
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(other_synced)
        }
        // Where there can be no other thread, one after the other.
        Err(_) => one.sync().and_then(|()| other.sync()),
    })
}

/// Rows as CSV. A text that a spreadsheet would compute gets an apostrophe before it, which makes it a text there.
///
/// # Errors
/// When a row does not have as many cells as the one before it.
pub fn csv_text(rows: impl IntoIterator<Item = Vec<String>>) -> Result<Vec<u8>, io::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.into_iter().map(uncomputed))?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

fn uncomputed(cell: String) -> String {
    if is_computed(&cell) { format!("'{cell}") } else { cell }
}

/// The text of a cell that [`csv_text`] wrote.
pub(super) fn written_text(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_computed(text)).unwrap_or(cell)
}

/// Whether a spreadsheet would compute a cell, or it looks like one that was kept from that.
fn is_computed(cell: &str) -> bool {
    begins_like_formula(cell.trim_start_matches('\'')) && cell.parse::<f64>().is_err()
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
    fn who_writes_a_file_at_once_with_others_writes_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fits.csv");
        let text = |writer: u8| vec![b'a' + writer; 100_000 + usize::from(writer)];
        thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || (0..10).for_each(|_| replace_file(path, &text(writer)).unwrap()));
            }
        });
        let found = fs::read(&path).unwrap();
        assert!((0..8).any(|writer| found == text(writer)), "{} bytes", found.len());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn no_cell_is_computed_by_a_spreadsheet_and_numbers_stay() {
        let row = ["=1+1", "\u{3000}@x", "＝1", "\t1", "-cost", "-1.5", "+2", "1e-3", "a=b", ""].map(str::to_owned);
        let text = String::from_utf8(csv_text([row.to_vec()]).unwrap()).unwrap();
        assert_eq!(text, "'=1+1,'\u{3000}@x,'＝1,'\t1,'-cost,-1.5,+2,1e-3,a=b,\n");
        for cell in row.iter().map(String::as_str).chain(["'=1", "''=1", "'", "'a"]) {
            assert_eq!(written_text(&uncomputed(cell.to_owned())), cell);
        }
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

    #[test]
    fn two_files_grow_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [one_path, other_path] = ["one.csv", "other.csv"].map(|name| folder.path().join(name));
        let mut one = Rows::begin(one_path.clone(), b"a\n").unwrap();
        let mut other = Rows::begin(other_path.clone(), b"b\n").unwrap();
        Rows::append_both((&mut one, b"1\n"), (&mut other, b"2\n2\n")).unwrap();
        Rows::append_both((&mut one, b""), (&mut other, b"3\n")).unwrap();
        Rows::append_both((&mut one, b"4\n"), (&mut other, b"")).unwrap();
        let texts = || [&one_path, &other_path].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(texts(), ["a\n1\n4\n", "b\n2\n2\n3\n"]);
        assert_eq!((one.bytes(), other.bytes()), (6, 8));

        // Nothing can be written to a file that is open to be read.
        let unwritable = File::open(&other_path).unwrap();
        other.file = unwritable;
        let error = Rows::append_both((&mut one, b"5\n"), (&mut other, b"6\n")).unwrap_err();
        assert!(error.to_string().contains("other.csv"), "{error}");
        assert_eq!(texts(), ["a\n1\n4\n", "b\n2\n2\n3\n"]);
        assert_eq!((one.bytes(), other.bytes()), (6, 8));

        // What is written there is never on a disk.
        #[cfg(unix)]
        {
            one.file = File::options().write(true).open("/dev/null").unwrap();
            other.file = File::options().append(true).open(&other_path).unwrap();
            let error = Rows::append_both((&mut one, b"5\n"), (&mut other, b"6\n")).unwrap_err();
            assert!(error.to_string().contains("one.csv"), "{error}");
            assert_eq!(texts(), ["a\n1\n4\n", "b\n2\n2\n3\n"]);
        }
    }
}
