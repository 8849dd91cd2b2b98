//! `apbench estimate`: the times of a ladder's rungs, from the laws of the patterns in them.

mod files;
mod gather;
mod screen;

pub(super) use files::columns;

use std::path::{Path, PathBuf};

use super::analysis::tell_embedded;
use super::failure::{Failure, Status};
use super::output::{json, tell};
use super::run_directory::{run_directory, run_name};
use super::scenario_file;
use super::shell::quoted;
use crate::device::select::profile;
use crate::device::sim::Sim;
use crate::estimate::{Coefficients, Missing, RungEstimate, estimate};
use crate::properties::{Origin, Properties};
use crate::record::Timing;
use crate::scenario::{Embedded, Point, Scenario, varies};
pub(super) use gather::Laws;
use gather::{BYTES_MOST, Counter, is_run, read_run};
use gpu_simulator::profile::embedded;
use located_toml::words::quote;

/// Options of `estimate`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Scenario of the ladder: a file, or the name of one that comes with apbench
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// Directory with the runs that the laws come from, each named as its scenario
    #[arg(long, value_name = "DIR", default_value = "results/nvidia-h200")]
    laws: PathBuf,
    /// Run of the scenario whose times are shown beside the estimates [default: the one under --laws]
    #[arg(long, value_name = "RUN", value_parser = run_directory())]
    run: Option<PathBuf>,
    /// Values of a parameter, as for sweep
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// GPU profile of the simulated GPU that counts instructions and memory accesses [default: that of the laws' device]
    #[arg(long, alias = "profile", value_name = "NAME|FILE.toml")]
    gpu_profile: Option<String>,
    /// Write estimate.csv into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Points that may be estimated at once: the workload of each is built.
const POINTS_MAX: usize = 1000;

/// That a run was given in place of a scenario, with the option that takes runs.
fn refuse_run(given: &str) -> Result<(), Failure> {
    let path = run_name(given).unwrap_or_else(|_| given.to_owned());
    // A run in a folder of the scenario's name does not hide the scenario.
    if Embedded::named(given).is_some() || !is_run(Path::new(&path)) {
        return Ok(());
    }
    let scenario = read_run(Path::new(&path), None)?.run.metadata.scenario;
    Err(Failure::Usage(format!(
        "{} is a run, not a scenario: apbench estimate {} --run {}",
        quote(given),
        quoted(&scenario),
        quoted(given)
    )))
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    refuse_run(&arguments.scenario)?;
    let laws = Laws::read(&arguments.laws)?;
    tell_embedded(arguments.run.as_deref());
    let device = laws.device().clone();
    let sim = Sim::open(profile(&profile_spec(arguments.gpu_profile.as_deref(), &device)?)?);
    let beside_laws = arguments.laws.join(name_of(&arguments.scenario));
    let own = is_run(&beside_laws).then_some(&beside_laws);
    let measured = arguments.run.as_ref().or(own).map(|path| read_run(path, Some(&device))).transpose()?;
    let scenario = match &measured {
        Some(analysis) => {
            let (own, asked) = (&analysis.run.metadata.scenario, name_of(&arguments.scenario));
            if *own != asked {
                let directory = analysis.run.directory.display();
                return Err(Failure::Usage(format!("{directory}: is a run of {own}, not of {asked}")));
            }
            let name = format!("the scenario of {}", analysis.run.directory.display());
            Scenario::parse(&name, &analysis.run.scenario, &arguments.overrides, POINTS_MAX)?
        }
        None => {
            scenario_file::load(Path::new(&arguments.scenario), &arguments.overrides, POINTS_MAX)?.on(&device, None)?
        }
    };
    tell("counting instructions and memory accesses on a simulated GPU ...");
    let coefficients = Coefficients::of(&laws.evidence(&sim)?);
    let counter = Counter { sim: &sim, device: &device, seed: 1 };
    let mut rungs = Vec::new();
    for point in scenario.points(&device)?.into_iter().filter(|point| !point.variant.is_host) {
        let record = measured.as_ref().and_then(|own| own.run.points.iter().find(|record| point.is_of(record)));
        let timing = record.and_then(|record| record.timing.as_ref());
        let kernel_us =
            |timing: &Timing| timing.phases.as_ref().map_or(timing.median.time_us, |phases| phases.kernel_us);
        let measured_us = timing.map(kernel_us);
        let parameters = point.parameters.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        let estimate = match counter.count(scenario.family, &point, BYTES_MOST) {
            Ok(launches) => {
                estimate(point.variant.name, parameters, &launches, &coefficients).map_err(Problem::Missing)
            }
            Err(error) => Err(Problem::NotCounted(error.to_string())),
        };
        let bytes = scenario.family.device_bytes(&point.parameters).unwrap_or(0);
        rungs.push(Rung { point, bytes, estimate, measured_us });
    }
    let estimates = Estimates {
        scenario: scenario.name.clone(),
        title: scenario.title.clone(),
        is_ladder: scenario.family.is_ladder(),
        laws: arguments.laws.clone(),
        embedded: laws.embedded(),
        run: measured.map(|own| own.run.directory),
        profile: sim.profile().spec.clone(),
        device,
        coefficients,
        rungs,
    };
    if let Some(folder) = &arguments.out {
        let path = files::write(folder, &estimates)?;
        tell(format!("written: {}", path.display()));
    }
    if arguments.json {
        json(&files::json(&estimates))?;
    } else {
        screen::print(&estimates)?;
    }
    Ok(Status::Success)
}

