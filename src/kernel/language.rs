//! Languages of kernels.

use std::path::Path;

/// What a kernel's source is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// CUDA C++, which has to be compiled.
    Cuda,
    /// PTX, which is taken as it is.
    Ptx,
}

impl Language {
    /// The language of a file with this name, by its ending.
    pub fn of(file_name: &str) -> Self {
        let is_ptx = Path::new(file_name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ptx"));
        if is_ptx { Self::Ptx } else { Self::Cuda }
    }
}
