//! A file whose contents are not what they should be, wherever it is read.

use std::path::{Path, PathBuf};

/// What is wrong with a file's contents, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct Malformed {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, where there is one.
    pub line: Option<u64>,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl Malformed {
    /// Names the file whose contents are wrong, and the line.
    pub fn new(path: &Path, line: Option<u64>, problem: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, problem: problem.into() }
    }
}
