//! `apbench verify`: every variant of every family against the host's results, at small sizes; the points of a scenario with a kernel of the
//! user's against what the scenario says, variants against each other, and on a simulated device for races.

mod document;
mod endless;
mod progress;
mod repeats;
mod tally;

use std::path::{Path, PathBuf};

use super::failure::{Failure, Status};
use super::list::family_of_scenario;
use super::opened::with_device;
use super::output::tell;
use super::sweep::SizesOption;
use super::{scenario_file, user_kernel};
use crate::device::select::DeviceSpec;
use crate::device::{Checkable, Device, DeviceError, InPart, Prepared, RaceReport};
use crate::family::{FAMILIES, Family, Request};
use crate::measure::check::{Between, CheckError, Outputs, run_check_and_keep};
use crate::properties::{Origin, Properties};
use crate::scenario::{Point, Scenario, Sizes, groups};
use crate::user_kernel::UserKernel;
use crate::workload::Buffer;
pub(super) use document::KEYS;
use document::VerifyDocument;
use located_toml::words::{count, instead, quote};
use progress::{Progress, work};
use tally::{Outcome, Tally};

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
    /// Values of a parameter, as for sweep: other points of the scenarios
    #[arg(long = "set", value_name = "PARAM=VALUES", requires = "scenarios")]
    overrides: Vec<String>,
    /// Use the sizes of [grid] (gpu) of the scenarios, or the smaller ones of [simulated] (simulated) [default: simulated on
    /// simulated devices, else gpu]
    #[arg(long, value_enum, value_name = "WHICH", requires = "scenarios")]
    sizes: Option<SizesOption>,
    /// Check only this family; may be given several times
    #[arg(long = "family", value_name = "FAMILY")]
    families: Vec<String>,
    /// Print the checks as JSON, and nothing else, when all are done
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let scenarios = Failure::all_of(arguments.scenarios.iter().map(|path| load(path, &arguments.overrides)));
    let asked = Failure::both(chosen(&arguments.families), scenarios);
    let (device, (families, scenarios)) = with_device(&arguments.device, asked)?;
    let properties = device.properties().clone();
    let asked = arguments.sizes.map(Sizes::from);
    let scenarios = scenarios.iter().map(|scenario| Planned::of(scenario, &properties, asked));
    let scenarios = Failure::all_of(scenarios)?;
    let families = if scenarios.is_empty() { families } else { Vec::new() };
    // Whoever stops listening does not stop the checking: the exit status is the product.
    let document = arguments.json.then(|| VerifyDocument::new(&properties));
    let progress = progress(arguments, &scenarios, &families, &properties);
    let first = format!("verifying {} on {} ({})", count(progress.points(), "point"), properties.name, properties.spec);
    let mut tally = Tally::new(&first, document, progress);
    for planned in &scenarios {
        verify_scenario(&*device, planned, arguments.seed, &mut tally)?;
    }
    tally.sum_up();
    for family in families {
        for parameters in family.verification(&properties) {
            for variant in family.variants {
                let name = format!("{}/{}", family.name, variant.name);
                tally.begin(&name, &parameters, work(family, &parameters));
                if tally.refuses(&name, &parameters) {
                    continue;
                }
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
                let in_part = result.as_ref().ok().and_then(|checked| checked.in_part.clone());
                let outcome = Outcome::of(result.map(drop), None).only(in_part);
                tally.add((&name, &parameters), &outcome, None);
            }
        }
        tally.tell_repeats();
    }
    let (is_right, output) = tally.finish();
    let status = if is_right { Status::Success } else { Status::PointsFailed };
    status.unless_unheard(output)
}

/// Points of a scenario at most.
const POINTS_MAX: usize = 10_000;

/// Reads a scenario; a family in place of one is told with the option that takes families.
fn load(path: &Path, overrides: &[String]) -> Result<Scenario, Failure> {
    match scenario_file::family_meant(path) {
        Some(Family { name, .. }) => Err(Failure::Usage(format!(
            "{} is a family, not a scenario: apbench verify --family {name}",
            quote(&path.to_string_lossy())
        ))),
        None => scenario_file::load(path, overrides, POINTS_MAX),
    }
}

/// A scenario at the sizes that are checked, and its points.
struct Planned {
    scenario: Scenario,
    points: Vec<Point>,
}

