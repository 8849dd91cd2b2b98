//! `apbench verify`: every variant of every family against the host's results, at small sizes; the points of a scenario with a kernel of the
//! user's against what the scenario says, variants against each other, and on a simulated device for races.

use std::io;
use std::path::PathBuf;

use super::failure::{Failure, Status};
use super::output::{tell, wrapped_line};
use super::{scenario_file, user_kernel};
use crate::device::select::DeviceSpec;
use crate::device::{Device, DeviceError, Finding, RaceReport};
use crate::family::{FAMILIES, Family, Request};
use crate::measure::check::{CheckError, Outputs, run_check_and_keep};
use crate::scenario::{Scenario, groups};
use crate::user_kernel::UserKernel;
use crate::workload::Buffer;
use located_toml::words::{count, instead, quote};

/// Options of `verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Scenarios with kernels of your own: their points are checked, and no family is
    #[arg(value_name = "SCENARIO", conflicts_with = "families")]
    scenarios: Vec<PathBuf>,
    /// Device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// Seed of the inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Check only this family; may be given several times
    #[arg(long = "family", value_name = "FAMILY")]
    families: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let families = chosen(&arguments.families)?;
    let load = |path: &PathBuf| scenario_file::load(path, &[], POINTS_MAX);
    let scenarios = arguments.scenarios.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let device = arguments.device.open(tell)?;
    let properties = device.properties().clone();
    // Whoever stops listening does not stop the checking: the exit status is the product.
    let mut tally = Tally {
        output: wrapped_line("", &format!("verifying on {} ({})", properties.name, properties.spec)),
        ..Tally::default()
    };
    for scenario in &scenarios {
        verify_scenario(&*device, scenario, arguments.seed, &mut tally)?;
    }
    for family in families.into_iter().filter(|_| scenarios.is_empty()) {
        for parameters in family.verification(&properties) {
            for variant in family.variants {
                let request = Request {
                    variant: variant.name,
                    parameters: &parameters,
                    device: &properties,
                    seed: arguments.seed,
                };
                let result = match variant.refusal(&properties) {
                    Some(problem) => Err(DeviceError::Unsupported(problem).into()),
                    None => verify(&*device, family, &request),
                };
                tally.add(&format!("{}/{} {parameters}", family.name, variant.name), result.map(drop), None);
            }
        }
    }
    let Tally { output, passed, failed, skipped, accesses } = tally;
    let skips = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    let races = accesses.map(|count| format!("; {count} accesses were checked for races")).unwrap_or_default();
    let output = output.and_then(|()| wrapped_line("", &format!("{passed} passed, {failed} failed{skips}{races}")));
    let status = if failed == 0 { Status::Success } else { Status::PointsFailed };
    status.unless_unheard(output.map_err(Failure::from))
}

/// Points of a scenario at most.
const POINTS_MAX: usize = 10_000;

/// What came of the checks so far.
struct Tally {
    output: io::Result<()>,
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Accesses that were checked for races, on a device that checks them.
    accesses: Option<u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { output: Ok(()), passed: 0, failed: 0, skipped: 0, accesses: None }
    }
}

/// Races of a point that are shown; what is wrong with a kernel is seen by the first.
const RACES_SHOWN: usize = 10;

impl Tally {
    /// Counts a point and prints what came of it, and its races below.
    fn add(&mut self, name: &str, result: Result<(), CheckError>, races: Option<&RaceReport>) {
        let certain = races.map_or(0, RaceReport::certain);
        let (word, problem) = match result {
            Err(CheckError::Device(DeviceError::Unsupported(problem))) => {
                self.skipped += 1;
                ("skip  ", format!(": {problem}"))
            }
            Ok(()) if certain > 0 => {
                self.failed += 1;
                ("FAILED", format!(": {}", count(certain, "race")))
            }
            Ok(()) => {
                self.passed += 1;
                ("ok    ", String::new())
            }
            Err(error) => {
                self.failed += 1;
                ("FAILED", format!(": {error}"))
            }
        };
        self.print(&format!("{word} "), &format!("{name}{problem}"));
        let Some(races) = races else { return };
        *self.accesses.get_or_insert(0) += races.accesses;
        for Finding { what, lines, remedy, is_certain } in races.found.iter().take(RACES_SHOWN) {
            self.print(if *is_certain { "  race    " } else { "  warning " }, what);
            lines.iter().for_each(|(place, text)| self.print("          ", &format!("{place}  {text}")));
            self.print("          ", &format!("remedy: {remedy}"));
        }
        let more = races.found.len().saturating_sub(RACES_SHOWN);
        if more > 0 {
            self.print("  ", &format!("and {} more", count(more, "race")));
        }
        races.unchecked.iter().for_each(|sentence| self.print("  races: ", sentence));
    }

    /// Prints a text, `first` before it.
    fn print(&mut self, first: &str, text: &str) {
        if self.output.is_ok() {
            self.output = wrapped_line(first, text);
        }
    }
}

