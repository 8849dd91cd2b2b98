//! `apbench estimate`: what the rungs of a ladder take by the laws of the patterns that are in them.

mod gather;

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::failure::{Failure, Status};
use super::output::line;
use crate::device::select::profile;
use crate::device::sim::Sim;
use crate::device::sim::profile::embedded;
use crate::device::{Origin, Properties};
use crate::estimate::{Coefficients, Missing, RungEstimate, agreement, estimate};
use crate::scenario::{Point, Scenario};
use gather::{BYTES_MOST, Counter, Laws, is_of, read_run};

/// Options of `estimate`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The scenario: a file, or the name of one in scenarios/
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// The directory with the runs of the pattern scenarios, by their names
    #[arg(long, value_name = "DIR", default_value = "results/nvidia-h200")]
    laws: PathBuf,
    /// A run of the scenario, whose times are put beside the estimates; the one in the directory of the laws unless given
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
    /// Values of a parameter, as for sweep
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// The profile to count with; the one named as the laws' device unless given
    #[arg(long, value_name = "NAME|FILE.toml")]
    profile: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Points that may be estimated at once: the workload of each is built.
const POINTS_MAX: usize = 1000;

/// A rung with what came of estimating it.
struct Rung {
    point: Point,
    estimate: Result<RungEstimate, String>,
    measured_us: Option<f64>,
    launches: Vec<crate::device::sim::census::LaunchCensus>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let laws = Laws::read(&arguments.laws)?;
    let device = laws.device().clone();
    let sim = Sim::open(profile(&profile_spec(arguments.profile.as_deref(), &device)?)?);
    let measured = match &arguments.run {
        Some(path) => Some(read_run(path, Some(&device))?),
        None => {
            let path = arguments.laws.join(name_of(&arguments.scenario));
            if path.join(crate::run::METADATA_FILE).is_file() { Some(read_run(&path, Some(&device))?) } else { None }
        }
    };
    let scenario = match &measured {
        Some(analysis) => {
            let name = format!("the scenario of {}", analysis.run.directory.display());
            Scenario::parse(&name, &analysis.run.scenario, &arguments.overrides, POINTS_MAX)?
        }
        None => Scenario::load(&scenario_path(&arguments.scenario), &arguments.overrides, POINTS_MAX)?,
    };
    let evidence = laws.evidence(&sim)?;
    let coefficients = Coefficients::of(&evidence);
    let counter = Counter { sim: &sim, device: &device, seed: 1 };
    let mut rungs = Vec::new();
    for point in scenario.points(&device)? {
        let record = measured.as_ref().and_then(|own| own.run.points.iter().find(|record| is_of(&point, record)));
        let measured_us = record.and_then(|record| record.timing.as_ref()).map(|timing| timing.median.time_us);
        let counted = counter.count(scenario.family, &point, BYTES_MOST);
        let parameters = point.parameters.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        let (estimate, launches) = match counted {
            Ok(counts) => {
                let found = estimate(point.variant.name, parameters, &counts.launches, &coefficients);
                (found.map_err(|missing| missing.iter().map(told).collect::<Vec<_>>().join("; ")), counts.launches)
            }
            Err(error) => (Err(error.to_string()), Vec::new()),
        };
        rungs.push(Rung { point, estimate, measured_us, launches });
    }
    if arguments.json {
        line(format!("{:#}", as_json(&coefficients, &rungs)))?;
        return Ok(Status::Success);
    }
    for rung in &rungs {
        match &rung.estimate {
            Ok(own) => line(format!("{} {:.1} {:?}", own.variant, own.time_us, rung.measured_us))?,
            Err(why) => line(why)?,
        }
    }
    let both: Vec<(f64, f64)> =
        rungs.iter().filter_map(|rung| Some((rung.estimate.as_ref().ok()?.time_us, rung.measured_us?))).collect();
    line(format!("{:?}", agreement(&both)))?;

    Ok(Status::Success)
}

fn told(missing: &Missing) -> String {
    format!("{}: run {} ({:?})", missing.what, missing.scenario, missing.why)
}

fn as_json(coefficients: &Coefficients, rungs: &[Rung]) -> Json {
    let all: Vec<Json> = coefficients
        .all
        .iter()
        .map(|own| json!({"name": own.name, "value": own.value.as_ref().ok(), "missing": own.value.as_ref().err().map(told), "unit": own.unit, "from": own.from}))
        .collect();
    let rungs: Vec<Json> = rungs
        .iter()
        .map(|rung| {
            let own = rung.estimate.as_ref().ok();
            let parts: serde_json::Map<String, Json> = own
                .iter()
                .flat_map(|own| &own.parts)
                .map(|(part, time_us)| (part.name().to_owned(), json!(time_us)))
                .collect();
            json!({"variant": rung.point.variant.name, "parameters": rung.point.parameters.to_string(),
                "estimated_us": own.map(|own| own.time_us), "measured_us": rung.measured_us, "parts": parts,
                "launches": rung.launches.iter().map(|l| format!("{l:?}")).collect::<Vec<_>>(),
                "problem": rung.estimate.as_ref().err()})
        })
        .collect();
    json!({"coefficients": all, "rungs": rungs})
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
        "no profile is of {}: give one with --profile, a file or one of {}",
        device.name,
        names.join(", ")
    )))
}

fn name_of(scenario: &str) -> String {
    let stem = Path::new(scenario).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_default()
}

fn scenario_path(scenario: &str) -> PathBuf {
    let path = Path::new(scenario);
    if path.extension().is_some() || path.exists() { path.to_owned() } else { Path::new("scenarios").join(format!("{scenario}.toml")) }
}
