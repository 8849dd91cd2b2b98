//! Whether measurements on a device can be trusted: the same kernel compared with itself, and with one that takes longer.

use serde::Serialize;

use crate::compare::verdict::{Comparison, Observation, Verdict, within_run};
use crate::device::{Device, DeviceError, Guard, GuardOutcome};
use crate::family::Declared;
use crate::family::branching::{FAMILY, Parameters};
use crate::measure::session::Session;
use crate::properties::{Origin, Properties};
use crate::record::{Measured, Status, TimeSpent};
use crate::run::metadata::{FLOOR_TRUSTED_PCT, NoiseFloor};
use crate::scenario::{MeasureSettings, Point};

pub mod noise_floor;

/// Fewer comparisons than this do not tell what 95 % of them stay below.
pub const COMPARISONS_FOR_FLOOR: usize = 20;

/// Rows and columns of the kernels' matrices: enough to fill any GPU, few enough to be built in no time.
const WIDTH: u64 = 512;
/// Where there is no GPU to fill.
const SMALL_WIDTH: u64 = 64;
/// Branches and work of the kernel that is compared with itself: some 40 µs on an H200.
const SAME: [u64; 2] = [8, 16];
/// Branches and work of the kernel that is compared with a longer one: some 200 µs, against which a launch is nothing.
const BASE: [u64; 2] = [4, 200];
/// The work of that longer one, 3 % more.
const LONGER_WORK: u64 = 206;

/// The result of checking a device.
#[derive(Debug, Clone, Serialize)]
pub struct SelfCheck {
    /// The device.
    pub device: Properties,
    /// Whether its times follow from a model, and repeat exactly.
    pub repeats_exactly: bool,
    /// Comparisons of a kernel with itself.
    pub same: Vec<Comparison>,
    /// Comparisons of a kernel with one that takes longer.
    pub longer: Vec<Comparison>,
    /// What 95 % of the comparisons of a kernel with itself stay below, in percent.
    pub noise_floor_pct: Option<f64>,
    /// Comparisons of a kernel with itself that call it slower or faster.
    pub false_verdicts: usize,
    /// Comparisons with the longer kernel that call it slower.
    pub found: usize,
    /// How much longer it took, in percent: the median of these comparisons.
    pub longer_by_pct: Option<f64>,
    /// What a cold sample of a kernel takes that does nothing.
    pub null_cost_us: Option<f64>,
    /// What each of many launches of it takes.
    pub launch_cost_us: Option<f64>,
    /// Bandwidth of a copy within the device's memory.
    pub copy_gb_per_s: Option<f64>,
    /// The most that its memory could move, from its clock and the width of its bus.
    pub peak_gb_per_s: Option<f64>,
    /// The clock at the start.
    pub clock_mhz: Option<f64>,
    /// The lowest clock of a round.
    pub lowest_clock_mhz: Option<f64>,
    /// What could have spoilt the measurements.
    pub guards: Vec<Guard>,
    /// The points that failed or gave a wrong result, in words.
    pub problems: Vec<String>,
    /// Whether measurements here can be trusted: the noise floor is at most 1 %, at most one verdict in a hundred was
    /// false, no guard is flagged, and everything worked. `None` where they follow from a model: there is no measurement.
    pub trusted: Option<bool>,
    /// What to do if they cannot be trusted; empty if they can.
    pub advice: Vec<String>,
    /// The time spent, by activity, in seconds.
    pub time_spent: TimeSpent,
}

/// Checks a device with so many comparisons of a kernel with itself, and half as many with a longer one. `progress` is
/// told how many of how many comparisons are done.
///
/// # Errors
/// When the device cannot be asked; a kernel that fails is in the result.
pub fn selfcheck(
    device: &dyn Device,
    settings: MeasureSettings,
    pairs: usize,
    mut progress: impl FnMut(usize, usize),
) -> Result<SelfCheck, DeviceError> {
    let repeats_exactly = device.repeats_exactly();
    let groups = if repeats_exactly { vec![(false, pair(device, 0, false))] } else { groups(device, pairs) };
    let mut session = Session::open(device, &FAMILY, settings);
    let (mut same, mut longer, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (is_longer, group)) in groups.iter().enumerate() {
        progress(index, groups.len());
        let next = groups.get(index + 1).map(|(_, group)| group.as_slice());
        match &session.measure(group, next).measured[..] {
            [base, other] if base.record.status == Status::Ok && other.record.status == Status::Ok => {
                let mut comparison = within_run(&observations(base), &observations(other), None);
                // One time each is all that there is.
                if repeats_exactly && comparison.ratio == Some(1.0) {
                    (comparison.verdict, comparison.reason) = (Verdict::Same, String::new());
                }
                if *is_longer { &mut longer } else { &mut same }.push(comparison);
            }
            measured => {
                let reasons = measured.iter().map(|measured| measured.record.reason.clone());
                problems.extend(reasons.filter(|reason| !reason.is_empty()).map(Into::into));
                // The device may be no use any more.
                break;
            }
        }
    }
    let launch_cost_us = device.launch_cost_us().unwrap_or_else(|error| keep(&mut problems, &error));
    let copy_gb_per_s = device.copy_gb_per_s().unwrap_or_else(|error| keep(&mut problems, &error));
    let properties = device.properties().clone();
    let longer_ratios: Vec<f64> = longer.iter().filter_map(|comparison| comparison.ratio).collect();
    let clocks = session.clock_mhz();
    let mut check = SelfCheck {
        repeats_exactly,
        noise_floor_pct: if repeats_exactly { None } else { floor_pct(&same) },
        false_verdicts: same.iter().filter(|comparison| comparison.verdict.is_difference()).count(),
        found: longer.iter().filter(|comparison| comparison.verdict == Verdict::Slower).count(),
        longer_by_pct: least_squares::order_statistics::median(&longer_ratios).map(|ratio| (ratio - 1.0) * 100.0),
        null_cost_us: session.null_cost_us(),
        launch_cost_us,
        copy_gb_per_s,
        peak_gb_per_s: properties.peak_gb_per_s(),
        clock_mhz: clocks.map(|[reference, _]| reference),
        lowest_clock_mhz: clocks.map(|[_, lowest]| lowest),
        guards: session.guards(),
        problems,
        trusted: None,
        advice: Vec::new(),
        time_spent: session.time_spent(),
        device: properties,
        same,
        longer,
    };
    check.advice = check.advice();
    check.trusted = (!repeats_exactly).then_some(check.advice.is_empty());
    Ok(check)
}

