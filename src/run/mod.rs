//! The run directory: written as a sweep goes, read back by everything that comes after.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use embedded::Embedded;

pub use consistency::{Expected as ExpectedRounds, check_grid, check_rounds};
pub use kernel::kept_kernel;

use crate::malformed::Malformed;

mod consistency;
pub mod copy;
mod difference;
mod drafts;
pub mod embedded;
mod file;
pub mod fits;
mod kernel;
pub mod merge;
pub mod metadata;
pub mod part;
pub mod reader;
mod resume;
pub mod round_times;
mod table;
pub mod writer;

/// Version of the layout of the run directory; it rises when a column or key changes its name or meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// What the run was, as JSON.
pub const METADATA_FILE: &str = "run.json";
/// The scenario as it ran.
pub const SCENARIO_FILE: &str = "scenario.toml";
/// Of a kernel of the user's: its source, and the PTX that was made of it, as JSON.
pub const KERNEL_FILE: &str = "kernel.json";
/// What `apbench diagnose` found in the kernel, as JSON.
pub const DIAGNOSIS_FILE: &str = "diagnosis.json";
/// A row for each point.
pub const POINTS_FILE: &str = "points.csv";
/// A row for each sample.
pub const SAMPLES_FILE: &str = "samples.csv";
/// A row for each round of a point.
pub const ROUNDS_FILE: &str = "rounds.csv";
/// A row for each fitted parameter.
pub const FITS_FILE: &str = "fits.csv";
/// Everything on one page, as HTML.
pub const REPORT_FILE: &str = "report.html";
/// Charts, as SVG and PNG.
pub const CHARTS_FOLDER: &str = "charts";

/// Why a run directory could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The operating system refused.
    #[error("{}: {source}{}", path.display(), remedy(source))]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The directory cannot be made.
    #[error("{}: this directory cannot be made: {source}; give another one to --out", path.display())]
    NotMade {
        /// The directory.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The directory holds something already, and nothing is overwritten.
    #[error("{}: is not empty, and a run never overwrites another; give a new directory, or continue the run with sweep --resume", .0.display())]
    NotEmpty(PathBuf),
    /// The path is a file.
    #[error("{}: is a file, not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// The directory is not a run.
    #[error("{}: {}", .0.display(), not_a_run(.0))]
    NotARun(PathBuf),
    /// The run comes with the program, but is not on the disk.
    #[error("{}: is not here. apbench has a copy of this run for commands that only read it (compare, estimate, fit, ladder, plot --out, predict); this one needs the directory, which `apbench baseline save NAME {}` writes", .0.display(), .0.display())]
    Embedded(PathBuf),
    /// The directory is not there any more.
    #[error("{}: this run directory was removed while the sweep ran; start the sweep again", .0.display())]
    Removed(PathBuf),
    /// A file that is being written is not there any more, or is another one.
    #[error("{}: this file was removed or replaced while the sweep ran; start the sweep again in a new directory", .0.display())]
    FileRemoved(PathBuf),
    /// The folder of the charts is a symbolic link.
    #[error("{}: is a symbolic link, and charts are not written through it; remove the link, or draw elsewhere with plot --out DIR", .0.display())]
    LinkedCharts(PathBuf),
    /// Another process has the run open for writing.
    #[error("{}: another process is writing this run; wait until it ends, or give another directory", .0.display())]
    Busy(PathBuf),
    /// The run in the directory differs from the one to continue.
    #[error("{}: cannot continue this run, because something differs:\n{}\ngive a new directory to start a new run", path.display(), indented(differences))]
    Different {
        /// The run directory.
        path: PathBuf,
        /// What differs, each with what it is in the run and what it is now.
        differences: Vec<String>,
    },
    /// A file's contents are not what they should be.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl RunError {
    /// Names the file or directory that the operating system refused.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// Names the directory that could not be made.
    pub fn not_made(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::NotMade { path: path.to_owned(), source }
    }

    /// Names the file whose contents are wrong, and the line.
    pub(crate) fn malformed(path: &Path, line: Option<u64>, problem: impl Into<String>) -> Self {
        Self::Malformed(Malformed::new(path, line, problem))
    }
}

