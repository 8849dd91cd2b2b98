//! Whether the kernels that are diagnosed compute what their scenario says, and race: checked at its smallest size.

use std::cmp::Reverse;

use super::super::verify::{races, verify};
use crate::device::sim::Sim;
use crate::device::{Device, DeviceError, Finding as Race};
use crate::family::Request;
use crate::measure::check::{Between, CheckError, Outputs};
use crate::scenario::{Point, Scenario};

/// Bytes of buffers up to which outputs are checked: larger launches take longer than their diagnosis.
const BYTES_MOST: u64 = 32 << 20;
/// Bytes of buffers up to which races are looked for, which takes longer.
const BYTES_MOST_FOR_RACES: u64 = 8 << 20;

/// What came of checking outputs.
#[derive(Default)]
pub(super) struct Checked {
    /// The parameters of the size, in words; empty where nothing was checked.
    pub(super) size: String,
    /// Variants whose outputs are wrong, or differ from the first one's.
    pub(super) wrong: Vec<Wrong>,
    /// Variants whose accesses race on every GPU, each with its races.
    pub(super) racing: Vec<(&'static str, Vec<Race>)>,
    /// Whether outputs would have been checked at a smaller size.
    pub(super) is_too_large: bool,
    /// Variants that have no end there, and what is told of them.
    endless: Vec<(&'static str, String)>,
}

impl Checked {
    /// The size behind what was found there: ` at n=64`; nothing of a kernel without parameters.
    pub(super) fn at(&self) -> String {
        if self.size.is_empty() { String::new() } else { format!(" at {}", self.size) }
    }
}

impl Checked {
    /// Whether a variant was found to leave wrong outputs, or to race.
    pub(super) fn is_wrong(&self) -> bool {
        !self.wrong.is_empty() || !self.racing.is_empty()
    }

    /// Why a variant is not diagnosed that had no end where it was checked.
    pub(super) fn endless(&self, variant: &str) -> Option<DeviceError> {
        let (_, problem) = self.endless.iter().find(|(own, _)| *own == variant)?;
        let found = if self.size.is_empty() { String::new() } else { format!("; found{}", self.at()) };
        Some(DeviceError::Endless(format!("{problem}{found}")))
    }
}

/// Outputs that are not as they should be.
pub(super) struct Wrong {
    pub(super) variant: &'static str,
    pub(super) problem: String,
    /// The variant that they were compared with, where either of the two may be the wrong one.
    pub(super) differs_from: Option<&'static str>,
}

/// The points of the smallest size with most of the variants, whose outputs are checked.
pub(super) fn smallest(groups: &[Vec<Point>], bytes: impl Fn(&Vec<Point>) -> u64) -> Vec<Point> {
    groups.iter().max_by_key(|group| (group.len(), Reverse(bytes(group)))).cloned().unwrap_or_default()
}

/// Checks the points of a group as `apbench verify` does, for races those of variants that `is_asked` for. What a kernel of the program's own
/// computes is known.
pub(super) fn check(
    sim: &Sim,
    scenario: &Scenario,
    group: &[Point],
    is_asked: impl Fn(&str) -> bool,
    seed: u64,
) -> Checked {
    if scenario.kernel.is_none() {
        return Checked::default();
    }
    let bytes = group.first().and_then(|point| scenario.family.device_bytes(&point.parameters).ok());
    let mut checked = compared(sim, scenario, group, (bytes, seed));
    if bytes.is_some_and(|bytes| bytes <= BYTES_MOST_FOR_RACES) {
        for point in group.iter().filter(|point| is_asked(point.variant.name)) {
            checked.add_races(sim, scenario, point, seed);
        }
    }
    checked.wrong.retain(|own| is_asked(own.variant));
    checked
}

impl Checked {
    /// Looks for races of a variant. What fails at all is told by the diagnosis.
    fn add_races(&mut self, sim: &Sim, scenario: &Scenario, point: &Point, seed: u64) {
        let (variant, device) = (point.variant.name, sim.properties());
        if point.variant.refusal(device).is_some() || self.endless(variant).is_some() {
            return;
        }
        let request = Request { variant, parameters: &point.parameters, device, seed };
        match races(sim, scenario.family, &request) {
            Ok(found) => {
                let found = found.into_iter().flat_map(|report| report.found);
                let certain: Vec<Race> = found.filter(|race| race.is_certain).collect();
                if !certain.is_empty() {
                    self.racing.push((variant, certain));
                }
            }
            Err(DeviceError::Endless(problem)) => self.endless.push((variant, problem)),
            Err(_) => {}
        }
    }
}

/// Checks the outputs of points.
fn compared(sim: &Sim, scenario: &Scenario, group: &[Point], (bytes, seed): (Option<u64>, u64)) -> Checked {
    let Some(kernel) = scenario.kernel.filter(|kernel| kernel.is_compared()) else {
        return Checked { size: size(group), ..Checked::default() };
    };
    if bytes.is_none_or(|bytes| bytes > BYTES_MOST) {
        return Checked { is_too_large: true, ..Checked::default() };
    }
    let mut reference: Option<(&'static str, Outputs)> = None;
    let mut checked = Checked { size: size(group), ..Checked::default() };
    for point in group {
        let (variant, device) = (point.variant.name, sim.properties());
        if point.variant.refusal(device).is_some() {
            continue;
        }
        let request = Request { variant, parameters: &point.parameters, device, seed };
        let mut differs_from = None;
        let result = verify(sim, scenario.family, &request).and_then(|own| match (own.outputs, &reference) {
            (Some(outputs), Some((name, first))) => {
                differs_from = Some(*name);
                outputs.agree(first, &own.buffers, Between { own: variant, reference: name })
            }
            (outputs, _) => {
                reference = outputs.filter(|_| kernel.variants_must_agree()).map(|outputs| (variant, outputs));
                Ok(())
            }
        });
        // What fails at all is told by the diagnosis.
        match result {
            Err(CheckError::Wrong(problem)) => checked.wrong.push(Wrong { variant, problem, differs_from }),
            Err(CheckError::Device(DeviceError::Endless(problem))) => checked.endless.push((variant, problem)),
            Err(CheckError::Device(_)) | Ok(()) => {}
        }
    }
    checked
}

/// The numbers of a point, which say how large it is.
fn size(group: &[Point]) -> String {
    let Some(point) = group.first() else { return String::new() };
    point.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}