/// What others are compared with where variants must agree.
enum Reference<'a> {
    /// No variant ran so far.
    None,
    /// What the first variant left, and whether it has a warning.
    Left(Outputs, &'a str, bool),
    /// The first variant, and what it did wrong, so that what it left says nothing of others.
    Faulty(&'a str, &'static str),
}

impl<'a> Reference<'a> {
    /// A variant as the reference of those that follow; `None` where it could not run on the device.
    fn of(
        variant: &'a str,
        outputs: Option<Outputs>,
        result: &Result<(), CheckError>,
        races: Option<&RaceReport>,
    ) -> Option<Self> {
        match result {
            Err(CheckError::Device(DeviceError::Unsupported(_))) => None,
            Err(CheckError::Device(_)) => Some(Self::Faulty(variant, "failed")),
            Err(CheckError::Wrong(_)) => Some(Self::Faulty(variant, "left wrong results")),
            Ok(()) if races.is_some_and(|own| own.certain() > 0) => Some(Self::Faulty(variant, "has races")),
            Ok(()) => {
                let is_warned = races.is_some_and(|own| !own.found.is_empty());
                Some(outputs.map_or(Self::None, |own| Self::Left(own, variant, is_warned)))
            }
        }
    }
}

/// Checks the points of a scenario: each against what it must leave, and where variants must agree each against the first.
fn verify_scenario(device: &dyn Device, scenario: &Scenario, seed: u64, tally: &mut Tally) -> Result<(), Failure> {
    let properties = device.properties();
    let scenario = scenario.on(properties, None)?;
    let points = scenario.points(properties)?;
    user_kernel::load(&scenario, &points)?;
    if !scenario.kernel.is_none_or(UserKernel::is_compared) {
        tally.print("", "outputs are not compared: no buffer has a `check`");
    }
    let must_agree = scenario.kernel.is_some_and(UserKernel::variants_must_agree);
    for group in groups(&points) {
        let mut reference = Reference::None;
        for point in &group {
            let (variant, parameters) = (point.variant.name, &point.parameters);
            let request = Request { variant, parameters, device: properties, seed };
            let result = match point.variant.refusal(properties) {
                Some(problem) => Err(DeviceError::Unsupported(problem).into()),
                None => verify(device, scenario.family, &request),
            };
            let mut own = None;
            let result = result.and_then(|(outputs, buffers)| match (outputs, &reference) {
                (Some(outputs), Reference::Left(first, name, _)) => outputs.agree(first, &buffers, name),
                (outputs, _) => {
                    own = outputs;
                    Ok(())
                }
            });
            // Whoever faults has told that.
            let (result, races) = match result {
                Err(CheckError::Device(_)) => (result, None),
                Ok(()) | Err(CheckError::Wrong(_)) => match races(device, scenario.family, &request) {
                    Ok(races) => (result, races),
                    Err(error) => (Err(error.into()), None),
                },
            };
            let (has_outputs, is_wrong) = (own.is_some(), matches!(result, Err(CheckError::Wrong(_))));
            let next = Reference::of(variant, own, &result, races.as_ref()).filter(|_| must_agree);
            tally.add(&format!("{}/{variant} {parameters}", scenario.family.name), result, races.as_ref());
            match (&reference, next) {
                (Reference::None, Some(next)) => reference = next,
                (Reference::Faulty(name, why), _) if has_outputs => {
                    let problem =
                        format!("not compared with `{name}`, the reference of \"variants agree\": that {why}");
                    tally.print("  ", &problem);
                }
                (Reference::Left(_, name, true), _) if is_wrong => {
                    let problem = format!("`{name}` may be the wrong one: see its warnings");
                    tally.print("  ", &problem);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The families of these names; all where none is given.
fn chosen(names: &[String]) -> Result<Vec<&'static Family>, Failure> {
    let find = |name: &String| {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let unknown = || Failure::Usage(format!("there is no family {}: {}", quote(name), instead(name, &known)));
        Family::find(name).ok_or_else(unknown)
    };
    if names.is_empty() { Ok(FAMILIES.to_vec()) } else { names.iter().map(find).collect() }
}

/// What a point left in the buffers in which variants must agree, and its buffers.
fn verify(
    device: &dyn Device,
    family: &Family,
    request: &Request<'_>,
) -> Result<(Option<Outputs>, Vec<Buffer>), CheckError> {
    let workload = family.workload(request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))?;
    let outputs = {
        let mut prepared = device.prepare(&workload)?;
        run_check_and_keep(&mut *prepared, &workload)?
    };
    Ok((outputs, workload.buffers))
}

/// The races of a point; `None` on a device that cannot tell.
fn races(device: &dyn Device, family: &Family, request: &Request<'_>) -> Result<Option<RaceReport>, DeviceError> {
    let workload = family.workload(request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))?;
    device.races(&workload)
}
