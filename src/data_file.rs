//! Files that buffers of the user's kernels are filled with or compared with: NumPy's `.npy`, and raw bytes.
//!
//! A file is read through once where a sweep begins, to hold it against the buffers and to know its hash; its contents are read where workloads
//! are built. So what goes from process to process, and what a run keeps, is a file's name, size and hash.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::scenario::FileProblem;
use crate::user_kernel::{DataFile, FileUse, UserKernel};
use crate::workload::{Element, Words, words_of};
use located_toml::regular_file;

mod npy;
#[cfg(test)]
mod tests;

use npy::Header;

/// Bytes that are read at a time: whole words.
const PART_BYTES: usize = 1 << 20;

/// A file that was read through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The elements; nothing where they were not asked for.
    pub words: Words,
    /// Bytes of the elements.
    pub data_bytes: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    header: Option<Header>,
}

/// Whether the contents of files are kept with the kernel, or only what they are is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// They are kept: workloads will be built here.
    Contents,
    /// They are not: other processes build the workloads.
    Nothing,
}

/// Reads every file that these points need, from the scenario's directory, and holds it against the buffers.
///
/// # Errors
/// All that is wrong with them.
pub fn survey(
    kernel: &UserKernel,
    directory: &Path,
    uses: &[FileUse],
    keep: Keep,
) -> Result<Vec<DataFile>, Vec<FileProblem>> {
    let mut read: HashMap<&str, Result<Contents, String>> = HashMap::new();
    let mut files: Vec<DataFile> = Vec::new();
    let mut problems = Vec::new();
    for own in uses {
        let contents = read.entry(&own.name).or_insert_with(|| {
            let path = directory.join(&own.name);
            // What is far too large is not kept, as no buffer takes it.
            let most = own.elements.saturating_mul(own.element.bytes()).saturating_add(1 << 16);
            let is_small = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= most);
            read_file(&path, keep == Keep::Contents && is_small)
        });
        let fits = contents.as_ref().map_err(Clone::clone).and_then(|contents| contents.fit(own));
        if let Err(problem) = fits {
            let problem = format!("{} {problem}", own.name);
            problems.push(FileProblem { key: own.key, buffer: own.buffer, problem });
        } else if let Ok(contents) = contents
            && files.iter().all(|file| file.name != own.name)
        {
            let (bytes, sha256) = (contents.bytes, contents.sha256.clone());
            files.push(DataFile { name: own.name.clone(), bytes, sha256 });
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if keep == Keep::Contents {
        kernel.keep_contents(read.into_iter().filter_map(|(name, contents)| Some((name, contents.ok()?.words))));
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// Reads files again that another process surveyed.
///
/// # Errors
/// Where one cannot be read, or is another than it was.
pub fn load(kernel: &UserKernel, directory: &Path, files: &[DataFile]) -> Result<(), String> {
    for file in files {
        let path = directory.join(&file.name);
        let has_changed = || format!("{} has changed since the sweep began", file.name);
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() != file.bytes) {
            return Err(has_changed());
        }
        let contents = read_file(&path, true).map_err(|problem| format!("{} {problem}", file.name))?;
        if contents.sha256 != file.sha256 {
            return Err(has_changed());
        }
        kernel.keep_contents([(file.name.as_str(), contents.words)]);
    }
    Ok(())
}

/// Reads a file through.
fn read_file(path: &Path, keep: bool) -> Result<Contents, String> {
    let file = regular_file::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "is not there; files are looked for beside the scenario".to_owned(),
        ErrorKind::InvalidInput => error.to_string(),
        _ => format!("cannot be read: {error}"),
    })?;
    read(file, path.extension().is_some_and(|ending| ending == "npy"), keep)
}

/// Reads what is a `.npy` file, or raw bytes, through.
///
/// # Errors
/// Why it cannot be read.
pub fn read(file: impl Read, is_npy: bool, keep: bool) -> Result<Contents, String> {
    let mut file = Hashing { file, hash: Sha256::new(), bytes: 0, error: None };
    let header = if is_npy { Some(Header::read(&mut file)) } else { None }.transpose();
    let header = header.map_err(|problem| file.error.take().unwrap_or(problem))?;
    let (mut words, mut data_bytes) = (Vec::new(), 0);
    let mut part = vec![0; PART_BYTES];
    loop {
        let count = fill(&mut file, &mut part).map_err(|error| format!("cannot be read: {error}"))?;
        if data_bytes == 0 && header.is_none() && part[..count].starts_with(&npy::MAGIC) {
            return Err("is a NumPy array and not raw bytes: let its name end in .npy".to_owned());
        }
        data_bytes += count as u64;
        if keep {
            words.extend(words_of(&part[..count]));
        }
        if count < part.len() {
            break;
        }
    }
    let sha256 = file.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Contents { words: words.into(), data_bytes, bytes: file.bytes, sha256, header })
}

impl Contents {
    /// How many elements of this type it has.
    ///
    /// # Errors
    /// Where it has those of another type, or not whole: both.
    pub fn elements(&self, element: Element) -> Result<u64, String> {
        let size = element.bytes();
        let Some(header) = &self.header else {
            if !self.data_bytes.is_multiple_of(size) {
                let (bytes, name) = (self.data_bytes, element.name());
                return Err(format!("has {bytes} bytes, which are no whole number of {name}, of {size} bytes each"));
            }
            return Ok(self.data_bytes / size);
        };
        let elements = header.elements(element)?;
        let (found, expected) = (self.data_bytes, elements * size);
        if found != expected {
            let what = if found < expected { "is cut off: it has" } else { "has more than its array:" };
            let shape = header.shape_text();
            return Err(format!("{what} {found} bytes behind its header, where {shape} takes {expected}"));
        }
        Ok(elements)
    }

    /// Whether it is what a buffer needs.
    fn fit(&self, own: &FileUse) -> Result<(), String> {
        let elements = self.elements(own.element)?;
        if elements == own.elements {
            return Ok(());
        }
        let shape = self.header.as_ref().map_or(String::new(), |header| format!(", shape {}", header.shape_text()));
        let at = if own.at.is_empty() { String::new() } else { format!(" at {}", own.at) };
        Err(format!("has {elements} elements{shape}, and the buffer has {}{at}", own.elements))
    }
}

/// Fills the part as far as there is anything; tells how far.
fn fill(file: &mut impl Read, part: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < part.len() {
        match file.read(&mut part[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A file whose bytes are hashed as they are read.
struct Hashing<R> {
    file: R,
    hash: Sha256,
    bytes: u64,
    /// Why it could not be read, in words.
    error: Option<String>,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, part: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(part);
        match &read {
            Ok(count) => {
                self.hash.update(&part[..*count]);
                self.bytes += *count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => self.error = Some(format!("cannot be read: {error}")),
        }
        read
    }
}
