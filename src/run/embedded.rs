//! The reference runs that come with the program: an installed one needs no `results/` beside it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;

use super::{METADATA_FILE, RunError};

/// The files' texts, one behind the other: the build script packs them.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/reference-runs.zlib"));
/// The path of each in the repository, its length in bytes, and whether it is packed by columns.
#[allow(clippy::unreadable_literal, reason = "the build script writes it")]
static LIST: &[(&str, usize, bool)] = include!(concat!(env!("OUT_DIR"), "/reference-runs.rs"));

/// A run that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedded {
    /// Its directory in the repository, such as `results/nvidia-h200/branching`.
    pub directory: &'static str,
}

impl Embedded {
    /// The run that someone means by a directory. Files come first: where there is anything with this path, it is meant.
    pub fn meant(directory: &Path) -> Option<Self> {
        let is_there = directory.symlink_metadata().is_ok();
        let own = directory.strip_prefix("./").unwrap_or(directory);
        Self::all().find(|run| !is_there && Path::new(run.directory) == own)
    }

    /// All of them, by directory.
    pub fn all() -> impl Iterator<Item = Self> {
        let metadata = LIST.iter().filter_map(|(path, ..)| path.strip_suffix(METADATA_FILE)?.strip_suffix('/'));
        metadata.map(|directory| Self { directory })
    }

    /// The names of those that someone means who names the folder that they are in.
    pub fn names_in(folder: &Path) -> impl Iterator<Item = &'static str> {
        let meant = move |run: &Self| {
            let (_, name) = run.directory.rsplit_once('/')?;
            (Self::meant(&folder.join(name)) == Some(*run)).then_some(name)
        };
        Self::all().filter_map(move |run| meant(&run))
    }

    /// Its files: names and texts.
    ///
    /// # Errors
    /// When the program is damaged.
    pub fn texts(self) -> Result<impl Iterator<Item = (&'static str, &'static str)>, RunError> {
        let own = move |(path, text): (&&'static str, &'static String)| {
            let name = path.strip_prefix(self.directory)?.strip_prefix('/')?;
            Some((name, text.as_str()))
        };
        Ok(self.all_texts()?.iter().filter_map(own))
    }

    /// The text of one of its files, which it may not have.
    ///
    /// # Errors
    /// When the program is damaged.
    pub fn text(self, file: &str) -> Result<Option<&'static str>, RunError> {
        let texts = self.all_texts()?;
        Ok(texts.get(format!("{}/{file}", self.directory).as_str()).map(String::as_str))
    }

    fn all_texts(self) -> Result<&'static BTreeMap<&'static str, String>, RunError> {
        texts().as_ref().map_err(|problem| RunError::malformed(Path::new(self.directory), None, *problem))
    }
}

/// All texts by their paths. They are unpacked once.
fn texts() -> &'static Result<BTreeMap<&'static str, String>, &'static str> {
    static TEXTS: OnceLock<Result<BTreeMap<&'static str, String>, &'static str>> = OnceLock::new();
    TEXTS.get_or_init(|| unpacked().ok_or("the copy inside apbench is damaged; install it again"))
}

fn unpacked() -> Option<BTreeMap<&'static str, String>> {
    let mut reader = ZlibDecoder::new(PACKED);
    let texts = LIST.iter().map(|&(path, length, is_by_columns)| {
        let mut text = vec![0; length];
        reader.read_exact(&mut text).ok()?;
        let text = String::from_utf8(text).ok()?;
        Some((path, if is_by_columns { by_rows(&text) } else { text }))
    });
    texts.collect()
}

/// A table whose columns are in lines, with its rows in lines. All have the same number of fields, so it is as long as before.
fn by_rows(columns: &str) -> String {
    let mut columns: Vec<_> = columns.lines().map(|column| column.split(',')).collect();
    let mut rows = String::new();
    while let Some(first) = columns.first_mut().and_then(Iterator::next) {
        rows += first;
        for column in &mut columns[1..] {
            rows.push(',');
            rows += column.next().unwrap_or_default();
        }
        rows.push('\n');
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{POINTS_FILE, SCENARIO_FILE};

    #[test]
    fn every_run_is_that_of_the_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = 0;
        for run in Embedded::all() {
            for name in [METADATA_FILE, SCENARIO_FILE, POINTS_FILE, "rounds.csv", "estimate.csv"] {
                let file = root.join(run.directory).join(name);
                let own = run.text(name).unwrap();
                // Those of the H100 are to be looked at: comparisons alone read rounds.
                if name == "rounds.csv" && run.directory.starts_with("results/nvidia-h100/") {
                    assert_eq!(own, None, "{}", file.display());
                    continue;
                }
                assert_eq!(own, std::fs::read_to_string(&file).ok().as_deref(), "{}", file.display());
                files += usize::from(own.is_some());
            }
        }
        assert_eq!(files, LIST.len());
    }

    #[test]
    fn the_copy_is_small() {
        assert!(PACKED.len() < 400_000, "{} bytes", PACKED.len());
    }

    #[test]
    fn a_path_of_the_repository_means_its_run_where_nothing_has_that_path() {
        let meant = |path: &str| Embedded::meant(Path::new(path)).map(|run| run.directory);
        // Tests run where `results/` is.
        assert_eq!(meant("results/nvidia-h200/branching"), None);
        let elsewhere = Embedded { directory: "results/nvidia-h200/branching" };
        assert!(Embedded::all().any(|run| run == elsewhere));
        for path in ["results/nvidia-h200", "nvidia-h200/branching", "branching", ""] {
            assert_eq!(meant(path), None, "{path}");
        }
    }
}
