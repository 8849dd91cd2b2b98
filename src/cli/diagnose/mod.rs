//! `apbench diagnose`: which patterns a kernel has, on which line, and what each costs.

mod closing;
mod first_look;
mod json;
mod measured;
mod missing;
mod outputs;
mod patience;
mod sarif;
mod screen;

use std::path::{Path, PathBuf};

use super::analysis::analyse;
use super::estimate::Laws;
use super::failure::{Failure, Status};
use super::new::shell;
use super::opened::with_device;
use super::output::{line, tell, unbroken_line};
use super::run_directory::run_directory;
use super::{report, scenario_file, user_kernel};
use crate::device::select::{DeviceSpec, profile};
use crate::device::sim::Sim;
use crate::device::{Device as _, DeviceError};
use crate::diagnosis::{Examiner, Gate, PointDiagnosis, Progress, Size, diagnose, source_name};
use crate::draft;
use crate::estimate::Coefficients;
use crate::family::Request;
use crate::kernel::Sourced;
use crate::parameter::Mismatch;
use crate::properties::Properties;
use crate::report::PageTheme;
use crate::run::DIAGNOSIS_FILE;
use crate::run::writer::replace_file;
use crate::scenario::{Point, Scenario, groups, varies};
use crate::user_kernel::UserKernel;
use first_look::FirstLook;
use located_toml::words::{instead, meant};
use measured::MeasuredTime;
use outputs::Checked;

/// Options of `diagnose`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Scenario: a file, most often with a kernel of your own, or the name of one that comes with apbench; or a kernel's file (.ptx, .cu) with --grid
    #[arg(value_name = "SCENARIO|KERNEL")]
    subject: PathBuf,
    /// Device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml. A GPU gives the times, a simulated one the parts of them
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// GPU profile of the simulated GPU that counts and prices, where --device is a GPU
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "h200")]
    gpu_profile: String,
    /// Values of a parameter, as for sweep; of several points the largest is diagnosed
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// Diagnose only this variant; may be given several times [default: all]
    #[arg(long = "variant", value_name = "NAME")]
    variants: Vec<String>,
    /// Seed of the inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Patterns on lines that are priced at most [default: 24, fewer of launches that take long to simulate]
    #[arg(long, value_name = "NUMBER")]
    most: Option<usize>,
    /// Exit with status 5 where a pattern is as bad as this, or worse, such as `bank_conflicts:2,uncoalesced:8`; with 4 where a variant fails, races or is wrong beside, and what is as bad is told all the same
    #[arg(long, value_name = "PATTERN:NUMBER,...")]
    fail_on: Option<Gate>,
    /// Directory with runs of pattern scenarios on a GPU, as for estimate: what patterns cost by their laws stands beside the prices
    #[arg(long, value_name = "DIR")]
    laws: Option<PathBuf>,
    /// Write the findings as SARIF, which code reviews show beside the lines
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write the findings into a run of the scenario: diagnosis.json, and a section of its report.html
    #[arg(long, value_name = "RUN", value_parser = run_directory())]
    run: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    // Last, since the heading of its options holds for all that follow.
    #[command(flatten)]
    first_look: FirstLook,
}

/// Points of a scenario at most, of which the largest is diagnosed.
const POINTS_MAX: usize = 10_000;

/// All that the command has to tell.
struct Told {
    scenario: String,
    title: String,
    /// The device that was simulated.
    simulated: Properties,
    /// The GPU that was measured, if one was.
    measured: Option<Properties>,
    /// The size that was diagnosed.
    size: Size,
    known_error: Option<String>,
    /// The same in a line.
    trust: Option<String>,
    /// That counts are of contents which a draft made up, where they are.
    made_up: Option<String>,
    /// What came of checking outputs.
    outputs: Checked,
    /// The scenario that `apbench verify` takes, where it has a kernel of the user's.
    verifiable: Option<String>,
    /// The source of the kernel, where it is known: its name and its text.
    source: Option<(String, String)>,
    variants: Vec<Variant>,
}

