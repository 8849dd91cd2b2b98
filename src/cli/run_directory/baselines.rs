//! Baselines: runs that were saved under a name, each in `results/baselines/NAME`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::named::LAST;
use crate::run::METADATA_FILE;
use located_toml::words::{meant, quote};

/// Their folder in that of all runs.
const BASELINES_FOLDER: &str = "baselines";
/// Characters of a name at most.
const LENGTH_MOST: usize = 64;

/// The folder of all baselines.
pub(super) fn folder(results: &Path) -> PathBuf {
    results.join(BASELINES_FOLDER)
}

/// Whether a name may be that of a baseline.
///
/// # Errors
/// What is wrong with it, and what is allowed.
pub(in crate::cli) fn check_name(name: &str) -> Result<(), String> {
    let is_allowed = |own: char| own.is_ascii_alphanumeric() || "-_.".contains(own);
    let begins = name.chars().next().is_some_and(|first| first.is_ascii_alphanumeric());
    if !begins || !name.chars().all(is_allowed) || name.len() > LENGTH_MOST {
        return Err(format!(
            "{} cannot be the name of a baseline: write up to {LENGTH_MOST} letters, digits, `-`, `_` and `.`, beginning with a letter or a digit",
            quote(name)
        ));
    }
    if name == LAST {
        return Err(format!("`{LAST}` means the newest run already; give the baseline another name"));
    }
    Ok(())
}

/// The directory of the baseline that is meant, if there is one: that of this name, or the one whose name is the same but for `-` and `_`.
pub(super) fn find(results: &Path, name: &str) -> Option<PathBuf> {
    at(results, name).or_else(|| {
        let names = names(results).ok()?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        at(results, meant(name, &names)?)
    })
}

/// The directory of the baseline of exactly this name, if there is one.
fn at(results: &Path, name: &str) -> Option<PathBuf> {
    let directory = folder(results).join(name);
    (check_name(name).is_ok() && directory.join(METADATA_FILE).is_file()).then_some(directory)
}

/// The names of all baselines, in their order.
///
/// # Errors
/// The folder that cannot be read, and why.
pub(super) fn names(results: &Path) -> Result<Vec<String>, String> {
    let folder = folder(results);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        names.extend(entry.file_name().into_string().ok().filter(|name| at(results, name).is_some()));
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["before", "v1.2", "2026-03-01", "a", "driver_580"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        let long = "a".repeat(65);
        for name in
            ["", ".", "..", ".hidden", "-out", "a/b", "a\\b", "last~1", "last:branching", "two words", "é", &long]
        {
            let problem = check_name(name).expect_err(name);
            assert!(problem.contains("write up to 64 letters"), "{problem}");
        }
        assert!(check_name("last").expect_err("taken").contains("means the newest run"));
    }
}