/// A rung with what came of estimating it.
struct Rung {
    point: Point,
    /// Device memory that it takes.
    bytes: u64,
    estimate: Result<RungEstimate, Problem>,
    measured_us: Option<f64>,
}

/// Why there is no estimate of a rung.
enum Problem {
    /// Laws are missing.
    Missing(Vec<Missing>),
    /// What it asks cannot be counted, for this reason.
    NotCounted(String),
}

/// All that the command has to tell.
struct Estimates {
    scenario: String,
    title: String,
    is_ladder: bool,
    laws: PathBuf,
    /// Scenarios whose runs under `laws` come with the program, and whether these are all.
    embedded: (Vec<&'static str>, bool),
    run: Option<PathBuf>,
    profile: String,
    device: Properties,
    coefficients: Coefficients,
    rungs: Vec<Rung>,
}

impl Estimates {
    /// The parameters that tell points apart.
    fn varying(&self) -> Vec<&str> {
        let points: Vec<Point> = self.rungs.iter().map(|rung| rung.point.clone()).collect();
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.rungs.iter().flat_map(|rung| rung.point.parameters.iter()) {
            if !names.contains(&name) && varies(name, &points) {
                names.push(name);
            }
        }
        names
    }

    /// The rungs in groups whose parameters are the same, with those in words that tell groups apart.
    fn groups(&self) -> Vec<(String, Vec<&Rung>)> {
        let points: Vec<Point> = self.rungs.iter().map(|rung| rung.point.clone()).collect();
        let mut groups: Vec<(String, Vec<&Rung>)> = Vec::new();
        for rung in &self.rungs {
            let values = rung.point.parameters.iter().filter(|(name, _)| varies(name, &points));
            let label = values.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
            match groups.iter_mut().find(|(own, _)| *own == label) {
                Some((_, rungs)) => rungs.push(rung),
                None => groups.push((label, vec![rung])),
            }
        }
        groups
    }
}

impl Rung {
    /// The estimated and the measured time, where there are both.
    fn times_us(&self) -> Option<(f64, f64)> {
        Some((self.estimate.as_ref().ok()?.time_us, self.measured_us?))
    }
}

/// What to do about a law that is missing.
fn told(missing: &Missing, laws: &Path) -> String {
    let Missing { scenario, what, why } = missing;
    let command = format!("apbench sweep scenarios/{scenario}.toml --out {}", laws.join(scenario).display());
    match why {
        Some(why) => format!("{what} is not known: it does not follow from the run of {scenario} ({why})"),
        None => format!("{what} is not known; to measure it:  {command}"),
    }
}

/// The profile to count with: that of the simulated device, or the one that is named as the GPU.
fn profile_spec(asked: Option<&str>, device: &Properties) -> Result<String, Failure> {
    if let Some(asked) = asked {
        return Ok(asked.strip_prefix("sim:").unwrap_or(asked).to_owned());
    }
    if device.origin == Origin::Simulated {
        return Ok(device.spec.strip_prefix("sim:").unwrap_or(&device.spec).to_owned());
    }
    for own in embedded() {
        if device.name.contains(&profile(own.name)?.title) {
            return Ok(own.name.to_owned());
        }
    }
    let names: Vec<&str> = embedded().iter().map(|own| own.name).collect();
    Err(Failure::Usage(format!(
        "there is no GPU profile of {}: give one with --gpu-profile, a file or one of {}",
        device.name,
        names.join(", ")
    )))
}

fn name_of(scenario: &str) -> String {
    let stem = Path::new(scenario).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    Embedded::named(&stem).map_or(stem, |own| own.name.to_owned())
}