impl Planned {
    /// That of a scenario: a simulated device checks small sizes, where all that is wrong is wrong, too, unless others are asked for.
    fn of(scenario: &Scenario, properties: &Properties, asked: Option<Sizes>) -> Result<Self, Failure> {
        let is_small = asked.is_none() && properties.origin == Origin::Simulated && !scenario.replaced().is_empty();
        let sizes = if is_small { Some(Sizes::Simulated) } else { asked };
        if let Some(note) = scenario.note_on_sizes(properties, sizes) {
            let others = if is_small { "; --sizes gpu checks the others" } else { "" };
            tell(format!("note: {note}{others}"));
        }
        let scenario = scenario.on(properties, sizes)?;
        let points = scenario.points(properties)?;
        Ok(Self { scenario, points })
    }
}

/// The progress of all that is asked for.
fn progress(
    arguments: &Arguments,
    scenarios: &[Planned],
    families: &[&'static Family],
    properties: &Properties,
) -> Progress {
    let of_scenarios = scenarios.iter().flat_map(|own| own.points.iter().map(|point| (own.scenario.family, point)));
    let of_scenarios = of_scenarios.map(|(family, point)| work(family, &point.parameters));
    let of_families = families.iter().flat_map(|family| {
        let works = family.verification(properties).into_iter().map(|parameters| work(family, &parameters));
        works.flat_map(|work| family.variants.iter().map(move |_| work))
    });
    let shorter = match (scenarios.is_empty(), arguments.sizes) {
        (true, _) if arguments.families.is_empty() => "; --family NAME checks those of a family alone",
        (true, _) => "",
        (false, Some(SizesOption::Gpu)) => "; --sizes simulated checks smaller ones",
        (false, _) => "; --set PARAM=VALUES checks fewer or smaller ones",
    };
    Progress::new(of_scenarios.chain(of_families), shorter)
}

/// What others are compared with where variants must agree.
enum Reference<'a> {
    /// No variant ran so far.
    None,
    /// What the first variant left.
    Left(Left<'a>),
    /// The first variant, and what it did wrong, so that what it left says nothing of others.
    Faulty(&'a str, &'static str),
}

/// What the first variant left.
struct Left<'a> {
    variant: &'a str,
    outputs: Outputs,
    is_warned: bool,
    /// Why not all of it is compared, in a sentence.
    in_part: Option<String>,
}

impl<'a> Reference<'a> {
    /// A variant as the reference of those that follow; `None` where it could not run on the device.
    fn of(
        variant: &'a str,
        (outputs, in_part): (Option<Outputs>, Option<String>),
        result: &Result<(), CheckError>,
        races: Option<&RaceReport>,
    ) -> Option<Self> {
        match result {
            Err(CheckError::Device(DeviceError::Unsupported(_) | DeviceError::NotRun(_))) => None,
            Err(CheckError::Device(DeviceError::Endless(_))) => Some(Self::Faulty(variant, "does not end")),
            Err(CheckError::Device(_)) => Some(Self::Faulty(variant, "failed")),
            Err(CheckError::Wrong(_)) => Some(Self::Faulty(variant, "left wrong results")),
            Ok(()) if races.is_some_and(|own| own.certain() > 0) => Some(Self::Faulty(variant, "has races")),
            Ok(()) => {
                let is_warned = races.is_some_and(|own| !own.found.is_empty());
                let left = |outputs| Self::Left(Left { variant, outputs, is_warned, in_part });
                Some(outputs.map_or(Self::None, left))
            }
        }
    }
}

