//! Table 4.1: the slowdown of copies that are not coalesced.

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::Request;
use apbench::family::global_access::FAMILY;
use apbench::measure::check::run_and_check;
use apbench::parameter::ParameterSet;
use apbench::published::printed::{reference_of, variant_of};
use gpu_simulator::profile::Profile;

use super::figures;
use crate::common::is_exhaustive;

/// Widths of `scenarios/global-access.toml` that fit into the memory of both GPUs. The geometric mean counts, as in
/// `apbench compare --table 4.1`. The first two unless all are asked for.
const WIDTHS: [i64; 5] = [1040, 2080, 3120, 4160, 5200];

fn time_us(device: &Sim, variant: &str, width: i64) -> f64 {
    let mut parameters = ParameterSet::defaults(FAMILY.parameters, device.properties());
    parameters.set("width", width).unwrap();
    let request = Request { variant, parameters: &parameters, device: device.properties(), seed: 1 };
    let workload = FAMILY.workload(&request).unwrap();
    let mut prepared = device.prepare(&workload).unwrap();
    run_and_check(&mut *prepared, &workload).unwrap();
    prepared.cold_sample(apbench::device::Flush::Clean).unwrap().time_us
}

/// Variants, printed slowdowns, simulated ones.
fn slowdowns(device: &str, profile: &str) -> Vec<(String, f64, f64)> {
    let sim = Sim::open(Profile::load(profile).unwrap());
    let widths = if is_exhaustive() { &WIDTHS[..] } else { &WIDTHS[..2] };
    let times_us = |variant: &str| widths.iter().map(|width| time_us(&sim, variant, *width)).collect::<Vec<_>>();
    let coalesced = times_us(reference_of("4.1").unwrap());
    let of_device = figures("4.1").into_iter().filter(|figure| figure.device == device);
    of_device
        .map(|figure| {
            let variant = variant_of(&figure.variant);
            let logarithms =
                times_us(&variant).iter().zip(&coalesced).map(|(time, own)| (time / own).ln()).sum::<f64>();
            (variant, figure.value, (logarithms / widths.len() as f64).exp())
        })
        .collect()
}

#[track_caller]
fn assert_within_a_quarter(device: &str, profile: &str) {
    let slowdowns = slowdowns(device, profile);
    assert_eq!(slowdowns.len(), 4);
    for (variant, printed, simulated) in &slowdowns {
        assert!((simulated / printed - 1.0).abs() <= 0.25, "{variant}: variant, printed, simulated: {slowdowns:.2?}");
    }
}

#[test]
fn slowdowns_of_an_8500_gt_are_within_a_quarter_of_the_printed_ones() {
    assert_within_a_quarter("GeForce 8500 GT", "8500gt");
}

#[test]
fn slowdowns_of_a_gtx_280_are_within_a_quarter_of_the_printed_ones() {
    assert_within_a_quarter("GeForce GTX 280", "gtx280");
}

/// Figure 4.4: scattered writes take longer where the width is a multiple of so many elements, and coalesced copies do not. On a GTX
/// 280 it is less pronounced.
#[test]
fn scattered_writes_peak_at_the_widths_of_figure_4_4() {
    let sim = |profile: &str| Sim::open(Profile::load(profile).unwrap());
    let slowdown = |profile: &str, variant: &str, width: i64| {
        let of_element = |width: i64| time_us(&sim(profile), variant, width) / (width * width) as f64;
        of_element(width) / of_element(width + 32)
    };
    let (coalesced, scattered) = ("read_coalesced_write_coalesced", "read_coalesced_write_uncoalesced");
    let old = slowdown("8500gt", scattered, 384);
    let new = slowdown("gtx280", scattered, 1280);
    assert!(old > 1.2 && new > 1.05 && new < old, "{old:.2} {new:.2}");
    for (profile, width) in [("8500gt", 384), ("gtx280", 1280)] {
        let flat = slowdown(profile, coalesced, width);
        assert!((flat - 1.0).abs() < 0.05, "{profile}: {flat:.2}");
    }
}
