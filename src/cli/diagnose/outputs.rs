//! Whether the kernels that are diagnosed compute what their scenario says, and race: checked at its smallest size.

use std::cmp::Reverse;

use super::super::verify::{races, verify};
use crate::device::sim::Sim;
use crate::device::{Device, Finding as Race};
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
}

impl Checked {
    /// The size behind what was found there: ` at n=64`; nothing of a kernel without parameters.
    pub(super) fn at(&self) -> String {
        if self.size.is_empty() { String::new() } else { format!(" at {}", self.size) }
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

/// Checks the points of a group as `apbench verify` does. What a kernel of the program's own computes is known.
pub(super) fn check(sim: &Sim, scenario: &Scenario, group: &[Point], seed: u64) -> Checked {
    if scenario.kernel.is_none() {
        return Checked::default();
    }
    let bytes = group.first().and_then(|point| scenario.family.device_bytes(&point.parameters).ok());
    let racing = if bytes.is_some_and(|bytes| bytes <= BYTES_MOST_FOR_RACES) {
        racing(sim, scenario, group, seed)
    } else {
        Vec::new()
    };
    Checked { racing, ..compared(sim, scenario, group, (bytes, seed)) }
}

/// The variants whose accesses race. What fails at all is told by the diagnosis.
fn racing(sim: &Sim, scenario: &Scenario, group: &[Point], seed: u64) -> Vec<(&'static str, Vec<Race>)> {
    let of_point = |point: &Point| {
        let (variant, device) = (point.variant.name, sim.properties());
        if point.variant.refusal(device).is_some() {
            return None;
        }
        let request = Request { variant, parameters: &point.parameters, device, seed };
        let found = races(sim, scenario.family, &request).ok()??.found;
        let certain: Vec<Race> = found.into_iter().filter(|race| race.is_certain).collect();
        (!certain.is_empty()).then_some((variant, certain))
    };
    group.iter().filter_map(of_point).collect()
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
        if let Err(CheckError::Wrong(problem)) = result {
            checked.wrong.push(Wrong { variant, problem, differs_from });
        }
    }
    checked
}

/// The numbers of a point, which say how large it is.
fn size(group: &[Point]) -> String {
    let Some(point) = group.first() else { return String::new() };
    point.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}
