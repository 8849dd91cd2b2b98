//! Finds the constants of a GPU, one stage of steps after the other.

use std::collections::HashMap;

use gpu_simulator::Profile;
use gpu_simulator::profile::{Embedded, embedded};
use rayon::prelude::*;
use toml_edit::Value;

use super::document::{Document, Heading, profile};
use super::found::{Found, Origin, Unknown};
use super::points::{Compared, Measured};
use super::root::{NoRoot, root};
use super::step::{Observable, STEPS, Step};
use super::told::told;
use crate::device::sim::Sim;
use crate::device::{Device, DeviceError, Flush};
use crate::family::Request;
use crate::model::two_groups::TwoGroups;
use crate::properties::Properties;
use crate::unit::of_law;
use crate::workload::Workload;

/// How often all stages are gone through: what was found later changes what was found before by little.
const PASSES: usize = 2;
/// From which compute capability on a GPU is taken to have all that the newest profile has.
const COMPLETED_FROM: (u32, u32) = (7, 0);
/// Digits of a constant that are written.
const DIGITS: i32 = 4;
/// Constants that profiles may leave out and that are added where they were measured, with those that stand in for them.
const ADDED: [(&str, &str); 1] = [("launch_dependent_us", "launch_in_stream_us")];
/// Values that constants may have, unless the GPU says more.
const BOUNDS: (f64, f64) = (1e-4, 9e5);

/// A profile as measured runs and the driver have it.
#[derive(Debug)]
pub struct Calibration {
    /// Its constants, in the order of the reference.
    pub constants: Vec<Found>,
}

impl Calibration {
    /// The text of the profile.
    pub fn text(&self, heading: &Heading) -> String {
        profile(heading, &self.constants)
    }
}

/// What a step came to.
type Outcome = Result<Measurement, Unknown>;

#[derive(Debug, Clone)]
struct Measurement {
    value: f64,
    origin: Origin,
    /// What was measured, in words.
    told: String,
}

/// Finds the constants of the GPU that was measured. What no benchmark gives is that of the profile `like`. `progress` is told before each stage, in
/// parts of all stages.
///
/// # Errors
/// When `like` is no profile.
pub fn calibrate(
    measured: &Measured,
    like: Embedded,
    mut progress: impl FnMut(usize, usize),
) -> Result<Calibration, String> {
    let mut document = Document::parse(like.text)?;
    let gpu = measured.gpu();
    // Tables that the profile leaves out would make the simulated GPU simpler than it is.
    let complete = embedded()[0];
    let taken = if gpu.capability() >= COMPLETED_FROM {
        document.complete(&Document::parse(complete.text)?)
    } else {
        Vec::new()
    };
    let like_of = |key: &str| if taken.contains(&key) { complete } else { like };
    let told: HashMap<&str, Value> = told(gpu).into_iter().collect();
    for (key, value) in &told {
        document.set(key, value.clone());
    }
    let clock_mhz = measured.clock_mhz().map(f64::round);
    if let Some(clock_mhz) = clock_mhz {
        document.set("sm_clock_mhz", Value::from(clock_mhz));
    }
    let added = add(&mut document, measured);
    let begun_with = document.clone();
    let mut outcomes: HashMap<&'static str, (&'static Step, Outcome)> = HashMap::new();
    let stages = PASSES * STEPS.len();
    for (number, stage) in STEPS.iter().copied().cycle().take(stages).enumerate() {
        progress(number, stages);
        let own: Vec<&'static Step> = stage.iter().filter(|step| document.value(step.constant).is_some()).collect();
        // A limit is one as seen from the value that was begun with, also the second time.
        let is_limit =
            |step: &Step| matches!(outcomes.get(step.constant), Some((_, Ok(own))) if own.origin == Origin::Limit);
        let start = |step: &Step| if is_limit(step) { &begun_with } else { &document }.number(step.constant);
        let starts: Vec<(&'static Step, Option<f64>)> = own.iter().map(|step| (*step, start(step))).collect();
        let found: Vec<Outcome> =
            starts.par_iter().map(|(step, start)| solve(&document, *start, measured, step)).collect();
        for (step, outcome) in own.into_iter().zip(found) {
            if let Ok(measurement) = &outcome {
                document.set(step.constant, Value::from(measurement.value));
            }
            outcomes.insert(step.constant, (step, outcome));
        }
    }
    progress(stages, stages);
    // What stands in for a constant that could not be found was measured itself.
    let is_left_out = |key: &str| added.contains(&key) && matches!(outcomes.get(key), None | Some((_, Err(_))));
    let constants = document.keys().filter(|key| !is_left_out(key)).filter_map(|key| {
        let value = document.value(key)?.clone();
        let (origin, source) = match (outcomes.get(key), told.contains_key(key)) {
            (Some((_, Ok(own))), _) => (own.origin.clone(), own.told.clone()),
            (None, _) if key == "sm_clock_mhz" && clock_mhz.is_some() => (
                Origin::Measured { uncertainty_pct: 0.0 },
                format!("{}: median clock during chains of instructions (instruction-latency)", gpu.origin.name()),
            ),
            (None, true) => (Origin::Told, told_by(gpu)),
            (Some((_, Err(unknown))), _) => kept(unknown.clone(), like_of(key), &document, key),
            (None, false) => kept(Unknown::NoBenchmark, like_of(key), &document, key),
        };
        Some(Found { key: key.to_owned(), value, origin, source })
    });
    Ok(Calibration { constants: constants.collect() })
}