/// What to do about a disk that is full, or a file that may not grow.
fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space. A sweep keeps all complete rows, and the same command with --resume continues it"
        }
        io::ErrorKind::FileTooLarge => {
            "; raise the limit on the size of files (ulimit -f). A sweep keeps all complete rows, and the same command with --resume continues it"
        }
        _ => "",
    }
}

/// Runs of a folder that are named, at most.
const MOST_NAMED: usize = 12;

/// What a path is that is no run; of a folder of runs which ones are in it.
fn not_a_run(path: &Path) -> String {
    let runs = runs_in(path);
    let named = || match runs.get(..MOST_NAMED) {
        // In place of one that is left out its name fits.
        Some(first) if runs.len() > MOST_NAMED + 1 => {
            format!("{} and {} more", first.join(", "), runs.len() - MOST_NAMED)
        }
        _ => runs.join(", "),
    };
    match &runs[..] {
        [] if path.symlink_metadata().is_ok() => format!("is not a run directory (it has no {METADATA_FILE})"),
        [] => match &namesakes(path)[..] {
            [] => "there is no such run directory".to_owned(),
            [only] => format!("there is no such run directory; did you mean {only}?"),
            all => format!("there is no such run directory; did you mean one of {}?", all.join(", ")),
        },
        [only] => format!("is not a run, but has one in it; give {}", path.join(only).display()),
        [first, ..] => {
            let count = runs.len();
            format!(
                "is not a run, but has {count} in it; give one, such as {}: {}",
                path.join(first).display(),
                named()
            )
        }
    }
}

/// Runs of the same name in the folders beside a run that is not there.
fn namesakes(path: &Path) -> Vec<String> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path().join(name));
    let runs = beside.filter(|own| own.join(METADATA_FILE).is_file()).map(|own| own.display().to_string());
    let all: BTreeSet<String> = runs.collect();
    all.into_iter().collect()
}

/// The names of the runs that a folder has, on the disk or as one that comes with the program.
fn runs_in(folder: &Path) -> Vec<String> {
    let is_run = |entry: &std::fs::DirEntry| entry.path().join(METADATA_FILE).is_file();
    let on_disk = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(is_run);
    let on_disk = on_disk.filter_map(|entry| entry.file_name().into_string().ok());
    let all: BTreeSet<String> = on_disk.chain(Embedded::names_in(folder).map(str::to_owned)).collect();
    all.into_iter().collect()
}

/// Lines, each a little to the right.
pub(crate) fn indented(lines: &[String]) -> String {
    let lines = lines.iter().flat_map(|text| text.lines()).map(|line| format!("  {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
pub(crate) mod fixtures;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_runs_tells_which_ones_are_in_it() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h200");
        let told = |folder: &str| not_a_run(&results.join(folder)).replace(&results.display().to_string(), "H");
        assert_eq!(
            told("scopes"),
            "is not a run, but has 8 in it; give one, such as H/scopes/atomic-types: atomic-types, atomic-types-132-blocks, \
             atomic-types-2-blocks, atomic-types-8-blocks, atomic-types-cluster-of-2, atomic-types-cluster-of-8, fences, fences-release"
        );
        assert_eq!(told("whole-sectors"), "is not a run, but has one in it; give H/whole-sectors/transpose");
        let later = told("later-at-simulated-sizes");
        assert!(later.starts_with("is not a run, but has 22 in it; ") && later.ends_with(" and 10 more"), "{later}");
        assert_eq!(told("constants"), format!("is not a run directory (it has no {METADATA_FILE})"));
        assert_eq!(told("nothing"), "there is no such run directory");
        let simulated = results.with_file_name("simulated-h200");
        assert_eq!(
            not_a_run(&simulated.join("copy-blocks")).replace(&simulated.display().to_string(), "S"),
            "there is no such run directory; did you mean S/later-at-simulated-sizes/copy-blocks?"
        );
    }
}
