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

/// Reads a regular file.
///
/// # Errors
/// As [`open`], and when it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file that is text.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "is not UTF-8 text"))
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

/// Reads what a command was given to read, which may be a pipe, as a shell's `<(command)` is. Of what is larger than `bytes_max`,
/// such as an endless device, no more than that is read.
///
/// # Errors
/// When it cannot be read, or is larger.
pub fn read_at_most(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let problem = format!("is larger than {} MiB, the most that is read", bytes_max >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    Ok(bytes)
}

fn refuse_others(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("is {}, not a regular file", name_of(found))))
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
