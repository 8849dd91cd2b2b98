//! `apbench baseline`: runs that are saved under a name, to compare later ones with.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::failure::{Failure, Status};
use super::output::{json, line, print_table, table, tell};
use super::run_directory::{baseline_names, baselines_folder, check_name, find_baseline, run_directory};
use crate::run::RunError;
use crate::run::copy::copy_run;
use crate::run::metadata::{RunMetadata, RunStatus};
use crate::run::reader::Run;
use located_toml::words::{count, instead, quote};

/// What is done with baselines.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Save a copy of a run under a name
    Save(Save),
    /// List the saved runs
    List(List),
    /// Delete a saved run
    Remove(Remove),
}

/// Options of `baseline save`.
#[derive(Debug, clap::Args)]
pub(super) struct Save {
    /// Name of the baseline, of letters, digits, hyphens, underscores and dots
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    /// Run directory, a baseline, or last, last~1, last:SCENARIO
    #[arg(value_name = "RUN", default_value = "last", value_parser = run_directory())]
    run: PathBuf,
    /// Replace the baseline that has this name
    #[arg(long)]
    replace: bool,
}

/// Options of `baseline list`.
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Options of `baseline remove`.
#[derive(Debug, clap::Args)]
pub(super) struct Remove {
    /// Name of the baseline
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
}

fn name(text: &str) -> Result<String, String> {
    check_name(text).map(|()| text.to_owned())
}

pub(super) fn run(command: &Command) -> Result<Status, Failure> {
    match command {
        Command::Save(arguments) => save(arguments),
        Command::List(arguments) => list(arguments),
        Command::Remove(arguments) => remove(arguments),
    }
}

fn save(arguments: &Save) -> Result<Status, Failure> {
    let Save { name, run, replace } = arguments;
    let own = Run::read_or_embedded(run)?;
    let folder = baselines_folder();
    let directory = folder.join(name);
    let is_there = directory.symlink_metadata().is_ok();
    if is_there && !replace {
        let told = Run::metadata_of(&directory).map_or_else(|error| error.to_string(), |own| sentence(&own));
        return Err(Failure::Usage(format!(
            "there is a baseline {} already: {told}; give another name, or --replace",
            quote(name)
        )));
    }
    fs::create_dir_all(&folder).map_err(RunError::io(&folder))?;
    // A reader sees the old one or the new one, and never half of one.
    let aside = tempfile::Builder::new().prefix(".saving-").tempdir_in(&folder).map_err(RunError::io(&folder))?;
    let (copy, old) = (aside.path().join("new"), aside.path().join("old"));
    fs::create_dir(&copy).map_err(RunError::io(&copy))?;
    for name in copy_run(run, &copy)? {
        tell(format!("note: {name} is no file and no folder, and is not in the baseline"));
    }
    if is_there {
        fs::rename(&directory, &old).map_err(RunError::io(&directory))?;
    }
    fs::rename(&copy, &directory).map_err(RunError::io(&directory))?;
    if own.metadata.status != RunStatus::Complete {
        let (rows, points) = (own.points.len(), count(own.metadata.points, "point"));
        tell(format!("note: the run is not complete: it has {rows} of {points}"));
    }
    if Path::new(name).symlink_metadata().is_ok() {
        let path = directory.display();
        tell(format!("note: where you are, {} is a path, and means that; the baseline is {path}", quote(name)));
    }
    line(format!("saved {} as {}: {}", run.display(), quote(name), sentence(&own.metadata)))?;
    line(format!("compare a run with it: apbench compare {name} last"))?;
    Ok(Status::Success)
}

/// A saved run.
#[derive(Debug, Serialize)]
struct Saved {
    name: String,
    run: String,
    scenario: String,
    device: String,
    started_at: String,
    points: usize,
    status: RunStatus,
}

impl Saved {
    fn of(name: &str) -> Result<Self, Failure> {
        let directory = baselines_folder().join(name);
        let RunMetadata { scenario, device, started_at, points, status, .. } = Run::metadata_of(&directory)?;
        let run = directory.display().to_string();
        Ok(Self { name: name.to_owned(), run, scenario, device: device.label(), started_at, points, status })
    }
}

fn sentence(metadata: &RunMetadata) -> String {
    format!("{} on {}, {}", metadata.scenario, metadata.device.label(), metadata.started_at)
}

fn list(arguments: &List) -> Result<Status, Failure> {
    let names = baseline_names().map_err(Failure::Other)?;
    let saved = names.iter().map(|name| Saved::of(name)).collect::<Result<Vec<_>, _>>()?;
    if arguments.json {
        json(&saved)?;
    } else if saved.is_empty() {
        line("no baseline here; save a run as one: apbench baseline save NAME [RUN]")?;
    } else {
        let mut rows = table(&["name", "scenario", "device", "started", "points"]);
        for own in saved {
            let points = match own.status {
                RunStatus::Complete => own.points.to_string(),
                RunStatus::Running | RunStatus::Interrupted => format!("part of {}", own.points),
            };
            rows.add_row([own.name, own.scenario, own.device, own.started_at, points]);
        }
        print_table(&rows)?;
    }
    Ok(Status::Success)
}

fn remove(arguments: &Remove) -> Result<Status, Failure> {
    let name = &arguments.name;
    let Some(directory) = find_baseline(name) else {
        let names = baseline_names().map_err(Failure::Other)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let help = if names.is_empty() { "there is none".to_owned() } else { instead(name, &names) };
        return Err(Failure::Usage(format!("there is no baseline {}: {help}", quote(name))));
    };
    // A link to a run elsewhere is removed, and the run stays.
    let is_link = directory.symlink_metadata().is_ok_and(|own| own.is_symlink());
    let removed = if is_link { fs::remove_file(&directory) } else { fs::remove_dir_all(&directory) };
    removed.map_err(RunError::io(&directory))?;
    line(format!("removed {}", directory.display()))?;
    Ok(Status::Success)
}
