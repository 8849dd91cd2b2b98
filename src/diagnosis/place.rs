//! Places in sources: what a line of PTX was compiled from.

use crate::kernel::Sourced;

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the scenario calls it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What stands there, without blanks around it; empty where the file is not known.
    pub text: String,
}

impl Place {
    /// Where a line of the PTX comes from.
    pub fn of(source: &Sourced, ptx_line: u32) -> Self {
        let (file, line, text) = source.place(ptx_line);
        Self { file, line, text }
    }
}
