//! `apbench compare MEASURED SIMULATED --accuracy`: how far a simulated GPU is off.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::analysis::tell_embedded;
use super::super::failure::{Failure, Status};
use super::super::output::{data, line, tell};
use super::Arguments;
use crate::compare::accuracy::{Accuracy, Compared};
use crate::family::Family;
use crate::known_error::SizesOfPoints;
use crate::properties::Origin;
use crate::run::METADATA_FILE;
use crate::run::embedded::Embedded;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use located_toml::words::count;

mod families;
mod files;
mod furthest;
mod row;
mod screen;

pub(in crate::cli) use row::columns;

/// Runs that were compared.
struct Held {
    /// What they are of.
    of: Compared,
    /// The same in words.
    devices: String,
    accuracy: Accuracy,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let all = held(&arguments.runs, arguments.by_family)?;
    if arguments.by_family {
        return families::print(arguments, &all);
    }
    let devices: BTreeSet<String> = all.iter().map(|own| own.devices.clone()).collect();
    let devices: Vec<String> = devices.into_iter().collect();
    let all: Vec<Accuracy> = all.into_iter().map(|own| own.accuracy).collect();
    if arguments.json {
        line(format!("{:#}", files::document(&devices, &all)))?;
    } else if arguments.csv {
        data(files::csv(&all)?)?;
    } else if arguments.markdown {
        line(files::markdown(&devices, &all))?;
    } else {
        screen::print(&devices, &all)?;
    }
    Ok(Status::Success)
}

/// Prints how far the simulated runs of a folder are off the measured ones of another, a row for each scenario, and gives the sum of it in words:
/// `4.5 % off on average at 233 points of 16 scenarios`. `name` is what the simulated device is called, where its own name is that of a draft.
pub(in crate::cli) fn print_table(measured: &Path, simulated: &Path, name: (&str, &str)) -> Result<String, Failure> {
    let named = [measured, simulated].map(|folder| folder.to_string_lossy().into_owned());
    let all = held(&named, false)?;
    let devices: BTreeSet<String> = all.iter().map(|own| own.devices.replace(name.0, name.1)).collect();
    let all: Vec<Accuracy> = all.into_iter().map(|own| own.accuracy).collect();
    screen::print_rows(&devices.into_iter().collect::<Vec<_>>(), &all)?;
    Ok(format!("{} of {}", row::Row::of_all(&all).told(), count(all.len(), "scenario")))
}

/// Compares what the command names, two by two.
fn held(runs: &[String], by_family: bool) -> Result<Vec<Held>, Failure> {
    let (named, rest) = runs.as_chunks::<2>();
    let is_usable = rest.is_empty() && (named.len() == 1 || by_family && !named.is_empty());
    if !is_usable {
        let problem = "--accuracy compares two with each other: apbench compare MEASURED SIMULATED --accuracy, each a run or a folder of runs; \
                       with --by-family, further pairs may follow";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let mut all = Vec::new();
    for [measured, simulated] in named {
        let found = pairs(Path::new(measured), Path::new(simulated), !by_family)?;
        tell_embedded(found.iter().flat_map(|(measured, simulated)| [measured.as_path(), simulated.as_path()]));
        for (measured, simulated) in found {
            let own = compared(&measured, &simulated)?;
            if own.accuracy.points.is_empty() {
                tell(format!(
                    "note: {} has no point in common with {}: sweep both with the same --sizes",
                    simulated.display(),
                    measured.display()
                ));
            } else {
                all.push(own);
            }
        }
    }
    if all.is_empty() {
        return Err(Failure::Usage("no point of the runs can be compared".to_owned()));
    }
    Ok(all)
}

/// Runs that belong together: the two, or those with the same names in two folders. Where it `tells`, others are named.
fn pairs(measured: &Path, simulated: &Path, tells: bool) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let is_run = |folder: &Path| folder.join(METADATA_FILE).exists() || Embedded::meant(folder).is_some();
    if is_run(measured) || is_run(simulated) {
        return Ok(vec![(measured.to_owned(), simulated.to_owned())]);
    }
    let names = |folder: &Path| -> Result<BTreeSet<String>, Failure> {
        let wrong =
            |error| Failure::Usage(format!("{} is neither a run nor a folder of runs: {error}", folder.display()));
        let embedded: BTreeSet<String> = Embedded::names_in(folder).map(str::to_owned).collect();
        let entries = match fs::read_dir(folder) {
            Err(_) if !embedded.is_empty() => return Ok(embedded),
            entries => entries.map_err(wrong)?.flatten(),
        };
        let on_disk = entries.filter(|entry| is_run(&entry.path()));
        Ok(on_disk.filter_map(|entry| entry.file_name().into_string().ok()).chain(embedded).collect())
    };
    let (of_measured, of_simulated) = (names(measured)?, names(simulated)?);
    let both: Vec<_> = of_measured.intersection(&of_simulated).cloned().collect();
    if both.is_empty() {
        let problem = format!("{} and {} have no run of the same name", measured.display(), simulated.display());
        return Err(Failure::Usage(problem));
    }
    let alone: Vec<&str> = of_measured.symmetric_difference(&of_simulated).map(String::as_str).collect();
    if tells && !alone.is_empty() {
        tell(format!(
            "note: {} in one of the folders only, and not compared: {}",
            count(alone.len(), "run"),
            alone.join(", ")
        ));
    }
    Ok(both.into_iter().map(|name| (measured.join(&name), simulated.join(name))).collect())
}

/// Compares two runs.
fn compared(measured: &Path, simulated: &Path) -> Result<Held, Failure> {
    let [measured, simulated] = [Run::read_or_embedded(measured)?, Run::read_or_embedded(simulated)?];
    let expected = [(&measured, Origin::Measured, "first"), (&simulated, Origin::Simulated, "second")];
    for (run, origin, place) in expected {
        if run.metadata.device.origin != origin {
            return Err(Failure::Usage(format!(
                "--accuracy: the {place} run must be {}, but {} is {}",
                origin.name(),
                run.directory.display(),
                run.metadata.device.origin.name()
            )));
        }
    }
    let [one, other] = [family(&measured)?, family(&simulated)?];
    if one.name != other.name {
        return Err(Failure::Usage(format!(
            "{} measured {} and {} {}: only runs of the same family can be compared",
            measured.directory.display(),
            one.name,
            simulated.directory.display(),
            other.name
        )));
    }
    let [gpu, own] = [&measured.metadata.device, &simulated.metadata.device];
    Ok(Held {
        of: Compared {
            profile: own.spec.clone(),
            timing_model: own.profile.as_ref().map_or(0, |profile| profile.timing_model),
            gpu: gpu.name.clone(),
            sizes: SizesOfPoints::of(&simulated.for_known_errors(other)),
        },
        devices: format!("{} against {}", own.spec, gpu.label()),
        accuracy: Accuracy::of(&measured.metadata.scenario, one, gpu, &measured.points, &simulated.points),
    })
}

fn family(run: &Run) -> Result<&'static Family, Failure> {
    Ok(Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario)?.family)
}
