//! Regular files: reading one ends, while reading a pipe or a device may not.

use std::fs::{self, File, FileType};
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a regular file to be read. Never waits, as opening a named pipe does until somebody writes to it.
///
/// # Errors
/// When there is none, or what is there is something else: the error says what.
pub fn open(path: &Path) -> io::Result<File> {
    refuse_others(fs::metadata(path)?.file_type())?;
    File::open(path)
}

/// The most that [`read`] reads: a sparse file may claim more than there is memory.
const BYTES_MOST: u64 = 2 << 30;
/// The most that [`read_text`] reads: what people or programs describe something in is far smaller.
const TEXT_BYTES_MOST: u64 = 64 << 20;

/// Reads a regular file of at most 2 GiB.
///
/// # Errors
/// As [`open`], and when it cannot be read or is larger.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, BYTES_MOST)
}

/// Reads a regular file that is text, of at most 64 MiB.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_up_to(path, TEXT_BYTES_MOST)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "is not UTF-8 text"))
}

fn read_up_to(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if file.metadata()?.len() > bytes_max {
        return Err(too_large(bytes_max));
    }
    bytes_of(file, bytes_max)
}

/// What a file holds, which may grow while it is read.
fn bytes_of(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max { Err(too_large(bytes_max)) } else { Ok(bytes) }
}

fn too_large(bytes_max: u64) -> io::Error {
    let problem = format!("is larger than {} MiB, the most that is read", bytes_max >> 20);
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// Opens a regular file to be written in place, and to be read. A symbolic link is refused: what it leads to is not where the file
/// is thought to be.
///
/// # Errors
/// When there is none, what is there is something else, or it cannot be written.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    refuse_others(fs::symlink_metadata(path)?.file_type())?;
    File::options().read(true).write(true).open(path)
}

/// Refuses a path at which another file cannot be put in place of what is there: a pipe, a device, a link to one, or a name of
/// what a process has open, such as `/dev/stdout`.
///
/// # Errors
/// The error says what is there.
pub fn refuse_irreplaceable(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    let found = found.file_type();
    if found.is_symlink() {
        let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
        if folder.is_some_and(|folder| ["/dev", "/proc"].iter().any(|of_system| folder.starts_with(of_system))) {
            return Err(other_than_file("a name of what a process has open"));
        }
        return match fs::metadata(path).map(|target| target.file_type()) {
            Ok(target) if !target.is_dir() => refuse_others(target),
            // The link itself is replaced.
            _ => Ok(()),
        };
    }
    // A directory stays where it is: no file takes its name.
    if found.is_dir() { Ok(()) } else { refuse_others(found) }
}

/// Reads what a command was given to read, which may be a pipe, as a shell's `<(command)` is. Of what is larger than `bytes_max`,
/// such as an endless device, no more than that is read.
///
/// # Errors
/// When it cannot be read, or is larger.
pub fn read_at_most(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    bytes_of(File::open(path)?, bytes_max)
}

fn refuse_others(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    Err(other_than_file(name_of(found)))
}

fn other_than_file(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("is {name}, not a regular file"))
}

/// What is there in place of a file, in words.
fn name_of(found: FileType) -> &'static str {
    if found.is_dir() {
        return "a directory";
    }
    if found.is_symlink() {
        return "a symbolic link";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kinds = [
            (found.is_fifo(), "a FIFO (named pipe)"),
            (found.is_socket(), "a socket"),
            (found.is_char_device(), "a device"),
            (found.is_block_device(), "a device"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is, _)| *is) {
            return name;
        }
    }
    "something else"
}
