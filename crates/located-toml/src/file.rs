//! Files of text: what cannot be one is told in words that help.

use std::io::Read as _;
use std::path::Path;

use super::report::DocumentErrors;

/// Bytes of the largest file that is read. What people write has less than a thousandth of it.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// What kind of file is expected, in words for help.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    /// What its readers call it: `profile`.
    pub noun: &'static str,
    /// What to do when there is a directory: `give a profile's file, such as ...`.
    pub instead_of_directory: &'static str,
    /// What to do when there is nothing.
    pub where_missing: &'static str,
    /// The least that must be in it.
    pub least: &'static str,
}

impl FileKind {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Where there is none, or it is not text.
    pub fn read(self, path: &Path) -> Result<String, DocumentErrors> {
        let name = path.display().to_string();
        let refuse = |message: &str, help: &str| Err(DocumentErrors::of_file(&name, message, help));
        if path.is_dir() {
            return refuse(&format!("{name} is a directory"), self.instead_of_directory);
        }
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(TEXT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            let help = if error.kind() == std::io::ErrorKind::NotFound {
                self.where_missing
            } else {
                "check the file's permissions"
            };
            return refuse(&format!("{name} cannot be read: {error}"), help);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            // What was cut off at the limit may have cut a character.
            Err(error) if error.as_bytes().len() > TEXT_BYTES_MAX => Err(self.too_large(&name)),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = String::from_utf8_lossy(&error.as_bytes()[..valid]).matches('\n').count() + 1;
                refuse(&format!("{name} is not UTF-8 text: line {line} has other bytes"), "save the file as UTF-8")
            }
        }
    }

    /// Refuses a text that is too large or empty.
    ///
    /// # Errors
    /// Which of them it is.
    pub fn check(self, name: &str, text: &str) -> Result<(), DocumentErrors> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(self.too_large(name));
        }
        if text.trim().is_empty() {
            return Err(DocumentErrors::of_file(name, &format!("{name} is empty"), self.least));
        }
        Ok(())
    }

    fn too_large(self, name: &str) -> DocumentErrors {
        let message = format!("{name} is larger than {} MiB", TEXT_BYTES_MAX >> 20);
        let help = format!("a {} is a short text: is this the right file?", self.noun);
        DocumentErrors::of_file(name, &message, &help)
    }
}
