//! The modules of a kernel of the user's that a run keeps, read back.

use std::path::Path;

use located_toml::regular_file;

use super::KERNEL_FILE;
use crate::user_kernel::Compiled;

/// What the run in a directory keeps; `None` where it keeps nothing that can be read.
pub fn kept_kernel(directory: &Path) -> Option<Compiled> {
    serde_json::from_slice(&regular_file::read(&directory.join(KERNEL_FILE)).ok()?).ok()
}
