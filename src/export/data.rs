//! The contents of buffers, each written once and named after its hash.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::launch::{BufferFile, Role, SumRecord};
use super::{DATA_FOLDER, ExportError, write_new};
use crate::workload::{Buffer, Contents, Expected, POISON, put_bytes};

/// Digits of the hash in a file's name.
const NAME_DIGITS: usize = 24;
/// The largest file that is written where contents are to be left out: tickets and the like, which kernels need to begin with.
const SMALL_BYTES: u64 = 1 << 16;
/// How many words are turned into bytes at once.
const CHUNK_WORDS: usize = 1 << 16;

/// The folder of contents.
pub(super) struct Data {
    folder: PathBuf,
    names: HashSet<String>,
    bytes: u64,
    largest_bytes: u64,
}

impl Data {
    /// Makes the folder. Large contents are left out unless `is_whole`.
    pub(super) fn create(folder: PathBuf, is_whole: bool) -> Result<Self, ExportError> {
        fs::create_dir(&folder).map_err(ExportError::io(&folder))?;
        let largest_bytes = if is_whole { u64::MAX } else { SMALL_BYTES };
        Ok(Self { folder, names: HashSet::new(), bytes: 0, largest_bytes })
    }

    /// Bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes what buffers hold before and after the launches, and tells where it is.
    pub(super) fn add_all(&mut self, buffers: &[Buffer]) -> Result<Vec<BufferFile>, ExportError> {
        buffers.iter().map(|buffer| self.add(buffer)).collect()
    }

    fn add(&mut self, buffer: &Buffer) -> Result<BufferFile, ExportError> {
        let largest_bytes = self.largest_bytes;
        let is_written = |words: &&[u32]| size_of_val(*words) as u64 <= largest_bytes;
        let (contents, fill_word) = match &buffer.contents {
            Contents::Words(words) | Contents::HostWords(words) => (Some(words.as_slice()), None),
            Contents::Poison { .. } | Contents::HostPoison { .. } => (None, Some(POISON)),
        };
        let left_out = contents.is_some_and(|words| !is_written(&words));
        let file = contents.filter(is_written).map(|words| self.write(words, "bin")).transpose()?;
        let expected = buffer.expected.as_ref();
        let expected_words = expected.and_then(Expected::words).filter(is_written);
        let expected_file = expected_words.map(|words| self.write(words, "expected.bin"));
        let expected_file = expected_file.transpose()?;
        let expected_sums = expected.and_then(Expected::sums).map(|sums| sums.iter().map(SumRecord::of).collect());
        let role = if expected.is_some() { Role::Output } else { Role::Input };
        let bytes = buffer.bytes();
        Ok(BufferFile { name: buffer.name, bytes, role, file, fill_word, left_out, expected_file, expected_sums })
    }

    /// Writes words, unless the same ones are there, and tells their path from a point's folder.
    fn write(&mut self, words: &[u32], extension: &str) -> Result<String, ExportError> {
        let mut hash = Sha256::new();
        for_bytes(words, |bytes| {
            hash.update(bytes);
            Ok(())
        })
        .map_err(ExportError::io(&self.folder))?;
        let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{}.{extension}", &digits[..NAME_DIGITS]);
        if !self.names.contains(&name) {
            write_new(&self.folder.join(&name), |file| for_bytes(words, |bytes| file.write_all(bytes)))?;
            self.bytes += size_of_val(words) as u64;
            self.names.insert(name.clone());
        }
        Ok(format!("../{DATA_FOLDER}/{name}"))
    }
}

/// Calls with the little-endian bytes of words, a chunk at a time: buffers are large.
fn for_bytes(words: &[u32], mut each: impl FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut bytes = vec![0; CHUNK_WORDS.min(words.len()) * size_of::<u32>()];
    for chunk in words.chunks(CHUNK_WORDS) {
        let bytes = &mut bytes[..size_of_val(chunk)];
        put_bytes(chunk, bytes);
        each(bytes)?;
    }
    Ok(())
}
