//! Races of the program's own kernels: there are none, so that whatever is told of a kernel of the user's is one.

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::{FAMILIES, Request};
use gpu_simulator::profile::Profile;

/// At the points of `apbench verify`: at the first and the last of each family, which are its smallest and its largest.
#[test]
fn kernels_of_the_program_have_none() {
    let device = Sim::open(Profile::load("h200").unwrap());
    let mut told = Vec::new();
    let mut accesses = 0;
    for family in FAMILIES {
        let points = family.verification(device.properties());
        for parameters in points.first().into_iter().chain(points.last()) {
            for variant in family.variants.iter().filter(|own| own.refusal(device.properties()).is_none()) {
                let name = format!("{}/{} {parameters}", family.name, variant.name);
                let request = Request { variant: variant.name, parameters, device: device.properties(), seed: 1 };
                let workload = family.workload(&request).unwrap();
                let races = device.races(&workload).unwrap_or_else(|error| panic!("{name}: {error}"));
                let races = races.expect("a simulated device can tell");
                accesses += races.accesses;
                told.extend(races.found.into_iter().map(|own| format!("{name}: {}", own.what)));
            }
        }
    }
    assert!(told.is_empty(), "{} races:\n{}", told.len(), told.join("\n"));
    assert!(accesses > 1_000_000, "{accesses}");
}
