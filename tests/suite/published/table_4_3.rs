use apbench::family::data_layout::FAMILY;
use apbench::published::printed::parameters_of;

use super::figures;
use crate::families::Simulated;

/// Structures of the simulated run: fewer than the 8388608 of the table, as many as the time of the launch is small beside.
const ELEMENTS: i64 = 1 << 18;

/// How many times longer an array of structures takes, as printed.
fn printed(device: &str) -> f64 {
    let figures = figures("4.3");
    let time = |variant: &str| {
        let mut own = figures.iter().filter(|figure| figure.device == device && figure.variant == variant);
        own.next().unwrap_or_else(|| panic!("{device} {variant}")).value
    };
    time("array_of_structures") / time("structure_of_arrays")
}

/// The same on a simulated device.
fn simulated(profile: &str) -> f64 {
    let time = |variant| {
        let of_table = parameters_of("4.3");
        let of_table = of_table.iter().map(|(name, value)| (name.as_str(), value.parse::<i64>().unwrap().into()));
        let parameters: Vec<_> = of_table.chain([("elements", ELEMENTS.into())]).collect();
        Simulated::run(profile, &FAMILY, variant, &parameters).time_us
    };
    let (structures, arrays) = (time("array_of_structures"), time("structure_of_arrays"));
    println!("{profile}: {structures:.1} us and {arrays:.1} us");
    structures / arrays
}

#[test]
fn arrays_of_structures_are_as_slow_as_in_table_4_3() {
    for (device, profile) in [("GeForce 8500 GT", "8500gt"), ("GeForce GTX 280", "gtx280")] {
        let (printed, simulated) = (printed(device), simulated(profile));
        let apart_pct = (simulated / printed - 1.0) * 100.0;
        println!("{device}: {simulated:.2} times, printed {printed:.2}, {apart_pct:.0} % apart");
        assert!(apart_pct.abs() <= 25.0, "{device}: {simulated:.2} times, printed {printed:.2}");
    }
}
