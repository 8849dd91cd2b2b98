//! Headers beside a source of the user's.

use std::path::Path;

use crate::kernel::{Language, source_text};
use crate::signature::{Headers, SOURCE_MOST_BYTES};
use located_toml::regular_file;

/// The headers that a source includes from its folder, as far as they can be read.
pub(super) fn beside(source: &Path, text: &str) -> Headers {
    if Language::of(&source.to_string_lossy()) == Language::Ptx {
        return Headers::default();
    }
    let folder = source.parent().unwrap_or(Path::new(""));
    Headers::read(text, |path| {
        let bytes = regular_file::read_at_most(&folder.join(path), SOURCE_MOST_BYTES).ok()?;
        source_text(bytes)
    })
}