/// Adds the constants that the profile leaves out and that there are points of, and gives their keys.
fn add(document: &mut Document, measured: &Measured) -> Vec<&'static str> {
    let has_points = |key: &str| {
        let mut steps = STEPS.iter().copied().flatten().filter(|step| step.constant == key);
        steps.any(|step| measured.compared(step).is_ok())
    };
    let mut added = Vec::new();
    for (key, in_its_place) in ADDED {
        let Some(value) = document.value(in_its_place).cloned() else { continue };
        if document.value(key).is_none() && has_points(key) {
            document.add(key, value, "estimate: that of the constant that stands in for it");
            added.push(key);
        }
    }
    added
}

/// Who tells limits of a GPU: its driver, or the profile of a simulated one.
fn told_by(gpu: &Properties) -> String {
    match gpu.origin {
        crate::properties::Origin::Measured => format!("the driver of {} tells it", gpu.name),
        _ => format!("that of {}", gpu.name),
    }
}

/// A constant that is that of another profile.
fn kept(unknown: Unknown, like: Embedded, document: &Document, key: &str) -> (Origin, String) {
    let there = document.source(key).unwrap_or("no source");
    let source = format!("estimate: that of the profile {}, since {} (there: {there})", like.name, unknown.told());
    (Origin::Kept(unknown), source)
}

