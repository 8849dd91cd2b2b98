//! Copies of run directories.

use std::fs;
use std::path::Path;

use super::embedded::Embedded;
use super::file::PARTIAL;
use super::{METADATA_FILE, RunError};

/// Copies a run into a directory that is empty; a run that is not on the disk may come with the program. Returns the names of what is no
/// file and no folder, such as symbolic links, which is left out.
///
/// # Errors
/// When it is no run, or a file cannot be read or written.
pub fn copy_run(run: &Path, to: &Path) -> Result<Vec<String>, RunError> {
    if let Some(embedded) = Embedded::meant(run) {
        for (name, text) in embedded.texts()? {
            let path = to.join(name);
            fs::write(&path, text).map_err(RunError::io(&path))?;
        }
        return Ok(Vec::new());
    }
    if !run.join(METADATA_FILE).is_file() {
        return Err(RunError::NotARun(run.to_owned()));
    }
    let mut left_out = Vec::new();
    copy_folder(run, to, &mut left_out)?;
    Ok(left_out)
}

fn copy_folder(from: &Path, to: &Path, left_out: &mut Vec<String>) -> Result<(), RunError> {
    for entry in fs::read_dir(from).map_err(RunError::io(from))? {
        let entry = entry.map_err(RunError::io(from))?;
        let (own, copy) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(RunError::io(&own))?;
        // What is being written is not there yet.
        let is_partial = entry.file_name().to_string_lossy().ends_with(PARTIAL);
        if kind.is_dir() {
            fs::create_dir(&copy).map_err(RunError::io(&copy))?;
            copy_folder(&own, &copy, left_out)?;
        } else if kind.is_file() && !is_partial {
            fs::copy(&own, &copy).map_err(RunError::io(&own))?;
        } else if !is_partial {
            left_out.push(own.display().to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_copied() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(from.path().join("charts")).unwrap();
        for name in [METADATA_FILE, "points.csv", "charts/runtime.svg", "points.csv.partial"] {
            fs::write(from.path().join(name), name).unwrap();
        }
        assert!(copy_run(from.path(), to.path()).unwrap().is_empty());
        for name in [METADATA_FILE, "points.csv", "charts/runtime.svg"] {
            assert_eq!(fs::read_to_string(to.path().join(name)).unwrap(), name);
        }
        assert!(!to.path().join("points.csv.partial").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_left_out_and_named() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(from.path().join(METADATA_FILE), "").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", from.path().join("link")).unwrap();
        let [left_out] = &copy_run(from.path(), to.path()).unwrap()[..] else { panic!("one link") };
        assert!(left_out.ends_with("link"), "{left_out}");
        assert!(!to.path().join("link").exists());
    }

    #[test]
    fn a_folder_of_something_else_is_no_run() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(matches!(copy_run(from.path(), to.path()), Err(RunError::NotARun(_))));
    }
}
