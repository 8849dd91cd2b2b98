//! Where runs go that are not told where, and names of runs that are there.

use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Zoned;

use crate::properties::Properties;
use crate::run::metadata::{Part, RunMetadata, RunStatus};
use crate::run::{METADATA_FILE, RunError};
use crate::scenario::Scenario;
use located_toml::regular_file;
use located_toml::words::slug;

mod baselines;
mod named;

pub(super) use baselines::check_name;
pub(super) use named::{LAST, run_directory, run_name};

/// The folder of all such runs.
const RESULTS_FOLDER: &str = "results";

/// The folder of baselines.
pub(super) fn baselines_folder() -> PathBuf {
    baselines::folder(Path::new(RESULTS_FOLDER))
}

/// The names of all baselines, in their order.
///
/// # Errors
/// The folder that cannot be read, and why.
pub(super) fn baseline_names() -> Result<Vec<String>, String> {
    baselines::names(Path::new(RESULTS_FOLDER))
}

/// The directory of a baseline, if there is one of this name.
pub(super) fn find_baseline(name: &str) -> Option<PathBuf> {
    baselines::find(Path::new(RESULTS_FOLDER), name)
}

/// Makes a directory under `results/`, named after scenario, device and time, that no other run has.
pub(super) fn new_directory(scenario: &str, properties: &Properties, part: Option<Part>) -> Result<PathBuf, RunError> {
    let time = Zoned::now().strftime("%Y%m%d-%H%M%S");
    let part = part.map(|part| format!("-part-{}-of-{}", part.index, part.of)).unwrap_or_default();
    let name = format!("{scenario}-{}-{time}{part}", slug(&properties.name));
    let results = Path::new(RESULTS_FOLDER);
    fs::create_dir_all(results).map_err(RunError::not_made(results))?;
    let mut directory = results.join(&name);
    for number in 2.. {
        match fs::create_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                directory = results.join(format!("{name}-{number}"));
            }
            made => return made.map(|()| directory.clone()).map_err(RunError::not_made(&directory)),
        }
    }
    Ok(directory)
}

/// The error for `--resume` without a run: names the newest incomplete run of these scenarios.
pub(super) fn which_to_resume(scenarios: &[Scenario]) -> String {
    let problem = "--resume needs the run to continue: --out DIR";
    let runs = fs::read_dir(RESULTS_FOLDER).into_iter().flatten().flatten();
    let unfinished = runs.filter_map(|entry| {
        let text = regular_file::read_text(&entry.path().join(METADATA_FILE)).ok()?;
        let metadata: RunMetadata = serde_json::from_str(&text).ok()?;
        let is_one = scenarios.iter().any(|scenario| scenario.name == metadata.scenario)
            && metadata.status != RunStatus::Complete;
        is_one.then(|| (metadata.started_at, entry.path()))
    });
    match unfinished.max() {
        Some((started_at, path)) => {
            format!("{problem}; the newest incomplete run of this scenario is {}, started {started_at}", path.display())
        }
        None => format!("{problem}; there is no incomplete run of this scenario under {RESULTS_FOLDER}/"),
    }
}