/// Finds the constant of a step from a value on, all others being as they are.
fn solve(document: &Document, start: Option<f64>, measured: &Measured, step: &Step) -> Outcome {
    let gpu = measured.gpu();
    let place = step.place(gpu);
    if let Observable::Groups(over) = step.observable {
        return of_groups(document, measured, step, over);
    }
    let compared = measured.compared(step).map_err(|problem| Unknown::NoPoints(problem.0))?;
    let start = start.filter(|start| *start > 0.0).unwrap_or(1.0);
    let not_simulated = |error: DeviceError| Unknown::NotSimulated(error.to_string());
    let workloads = workloads(&compared, gpu).map_err(not_simulated)?;
    let with = |value: f64| {
        let mut own = document.clone();
        own.set(step.constant, Value::from(value));
        simulated_us(&own.text(), &workloads).map(|times| value_us(&times, compared.span))
    };
    // Times of a simulated GPU are never called measured.
    let how = gpu.origin.name();
    let what = match step.observable {
        Observable::Time => format!("{place} takes {}", of_law(compared.value_us, "us")),
        Observable::Slope(over) | Observable::Groups(over) => {
            format!("{place} adds {} for each of {over}", of_law(compared.value_us, "us"))
        }
    };
    let bounds = bounds(step.constant, gpu);
    match root(start.min(bounds.1), bounds, compared.value_us, with).map_err(not_simulated)? {
        Err(NoRoot::Insensitive) => Err(Unknown::Insensitive(place)),
        Err(NoRoot::Unreached(share)) => Err(Unknown::Unreached { place, apart_pct: share * 100.0 }),
        Err(NoRoot::Limit { value, apart }) => {
            let why = if value >= bounds.1 {
                "the peak by the memory's clock and its bus"
            } else {
                "and with any that is further from the value that the calibration began with"
            };
            let apart_pct = apart * 100.0;
            let told =
                format!("{how} as a limit: {what}; simulated it is {apart_pct:.1} % apart with this value, {why}");
            Ok(Measurement { value: rounded(value), origin: Origin::Limit, told })
        }
        Ok(root) => {
            let uncertainty_pct = compared.uncertainty_pct / root.elasticity;
            let told = format!("{how}: {what}; sure to {uncertainty_pct:.1} %");
            Ok(Measurement { value: rounded(root.value), origin: Origin::Measured { uncertainty_pct }, told })
        }
    }
}

/// The values that a constant may have: no memory is faster than its clock and its bus.
fn bounds(constant: &str, gpu: &Properties) -> (f64, f64) {
    let is_of_memory = matches!(constant, "global.gb_per_s" | "global.writes.gb_per_s");
    let peak = gpu.peak_gb_per_s().filter(|_| is_of_memory);
    (BOUNDS.0, peak.unwrap_or(BOUNDS.1))
}

/// Half of what two groups of points differ by, in cycles.
fn of_groups(document: &Document, measured: &Measured, step: &Step, over: &str) -> Outcome {
    let place = step.place(measured.gpu());
    let no_points = |problem: String| Unknown::NoPoints(problem);
    let times = measured.times_of_each(step, over).map_err(|problem| no_points(problem.0))?;
    let groups = TwoGroups::of(&times).map_err(|why| no_points(format!("of {place} {why}")))?;
    let clock_mhz = document.number("sm_clock_mhz").unwrap_or(f64::NAN);
    let [near, far] = groups.counts;
    let told = format!(
        "{}: {place}: {near} lines near, {far} far, {} apart in the mean, of which it is half; sure to {:.1} %",
        measured.gpu().origin.name(),
        of_law(groups.distance(), "us"),
        groups.uncertainty_pct
    );
    let origin = Origin::Measured { uncertainty_pct: groups.uncertainty_pct };
    Ok(Measurement { value: rounded(groups.distance() / 2.0 * clock_mhz), origin, told })
}

fn workloads(compared: &Compared<'_>, gpu: &Properties) -> Result<Vec<Workload>, DeviceError> {
    let build = |point: &&crate::scenario::Point| {
        let (variant, parameters) = (point.variant.name, &point.parameters);
        let request = Request { variant, parameters, device: gpu, seed: compared.seed };
        compared.family.workload(&request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))
    };
    compared.points.iter().map(build).collect()
}

/// The times of workloads on the simulated GPU of a profile, caches cold before each.
fn simulated_us(profile: &str, workloads: &[Workload]) -> Result<Vec<f64>, DeviceError> {
    let sim = Sim::open(Profile::parse("the profile that is being made", profile).map_err(DeviceError::Profile)?);
    let time = |workload: &Workload| Ok(sim.prepare(workload)?.cold_sample(Flush::Clean)?.time_us);
    workloads.iter().map(time).collect()
}

/// What times come to: one as it is, of two their difference for each of the span.
fn value_us(times: &[f64], span: f64) -> f64 {
    match times {
        [low, high] => (high - low) / span,
        _ => times.first().copied().unwrap_or(f64::NAN),
    }
}

/// A number with the digits that are written.
fn rounded(value: f64) -> f64 {
    let factor = 10_f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    (value * factor).round() / factor
}