fn keep(problems: &mut Vec<String>, error: &DeviceError) -> Option<f64> {
    problems.push(error.to_string());
    None
}

/// Comparisons of both kinds, mixed so that what changes meanwhile meets both.
fn groups(device: &dyn Device, pairs: usize) -> Vec<(bool, Vec<Point>)> {
    let mut groups = Vec::new();
    for number in 0..pairs {
        groups.push((false, pair(device, groups.len(), false)));
        if number % 2 == 1 {
            groups.push((true, pair(device, groups.len(), true)));
        }
    }
    groups
}

/// Two points to compare, the second of which may take longer.
fn pair(device: &dyn Device, number: usize, longer: bool) -> Vec<Point> {
    let width = if device.properties().origin == Origin::Measured { WIDTH } else { SMALL_WIDTH };
    let defaults = Parameters { width, ..Parameters::defaults(device.properties()) };
    let point = |index: usize, branches: u64, work: u64| Point {
        index: 2 * number + index,
        variant: &FAMILY.variants[0],
        parameters: Parameters { branches, work, ..defaults.clone() }.values(),
    };
    if longer {
        vec![point(0, BASE[0], BASE[1]), point(1, BASE[0], LONGER_WORK)]
    } else {
        vec![point(0, SAME[0], SAME[1]), point(1, SAME[0], SAME[1])]
    }
}

/// The rounds that a point's time comes from.
fn observations(measured: &Measured) -> Vec<Observation> {
    let cache = measured.record.timing.as_ref().map(|timing| timing.cache);
    measured.rounds.iter().filter(|round| Some(round.cache) == cache).map(Observation::from).collect()
}

/// In how many of a hundred comparisons a true difference must be found.
const FOUND_PCT: usize = 95;

/// The difference, in percent, that at least 95 % of these comparisons do not exceed; `None` of none.
fn floor_pct(comparisons: &[Comparison]) -> Option<f64> {
    let mut differences: Vec<f64> =
        comparisons.iter().filter_map(|comparison| comparison.ratio).map(|ratio| (ratio - 1.0).abs() * 100.0).collect();
    differences.sort_unstable_by(f64::total_cmp);
    let rank = (differences.len() * 95).div_ceil(100);
    differences.get(rank.checked_sub(1)?).copied()
}

impl SelfCheck {
    /// The noise floor as it is kept, where there are comparisons enough.
    pub fn noise_floor(&self, measured_at: String) -> Option<NoiseFloor> {
        let comparisons = self.same.len();
        let floor_pct = self.noise_floor_pct.filter(|_| comparisons >= COMPARISONS_FOR_FLOOR)?;
        Some(NoiseFloor { floor_pct, comparisons, measured_at })
    }

    /// What to do before measurements can be trusted; nothing where they can.
    fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        if let Some(problem) = self.problems.first() {
            advice.push(format!("a kernel failed or gave a wrong result: {problem}"));
        }
        if let Some(floor) = self.noise_floor_pct.filter(|floor| *floor > FLOOR_TRUSTED_PCT) {
            advice.push(format!(
                "the noise floor of {floor:.2} % hides smaller differences: stop other work on the GPU and the host, or \
                 take more rounds (--rounds) with a smaller --precision"
            ));
        }
        if 100 * self.false_verdicts > self.same.len() {
            advice.push(format!(
                "{} of {} comparisons of a kernel with itself found a difference: something changes between rounds; \
                 check the clock and other processes, and take more rounds (--rounds)",
                self.false_verdicts,
                self.same.len()
            ));
        }
        if !self.repeats_exactly && self.same.is_empty() {
            advice.push("no comparison succeeded".to_owned());
        } else if !self.repeats_exactly && self.same.len() < COMPARISONS_FOR_FLOOR {
            let (compared, least) = (self.same.len(), COMPARISONS_FOR_FLOOR);
            advice.push(format!("{compared} comparisons are too few: take {least} or more (--pairs)"));
        }
        if !self.repeats_exactly && 100 * self.found < FOUND_PCT * self.longer.len() {
            let by = self.longer_by_pct.map(|by| format!(" of {by:.2} %")).unwrap_or_default();
            advice.push(format!(
                "a difference{by} was found in only {} of {} comparisons: take more rounds (--rounds)",
                self.found,
                self.longer.len()
            ));
        }
        let flagged = self.guards.iter().filter(|guard| guard.outcome == GuardOutcome::Flagged);
        advice.extend(flagged.map(|guard| format!("check {}: {}", guard.guard, guard.detail)));
        advice
    }
}

#[cfg(test)]
mod tests;
