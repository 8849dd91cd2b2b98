//! Table 4.2: slowdown of copies within shared memory by bank conflicts, 100 repetitions.

use apbench::device::sim::Sim;
use apbench::device::{Device, Flush};
use apbench::family::Request;
use apbench::family::shared_access::FAMILY;
use apbench::parameter::ParameterSet;
use apbench::published::printed::{parameters_of, reference_of, variant_of};
use gpu_simulator::profile::Profile;

use super::figures;

/// How far a simulated factor may be from the printed one.
const TOLERANCE: f64 = 0.25;

/// The simulated time of a copy, whose output is not looked at here.
fn time_us(device: &Sim, variant: &str) -> f64 {
    let mut parameters = ParameterSet::defaults(FAMILY.parameters, device.properties());
    for (name, value) in parameters_of("4.2") {
        parameters.set(&name, value.parse::<i64>().unwrap()).unwrap();
    }
    let workload =
        FAMILY.workload(&Request { variant, parameters: &parameters, device: device.properties(), seed: 1 }).unwrap();
    let mut prepared = device.prepare(&workload).unwrap();
    prepared.cold_sample(Flush::Clean).unwrap().time_us
}

#[test]
fn slowdowns_by_bank_conflicts_are_the_printed_ones() {
    let printed = figures("4.2");
    let mut held = 0;
    for (name, profile) in [("GeForce GTX 280", "gtx280"), ("GeForce 8500 GT", "8500gt")] {
        let device = Sim::open(Profile::load(profile).unwrap());
        let reference_us = time_us(&device, reference_of("4.2").unwrap());
        for figure in printed.iter().filter(|figure| figure.device == name) {
            let variant = variant_of(&figure.variant);
            let slowdown = time_us(&device, &variant) / reference_us;
            assert!(
                (slowdown / figure.value - 1.0).abs() <= TOLERANCE,
                "{name}, {}: {slowdown:.2} simulated, {} printed",
                figure.variant,
                figure.value
            );
            held += 1;
        }
    }
    assert_eq!(held, printed.len(), "a figure is of another device");
}
