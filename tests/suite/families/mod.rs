//! Each family's kernels still contain what they are there to measure, and its predictors are what the simulated device counts.

#![allow(clippy::float_cmp, reason = "counts are exact")]

mod asynchronous_copies;
mod atomic_rate;
mod atomic_types;
mod atomics;
mod block_start;
mod block_sum;
mod block_sync;
mod branching;
mod clusters;
mod data_layout;
mod fences;
mod global_access;
mod global_sync;
mod histogram;
mod instruction_rate;
mod l2_residency;
mod l2_sectors;
mod launch_overlap;
mod launch_rate;
mod matrix_fragments;
mod matrix_tiles;
mod memory_bandwidth;
mod memory_latency;
mod partition;
mod prefix_sum;
mod reduction;
mod select_sum;
mod shared_access;
mod stencil;
mod threads;
mod transpose;
mod trapezoid;
mod wait_cost;

use std::collections::HashMap;

use apbench::device::sim::Sim;
use apbench::device::{Device, DeviceError};
use apbench::family::{FAMILIES, Family, Request};
use apbench::kernel::Ptx;
use apbench::measure::check::run_and_check;
use apbench::parameter::{ParameterSet, Value};
use gpu_simulator::profile::Profile;

/// The instructions of one entry point as a recent GPU gets it, comments and blank lines left out.
fn entry(ptx: Ptx, name: &str) -> Vec<&'static str> {
    let ptx = ptx.text_of(name, (9, 0)).unwrap_or_else(|| panic!("no entry {name}"));
    let start = ptx.find(&format!(".entry {name}(")).unwrap_or_else(|| panic!("no entry {name}"));
    let body = &ptx[start..];
    let end = body.find("\n}").expect("an entry ends");
    body[..end].lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).collect()
}

/// The bodies of loops: from a label to a branch back to it.
fn loops<'a>(instructions: &[&'a str]) -> Vec<Vec<&'a str>> {
    let label_at = |label: &str| instructions.iter().position(|line| *line == format!("{label}:"));
    let mut loops = Vec::new();
    for (end, line) in instructions.iter().enumerate() {
        let target = line.split_whitespace().last().unwrap_or_default().trim_end_matches(';');
        if line.contains("bra")
            && let Some(start) = label_at(target)
            && start < end
        {
            loops.push(instructions[start..end].to_vec());
        }
    }
    loops
}

fn count(instructions: &[&str], opcode: &str) -> usize {
    instructions.iter().filter(|line| line.starts_with(opcode)).count()
}

/// What a point came to on a simulated device: its outputs were right, these were its predictors and these its counters.
pub(crate) struct Simulated {
    predictors: HashMap<&'static str, f64>,
    counters: HashMap<&'static str, String>,
    /// Simulated time.
    pub(crate) time_us: f64,
}

/// The family's defaults on a device, but for `parameters`. Panics where they do not go together.
#[track_caller]
fn point(device: &Sim, family: &Family, parameters: &[(&str, Value)]) -> ParameterSet {
    let defaults = ParameterSet::defaults(family.parameters, device.properties());
    let point = parameters.iter().fold(defaults, |mut point, (name, value)| {
        let parameter = family.parameter(name).unwrap_or_else(|| panic!("no parameter {name}"));
        parameter.kind.check(value).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        point.set(name, value.clone()).unwrap();
        point
    });
    family.check(&point).unwrap_or_else(|conflict| panic!("{point}: {}", conflict.problem));
    point
}

impl Simulated {
    /// Runs a point of a family on the simulated device `profile` (such as `h200`): the family's defaults there, but for
    /// `parameters`. Panics where an output is wrong or the device refuses.
    #[track_caller]
    pub(crate) fn run(profile: &str, family: &Family, variant: &str, parameters: &[(&str, Value)]) -> Self {
        let device = Sim::open(Profile::load(profile).unwrap());
        let point = point(&device, family, parameters);
        let workload =
            family.workload(&Request { variant, parameters: &point, device: device.properties(), seed: 1 }).unwrap();
        let mut prepared = device.prepare(&workload).unwrap_or_else(|error| panic!("{variant} {point}: {error}"));
        run_and_check(&mut *prepared, &workload).unwrap_or_else(|error| panic!("{variant} {point}: {error}"));
        let counters = prepared.counters().into_iter().collect();
        let time_us = prepared.cold_sample(apbench::device::Flush::Clean).unwrap().time_us;
        Self { predictors: workload.predictors.iter().copied().collect(), counters, time_us }
    }

    /// Why the simulated device does not run such a point, if it does not.
    #[track_caller]
    fn refusal(profile: &str, family: &Family, variant: &str, parameters: &[(&str, Value)]) -> Option<String> {
        let device = Sim::open(Profile::load(profile).unwrap());
        let point = point(&device, family, parameters);
        let workload =
            family.workload(&Request { variant, parameters: &point, device: device.properties(), seed: 1 }).unwrap();
        match device.prepare(&workload) {
            Ok(_) => None,
            Err(DeviceError::Unsupported(reason)) => Some(reason),
            Err(error) => panic!("{variant} {point}: {error}"),
        }
    }

    /// A predictor by name.
    #[track_caller]
    fn predictor(&self, name: &str) -> f64 {
        *self.predictors.get(name).unwrap_or_else(|| panic!("no predictor {name}"))
    }

    /// A counter by the name of its column.
    #[track_caller]
    fn counter(&self, name: &str) -> f64 {
        let text = self.counters.get(name).unwrap_or_else(|| panic!("no counter {name}"));
        text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}"))
    }
}

/// The first and the last of the points that `apbench verify` goes through; `simulated` has all of them.
#[test]
fn every_variant_is_right_at_the_smallest_and_the_largest_verification_point() {
    let old = FAMILIES.iter().filter(|family| family.name == "reduction").map(|family| ("gtx280", *family));
    for (profile, family) in FAMILIES.iter().map(|family| ("h200", *family)).chain(old) {
        let device = Sim::open(Profile::load(profile).unwrap());
        let points = family.verification(device.properties());
        for point in points.first().into_iter().chain(points.last()) {
            let parameters: Vec<_> = point.iter().map(|(name, value)| (name, value.clone())).collect();
            for variant in family.variants.iter().filter(|variant| variant.refusal(device.properties()).is_none()) {
                Simulated::run(profile, family, variant.name, &parameters);
            }
        }
    }
}