/// A variant, and what was found of it.
struct Variant {
    name: &'static str,
    parameters: Vec<(String, String)>,
    outcome: Result<PointDiagnosis, DeviceError>,
    measured: Option<MeasuredTime>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let (measuring, scenario) = match &arguments.device {
        DeviceSpec::Mock(_) => return Err(Failure::Usage("the mock has no kernels to diagnose".to_owned())),
        DeviceSpec::Simulated(name) => {
            let (_, scenario) = Failure::both(profile(name).map_err(Failure::from), subject(arguments))?;
            (None, scenario)
        }
        spec => {
            let (device, scenario) = with_device(spec, subject(arguments))?;
            (Some(device).filter(|device| !device.repeats_exactly()), scenario)
        }
    };
    let profile_name = match &arguments.device {
        DeviceSpec::Simulated(name) => name,
        _ => &arguments.gpu_profile,
    };
    let sim = Sim::open(profile(profile_name)?);
    let properties = sim.properties().clone();
    let scenario = scenario.on(&properties, None)?;
    let points = scenario.points(&properties)?;
    let groups = groups(&points);
    let sizes = groups.len();
    let bytes = |group: &Vec<Point>| {
        let first = group.first().map(|point| scenario.family.device_bytes(&point.parameters));
        first.and_then(Result::ok).unwrap_or(0)
    };
    let mut smallest = outputs::smallest(&groups, bytes);
    let group = chosen(groups, &arguments.variants, bytes)?;
    let is_asked = |variant: &str| group.iter().any(|point| point.variant.name == variant);
    // Others are not compiled, but for the first, with which outputs are compared.
    let first = scenario.family.variants.first().map(|variant| variant.name);
    smallest.retain(|point| is_asked(point.variant.name) || Some(point.variant.name) == first);
    let measured_on = measuring.as_ref().map(|device| device.properties());
    user_kernel::load_for_both(&scenario, &[&group[..], &smallest].concat(), &properties, measured_on)?;
    let named = |(name, value): (&'static str, &crate::parameter::Value)| {
        (sizes == 1 || varies(name, &points)).then(|| (name.to_owned(), value.to_string()))
    };
    let values = group.first().map(|point| point.parameters.iter().filter_map(named).collect()).unwrap_or_default();
    let laws = arguments.laws.as_deref().map(|runs| coefficients(runs, &sim)).transpose()?;
    let outputs = outputs::check(&sim, &scenario, &smallest, is_asked, arguments.seed);
    let progress = Progress::new(group.len());
    let is_kernel_file = arguments.first_look.given().is_some();
    let diagnosed_of = |point: &Point| {
        if console::Term::stderr().is_term() {
            tell(format!("diagnosing {} ...", point.variant.name));
        }
        let measured = match &measuring {
            Some(device) => Some(measured::time(&**device, &scenario, point, arguments.seed)?),
            None => None,
        };
        let variant = Variant {
            name: point.variant.name,
            parameters: point.parameters.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect(),
            outcome: match outputs.endless(point.variant.name) {
                Some(endless) => Err(endless),
                None => diagnosed((&sim, laws.as_ref(), &progress), &scenario, point, arguments),
            },
            measured,
        };
        progress.variant_done();
        Ok(variant)
    };
    let all = || group.iter().map(diagnosed_of).collect::<Result<Vec<Variant>, Failure>>();
    let variants = patience::with_advice(&progress, patience::LONG, || tell(patience::advice(is_kernel_file)), all)?;
    let (known_error, trust) = screen::known_error(&scenario, &properties);
    let told = Told {
        scenario: scenario.name.clone(),
        title: scenario.title.clone(),
        known_error,
        trust,
        made_up: made_up(&scenario),
        verifiable: scenario
            .kernel
            .filter(|_| !is_kernel_file)
            .map(|_| shell(&arguments.subject.display().to_string())),
        source: scenario.kernel.and_then(UserKernel::compiled).map(|own| (own.source_name, own.source)),
        simulated: properties,
        measured: measuring.map(|device| device.properties().clone()),
        size: Size { values, of: sizes },
        outputs,
        variants,
    };
    if let Some(path) = &arguments.sarif {
        let beside = arguments.subject.parent().unwrap_or(Path::new(""));
        sarif::write(path, &told, beside)?;
    }
    if let Some(run) = &arguments.run {
        into_run(run, &told)?;
    }
    let printed = if arguments.json {
        unbroken_line(json_text(&told)?).map_err(Failure::from)
    } else {
        screen::text(&told).into_iter().try_for_each(line).map_err(Failure::from)
    };
    status(arguments, &told).unless_unheard(printed)
}

/// That counts are of contents which `apbench new` made up, where the scenario has them still.
fn made_up(scenario: &Scenario) -> Option<String> {
    let names = draft::made_up(&scenario.text);
    let hold = if names.len() == 1 { "holds" } else { "hold" };
    (!names.is_empty()).then(|| {
        format!(
            "What {} {hold} was made up by `apbench new`: counts that depend on it are of these contents. Put yours in place of them; where they are right as they are, delete the line with CHECK above them.",
            located_toml::words::and_list(&names)
        )
    })
}

/// The scenario that is asked for, or one that is made of a kernel's file.
fn subject(arguments: &Arguments) -> Result<Scenario, Failure> {
    let path = &arguments.subject;
    if scenario_file::is_kernel(path) {
        return arguments.first_look.scenario(path, &arguments.overrides);
    }
    if let Some(option) = arguments.first_look.given() {
        return Err(Failure::Usage(format!("{option} is for a kernel's file; a scenario says that itself")));
    }
    scenario_file::load(path, &arguments.overrides, POINTS_MAX)
}