/// Checks the points of a scenario: each against what it must leave, and where variants must agree each against the first.
fn verify_scenario(device: &dyn Device, planned: &Planned, seed: u64, tally: &mut Tally) -> Result<(), Failure> {
    let Planned { scenario, points } = planned;
    let properties = device.properties();
    user_kernel::load(scenario, points, properties)?;
    if !scenario.kernel.is_none_or(UserKernel::is_compared) {
        tally.print("", "outputs are not compared: no buffer has a `check`");
    }
    tally.tell_of_clusters(&in_clusters(device, planned, seed));
    let must_agree = scenario.kernel.is_some_and(UserKernel::variants_must_agree);
    for group in groups(points) {
        let mut reference = Reference::None;
        for point in &group {
            let (variant, parameters) = (point.variant.name, &point.parameters);
            let name = format!("{}/{variant}", scenario.name);
            tally.begin(&name, parameters, work(scenario.family, parameters));
            if tally.refuses(&name, parameters) {
                if must_agree && matches!(reference, Reference::None) {
                    reference = Reference::Faulty(variant, "does not end");
                }
                continue;
            }
            let request = Request { variant, parameters, device: properties, seed };
            let result = match point.variant.refusal(properties) {
                Some(problem) => Err(DeviceError::Unsupported(problem).into()),
                None => verify(device, scenario.family, &request),
            };
            let (mut own, mut in_part) = (None, None);
            let result = result.and_then(|checked| {
                in_part = checked.in_part;
                match (checked.outputs, &reference) {
                    (Some(outputs), Reference::Left(first)) => {
                        in_part = in_part.take().or_else(|| first.in_part.clone());
                        outputs.agree(
                            &first.outputs,
                            &checked.buffers,
                            Between { own: variant, reference: first.variant },
                        )
                    }
                    (outputs, _) => {
                        own = outputs;
                        Ok(())
                    }
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
            let uncompared = match &reference {
                Reference::Faulty(name, why) if own.is_some() => {
                    Some(format!("`{name}`, the reference of \"variants agree\", {why}"))
                }
                _ => None,
            };
            let is_wrong = matches!(result, Err(CheckError::Wrong(_)));
            let next = Reference::of(variant, (own, in_part.clone()), &result, races.as_ref()).filter(|_| must_agree);
            let outcome =
                Outcome::of(result, races.as_ref()).only(in_part).if_touched(races.as_ref()).unless(uncompared);
            tally.add((&name, parameters), &outcome, races.as_ref());
            match (&reference, next) {
                (Reference::None, Some(next)) => reference = next,
                (Reference::Left(Left { variant, is_warned: true, .. }), _) if is_wrong => {
                    tally.print("  ", &format!("`{variant}` may be the wrong one: see its warnings"));
                }
                _ => {}
            }
        }
    }
    tally.tell_repeats();
    Ok(())
}

/// The variants whose launches have clusters of several blocks, by the first point of each: on a simulated device, which alone looks for races.
fn in_clusters(device: &dyn Device, Planned { scenario, points }: &Planned, seed: u64) -> Vec<&'static str> {
    let properties = device.properties();
    let mut variants: Vec<&'static str> = Vec::new();
    let first = points.iter().filter(|_| properties.origin == Origin::Simulated).filter(|point| {
        let is_new = !variants.contains(&point.variant.name);
        variants.extend(is_new.then_some(point.variant.name));
        is_new
    });
    let has_clusters = |point: &&Point| {
        let request = Request { variant: point.variant.name, parameters: &point.parameters, device: properties, seed };
        let workload = scenario.family.workload(&request).ok().filter(|_| point.variant.refusal(properties).is_none());
        // What is wrong with a point is told where it is checked.
        let kernels = workload.and_then(|workload| device.occupancy(&workload).ok()).unwrap_or_default();
        kernels.iter().any(|own| own.clusters.is_some())
    };
    let found: Vec<&Point> = first.collect();
    found.into_iter().filter(has_clusters).map(|point| point.variant.name).collect()
}

/// The families of these names, or of scenarios of these names; all where none is given.
fn chosen(names: &[String]) -> Result<Vec<&'static Family>, Failure> {
    let find = |name: &String| {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let unknown = || Failure::Usage(format!("there is no family {}: {}", quote(name), instead(name, &known)));
        Family::find(name).or_else(|| Family::find(family_of_scenario(name)?)).ok_or_else(unknown)
    };
    if names.is_empty() { Ok(FAMILIES.to_vec()) } else { Failure::all_of(names.iter().map(find)) }
}

/// A point that was run and whose outputs are right.
pub(super) struct Checked {
    /// What it left in the buffers in which variants must agree.
    pub(super) outputs: Option<Outputs>,
    pub(super) buffers: Vec<Buffer>,
    /// Why not all outputs were checked, in a sentence.
    in_part: Option<String>,
}

/// Runs a point and checks its outputs.
pub(super) fn verify(device: &dyn Device, family: &Family, request: &Request<'_>) -> Result<Checked, CheckError> {
    let workload = family.workload(request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))?;
    let (outputs, in_part) = {
        let mut prepared = device.prepare_to_check(&workload)?;
        (run_check_and_keep(&mut *prepared, &workload)?, in_part(&*prepared))
    };
    Ok(Checked { outputs, buffers: workload.buffers, in_part })
}

/// Why not all outputs of a workload that ran could be checked; `None` where all were.
fn in_part(prepared: &dyn Prepared) -> Option<String> {
    let InPart { executed, blocks } = prepared.in_part()?;
    Some(match prepared.checkable() {
        Checkable::Nothing => format!("no outputs were checked: {executed} of {blocks} blocks were executed"),
        Checkable::Everything | Checkable::ExecutedBlocks => {
            format!("outputs of {executed} of {blocks} blocks were checked")
        }
    })
}

/// The races of a point; `None` on a device that cannot tell.
pub(super) fn races(
    device: &dyn Device,
    family: &Family,
    request: &Request<'_>,
) -> Result<Option<RaceReport>, DeviceError> {
    let workload = family.workload(request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))?;
    device.races(&workload)
}
