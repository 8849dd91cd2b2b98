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

/// Widths of the matrix, large enough that a launch is little beside the copy, and spread: partitions camp more at some than at
/// others. The median counts. The first three unless all are asked for.
const WIDTHS: [i64; 5] = [512, 640, 768, 912, 1040];

/// What is further from the printed factor than a quarter, and between which factors it is: see
/// `results/published/simulated.md` for the reason.
const EXCEPTIONS: [(&str, &str, f64, f64); 1] = [("gtx280", "read_coalesced_write_uncoalesced", 3.5, 4.1)];

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
    let widths = if is_exhaustive() { &WIDTHS[..] } else { &WIDTHS[..3] };
    let times_us = |variant: &str| widths.iter().map(|width| time_us(&sim, variant, *width)).collect::<Vec<_>>();
    let coalesced = times_us(reference_of("4.1").unwrap());
    let of_device = figures("4.1").into_iter().filter(|figure| figure.device == device);
    of_device
        .map(|figure| {
            let variant = variant_of(&figure.variant);
            let mut slowdowns = times_us(&variant);
            slowdowns.iter_mut().zip(&coalesced).for_each(|(time, coalesced)| *time /= coalesced);
            slowdowns.sort_by(f64::total_cmp);
            (variant, figure.value, slowdowns[widths.len() / 2])
        })
        .collect()
}

#[track_caller]
fn assert_within_a_quarter_but_for_exceptions(device: &str, profile: &str) {
    let slowdowns = slowdowns(device, profile);
    assert_eq!(slowdowns.len(), 4);
    for (variant, printed, simulated) in &slowdowns {
        let is_near = (simulated / printed - 1.0).abs() <= 0.25;
        match EXCEPTIONS.iter().find(|(of, which, ..)| *of == profile && which == variant) {
            Some((_, _, from, to)) => {
                assert!(!is_near, "{variant} is no exception any more: {slowdowns:.2?}");
                assert!((*from..=*to).contains(simulated), "{variant}: {slowdowns:.2?}");
            }
            None => assert!(is_near, "variant, printed, simulated: {slowdowns:.2?}"),
        }
    }
}

#[test]
fn slowdowns_of_an_8500_gt_are_within_a_quarter_of_the_printed_ones() {
    assert_within_a_quarter_but_for_exceptions("GeForce 8500 GT", "8500gt");
}

#[test]
fn slowdowns_of_a_gtx_280_are_within_a_quarter_of_the_printed_ones_but_for_one() {
    assert_within_a_quarter_but_for_exceptions("GeForce GTX 280", "gtx280");
}