/// The points of the variants that are asked for, in the group that has most of them, and of those the largest.
fn chosen(
    groups: Vec<Vec<Point>>,
    variants: &[String],
    bytes: impl Fn(&Vec<Point>) -> u64,
) -> Result<Vec<Point>, Failure> {
    let mut names: Vec<&str> = groups.iter().flatten().map(|point| point.variant.name).collect();
    names.sort_unstable();
    names.dedup();
    for name in variants {
        if meant(name, &names).is_none() {
            let instead = instead(name, &names);
            return Err(Failure::Usage(format!("there is no variant `{name}`: {instead}")));
        }
    }
    let is_asked = |point: &Point| {
        variants.is_empty() || variants.iter().any(|name| meant(name, &names) == Some(point.variant.name))
    };
    let asked = groups.into_iter().map(|group| group.into_iter().filter(is_asked).collect::<Vec<_>>());
    let largest = asked.max_by_key(|group| (group.len(), bytes(group)));
    largest.filter(|group| !group.is_empty()).ok_or_else(|| Failure::Usage("the scenario has no points".to_owned()))
}

fn diagnosed(
    (sim, laws, progress): (&Sim, Option<&Coefficients>, &Progress),
    scenario: &Scenario,
    point: &Point,
    arguments: &Arguments,
) -> Result<PointDiagnosis, DeviceError> {
    let properties = sim.properties();
    if let Some(problem) = point.variant.refusal(properties) {
        return Err(DeviceError::Unsupported(problem));
    }
    let (variant, seed) = (point.variant.name, arguments.seed);
    let request = Request { variant, parameters: &point.parameters, device: properties, seed };
    let mismatch = |mismatch: Mismatch| DeviceError::Failed(mismatch.to_string());
    let (need_bytes, free_bytes) =
        (scenario.family.device_bytes(&point.parameters).map_err(mismatch)?, properties.memory_bytes);
    if need_bytes > free_bytes {
        return Err(DeviceError::OutOfMemory { need_bytes, free_bytes });
    }
    let workload = scenario.family.workload(&request).map_err(mismatch)?;
    let capability = sim.profile().compute_capability;
    let entry = workload.launches().next().map(|launch| launch.entry).unwrap_or_default();
    let of_program;
    let source = if let Some(source) = workload.ptx.source() {
        source
    } else {
        // The program has no sources of its own kernels, so their places are lines of the PTX.
        let ptx = workload.ptx.text_of(entry, capability).unwrap_or_default();
        of_program = Sourced::new(ptx, &format!("{}.ptx", scenario.family.name), ptx);
        &of_program
    };
    diagnose(&Examiner { sim, source, priced_most: arguments.most, laws, progress }, &workload)
}

/// What things cost by the laws of the runs in a directory.
fn coefficients(runs: &Path, sim: &Sim) -> Result<Coefficients, Failure> {
    tell("counting what the runs of the laws ask of the simulated GPU ...");
    Ok(Coefficients::of(&Laws::read(runs)?.evidence(sim)?))
}

/// Writes the findings into a run, and its page anew.
fn into_run(directory: &Path, told: &Told) -> Result<(), Failure> {
    let analysis = analyse(directory)?;
    if analysis.run.metadata.scenario != told.scenario {
        let own = &analysis.run.metadata.scenario;
        return Err(Failure::Usage(format!("{}: is a run of {own}, not of {}", directory.display(), told.scenario)));
    }
    let text = json_text(told)?;
    replace_file(&directory.join(DIAGNOSIS_FILE), format!("{text}\n").as_bytes())?;
    let page = report::write(&analysis, None, PageTheme::default())?;
    tell(format!("page: {}", page.display()));
    Ok(())
}

fn json_text(told: &Told) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&json::document(told));
    text.map_err(|error| Failure::Other(format!("the JSON: {error}")))
}

/// Conditions that are met are told on standard error, points that failed are in the results. A kernel that is wrong or races is one that failed, as
/// of `sweep` and `verify`.
fn status(arguments: &Arguments, told: &Told) -> Status {
    let mut crossed = false;
    if let Some(gate) = &arguments.fail_on {
        for variant in &told.variants {
            let Ok(point) = &variant.outcome else { continue };
            for finding in &point.findings {
                if let Some(condition) = gate.crossed_by(finding, point.time_us) {
                    let place = &finding.place;
                    tell(format!("failed: {}:{} ({}): {condition}", place.file, place.line, variant.name));
                    crossed = true;
                }
            }
            if let Some(condition) = gate.crossed_by_unpriced(point) {
                tell(format!("failed: {}: {condition}", variant.name));
                crossed = true;
            }
            for kernel in &point.kernels {
                for condition in gate.crossed_by_kernel(kernel) {
                    let (place, name) = (&kernel.place, source_name(kernel.kernel));
                    tell(format!("failed: {}:{} ({}, {name}): {condition}", place.file, place.line, variant.name));
                    crossed = true;
                }
            }
        }
    }
    // A variant that the device cannot run is skipped, as in a sweep.
    let is_skipped =
        |own: &Variant| matches!(own.outcome, Err(DeviceError::Unsupported(_) | DeviceError::OutOfMemory { .. }));
    let has_failed = |own: &Variant| own.outcome.is_err() && !is_skipped(own);
    let is_nothing_diagnosed = told.variants.iter().all(|own| own.outcome.is_err());
    if told.outputs.is_wrong() || told.variants.iter().any(has_failed) || is_nothing_diagnosed {
        Status::PointsFailed
    } else if crossed {
        Status::GateCrossed
    } else {
        Status::Success
    }
}
