//! Table 4.1: the slowdown of copies that are not coalesced.

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::device::sim::profile::Profile;
use apbench::family::Request;
use apbench::family::global_access::FAMILY;
use apbench::measure::check::run_and_check;
use apbench::parameter::ParameterSet;

use super::figures;

/// Width of the matrix: large enough that a launch is nothing beside it, and no multiple of a camping one.
const WIDTH: i64 = 1520;

fn time_us(device: &Sim, variant: &str, width: i64) -> f64 {
    let parameters = ParameterSet::defaults(FAMILY.parameters, device.properties()).with("width", width);
    let request = Request { variant, parameters: &parameters, device: device.properties(), seed: 1 };
    let workload = (FAMILY.workload)(&request);
    let mut prepared = device.prepare(&workload).unwrap();
    run_and_check(&mut *prepared, &workload).unwrap();
    prepared.cold_sample(apbench::device::Flush::Clean).unwrap().time_us
}

fn slowdowns(device: &str, profile: &str) -> Vec<(String, f64, f64)> {
    let sim = Sim::open(Profile::load(profile).unwrap());
    let coalesced = time_us(&sim, "read_coalesced_write_coalesced", WIDTH);
    let of_device = figures("4.1").into_iter().filter(|figure| figure.device == device);
    of_device
        .map(|figure| {
            let variant = figure.variant.replace("read=", "read_").replace(" write=", "_write_");
            let slowdown = time_us(&sim, &variant, WIDTH) / coalesced;
            (variant, figure.value, slowdown)
        })
        .collect()
}

#[track_caller]
fn assert_within_a_quarter(device: &str, profile: &str) {
    let slowdowns = slowdowns(device, profile);
    assert_eq!(slowdowns.len(), 4);
    let apart: Vec<_> =
        slowdowns.iter().filter(|(_, printed, simulated)| (simulated / printed - 1.0).abs() > 0.25).collect();
    assert!(apart.is_empty(), "variant, printed, simulated: {slowdowns:.2?}");
}

#[test]
fn slowdowns_of_an_8500_gt_are_within_a_quarter_of_the_printed_ones() {
    assert_within_a_quarter("GeForce 8500 GT", "8500gt");
}

#[test]
fn slowdowns_of_a_gtx_280_are_within_a_quarter_of_the_printed_ones() {
    assert_within_a_quarter("GeForce GTX 280", "gtx280");
}
